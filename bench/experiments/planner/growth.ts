/** How a sample grew, from measured points; and how well the smaller ones foretell the largest. */
import type { MergePolicy } from '../../../src/cluster/merge-policy.js';
import { median as medianOfSome } from 'simple-statistics';
import type { FigureName } from '../figures.js';
import type { MeasuredPoint } from '../results.js';
import { fitGrowth, largestWithin, type Estimate, type Fit, type Sample } from './fit.js';
import { estimateMerges, type Stream } from './merge-simulation.js';
import { GROWTH, MANY_SHARDS, SHARDS, STREAM } from './points.js';
import type { Growth } from './predict.js';

/** One figure of the largest point, foretold without it and measured. */
export interface Check {
  readonly name: string;
  readonly figure: FigureName | 'documents';
  readonly predicted: Estimate;
  readonly measured: number;
  /** Relative to what was measured. */
  readonly error: number;
  readonly isWithin: boolean;
}

const PACE_UNKNOWN = 100e6;

export function growthOf(points: readonly MeasuredPoint[]): Growth {
  const of = (sweep: string): readonly MeasuredPoint[] => points.filter(({ spec }) => spec.sweep === sweep);
  const growth = of(GROWTH);
  const streams = of(STREAM);
  const fit = (figure: FigureName, law?: 'line'): Fit => fitGrowth(samplesOf(growth, figure), law);
  // Of a node that serves: what loading needs beyond it is bounded by the indexing buffer.
  const memoryBytes = fit('servingBytes', 'line');
  const paces = streams.flatMap(({ figures }) => figures['mergeBytesPerSecond'] ?? []);
  return {
    storeBytes: fit('storeBytes'),
    p99Ms: fit('searchP99Ms'),
    processorMsPerSearch: fit('processorMsPerSearch'),
    memoryBytes,
    segmentBytes: fitGrowth(segmentSamples([...growth, ...streams])),
    memoryBytesPerShard: memoryPerShard(growth, of(SHARDS)),
    processorMsPerDocument: median(streams.flatMap(({ figures }) => figures['processorMsPerDocument'] ?? [])),
    mergeBytesPerSecond: paces.length === 0 ? PACE_UNKNOWN : median(paces),
    measuredDocuments: Math.max(...growth.map(({ spec }) => spec.documents)),
  };
}

function samplesOf(points: readonly MeasuredPoint[], figure: FigureName): readonly Sample[] {
  return points.flatMap(({ spec, figures }): Sample[] => {
    const value = figures[figure];
    return value === undefined || !(value > 0) ? [] : [[spec.documents, value]];
  });
}

/** Segments of a few documents are headers for the most part; those of streams are as small, and count. */
function segmentSamples(points: readonly MeasuredPoint[]): readonly Sample[] {
  return points
    .flatMap(({ curves }) => curves['segmentSizes'] ?? [])
    .filter(([documents, bytes]) => documents > 0 && bytes > 0);
}

function memoryPerShard(growth: readonly MeasuredPoint[], many: readonly MeasuredPoint[]): number {
  const documents = many[0]?.spec.documents;
  const memory = (points: readonly MeasuredPoint[]): number[] =>
    points.filter(({ spec }) => spec.documents === documents).flatMap(({ figures }) => figures['servingBytes'] ?? []);
  const [one, several] = [memory(growth), memory(many)];
  if (one.length === 0 || several.length === 0) return 0;
  return Math.max(0, (median(several) - median(one)) / (MANY_SHARDS - 1));
}

function median(values: readonly number[]): number {
  return values.length === 0 ? NaN : medianOfSome([...values]);
}

/** Fits all but the largest size, and holds what they say against it. */
export function checkGrowth(points: readonly MeasuredPoint[], policy: MergePolicy): readonly Check[] {
  const largest = Math.max(...points.map(({ spec }) => spec.documents));
  const known = growthOf(points.filter(({ spec }) => spec.documents < largest));
  const unseen = points.filter(({ spec }) => spec.documents === largest);
  const grown = unseen.filter(({ spec }) => spec.sweep === GROWTH);
  const measured = (figure: FigureName): number => median(grown.flatMap(({ figures }) => figures[figure] ?? []));
  const ofFit = (name: string, figure: FigureName, fit: Fit): Check =>
    checkOf(name, figure, fit.at(largest), measured(figure));
  return [
    ofFit('disk', 'storeBytes', known.storeBytes),
    ofFit('memory of a node that serves', 'servingBytes', known.memoryBytes),
    ofFit('search, p99', 'searchP99Ms', known.p99Ms),
    ofFit('processor time a search', 'processorMsPerSearch', known.processorMsPerSearch),
    checkCapacity(known.p99Ms, largest, measured('searchP99Ms')),
    ...checkStreams(known, unseen, policy),
  ].filter((check) => Number.isFinite(check.measured));
}

/** The question of a plan turned round: how many documents have the p99 that the largest point was measured to have? */
function checkCapacity(p99Ms: Fit, largest: number, measuredP99Ms: number): Check {
  const most = 1_000 * largest;
  const predicted = {
    value: largestWithin({ ...p99Ms, at: (x) => ({ ...p99Ms.at(x), high: p99Ms.value(x) }) }, measuredP99Ms, most),
    low: largestWithin(p99Ms, measuredP99Ms, most),
    high: largestWithin(p99Ms, measuredP99Ms, most, 'low'),
  };
  return checkOf('documents of a shard at that p99', 'documents', predicted, largest);
}

function checkStreams(known: Growth, unseen: readonly MeasuredPoint[], policy: MergePolicy): readonly Check[] {
  const streams = unseen.filter(({ spec }) => spec.sweep === STREAM);
  const [first] = streams;
  if (first === undefined) return [];
  const measured = median(streams.flatMap(({ figures }) => figures['writeAmplification'] ?? []));
  const { writeAmplification: value, low, high } = estimateMerges(streamOf(first, known), policy);
  return [checkOf('write amplification', 'writeAmplification', { value, low, high }, measured)];
}

/** A measured stream as the simulation takes it: of what is asked for alone, not of what came of it. */
export function streamOf({ spec }: Pick<MeasuredPoint, 'spec'>, growth: Growth): Stream {
  const updates = spec.steady?.updates ?? 0;
  const rate = spec.steady?.rate ?? 0;
  const secondsPerSegment = Number.parseFloat(String(spec.indexSettings['index.refresh_interval'])) / 1_000;
  const operations = spec.documents / (1 - updates);
  return {
    operations,
    operationsPerSegment: rate > 0 ? Math.max(1, rate * secondsPerSegment) : operations,
    secondsPerSegment,
    updates,
    bytesOf: (count) => growth.segmentBytes.value(Math.max(1, count)),
    mergeBytesPerSecond: growth.mergeBytesPerSecond,
  };
}

function checkOf(name: string, figure: Check['figure'], predicted: Estimate, measured: number): Check {
  const isWithin = measured >= predicted.low && measured <= predicted.high;
  return { name, figure, predicted, measured, error: predicted.value / measured - 1, isWithin };
}
