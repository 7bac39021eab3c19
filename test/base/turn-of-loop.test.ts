import { expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { runLimited } from '../../src/base/run-limited.js';
import { begunInTurns, TurnOfLoop } from '../../src/base/turn-of-loop.js';

let timeMs = 0;
const clock: Clock = { nowMs: () => 0, monotonicMs: () => timeMs, schedule: () => () => undefined };
const loop = new TurnOfLoop(clock);

/** Turns of the event loop until the work is done; those that it does not wait for are not counted. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const ended = work.finally(() => (isDone = true));
  const count = (): void => {
    if (isDone) return;
    turns++;
    setImmediate(count);
  };
  setImmediate(count);
  await ended;
  return turns;
}

const items = Array.from({ length: 100 }, (_, item) => item);

/** Takes a millisecond of the thread. */
const step = (item: number): Promise<number> => {
  timeMs++;
  return Promise.resolve(item * 2);
};

it('a row of steps leaves the turn when it took two milliseconds of it', async () => {
  let results: readonly number[] = [];
  const row = async (): Promise<void> => {
    results = await Promise.all(await begunInTurns(items, loop, step));
  };
  expect(await turnsOf(row())).toBeGreaterThanOrEqual(items.length / 2 - 1);
  expect(results).toEqual(items.map((item) => item * 2));
});

it('steps side by side take two milliseconds of a turn together', async () => {
  let results: readonly number[] = [];
  const lanes = async (): Promise<void> => {
    results = await runLimited(items, 10, loop, step);
  };
  expect(await turnsOf(lanes())).toBeGreaterThanOrEqual((items.length - 10) / 2 - 1);
  expect(results).toEqual(items.map((item) => item * 2));
});

it('steps that take no time stay in one turn', async () => {
  const idle = (item: number): Promise<number> => Promise.resolve(item);
  expect(await turnsOf(begunInTurns(items, loop, idle))).toBe(0);
});

it('a step that fails before the last has begun fails whoever waits for it', async () => {
  const failing = (item: number): Promise<number> => {
    timeMs++;
    return item === 0 ? Promise.reject(new Error('failed')) : Promise.resolve(item);
  };
  const begun = await begunInTurns(items, loop, failing);
  await expect(begun[0]).rejects.toThrow('failed');
  expect(await begun[99]).toBe(99);
});
