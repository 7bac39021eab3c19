/** Threads are told of thousands of states an hour: nothing of a state may stay behind when they have it. */
import { expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.js';
import { Subscribers } from '../../src/coordinator/subscribers.js';
import { emptyClusterState } from '../../src/cluster/state.js';
import { collectGarbage } from '../collect-garbage.js';
import { SimulatedClock } from './simulated-clock.js';

const STATES = 50_000;
/** What was left of a state, when something was, took 66 or more. */
const BYTES_MAX = 20 * STATES;

async function heapBytes(): Promise<number> {
  await collectGarbage();
  return process.memoryUsage().heapUsed;
}

it('keeps nothing of what threads were told', async () => {
  const subscribers = new Subscribers(new SimulatedClock(), silentLogger, () => false, {
    applied: () => undefined,
  });
  const state = emptyClusterState('c', 'u');
  let told = 0;
  await subscribers.add('worker', () => Promise.resolve(told++), { kind: 'full', state });
  const before = await heapBytes();
  for (let count = 0; count < STATES; count++) {
    subscribers.tell({ kind: 'full', state });
    await subscribers.whenTold();
  }
  expect(told).toBe(STATES + 1);
  expect((await heapBytes()) - before).toBeLessThan(BYTES_MAX);
  // Until here it was there.
  await subscribers.whenTold();
});
