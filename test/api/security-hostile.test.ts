/** Clients that guess passwords, or come as many at once: they are refused, and who is known is answered meanwhile. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROLE_MAPPINGS_MAX } from '../../src/cluster/security/limits.js';
import { HASHES_WAITING_MAX } from '../../src/actions/security/password-hasher.js';
import type { TestNode } from './node-harness.js';
import { ADMIN, askAs, basic, done, startSecured } from './security-helpers.js';

/** So that hashes wait while requests come, and the test does not. */
const COST = 'bcrypt7';
const GUESSES = 3 * HASHES_WAITING_MAX;
const AT_ONCE = 16;

let node: TestNode;
const admin = askAs(() => node, ADMIN);

beforeAll(async () => {
  node = await startSecured({ 'security.authc.password_hashing.algorithm': COST });
  await done(admin('GET', '/'));
}, 60_000);

afterAll(async () => {
  await node.stop();
});

test('passwords that are guessed wait for each other, and beyond that are refused', async () => {
  const guess = (at: number): Promise<number> =>
    askAs(() => node, basic(at % 2 === 0 ? 'admin' : `nobody${at}`, `guess-${at}`))('GET', '/').then(
      ({ status }) => status,
    );
  const guesses = Array.from({ length: GUESSES }, (_, at) => guess(at));
  // Known already: waits for no hash.
  for (let times = 0; times < 10; times++) await done(admin('GET', '/_cluster/health'));
  const statuses = await Promise.all(guesses);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  // Two are computed and the others wait; while these come, more may be done.
  const refused = statuses.filter((status) => status === 429).length;
  expect(refused).toBeLessThanOrEqual(GUESSES - HASHES_WAITING_MAX - 2);
  await done(admin('PUT', '/_security/user/jane', { password: 'janes-password', roles: ['viewer'] }));
  await done(askAs(() => node, basic('jane', 'janes-password'))('GET', '/_security/_authenticate'));
}, 120_000);

test('role mappings are kept up to their limit, and one more is refused', async () => {
  const put = (at: number): Promise<number> =>
    admin('PUT', `/_security/role_mapping/m${at}`, {
      enabled: true,
      roles: ['viewer'],
      rules: { field: { username: `u${at}` } },
    }).then(({ status }) => status);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < ROLE_MAPPINGS_MAX) expect(await put(next++)).toBe(200);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const beyond = await admin('PUT', '/_security/role_mapping/beyond', {
    enabled: true,
    roles: ['viewer'],
    rules: { field: { username: 'u' } },
  });
  expect([beyond.status, beyond.json().error.reason]).toEqual([
    400,
    `there are [${ROLE_MAPPINGS_MAX}] role mappings already, which is the limit`,
  ]);
  expect(await put(3)).toBe(200);
  await done(admin('DELETE', '/_security/role_mapping/m1'));
  expect(await put(ROLE_MAPPINGS_MAX)).toBe(200);
  expect(Object.keys(await done(admin('GET', '/_security/role_mapping')))).toHaveLength(ROLE_MAPPINGS_MAX);
}, 120_000);
