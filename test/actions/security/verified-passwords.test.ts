import { expect, it } from 'vitest';
import type { Hasher } from '../../../src/actions/security/password-hasher.js';
import { VerifiedPasswords } from '../../../src/actions/security/verified-passwords.js';
import type { Clock } from '../../../src/base/clock.js';
import { seededRandom } from '../../../src/base/random.js';

let nowMs: number;
let compared: string[];

function passwords(ttlMs: number, sizeMax: number): VerifiedPasswords {
  nowMs = 0;
  compared = [];
  const hasher: Hasher = {
    figures: () => ({ active: 0, queue: 0, completed: 0, rejected: 0 }),
    prepare: () => Promise.resolve(),
    hash: (password) => Promise.resolve(`hash of ${password}`),
    verify: (password, hash) => {
      compared.push(password);
      return Promise.resolve(hash === `hash of ${password}`);
    },
    refuse: () => Promise.resolve(),
  };
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, schedule: () => () => undefined };
  return new VerifiedPasswords({ hasher, clock, random: seededRandom(1), ttlMs, sizeMax });
}

const right = (known: VerifiedPasswords, password: string): Promise<boolean> =>
  known.verify(password, `hash of ${password}`);

it('compares a right password once in its time, and a wrong one each time', async () => {
  const known = passwords(1_000, 10);
  expect([await right(known, 'a'), await right(known, 'a')]).toEqual([true, true]);
  expect([await known.verify('b', 'hash of a'), await known.verify('b', 'hash of a')]).toEqual([false, false]);
  // The password of the user is another one now.
  expect(await known.verify('a', 'hash of c')).toBe(false);
  expect(compared).toEqual(['a', 'b', 'b', 'a']);
  nowMs = 1_000;
  expect(await right(known, 'a')).toBe(true);
  expect(compared).toHaveLength(5);
});

it('keeps as many as it may, and forgets the oldest for one more', async () => {
  const known = passwords(1_000, 2);
  for (const password of ['a', 'b', 'c', 'b', 'c', 'a']) await right(known, password);
  expect(compared).toEqual(['a', 'b', 'c', 'a']);
});

it.each([
  [0, 10],
  [1_000, 0],
])('keeps none with a time of %i ms and a size of %i', async (ttlMs, sizeMax) => {
  const known = passwords(ttlMs, sizeMax);
  for (let time = 0; time < 2; time++) await right(known, 'a');
  expect(compared).toHaveLength(2);
});

it('forgets all when it is told to', async () => {
  const known = passwords(1_000, 10);
  await right(known, 'a');
  known.forget();
  await right(known, 'a');
  expect(compared).toHaveLength(2);
});
