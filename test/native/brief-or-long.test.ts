/** Where searches that take long are carried out when all threads that have time for them are busy. */
import { expect, it } from 'vitest';
import { Cancellation, cancellationWords } from '../../src/base/cancellation.js';
import { systemClock } from '../../src/base/clock.js';
import { briefOrLong, type Callable } from '../../src/native/brief-or-long.js';

/** There is room at the third look. */
function longSearch(): Callable<string> {
  let looks = 0;
  return {
    now: (_word, mayLast) => (mayLast ? 'on this thread' : null),
    later: () => (++looks < 3 ? null : Promise.resolve('on another thread')),
  };
}

it('on the thread that asks, which sends no more meanwhile', async () => {
  const attended = { cancellation: new Cancellation(), clock: systemClock };
  expect(await briefOrLong(longSearch(), attended)).toBe('on this thread');
});

it('never on a thread for which everybody waits', async () => {
  const attended = { cancellation: new Cancellation(), clock: systemClock, isNear: true };
  expect(await briefOrLong(longSearch(), attended)).toBe('on another thread');
});

it('nowhere, once it was cancelled', async () => {
  const word = cancellationWords();
  const attended = { cancellation: new Cancellation(word), clock: systemClock, isNear: true };
  const search = briefOrLong({ now: () => null, later: () => null }, attended);
  word.fill(1);
  await expect(search).rejects.toMatchObject({ type: 'task_cancelled_exception' });
});
