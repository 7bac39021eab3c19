import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import { silentLogger, type LogFields } from '../../src/base/logger.js';
import type { ClusterState } from '../../src/cluster/state.js';
import type { CommandName } from '../../src/coordinator/commands.js';
import type { Consensus } from '../../src/coordinator/consensus.js';
import type { Coordinator } from '../../src/coordinator/coordinator.js';
import { LeaderDuties, type LeaderDutiesOptions } from '../../src/coordinator/leader-duties.js';
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

/** The duties of a lone master whose commands are carried out by `submitHere`. */
function dutiesOf(
  clock: Clock,
  state: ClusterState,
  submitHere: (name: CommandName) => Promise<unknown>,
  others: Partial<LeaderDutiesOptions> = {},
): LeaderDuties {
  const coordinator = { current: state, watch: () => () => true, submitHere };
  const voters = [NODE.raftId];
  const idle = { begin: () => undefined, end: () => undefined };
  return new LeaderDuties({
    self: NODE,
    clusterName: 'c',
    coordinator: coordinator as unknown as Coordinator,
    consensus: { membership: { voters, learners: [], outgoingVoters: [] }, silentMs: () => 0 } as unknown as Consensus,
    clock,
    logger: silentLogger,
    watch: () => new Promise(() => undefined),
    isThere: () => Promise.resolve(true),
    learn: () => undefined,
    settings: new Map(),
    clusterInfo: idle,
    lifecycles: idle,
    snapshots: idle,
    slm: idle,
    stack: { install: () => Promise.resolve(), follow: () => Promise.resolve() },
    ...others,
  });
}

it('looks at waiting copies again until their time has come, though timers are faster than the time of day', async () => {
  const clock = new SimulatedClock();
  const nowMs = (): number => clock.monotonicMs() * 0.9;
  const rerouted: number[] = [];
  const slowDate: Clock = {
    nowMs,
    monotonicMs: () => clock.monotonicMs(),
    schedule: (ms, action) => clock.schedule(ms, action),
  };
  const duties = dutiesOf(slowDate, waitingState(), (name) => {
    if (name === 'reroute') rerouted.push(nowMs());
    return Promise.resolve(null);
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

const REFUSED = new QuarryError('rejected_execution_exception', 'the master hands its office over');

const ANNOUNCED: readonly CommandName[] = ['nodes-changed', 'master-elected'];

it.each(ANNOUNCED)('says who is master until it is agreed on: %s', async (refused) => {
  const clock = new SimulatedClock();
  const told: LogFields[] = [];
  const begun: string[] = [];
  const agreed: string[] = [];
  let isRefused = true;
  const part = (name: string): LeaderDutiesOptions['snapshots'] => ({
    begin: () => begun.push(name),
    end: () => undefined,
  });
  const submitHere = (name: CommandName): Promise<unknown> => {
    if (isRefused && name === refused) return Promise.reject(REFUSED);
    if (ANNOUNCED.includes(name)) agreed.push(name);
    return Promise.resolve(null);
  };
  const duties = dutiesOf(clock, waitingState(), submitHere, {
    logger: { log: (_level, _message, fields) => told.push(fields ?? {}) },
    clusterInfo: part('clusterInfo'),
    snapshots: part('snapshots'),
  });
  duties.begin(1);
  await clock.settled();
  await clock.advance(DELAY_MS);
  expect(agreed).not.toContain(refused);
  expect(begun).toEqual([]);
  // Once, however often it is tried.
  expect(told).toEqual([{ reason: `rejected_execution_exception: ${REFUSED.message}` }]);
  isRefused = false;
  await clock.advance(1_000);
  expect(agreed.slice(-2)).toEqual(['nodes-changed', 'master-elected']);
  expect(begun).toEqual(['clusterInfo', 'snapshots']);
  duties.end();
});

it('says it no more once its reign has ended', async () => {
  const clock = new SimulatedClock();
  let asked = 0;
  const duties = dutiesOf(clock, waitingState(), () => {
    asked++;
    return Promise.reject(REFUSED);
  });
  duties.begin(1);
  await clock.settled();
  duties.end();
  const before = asked;
  await clock.advance(DELAY_MS);
  expect(asked).toBe(before);
});

it('hands its office to a voter once that one answers', async () => {
  const clock = new SimulatedClock();
  const other = { ...NODE, id: 'node-2', raftId: '2', name: 'second' };
  const state: ClusterState = {
    ...waitingState(),
    nodes: new Map([NODE, other].map((node) => [node.id, node])),
    voting: { voters: ['1', '2'], exclusions: [{ nodeId: NODE.id, nodeName: NODE.name }] },
  };
  const handedTo: string[] = [];
  let silentMs: number | undefined;
  const consensus = {
    membership: { voters: ['1', '2'], learners: [], outgoingVoters: [] },
    silentMs: () => silentMs,
    transferLeadership: (to: string) => handedTo.push(to),
  };
  const duties = dutiesOf(clock, state, () => Promise.resolve(null), { consensus: consensus as unknown as Consensus });
  duties.begin(1);
  await clock.settled();
  await clock.advance(2_000);
  silentMs = 1_000;
  await clock.advance(2_000);
  expect(handedTo).toEqual([]);
  silentMs = 100;
  await clock.advance(1_000);
  expect(handedTo).toEqual([other.raftId]);
  duties.end();
});
