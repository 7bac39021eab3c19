/** Requests without credentials where everybody has some roles, and what a node without security says. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestNode } from './node-harness.js';
import { ADMIN, basic, PASSWORD, SECURED, startSecured } from './security-helpers.js';

let node: TestNode;
let asking: TestNode;

beforeAll(async () => {
  const anonymous = { 'security.anonymous.roles': 'monitoring_user', 'security.anonymous.username': 'guest' };
  node = await startSecured(anonymous);
  asking = await startSecured({ ...anonymous, 'security.anonymous.authz_exception': 'false' });
});

afterAll(async () => {
  await Promise.all([node.stop(), asking.stop()]);
});

test('who brings no credentials is the anonymous user, and all others have his roles too', async () => {
  expect((await node.get('/_security/_authenticate')).json()).toMatchObject({
    username: 'guest',
    roles: ['monitoring_user'],
    authentication_realm: { name: '__anonymous', type: '__anonymous' },
    authentication_type: 'anonymous',
  });
  const headers = { authorization: ADMIN };
  await node.put('/_security/user/jane', { password: 'janes-password', roles: ['viewer'] }, headers);
  const jane = await node.get('/_security/_authenticate', { authorization: basic('jane', 'janes-password') });
  expect(jane.json().roles).toEqual(['viewer', 'monitoring_user']);
  const wrong = await node.get('/_security/_authenticate', { authorization: basic('jane', 'wrong') });
  expect(wrong.status).toBe(401);
  const taken = await node.put('/_security/user/guest', { password: 'a-password', roles: [] }, headers);
  expect(taken.json().error.reason).toBe('user [guest] is anonymous and cannot be modified via the API');
});

test('an anonymous request that needs more is refused, or asked for credentials where that is set', async () => {
  expect((await node.get('/_security/user')).status).toBe(403);
  const asked = await asking.get('/_security/user');
  expect(asked.status).toBe(401);
  expect(asked.headers.get('www-authenticate')).toContain('Basic realm="security"');
  const denied = await asking.put('/_security/user/joe', { password: 'joes-password', roles: [] });
  expect(denied.status).toBe(401);
});

test('features say whether security is on', async () => {
  const features = async (of: TestNode, headers: Record<string, string>): Promise<unknown> =>
    (await of.get('/_xpack?categories=features', headers)).json().features.security;
  expect(await features(node, { authorization: ADMIN })).toEqual({ available: true, enabled: true });
  const open = await TestNode.start({ 'xpack.security.enabled': 'false' });
  expect(await features(open, {})).toEqual({ available: true, enabled: false });
  const answer = await open.get('/_security/user');
  expect([answer.status, answer.json()]).toEqual([
    400,
    {
      error:
        'no handler found for uri [/_security/user] and method [GET]: security is not enabled, see [security.enabled]',
    },
  ]);
  await open.stop();
});

test('a setting given by both of its names stops the start', async () => {
  const both = { ...SECURED, 'xpack.security.enabled': 'true' };
  const environment = { QUARRY_BOOTSTRAP_PASSWORD: PASSWORD };
  await expect(TestNode.start(both, undefined, [], environment)).rejects.toThrow(
    'setting [security.enabled] is given twice, also as [xpack.security.enabled]',
  );
});
