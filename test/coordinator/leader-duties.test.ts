import { expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.js';
import type { ClusterState } from '../../src/cluster/state.js';
import type { Consensus } from '../../src/coordinator/consensus.js';
import type { Coordinator } from '../../src/coordinator/coordinator.js';
import { LeaderDuties } from '../../src/coordinator/leader-duties.js';
import { NODE, clusterWith, indexOf } from '../cluster/support.js';
import { SimulatedClock } from './simulated-clock.js';

const DELAY_MS = 60_000;

/** One shard whose replica waits for a node that left when time began. */
function waitingState(): ClusterState {
  const state = clusterWith({ name: 'i', settings: { number_of_replicas: 1 } });
  const { index, shards } = state.routing.get('i') ?? { index: indexOf(state, 'i'), shards: [] };
  const waiting = shards.map((copies) =>
    copies.map((copy) =>
      copy.unassigned === null
        ? copy
        : { ...copy, unassigned: { ...copy.unassigned, reason: 'NODE_LEFT' as const, atMs: 0, delayed: true } },
    ),
  );
  return { ...state, routing: new Map([['i', { index, shards: waiting }]]) };
}

it('looks at waiting copies again until their time has come, though timers are faster than the time of day', async () => {
  const clock = new SimulatedClock();
  const nowMs = (): number => clock.monotonicMs() * 0.9;
  const state = waitingState();
  const rerouted: number[] = [];
  const coordinator = {
    current: state,
    watch: () => () => true,
    submitHere(name: string) {
      if (name === 'reroute') rerouted.push(nowMs());
      return Promise.resolve(null);
    },
  };
  const voters = [NODE.raftId];
  const duties = new LeaderDuties({
    self: NODE,
    clusterName: 'c',
    coordinator: coordinator as unknown as Coordinator,
    consensus: { membership: { voters, learners: [], outgoingVoters: [] } } as unknown as Consensus,
    clock: { nowMs, monotonicMs: () => clock.monotonicMs(), schedule: (ms, action) => clock.schedule(ms, action) },
    logger: silentLogger,
    watch: () => new Promise(() => undefined),
    isThere: () => Promise.resolve(true),
    learn: () => undefined,
    settings: new Map(),
    clusterInfo: { begin: () => undefined, end: () => undefined },
    lifecycles: { begin: () => undefined, end: () => undefined },
    snapshots: { begin: () => undefined, end: () => undefined },
    slm: { begin: () => undefined, end: () => undefined },
    stack: { install: () => Promise.resolve(), follow: () => Promise.resolve() },
  });
  duties.begin(1);
  await clock.settled();
  await clock.advance(DELAY_MS);
  expect(rerouted.length).toBeGreaterThan(0);
  expect(rerouted.every((atMs) => atMs < DELAY_MS)).toBe(true);
  await clock.advance(DELAY_MS / 5);
  expect(rerouted.at(-1)).toBeGreaterThanOrEqual(DELAY_MS);
  duties.end();
});
