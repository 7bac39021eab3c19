import { expect, it } from 'vitest';
import { remainingDelayMs } from '../../src/cluster/copies/delayed-allocation.js';
import { unassignedInfo } from '../../src/cluster/copies/shard-copies.js';
import { clusterWith, indexOf, NOW_MS } from './support.js';

const DELAY_MS = 60_000;

function remaining(lostAtMs: number, nowMs: number): number {
  const state = clusterWith({ name: 'i' });
  const info = { ...unassignedInfo('NODE_LEFT', lostAtMs), delayed: true };
  return remainingDelayMs(state, indexOf(state, 'i'), info, nowMs);
}

it('copies wait from the moment of their loss', () => {
  expect(remaining(NOW_MS, NOW_MS + 1_000)).toBe(DELAY_MS - 1_000);
  expect(remaining(NOW_MS, NOW_MS + DELAY_MS)).toBe(0);
});

it('copies do not wait for a clock that was wrong', () => {
  expect(remaining(NOW_MS + 1_000, NOW_MS)).toBe(DELAY_MS + 1_000);
  expect(remaining(NOW_MS + 3 * DELAY_MS, NOW_MS)).toBe(0);
});
