/** When a front hands reads to workers: while a processor has nothing to do. */
import { expect, it } from 'vitest';
import { IdleProcessors, readMoments } from '../../src/node/front/idle-processors.js';

it.each([
  { processors: 4, fronts: 1, underWay: 0, hasSome: true },
  { processors: 4, fronts: 1, underWay: 5, hasSome: true },
  // Two requests keep a worker busy, and one processor is the front's.
  { processors: 4, fronts: 1, underWay: 6, hasSome: false },
  { processors: 2, fronts: 1, underWay: 1, hasSome: true },
  { processors: 2, fronts: 1, underWay: 2, hasSome: false },
  { processors: 1, fronts: 1, underWay: 0, hasSome: false },
])('with one front: $processors processors, $underWay requests', ({ processors, fronts, underWay, hasSome }) => {
  const idle = new IdleProcessors(readMoments(fronts), 0, { count: processors, underWay }, { nowMs: () => 5 });
  expect(idle.hasSome).toBe(hasSome);
});

it('a front that has read of late has a processor', () => {
  let nowMs = 1_000;
  const clock = { nowMs: () => nowMs };
  const moments = readMoments(2);
  const [first, second] = [0, 1].map((place) => new IdleProcessors(moments, place, { count: 2, underWay: 0 }, clock));
  expect([first?.hasSome, second?.hasSome]).toEqual([true, true]);
  second?.noteRead();
  expect([first?.hasSome, second?.hasSome]).toEqual([false, true]);
  nowMs += 1;
  expect(first?.hasSome).toBe(false);
  nowMs += 1;
  expect(first?.hasSome).toBe(true);
  // A clock that is set back does not make it busy for long.
  second?.noteRead();
  nowMs -= 500;
  expect(first?.hasSome).toBe(true);
});
