import { afterAll, describe, expect, it } from 'vitest';
import { breakerWords, BreakerWords } from '../../src/base/breakers.js';
import { systemClock } from '../../src/base/clock.js';
import { defaultMemoryBudget, memoryBytes, useMemoryBudget } from '../../src/base/memory.js';

import { AccountedMemory, type CountedShard } from '../../src/node/worker/accounted-memory.js';
import type { MemoryLimits } from '../../src/native/search-threads.js';
import { FrontBreakers } from '../../src/node/front/front-breakers.js';
import { emptyClusterState, type ClusterState } from '../../src/cluster/state.js';

const BUDGET = 1_000_000;

function stateWith(settings: Readonly<Record<string, string>>): ClusterState {
  const state = emptyClusterState('c', 'u');
  return { ...state, clusterSettings: { ...state.clusterSettings, persistent: new Map(Object.entries(settings)) } };
}

// Other files of this worker have the usual one.
afterAll(() => {
  useMemoryBudget(defaultMemoryBudget(memoryBytes()));
});

function breakers(
  privateBytes: number,
  settings: Readonly<Record<string, string>> = {},
  options: { usesRealMemory?: boolean; isElasticsearch?: boolean; inflight?: number } = {},
): { front: FrontBreakers; words: BreakerWords } {
  useMemoryBudget(BUDGET);
  const words = new BreakerWords(breakerWords(2));
  const state = stateWith(settings);
  const usedBytes = options.inflight ?? 0;
  const front = new FrontBreakers({
    words,
    // What was let in is forgotten when the system is asked again, after a moment.
    clock: { ...systemClock, monotonicMs: () => 0 },
    isElasticsearch: options.isElasticsearch ?? true,
    usesRealMemory: options.usesRealMemory ?? true,
    clusterState: () => state,
    inflight: () => ({ limitBytes: 0, usedBytes, refused: 0 }),
    resident: () => ({ privateBytes, mappedBytes: 0 }),
  });
  return { front, words };
}

describe('the parent breaker', () => {
  it('lets in what the node has memory for, to the last byte', () => {
    const { front, words } = breakers(900_000);
    front.checkParent(50_000, '<http_request>');
    expect(words.trips('parent')).toBe(0);
    // What was let in counts at once, though the system was not asked again.
    expect(() => {
      front.checkParent(1, '<http_request>');
    }).toThrow('[parent] Data too large, data for [<http_request>] would be [950001/927.7kb]');
  });

  it('refuses one byte more, in the words of the reference', () => {
    const { front, words } = breakers(900_000, {}, { inflight: 7 });
    expect(() => {
      front.checkParent(50_001, '<http_request>');
    }).toThrow(
      expect.objectContaining({
        message:
          '[parent] Data too large, data for [<http_request>] would be [950001/927.7kb], which is larger than the limit of ' +
          '[950000/927.7kb], real usage: [900000/878.9kb], new bytes reserved: [50001/48.8kb], usages [request=0/0b, ' +
          'fielddata=0/0b, inflight_requests=7/7b, accounting=0/0b]',
        details: { bytes_wanted: 950_001, bytes_limit: 950_000, durability: 'TRANSIENT' },
      }),
    );
    expect(words.trips('parent')).toBe(1);
    expect(front.figures().parent).toEqual({ limitBytes: 950_000, usedBytes: 900_000, refused: 1 });
  });

  it('adds up what others count where it shall not look at the memory, and tells what stays held', () => {
    const { front, words } = breakers(BUDGET, {}, { usesRealMemory: false });
    words.setAccounted(0, 300_000);
    words.setAccounted(1, 400_000);
    front.checkParent(0, '<http_request>');
    expect(() => {
      front.checkParent(1, '<http_request>');
    }).toThrow(
      expect.objectContaining({
        details: { bytes_wanted: 700_001, bytes_limit: 700_000, durability: 'PERMANENT' },
      }),
    );
  });

  it('has the limit that is set, as a share or a size', () => {
    const limitOf = (limit: string): number =>
      breakers(0, { 'indices.breaker.total.limit': limit }).front.figures().parent?.limitBytes ?? -1;
    expect([limitOf('50%'), limitOf('1kb'), limitOf('0'), limitOf('-1')]).toEqual([
      ...[500_000, 1_024, 0, Number.MAX_SAFE_INTEGER],
    ]);
  });
});

describe('the kernels', () => {
  it('are told of limits when these change', () => {
    useMemoryBudget(BUDGET);
    let state = stateWith({});
    const told: MemoryLimits[] = [];
    const front = new FrontBreakers({
      words: new BreakerWords(breakerWords(1)),
      clock: systemClock,
      isElasticsearch: true,
      usesRealMemory: true,
      clusterState: () => state,
      inflight: () => undefined,
      setMemoryLimits: (limits) => told.push(limits),
    });
    front.follow();
    front.follow();
    state = stateWith({ 'indices.breaker.total.limit': '50%', 'indices.breaker.fielddata.limit': '1kb' });
    front.follow();
    expect(told).toEqual([
      { fielddata: 256 * 1024 ** 2, parent: 950_000, parentIsReal: true },
      { fielddata: 1_024, parent: 500_000, parentIsReal: true },
    ]);
  });
});

describe('bodies in flight', () => {
  it('are limited by the name of the contract, and by that of the reference before it', () => {
    const name = 'indices.breaker.inflight_requests.limit';
    expect(breakers(0).front.inflightLimitBytes()).toBe(BUDGET);
    expect(breakers(0, { [name]: '10%' }).front.inflightLimitBytes()).toBe(100_000);
    const both = { [name]: '10%', 'network.breaker.inflight_requests.limit': '7b' };
    expect(breakers(0, both).front.inflightLimitBytes()).toBe(7);
  });

  it('are called as the announced product calls them', () => {
    expect(breakers(0).front.inflightName).toBe('inflight_requests');
    expect(breakers(0, {}, { isElasticsearch: false }).front.inflightName).toBe('in_flight_requests');
  });
});

describe('the accounting breaker', () => {
  function shard(bytes: number): CountedShard {
    const completionBytes = { a: 2, b: 1 };
    const stats = { buffer: { versionMapBytes: bytes }, translog: { tailBytes: 1 }, readerBytes: 2, completionBytes };
    return { native: { stats: () => stats } } as unknown as CountedShard;
  }

  it('counts the shards of all workers and refuses writes beyond its limit', () => {
    const words = new BreakerWords(breakerWords(2));
    words.setAccounted(1, 100);
    let limitBytes = 212;
    let shards = [shard(50), shard(50)];
    const memory = new AccountedMemory({
      words,
      slot: 0,
      clock: { ...systemClock, schedule: () => () => undefined },
      shards: () => shards,
      limitBytes: () => limitBytes,
    });
    memory.look();
    expect(words.accountedBytes()).toBe(212);
    memory.check();
    limitBytes = 211;
    expect(() => {
      memory.check();
    }).toThrow(
      expect.objectContaining({
        message:
          '[accounting] Data too large, data for [<shards>] would be [212/212b], which is larger than the limit of [211/211b]',
        details: { bytes_wanted: 212, bytes_limit: 211, durability: 'PERMANENT' },
      }),
    );
    expect(words.trips('accounting')).toBe(1);
    shards = [];
    memory.look();
    expect(words.accountedBytes()).toBe(100);
  });

  it('asks some shards at a time, and all of them in turn', () => {
    const words = new BreakerWords(breakerWords(1));
    const shards = Array.from({ length: 33 }, () => shard(4));
    const memory = new AccountedMemory({
      words,
      slot: 0,
      clock: { ...systemClock, schedule: () => () => undefined },
      shards: () => shards,
      limitBytes: () => 0,
    });
    memory.look();
    expect(words.accountedBytes()).toBe(320);
    memory.look();
    expect(words.accountedBytes()).toBe(330);
  });
});
