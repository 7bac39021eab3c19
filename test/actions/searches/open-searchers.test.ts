import { expect, it } from 'vitest';
import { ContextCounters, contextWords } from '../../../src/actions/searches/contexts/context-counters.js';
import { OpenSearchers } from '../../../src/actions/searches/contexts/open-searchers.js';
import { systemClock, type Clock } from '../../../src/base/clock.js';
import { seededRandom } from '../../../src/base/random.js';
import type { Searcher } from '../../../src/native/searcher.js';
import { TestCluster } from '../../cluster/allocation/cluster.js';
import { indexOf } from '../../cluster/support.js';
import { SimulatedClock } from '../../coordinator/simulated-clock.js';

const NO_SEARCHER = { release: () => undefined } as unknown as Searcher;

it('keeps views while their index is open, and counts those that end with it', () => {
  const counters = new ContextCounters(contextWords(1));
  const searchers = new OpenSearchers(new SimulatedClock(), seededRandom(1), counters);
  const cluster = new TestCluster('a');
  const shardOf = (index: string): string => `${indexOf(cluster.state, index).uuid}/0`;
  const pitOf = (index: string): ReturnType<OpenSearchers['keepPit']> =>
    searchers.keepPit(
      shardOf(index),
      { kind: 'pit', keepAliveMs: 60_000, openMax: 10, seal: { owner: '', filters: '' } },
      NO_SEARCHER,
    );
  for (const name of ['stays', 'closes', 'goes']) cluster.create(name, { number_of_replicas: 0 });
  const shards = ['stays', 'closes', 'goes'].map(shardOf);
  const names = ['stays', 'closes', 'goes'].map(pitOf);
  searchers.follow(cluster.state);
  const held = (): readonly boolean[] => names.map((name, at) => searchers.holds(name, shards[at] ?? ''));
  expect(held()).toEqual([true, true, true]);
  const closed = { ...indexOf(cluster.state, 'closes'), state: 'close' as const };
  const indices = new Map(cluster.state.indices).set('closes', closed);
  indices.delete('goes');
  searchers.follow({ indices });
  expect([held(), counters.open('pit')]).toEqual([[true, false, false], 1]);
  const [stays] = names;
  if (stays === undefined) throw new Error('no view');
  // Who does not know the token, or means another shard, reaches nothing.
  expect(searchers.holds({ ...stays, token: 'x' }, shards[0] ?? '')).toBe(false);
  expect(searchers.holds(stays, shards[1] ?? '')).toBe(false);
});

it('holds the views of searches of all shards of a large node, and no more', () => {
  const noTimer: Clock = { ...systemClock, schedule: () => () => undefined };
  const searchers = new OpenSearchers(noTimer, seededRandom(1), new ContextCounters(contextWords(1)));
  const keep = (): ReturnType<OpenSearchers['keep']> => searchers.keep('index/0', NO_SEARCHER);
  const [first] = Array.from({ length: 100_000 }, keep);
  expect(keep).toThrow('Trying to create too many search contexts. Must be less than or equal to: [100000].');
  if (first !== undefined) expect(searchers.release('index/1', first)).toBe(false);
  if (first !== undefined) expect(searchers.release('index/0', first)).toBe(true);
  expect(keep).not.toThrow();
});
