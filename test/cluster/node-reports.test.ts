import { describe, expect, it } from 'vitest';
import {
  readDiskReport,
  readFoundStores,
  readWriteTimes,
  storeBeside,
  type FoundStore,
} from '../../src/cluster/nodes/node-reports.js';

const FOUND: FoundStore = {
  allocationId: 'a',
  totalBytes: 100,
  segments: [
    { uuid: 'one', bytes: 30 },
    { uuid: 'two', bytes: 40 },
  ],
  historyUuid: 'h',
  maxSeqNo: 9,
  historyStart: null,
};

describe('a store beside its primary', () => {
  it('is worth the segments that are equal, and more when the primary can send all else', () => {
    const primary: FoundStore = { ...FOUND, segments: [{ uuid: 'two', bytes: 40 }], historyStart: 10 };
    expect(storeBeside(FOUND, primary)).toEqual({
      allocationId: 'a',
      totalBytes: 100,
      matchingBytes: 40,
      hasAllHistory: true,
    });
    expect(storeBeside(FOUND, { ...primary, historyStart: 11 }).hasAllHistory).toBe(false);
    expect(storeBeside(FOUND, { ...primary, historyUuid: 'other' }).hasAllHistory).toBe(false);
    expect(storeBeside({ ...FOUND, error: 'broken' }, undefined)).toEqual({
      allocationId: 'a',
      totalBytes: 100,
      matchingBytes: 0,
      hasAllHistory: false,
      error: 'broken',
    });
  });
});

describe('answers of other nodes', () => {
  it('are taken as they are, or refused', () => {
    const report = { path: '/data', totalBytes: 2, freeBytes: 1, shards: [{ indexUuid: 'u', shard: 0, bytes: 1 }] };
    expect(readDiskReport(report)).toBe(report);
    for (const wrong of [null, { ...report, freeBytes: -1 }, { ...report, shards: [{ indexUuid: 'u' }] }]) {
      expect(() => readDiskReport(wrong)).toThrow('cannot be read');
    }
    const times = [{ indexUuid: 'u', shard: 0, busyMs: 5 }];
    expect(readWriteTimes(times)).toBe(times);
    for (const wrong of [null, [{ indexUuid: 'u', shard: 0 }], [{ indexUuid: 'u', shard: 0, busyMs: NaN }]]) {
      expect(() => readWriteTimes(wrong)).toThrow('cannot be read');
    }
    expect(readFoundStores([FOUND, null], 2)).toEqual([FOUND, null]);
    for (const wrong of [[], [{ ...FOUND, segments: [{}] }], [{ ...FOUND, allocationId: 1 }], 'x']) {
      expect(() => readFoundStores(wrong, 1)).toThrow('cannot be read');
    }
  });
});
