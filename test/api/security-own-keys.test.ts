/** `manage_own_api_key`: a user manages the keys that are his, an API key sees and ends itself alone, at every endpoint. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, Json, TestNode } from './node-harness.js';
import { ADMIN, askAs, basic, done, startSecured, type Ask } from './security-helpers.js';

let node: TestNode;

const PASSWORD = 'a-password';
const KEYS = '/_security/api_key';
const OWN = { r: { cluster: ['manage_own_api_key'] } };

const as = (authorization: string): Ask => askAs(() => node, authorization);
const admin = as(ADMIN);
const jane = as(basic('jane', PASSWORD));

beforeAll(async () => {
  node = await startSecured();
  for (const [name, cluster] of [
    ['jane', ['manage_own_api_key']],
    ['reader', ['read_security']],
  ] as const) {
    await done(admin('PUT', `/_security/role/${name}`, { cluster }));
    await done(admin('PUT', `/_security/user/${name}`, { password: PASSWORD, roles: [name] }));
  }
});

afterAll(async () => {
  await node.stop();
});

function make(ask: Ask, name: string, role_descriptors: Json = OWN): Promise<Json> {
  return done(ask('POST', KEYS, { name, role_descriptors }));
}

async function idsIn(answer: Promise<Answer>): Promise<readonly string[]> {
  const { api_keys: keys } = await done(answer);
  return keys.map(({ id }: Json) => id as string);
}

async function statusOf(answer: Promise<Answer>): Promise<number> {
  return (await answer).status;
}

test('an API key sees itself alone, by its id', async () => {
  const [shipper, other] = [await make(admin, 'shipper'), await make(admin, 'other')];
  const key = as(`ApiKey ${shipper.encoded}`);
  for (const query of ['', '?owner=true', '?name=shipper', `?id=${other.id}`, `?id=${other.id}&owner=true`]) {
    expect([query, await statusOf(key('GET', `${KEYS}${query}`))]).toEqual([query, 403]);
  }
  expect(await statusOf(key('GET', `${KEYS}?username=admin&realm_name=reserved`))).toBe(403);
  for (const query of [`?id=${shipper.id}`, `?id=${shipper.id}&owner=true`]) {
    expect(await idsIn(key('GET', `${KEYS}${query}`))).toEqual([shipper.id]);
  }
  expect(await idsIn(key('GET', '/_security/_query/api_key'))).toEqual([shipper.id]);
  // What its owner could do is not for it to see.
  expect(await statusOf(key('GET', `${KEYS}?id=${shipper.id}&with_limited_by=true`))).toBe(403);
  expect(await statusOf(key('GET', '/_security/_query/api_key?with_limited_by=true'))).toBe(403);
});

test('an API key ends itself alone, by its id', async () => {
  const [shipper, other] = [await make(admin, 'shipper'), await make(admin, 'other')];
  const key = as(`ApiKey ${shipper.encoded}`);
  for (const body of [
    { owner: true },
    { owner: 'true' },
    { name: 'shipper' },
    { name: 'shipper', owner: true },
    { ids: [other.id] },
    { ids: [shipper.id, other.id], owner: true },
    { id: shipper.id, ids: [other.id] },
    { username: 'admin', realm_name: 'reserved' },
  ]) {
    expect([body, await statusOf(key('DELETE', KEYS, body))]).toEqual([body, 403]);
  }
  expect(await statusOf(as(`ApiKey ${other.encoded}`)('GET', '/_security/_authenticate'))).toBe(200);
  expect(await done(key('DELETE', KEYS, { ids: [shipper.id] }))).toMatchObject({ invalidated_api_keys: [shipper.id] });
  expect(await statusOf(key('GET', '/_security/_authenticate'))).toBe(401);
});

test('an API key updates no key, and makes none that may do anything', async () => {
  const [shipper, other] = [await make(admin, 'shipper'), await make(admin, 'other')];
  const key = as(`ApiKey ${shipper.encoded}`);
  for (const id of [shipper.id, other.id]) {
    const update = await key('PUT', `${KEYS}/${id}`, { metadata: { a: 1 } });
    expect([update.status, update.text]).toEqual([400, expect.stringContaining('only the owner user can update')]);
    expect(await statusOf(key('POST', `${KEYS}/_bulk_update`, { ids: [id], metadata: { a: 1 } }))).toBe(400);
  }
  expect(await statusOf(key('POST', KEYS, { name: 'child', role_descriptors: OWN }))).toBe(400);
  expect(await statusOf(key('POST', KEYS, { name: 'child', role_descriptors: { none: {} } }))).toBe(200);
});

test('a token of an API key may do what the key may', async () => {
  const rights = { r: { cluster: ['manage_own_api_key', 'manage_token'] } };
  const shipper = await make(admin, 'shipper', rights);
  const key = as(`ApiKey ${shipper.encoded}`);
  const { access_token: token } = await done(
    key('POST', '/_security/oauth2/token', { grant_type: 'client_credentials' }),
  );
  const bearer = as(`Bearer ${token}`);
  expect(await statusOf(bearer('GET', `${KEYS}?owner=true`))).toBe(403);
  expect(await idsIn(bearer('GET', `${KEYS}?id=${shipper.id}`))).toEqual([shipper.id]);
});

test('an API key that may manage all keys finds those of its owner', async () => {
  const manager = await make(admin, 'manager', { r: { cluster: ['manage_api_key'] } });
  const key = as(`ApiKey ${manager.encoded}`);
  expect((await idsIn(key('GET', `${KEYS}?owner=true`))).length).toBeGreaterThan(1);
  const path = `${KEYS}?id=${manager.id}&with_limited_by=true`;
  expect((await done(key('GET', path))).api_keys[0].limited_by).toHaveLength(1);
});

test('a user manages his own keys, which he asks for or names himself and his realm', async () => {
  const own = await make(jane, 'hers');
  for (const query of ['owner=true', 'username=jane&realm_name=default_native']) {
    expect(await idsIn(jane('GET', `${KEYS}?${query}`))).toEqual([own.id]);
  }
  for (const query of [`id=${own.id}`, 'username=jane', 'username=jane&realm_name=reserved', 'username=admin']) {
    expect([query, await statusOf(jane('GET', `${KEYS}?${query}`))]).toEqual([query, 403]);
  }
  expect(await statusOf(jane('DELETE', KEYS, { ids: [own.id] }))).toBe(403);
  const ended = await done(jane('DELETE', KEYS, { username: 'jane', realm_name: 'default_native' }));
  expect(ended.invalidated_api_keys).toEqual([own.id]);
});

test('who may read all of security reads his own keys too', async () => {
  const reader = as(basic('reader', PASSWORD));
  expect(await idsIn(reader('GET', `${KEYS}?owner=true`))).toEqual([]);
  expect(await statusOf(reader('GET', `${KEYS}?username=admin`))).toBe(200);
});
