/** Users of a cluster: made on one node they come in at every other, and outlive their master and a restart of all. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../api/node-harness.js';
import { ADMIN, basic, PASSWORD, SECURED } from '../api/security-helpers.js';
import { TestCluster } from './cluster-harness.js';

const USER = basic('made-here', 'the-users-password');
let cluster: TestCluster;

beforeAll(async () => {
  process.env['QUARRY_BOOTSTRAP_PASSWORD'] = PASSWORD;
  cluster = await TestCluster.start({ nodes: 3, settings: SECURED });
}, 120_000);

afterAll(async () => {
  delete process.env['QUARRY_BOOTSTRAP_PASSWORD'];
  await cluster.stop();
});

const ask = (name: string, authorization: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  cluster.node(name).request(method, path, body, { authorization });

const statuses = (authorization: string): Promise<number[]> =>
  Promise.all(
    cluster.running.map(({ name }) =>
      ask(name, authorization, 'GET', '/_security/_authenticate').then(({ status }) => status),
    ),
  );

test('a user made on one node comes in at each, and so after the master was lost and after all restarted', async () => {
  const user = { password: 'the-users-password', roles: ['superuser'] };
  expect((await ask('n1', ADMIN, 'PUT', '/_security/user/made-here', user)).json()).toEqual({ created: true });
  expect(await statuses(USER)).toEqual([200, 200, 200]);
  const key = (await ask('n2', USER, 'POST', '/_security/api_key', { name: 'k' })).json();
  expect(await statuses(`ApiKey ${key.encoded}`)).toEqual([200, 200, 200]);
  const cleared = await ask('n3', ADMIN, 'POST', '/_security/realm/default_native/_clear_cache');
  expect(cleared.json()._nodes).toEqual({ total: 3, successful: 3, failed: 0 });

  const master = (await ask('n1', ADMIN, 'GET', '/_cat/master?h=node')).text.trim();
  await cluster.member(master).kill();
  expect(await statuses(USER)).toEqual([200, 200]);
  const [left] = cluster.running;
  const changed = await cluster.node(left?.name).until(async () => {
    const path = '/_security/user/made-here/_password?pretty=false';
    const answer = await ask(left?.name ?? '', ADMIN, 'POST', path, { password: 'changed-by-others' });
    return answer.status === 200 ? answer : undefined;
  });
  expect(changed.json()).toEqual({});
  await cluster.member(master).start();
  expect(await statuses(basic('made-here', 'changed-by-others'))).toEqual([200, 200, 200]);
  expect(await statuses(USER)).toEqual([401, 401, 401]);

  await Promise.all(cluster.members.map((member) => member.terminate()));
  await Promise.all(cluster.members.map((member) => member.start()));
  expect(await statuses(basic('made-here', 'changed-by-others'))).toEqual([200, 200, 200]);
  expect(await statuses(`ApiKey ${key.encoded}`)).toEqual([200, 200, 200]);
}, 180_000);
