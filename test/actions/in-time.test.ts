import { expect, it } from 'vitest';
import { inTime } from '../../src/actions/in-time.js';
import { QuarryError } from '../../src/base/errors.js';
import { emptyClusterState } from '../../src/cluster/state.js';
import { SimulatedClock } from '../coordinator/simulated-clock.js';

const PATIENCE = { timeoutMs: 1_000, withoutMasterMs: 500, withMasterMs: 60_000 };

function waiting(masterNodeId: string) {
  const clock = new SimulatedClock();
  let state = { ...emptyClusterState('c', 'u'), masterNodeId };
  let outcome = 'waits';
  let finish = (_: string): void => undefined;
  const work = new Promise<string>((resolve) => (finish = resolve));
  const overdue = (): QuarryError => new QuarryError('unavailable_shards_exception', 'overdue');
  inTime(work, PATIENCE, { clock, clusterState: () => state }, overdue).then(
    (result) => (outcome = result),
    (error: unknown) => (outcome = (error as Error).message),
  );
  const loseMaster = (): void => {
    state = { ...state, masterNodeId: '' };
  };
  return { clock, finish: (result: string) => finish(result), loseMaster, outcome: () => outcome };
}

it('gives what comes in time', async () => {
  const { clock, finish, outcome } = waiting('');
  await clock.advance(1_400);
  finish('done');
  await clock.advance(0);
  expect(outcome()).toBe('done');
});

it('fails soon after the time where no master is known', async () => {
  const { clock, outcome } = waiting('');
  await clock.advance(1_499);
  expect(outcome()).toBe('waits');
  await clock.advance(1);
  expect(outcome()).toBe('overdue');
});

it('waits on while a master is known, but not for ever', async () => {
  const known = waiting('n1');
  await known.clock.advance(60_900);
  expect(known.outcome()).toBe('waits');
  await known.clock.advance(500);
  expect(known.outcome()).toBe('overdue');
  const lost = waiting('n1');
  await lost.clock.advance(10_000);
  expect(lost.outcome()).toBe('waits');
  lost.loseMaster();
  await lost.clock.advance(250);
  expect(lost.outcome()).toBe('overdue');
});
