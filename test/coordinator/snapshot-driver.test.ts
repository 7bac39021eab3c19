/** The master has work in repositories carried out, in simulated time. */
import { beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.js';
import type { DeleteOperation } from '../../src/cluster/snapshots/types.js';
import type { Coordinator } from '../../src/coordinator/coordinator.js';
import { SnapshotDriver } from '../../src/coordinator/snapshot-driver.js';
import { clusterOfOneNode, NODE } from '../cluster/support.js';
import { SimulatedClock } from './simulated-clock.js';

let clock: SimulatedClock;
let driver: SnapshotDriver;
/** Ends of runs that have begun. */
let runs: (() => void)[];

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  clock = new SimulatedClock();
  runs = [];
  const deletion: DeleteOperation = {
    kind: 'delete',
    uuid: 'u',
    order: 1,
    repository: 'r',
    startedAtMs: 0,
    snapshots: [],
    sweep: 'all',
  };
  const state = { ...clusterOfOneNode(), snapshotOperations: new Map([[deletion.uuid, deletion]]) };
  const coordinator = { current: state, watch: () => () => undefined } as unknown as Coordinator;
  const run = (): Promise<void> => new Promise((resolve) => runs.push(resolve));
  driver = new SnapshotDriver({ self: NODE, coordinator, clock, logger: silentLogger, run });
});

it('begins again after a pause, as long as there is something to do', async () => {
  driver.begin();
  expect(runs).toHaveLength(1);
  runs[0]?.();
  await settled();
  expect(runs).toHaveLength(1);
  await clock.advance(1_000);
  expect(runs).toHaveLength(2);
});

it('goes on where the node loses its office in such a pause, and has it again', async () => {
  driver.begin();
  runs[0]?.();
  await settled();
  driver.end();
  await clock.advance(1_000);
  expect(runs).toHaveLength(1);
  driver.begin();
  expect(runs).toHaveLength(2);
});

it('does not begin a second run while one is under way', async () => {
  driver.begin();
  driver.end();
  driver.begin();
  expect(runs).toHaveLength(1);
  runs[0]?.();
  await settled();
  await clock.advance(1_000);
  expect(runs).toHaveLength(2);
});
