import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import {
  findExpungeMerges,
  findForcedMerges,
  findMerges,
  type Merge,
  type MergePolicy,
  type MergeSegment,
} from '../../src/cluster/merge-policy.js';

const MB = 1024 * 1024;
const NONE: ReadonlySet<string> = new Set();

const POLICY: MergePolicy = {
  floorSegmentBytes: 2 * MB,
  maxMergedSegmentBytes: 5 * 1024 * MB,
  segmentsPerTier: 10,
  maxMergeAtOnce: 10,
  deletesPctAllowed: 20,
  expungeDeletesAllowedPct: 10,
};

function segment(name: string, megabytes: number, deletedPct = 0): MergeSegment {
  return { name, bytes: megabytes * MB, documents: 1000 - deletedPct * 10, deleted: deletedPct * 10 };
}

function equal(count: number, megabytes: number): readonly MergeSegment[] {
  return Array.from({ length: count }, (_, at) => segment(`_${at.toString(36)}`, megabytes));
}

/** What is left when the merges are done. */
function after(segments: readonly MergeSegment[], merges: readonly Merge[], round: number): MergeSegment[] {
  const gone = new Set(merges.flat());
  const merged = merges.map((names, at): MergeSegment => {
    const inputs = segments.filter(({ name }) => names.includes(name));
    const bytes = inputs.reduce(
      (sum, each) => sum + each.bytes * (each.documents / (each.documents + each.deleted)),
      0,
    );
    return {
      name: `m${round}.${at}`,
      bytes,
      documents: inputs.reduce((sum, each) => sum + each.documents, 0),
      deleted: 0,
    };
  });
  return [...segments.filter(({ name }) => !gone.has(name)), ...merged];
}

describe('natural merges', () => {
  it('leaves up to a tier of segments alone and merges what goes over', () => {
    expect(findMerges(equal(10, 1), NONE, POLICY)).toEqual([]);
    const merges = findMerges(equal(11, 1), NONE, POLICY);
    expect(merges).toHaveLength(1);
    expect(merges[0]).toHaveLength(10);
  });

  it('leaves segments near the maximum alone, unless they hold many deletions', () => {
    const big = Array.from({ length: 12 }, (_, at) => segment(`_${at}`, 4000));
    expect(findMerges(big, NONE, POLICY)).toEqual([]);
    const withDeletions = big.map((each, at) =>
      at === 3 ? segment(each.name, 4000, 90) : segment(each.name, 4000, 25),
    );
    expect(findMerges(withDeletions, NONE, POLICY)[0]).toContain('_3');
  });

  it('does not touch segments of running merges', () => {
    const segments = equal(12, 1);
    const running = new Set(['_0', '_1']);
    for (const merge of findMerges(segments, running, POLICY))
      for (const name of merge) expect(running).not.toContain(name);
  });

  it('prefers even sizes', () => {
    const segments = [segment('_big', 900), ...equal(30, 3)];
    expect(findMerges(segments, NONE, POLICY)[0]).toHaveLength(10);
    for (const merge of findMerges(segments, NONE, POLICY)) expect(merge).not.toContain('_big');
  });

  it('keeps every segment below the maximum and settles, whatever is flushed', () => {
    const random = seededRandom(7);
    let segments: readonly MergeSegment[] = [];
    for (let round = 0; round < 400; round++) {
      segments = [...segments, segment(`f${round}`, 1 + random.below(60), random.below(30))];
      const merges = findMerges(segments, NONE, POLICY);
      expect(new Set(merges.flat()).size).toBe(merges.flat().length);
      segments = after(segments, merges, round);
    }
    expect(segments.length).toBeLessThan(40);
    for (const { bytes } of segments) expect(bytes).toBeLessThanOrEqual(POLICY.maxMergedSegmentBytes);
  });
});

describe('forced merges', () => {
  const finalCount = (segments: readonly MergeSegment[], maxSegments: number): number => {
    let current: readonly MergeSegment[] = segments;
    for (let round = 0; round < 20; round++) {
      const merges = findForcedMerges(current, NONE, maxSegments, POLICY);
      if (merges.length === 0) return current.length;
      current = after(current, merges, round);
    }
    throw new Error('does not settle');
  };

  it.each([
    [equal(12, 10), 1, 1],
    [equal(12, 10), 3, 3],
    [equal(12, 10), 12, 12],
    [equal(3, 10), 5, 3],
    [equal(40, 3000), 1, 1],
    [equal(1, 10), 1, 1],
    [[], 1, 0],
  ])('case %#: %#', (segments, maxSegments, expected) => {
    expect(finalCount(segments, maxSegments)).toBe(expected);
  });

  it('reaches slightly more than asked when segments would grow far over the maximum', () => {
    expect(finalCount(equal(8, 4500), 4)).toBeGreaterThanOrEqual(4);
    expect(finalCount(equal(8, 4500), 4)).toBeLessThanOrEqual(6);
  });

  it('rewrites a single segment only for its deletions', () => {
    expect(findForcedMerges([segment('_0', 5)], NONE, 1, POLICY)).toEqual([]);
    expect(findForcedMerges([segment('_0', 5, 1)], NONE, 1, POLICY)).toEqual([['_0']]);
  });
});

describe('expunging deletions', () => {
  it('takes segments over the threshold alone, in bins of the maximum size', () => {
    const segments = [segment('_a', 10, 50), segment('_b', 10, 10), segment('_c', 10, 11), segment('_d', 10)];
    expect(findExpungeMerges(segments, NONE, POLICY)).toEqual([['_c', '_a']]);
    const large = [segment('_a', 4900, 20), segment('_b', 4800, 20), segment('_c', 100, 20)];
    expect(findExpungeMerges(large, NONE, POLICY)).toEqual([['_a'], ['_b', '_c']]);
  });
});
