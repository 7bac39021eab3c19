import { expect, it } from 'vitest';
import {
  HASHES_WAITING_MAX,
  isPasswordHash,
  PASSWORD_BYTES_MAX,
  PasswordHasher,
} from '../../../src/actions/security/password-hasher.js';

/** The quickest there is. */
const COST = 4;
const RUNNING = 2;

it('lets as many hashes wait as may, and refuses one more', async () => {
  const hasher = new PasswordHasher(COST);
  const hashes = Array.from({ length: RUNNING + HASHES_WAITING_MAX }, (_, at) => hasher.hash(`password-${at}`));
  expect(hasher.figures()).toEqual({ active: RUNNING, queue: HASHES_WAITING_MAX, completed: 0, rejected: 0 });
  await expect(hasher.hash('one more')).rejects.toMatchObject({
    type: 'rejected_execution_exception',
    message: `rejected execution: [${RUNNING + HASHES_WAITING_MAX}] passwords are being hashed or wait for it`,
  });
  const [first = ''] = await Promise.all(hashes);
  expect(await hasher.verify('password-0', first)).toBe(true);
  const completed = RUNNING + HASHES_WAITING_MAX + 1;
  expect(hasher.figures()).toEqual({ active: 0, queue: 0, completed, rejected: 1 });
});

it('takes a password of the largest size, and does not take a longer one for its beginning', async () => {
  const hasher = new PasswordHasher(COST);
  const largest = 'x'.repeat(PASSWORD_BYTES_MAX);
  const hash = await hasher.hash(largest);
  expect([await hasher.verify(largest, hash), await hasher.verify(`${largest}y`, hash)]).toEqual([true, false]);
});

it('compares no password with a hash that would take days', async () => {
  const hasher = new PasswordHasher(COST);
  const hash = await hasher.hash('a password');
  const slow = hash.replace('$04$', '$31$');
  expect([isPasswordHash(hash), isPasswordHash(slow), isPasswordHash(hash.replace('$04$', '$15$'))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(await hasher.verify('a password', slow)).toBe(false);
  expect(hasher.figures()).toMatchObject({ active: 0, queue: 0 });
});
