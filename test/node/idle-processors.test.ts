/** When a front hands reads to workers: while a processor is idle. */
import { expect, it } from 'vitest';
import { busyMoments, IdleProcessors } from '../../src/node/front/idle-processors.js';

it.each([
  { processors: 4, underWay: 0, hasSome: true },
  { processors: 4, underWay: 5, hasSome: true },
  // Two requests keep a worker busy, and one processor is the front's.
  { processors: 4, underWay: 6, hasSome: false },
  { processors: 2, underWay: 1, hasSome: true },
  { processors: 2, underWay: 2, hasSome: false },
  { processors: 1, underWay: 0, hasSome: false },
])('with one front: $processors processors, $underWay requests', ({ processors, underWay, hasSome }) => {
  const idle = new IdleProcessors(busyMoments(1), 0, { count: processors, underWay }, { nowMs: () => 5 });
  expect(idle.hasSome).toBe(hasSome);
});

it('a front that has requests, or had some of late, has a processor', () => {
  let nowMs = 1_000;
  const clock = { nowMs: () => nowMs };
  const moments = busyMoments(2);
  let endTurn: () => void = () => undefined;
  const of = (place: number): IdleProcessors =>
    new IdleProcessors(moments, place, { count: 2, underWay: 0 }, clock, (end) => (endTurn = end));
  const [first, second] = [of(0), of(1)];
  expect([first.hasSome, second.hasSome]).toEqual([true, true]);
  second.noteRequest();
  nowMs += 50;
  // Its turn lasts.
  expect([first.hasSome, second.hasSome]).toEqual([false, true]);
  second.noteRequest();
  endTurn();
  nowMs += 2;
  expect(first.hasSome).toBe(false);
  nowMs += 1;
  expect(first.hasSome).toBe(true);
  // A clock that is set back does not make it busy for long.
  nowMs -= 500;
  expect(first.hasSome).toBe(true);
});
