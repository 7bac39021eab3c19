/** What a planner works out from measured points: fits, merges that are replayed, shards and nodes. */
import { describe, expect, test } from 'vitest';
import { fitGrowth, largestWithin, type Fit, type Sample } from '../../../bench/experiments/planner/fit.js';
import { checkGrowth, growthOf } from '../../../bench/experiments/planner/growth.js';
import { estimateMerges, simulateMerges, type Stream } from '../../../bench/experiments/planner/merge-simulation.js';
import { planPoints } from '../../../bench/experiments/planner/points.js';
import { policyOf } from '../../../bench/experiments/planner/policy.js';
import { predict, type Growth, type Wanted } from '../../../bench/experiments/planner/predict.js';
import { pointOf } from '../../../bench/experiments/point.js';
import type { MeasuredPoint } from '../../../bench/experiments/results.js';
import { sweepDefaults } from '../../../bench/experiments/sizes.js';
import tuning, { recommend } from '../../../bench/experiments/tuning.js';

const POLICY = policyOf({});
const GB = 1e9;

function samples(law: (x: number) => number, sizes = [1_000, 2_000, 4_000, 8_000]): readonly Sample[] {
  return sizes.map((x) => [x, law(x)]);
}

describe('fits', () => {
  test('find the law that holds, and say what comes after', () => {
    const line = fitGrowth(samples((x) => 500 + 2 * x));
    expect(line.law).toBe('line');
    expect(line.value(64_000)).toBeCloseTo(128_500);
    const power = fitGrowth(samples((x) => 3 * x ** 0.8));
    expect(power.law).toBe('power');
    expect(power.value(64_000)).toBeCloseTo(3 * 64_000 ** 0.8);
  });

  test('are less sure further away, and where runs differ', () => {
    const noisy = fitGrowth([...samples((x) => 0.9 * x + 20), ...samples((x) => 1.1 * x + 10)]);
    const width = (fit: Fit, x: number): number => (fit.at(x).high - fit.at(x).low) / fit.at(x).value;
    expect(width(noisy, 1e6)).toBeGreaterThan(width(noisy, 8_000));
    expect(width(noisy, 8_000)).toBeGreaterThan(width(fitGrowth(samples((x) => x + 15)), 8_000));
    const { low, value, high } = noisy.at(16_000);
    expect([low < value, value < high]).toEqual([true, true]);
  });

  test('of two runs are unsure, of one size none', () => {
    const { low, value, high } = fitGrowth(samples((x) => x, [1, 2])).at(2);
    expect([low < 0.7 * value, high > 1.3 * value]).toEqual([true, true]);
    expect(() => fitGrowth([[5, 1]])).toThrow('two sizes');
  });

  test('are asked the other way round', () => {
    const fit = fitGrowth(samples((x) => 10 + x / 1_000));
    expect(largestWithin(fit, 20, 1e9) / 10_000).toBeCloseTo(1, 1);
    expect(largestWithin(fit, 20, 5_000)).toBe(5_000);
    expect(largestWithin(fit, 1, 1e9)).toBeLessThan(2);
  });
});

describe('merges that are replayed', () => {
  const stream = (segments: number, more: Partial<Stream> = {}): Stream => ({
    operations: segments * 1_000,
    operationsPerSegment: 1_000,
    secondsPerSegment: 1,
    updates: 0,
    bytesOf: (documents) => documents * 4_000,
    mergeBytesPerSecond: 1e12,
    ...more,
  });

  test('write nothing more while a tier is not full', () => {
    expect(simulateMerges(stream(10), POLICY)).toMatchObject({ writeAmplification: 1, merges: 0, segments: 10 });
  });

  test('write each byte about once more for each tier', () => {
    const { writeAmplification, segments, storeBytes, flushedBytes } = simulateMerges(stream(1_000), POLICY);
    expect(writeAmplification).toBeGreaterThan(2.3);
    expect(writeAmplification).toBeLessThan(3.7);
    expect(segments).toBeLessThan(31);
    expect(storeBytes).toBeCloseTo(flushedBytes);
  });

  test('write more for fewer segments, and less where none is larger', () => {
    const usual = simulateMerges(stream(1_000), POLICY).writeAmplification;
    const few = { ...POLICY, segmentsPerTier: 4, maxMergeAtOnce: 4 };
    expect(simulateMerges(stream(1_000), few).writeAmplification).toBeGreaterThan(usual);
    const small = { ...POLICY, maxMergedSegmentBytes: 40_000_000 };
    expect(simulateMerges(stream(1_000), small).writeAmplification).toBeLessThan(usual);
  });

  test('drop what was replaced', () => {
    const replaced = simulateMerges(stream(1_000, { updates: 0.5 }), POLICY);
    expect(replaced.storeBytes).toBeLessThan(0.8 * replaced.flushedBytes);
  });

  test('of very many segments are foretold from the first of them', () => {
    const many = simulateMerges(stream(16_000), POLICY);
    const half = simulateMerges(stream(8_000), POLICY);
    expect(many.writeAmplification).toBeGreaterThanOrEqual(half.writeAmplification);
    expect(many.writeAmplification).toBeLessThan(half.writeAmplification + 1);
    expect(many.flushedBytes / half.flushedBytes).toBeCloseTo(2);
    // Segments that are as large as they may be are not merged again.
    const small = { ...POLICY, maxMergedSegmentBytes: 400_000_000 };
    const [less, more] = [16_000, 1_600_000].map((count) => simulateMerges(stream(count), small).writeAmplification);
    expect(more).toBeCloseTo(less ?? NaN);
  });

  test('have an interval around what is expected', () => {
    const { low, high, writeAmplification } = estimateMerges(stream(200), POLICY);
    expect([low <= writeAmplification, high >= writeAmplification]).toEqual([true, true]);
  });

  test('take the policy of the index', () => {
    expect(policyOf({ 'index.merge.policy.segments_per_tier': 4 }).segmentsPerTier).toBe(4);
    expect(policyOf({ index: { merge: { policy: { floor_segment: '1mb' } } } }).floorSegmentBytes).toBe(1024 ** 2);
    expect(POLICY).toMatchObject({ segmentsPerTier: 10, maxMergedSegmentBytes: 5 * 1024 ** 3 });
  });
});

const SIZES = [10_000, 20_000, 40_000, 80_000];

const GROWTH: Growth = {
  storeBytes: fitGrowth(samples((x) => 1_000 * x, SIZES)),
  p99Ms: fitGrowth(samples((x) => 2 + x / 100_000, SIZES)),
  processorMsPerSearch: fitGrowth(samples((x) => 1 + x / 100_000, SIZES)),
  memoryBytes: fitGrowth(
    samples((x) => 1e8 + 20 * x, SIZES),
    'line',
  ),
  segmentBytes: fitGrowth(samples((x) => 1_000 * x, SIZES)),
  memoryBytesPerShard: 1e6,
  processorMsPerDocument: 0.05,
  mergeBytesPerSecond: 1e8,
  measuredDocuments: 80_000,
};

const WANTED: Wanted = {
  documents: 1e9,
  p99Ms: 2_000,
  retentionMs: 30 * 86_400_000,
  searchesPerSecond: 1,
  replicas: 1,
  updates: 0,
  refreshMs: 1_000,
  shardBytesMax: 50 * GB,
  nodeProcessors: 16,
  nodeMemoryBytes: 64 * GB,
  nodeDiskBytes: 1_000 * GB,
};

describe('a plan', () => {
  test('has shards as large as their size and the time of searches let them be', () => {
    const plan = predict(GROWTH, WANTED, POLICY);
    expect(plan.shardLimit).toBe('size of a shard');
    expect([20, 21]).toContain(plan.shards);
    expect(plan.diskBytes.value / (2_000 * GB)).toBeCloseTo(1, 1);
    expect(plan.nodes).toBeGreaterThanOrEqual(3);
    expect(plan.documentsPerSecond).toBeCloseTo(385.8, 1);
    expect(plan.writtenBytesPerDay.value).toBeGreaterThan((1e9 * 1_000 * 2) / 30);
    expect(plan.beyond).toBeGreaterThan(590);
    const quick = predict(GROWTH, { ...WANTED, p99Ms: 50 }, POLICY);
    expect(quick.shardLimit).toBe('p99 of searches');
    expect(quick.shards).toBeGreaterThan(200);
  });

  test('has as many nodes as what is short needs', () => {
    expect(predict(GROWTH, { ...WANTED, nodeDiskBytes: 100 * GB }, POLICY).nodeLimit).toBe('disk');
    expect(predict(GROWTH, { ...WANTED, searchesPerSecond: 1_000 }, POLICY).nodeLimit).toBe('processor time');
    expect(predict(GROWTH, { ...WANTED, nodeMemoryBytes: 1 * GB }, POLICY).nodeLimit).toBe('memory');
    expect(predict(GROWTH, { ...WANTED, documents: 1_000, replicas: 2 }, POLICY)).toMatchObject({
      shards: 1,
      nodes: 3,
    });
  });

  test('that cannot be is refused with the reason', () => {
    expect(() => predict(GROWTH, { ...WANTED, p99Ms: 1 }, POLICY)).toThrow('no shard is so small');
    expect(() => predict(GROWTH, { ...WANTED, documents: 1e14 }, POLICY)).toThrow('shards: ask for');
  });
});

test('the largest size is foretold from the others, and held against what it was', () => {
  const options = {
    documents: 8_000,
    steps: 4,
    processors: 1,
    rate: 1_000,
    updates: 0,
    refreshMs: 100,
    indexSettings: {},
  };
  const points = planPoints(options).map((spec): MeasuredPoint => {
    const { documents } = spec;
    const figures = {
      storeBytes: 1_000 * documents,
      servingBytes: 1e8 + 10 * documents + 1e6 * spec.shards,
      searchP99Ms: 1 + documents / 1_000,
      processorMsPerSearch: 1 + documents / 2_000,
      processorMsPerDocument: 0.1,
      writeAmplification: spec.steady === undefined ? 1 : 2,
    };
    const curves = {
      segmentSizes: [[documents / 2, 500 * documents] as const, [documents / 8, 125 * documents] as const],
    };
    return { ...pointOf(spec, 1), figures, curves, kinds: {}, answers: {}, startedAt: '', tookMs: 1 };
  });
  const growth = growthOf(points);
  expect(growth.memoryBytesPerShard).toBeCloseTo(1e6);
  expect(growth.measuredDocuments).toBe(8_000);
  const checks = new Map(checkGrowth(points, POLICY).map((check) => [check.name, check]));
  expect(checks.get('disk')).toMatchObject({ measured: 8e6, isWithin: true });
  expect(checks.get('disk')?.error).toBeCloseTo(0);
  expect(checks.get('search, p99')?.error).toBeCloseTo(0);
  expect(checks.get('documents of a shard at that p99')?.error).toBeCloseTo(0, 1);
  expect(checks.get('write amplification')?.measured).toBe(2);
});

test('merge settings are recommended where they are better by more than noise', () => {
  const options = { ...sweepDefaults({}), segmentsPerTier: [4], floorSegment: ['2mb'], documents: 100 };
  const specs = tuning.points(options, {});
  expect(specs.map(({ label }) => label)).toEqual([
    'segments_per_tier 10, floor_segment 2mb',
    'segments_per_tier 4, floor_segment 2mb',
  ]);
  const points = [1, 2, 3, 4, 5].flatMap((repeat) =>
    specs.map((spec): MeasuredPoint => {
      const isDefault = spec.x === 0;
      const figures = {
        writeAmplification: (isDefault ? 2 : 3) + repeat / 100,
        searchMedianMs: (isDefault ? 2 : 1) + repeat / 100,
        besideP99Ms: (isDefault ? 2 : 1) + repeat / 100,
        processorMsPerDocument: 1 + ((repeat * (isDefault ? 2 : 3)) % 5) / 100,
      };
      return { ...pointOf(spec, repeat), figures, curves: {}, kinds: {}, answers: {}, startedAt: '', tookMs: 1 };
    }),
  );
  const found = new Map(recommend(points).map(({ aim, spec }) => [aim, spec?.label]));
  expect(found.get('fewest bytes written')).toBeUndefined();
  expect(found.get('quickest searches')).toBe('segments_per_tier 4, floor_segment 2mb');
  expect(found.get('cheapest indexing')).toBeUndefined();
  expect(recommend(points.filter(({ repeat }) => repeat < 3)).every(({ spec }) => spec === undefined)).toBe(true);
});
