import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { HistoryRetention } from '../../../src/shard/replication/history-retention.js';
import { RetentionLeases, type RetentionLease } from '../../../src/shard/replication/retention-leases.js';

describe('retention leases', () => {
  it('keep for each node what it lacks, and the lowest for all', () => {
    const leases = new RetentionLeases([{ nodeId: 'b', retainingSeqNo: 5 }], 0);
    leases.renew('a', 9, 0);
    leases.renew('c', 7, 0);
    expect(leases.list()).toEqual([
      { nodeId: 'a', retainingSeqNo: 9 },
      { nodeId: 'b', retainingSeqNo: 5 },
      { nodeId: 'c', retainingSeqNo: 7 },
    ]);
    expect(leases.lowestBeside('a')).toBe(5);
    expect(leases.lowestBeside('b')).toBe(7);
    leases.renew('b', 12, 1);
    expect(leases.lowestBeside('a')).toBe(7);
    expect(leases.seqNoOf('b')).toBe(12);
    leases.keepOnly((nodeId) => nodeId === 'a');
    expect(leases.lowestBeside('a')).toBeUndefined();
  });

  it('expire when they were not renewed for the period', () => {
    const leases = new RetentionLeases([{ nodeId: 'old', retainingSeqNo: 1 }], 1_000);
    leases.renew('new', 2, 1_500);
    leases.expire(500, 1_500);
    expect(leases.list()).toHaveLength(2);
    leases.expire(500, 1_501);
    expect(leases.list()).toEqual([{ nodeId: 'new', retainingSeqNo: 2 }]);
  });

  it('are bounded: the one renewed least recently goes', () => {
    const leases = new RetentionLeases([], 0);
    for (let n = 0; n < 100; n++) {
      leases.renew('kept', 0, n);
      leases.renew(`n${n}`, n, n);
    }
    expect(leases.list()).toHaveLength(64);
    expect(leases.seqNoOf('kept')).toBe(0);
    expect(leases.seqNoOf('n0')).toBeUndefined();
    expect(leases.seqNoOf('n99')).toBe(99);
  });
});

describe('what is kept', () => {
  function retention(known: readonly RetentionLease[], maxSeqNo = 100, globalCheckpoint = 90) {
    const told: (readonly [number, boolean])[] = [];
    const saved: (readonly RetentionLease[])[] = [];
    const store = {
      checkpoints: () => ({ maxSeqNo, globalCheckpoint, searchableCheckpoint: 60 }) as never,
      retainFrom: (seqNo: number, maxBytes: number) => void told.push([seqNo, maxBytes > 0]),
    };
    const services = {
      ownNodeId: 'me',
      known,
      periodMs: () => 0,
      save: (leases: readonly RetentionLease[]) => void saved.push(leases),
      settled: () => Promise.resolve(),
    };
    return { subject: new HistoryRetention(store, services, systemClock), told, saved };
  }

  it('is nothing where nobody may come back', () => {
    expect(retention([]).told).toEqual([[101, false]]);
    expect(retention([], -1, -1).told).toEqual([[0, false]]);
    expect(retention([{ nodeId: 'me', retainingSeqNo: 4 }]).told).toEqual([[101, false]]);
    expect(retention([]).subject.unsharedLeases()).toBeUndefined();
  });

  it('goes on from what was known at the last run, until a copy that comes back is aligned', () => {
    const { subject, told } = retention([{ nodeId: 'a', retainingSeqNo: 40 }]);
    expect(told).toEqual([[40, true]]);
    subject.renew([{ nodeId: 'a', acknowledged: undefined }]);
    expect(told.at(-1)).toEqual([40, true]);
    subject.renew([{ nodeId: 'a', acknowledged: 95 }]);
    expect(told.at(-1)).toEqual([96, true]);
    // One that was never here is given what searches see.
    subject.renew([
      { nodeId: 'a', acknowledged: 95 },
      { nodeId: 'b', acknowledged: undefined },
    ]);
    expect(told.at(-1)).toEqual([61, true]);
    subject.keepOnly(new Set(['a']));
    expect(told.at(-1)).toEqual([96, true]);
  });

  it('is told to others once for each change, and saved', () => {
    const { subject, saved } = retention([]);
    subject.renew([{ nodeId: 'a', acknowledged: 95 }]);
    const leases = [
      { nodeId: 'a', retainingSeqNo: 96 },
      { nodeId: 'me', retainingSeqNo: 91 },
    ];
    expect(subject.unsharedLeases()).toEqual(leases);
    expect(subject.unsharedLeases()).toBeUndefined();
    expect(saved).toEqual([leases]);
    const other = retention([]);
    other.subject.replace(leases);
    expect(other.told.at(-1)).toEqual([96, true]);
    expect(other.saved).toEqual([leases]);
  });
});
