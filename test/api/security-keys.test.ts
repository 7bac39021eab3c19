/** API keys, tokens of service accounts and bearer tokens: made, used, changed, ended. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, Json, TestNode } from './node-harness.js';
import { ADMIN, basic, startSecured } from './security-helpers.js';

let node: TestNode;

beforeAll(async () => {
  node = await startSecured();
  await as(ADMIN, 'PUT', '/_security/user/owner', {
    password: 'owners-password',
    roles: ['superuser'],
    full_name: 'O',
  });
});

afterAll(async () => {
  await node.stop();
});

const OWNER = basic('owner', 'owners-password');

function as(authorization: string, method: string, path: string, body?: unknown): Promise<Answer> {
  return node.request(method, path, body, { authorization });
}

const READ = { cluster: ['monitor'], indices: [{ names: ['index-a'], privileges: ['read'] }] };
const SHOWN = {
  cluster: ['monitor'],
  indices: [{ names: ['index-a'], privileges: ['read'], allow_restricted_indices: false }],
  applications: [],
  run_as: [],
  metadata: {},
  transient_metadata: { enabled: true },
};

test('an API key stands for its owner until it is invalidated', async () => {
  const made = (
    await as(OWNER, 'POST', '/_security/api_key', {
      name: 'my-api-key',
      expiration: '1d',
      role_descriptors: { 'role-a': READ },
      metadata: { application: 'mine' },
    })
  ).json();
  expect(made).toEqual({
    id: expect.any(String),
    name: 'my-api-key',
    expiration: expect.any(Number),
    api_key: expect.stringMatching(/^[\w-]{22}$/),
    encoded: Buffer.from(`${made.id}:${made.api_key}`).toString('base64'),
  });
  const key = `ApiKey ${made.encoded}`;
  expect((await as(key, 'GET', '/_security/_authenticate')).json()).toEqual({
    username: 'owner',
    roles: [],
    full_name: 'O',
    email: null,
    metadata: {},
    enabled: true,
    authentication_realm: { name: '_es_api_key', type: '_es_api_key' },
    lookup_realm: { name: '_es_api_key', type: '_es_api_key' },
    authentication_type: 'api_key',
    api_key: { id: made.id, name: 'my-api-key' },
  });
  // That there is none with an id is an error, that none has a name is an answer.
  const absent = await as(ADMIN, 'GET', '/_security/api_key?id=nobodys');
  expect([absent.status, absent.json()]).toEqual([404, { api_keys: [] }]);
  expect((await as(ADMIN, 'GET', '/_security/api_key?name=nobodys')).status).toBe(200);
  const shown = (await as(ADMIN, 'GET', `/_security/api_key?id=${made.id}&with_limited_by=true`)).json();
  expect(shown.api_keys).toEqual([
    {
      id: made.id,
      name: 'my-api-key',
      type: 'rest',
      creation: expect.any(Number),
      expiration: made.expiration,
      invalidated: false,
      username: 'owner',
      realm: 'default_native',
      realm_type: 'native',
      metadata: { application: 'mine' },
      role_descriptors: { 'role-a': SHOWN },
      limited_by: [{ superuser: expect.any(Object) }],
    },
  ]);
  const listed = async (query: string): Promise<number> =>
    (await as(OWNER, 'GET', `/_security/api_key?${query}`)).json().api_keys.length;
  expect(await listed('owner=true')).toBe(1);
  expect(await listed('name=my-*')).toBe(1);
  expect(await listed('username=nobody')).toBe(0);
  expect(await listed('realm_name=default_native&active_only=true')).toBe(1);

  const update = { role_descriptors: { other: READ }, metadata: { number: 42 } };
  expect((await as(OWNER, 'PUT', `/_security/api_key/${made.id}`, update)).json()).toEqual({ updated: true });
  expect((await as(OWNER, 'PUT', `/_security/api_key/${made.id}`, update)).json()).toEqual({ updated: false });
  const bulk = { ids: [made.id, 'none'], metadata: { number: 43 } };
  expect((await as(OWNER, 'POST', '/_security/api_key/_bulk_update', bulk)).json()).toEqual({
    updated: [made.id],
    noops: [],
    errors: { count: 1, details: { none: { type: 'resource_not_found_exception', reason: expect.any(String) } } },
  });
  expect((await as(ADMIN, 'PUT', `/_security/api_key/${made.id}`, update)).status).toBe(404);

  const wrong = await as(`ApiKey ${Buffer.from(`${made.id}:wrong`).toString('base64')}`, 'GET', '/');
  expect(wrong.status).toBe(401);
  expect(wrong.json().error.additional_unsuccessful_credentials).toBe(
    `API key: invalid credentials for API key [${made.id}]`,
  );
  const ended = await as(OWNER, 'DELETE', '/_security/api_key', { ids: [made.id], owner: true });
  expect(ended.json()).toEqual({
    invalidated_api_keys: [made.id],
    previously_invalidated_api_keys: [],
    error_count: 0,
  });
  const again = await as(OWNER, 'DELETE', '/_security/api_key', { name: 'my-api-key' });
  expect(again.json().previously_invalidated_api_keys).toEqual([made.id]);
  const refused = await as(key, 'GET', '/');
  expect([refused.status, refused.json().error.additional_unsuccessful_credentials]).toEqual([
    401,
    'API key: api key has been invalidated',
  ]);
});

test('an API key ends when it expires', async () => {
  const made = (await as(OWNER, 'POST', '/_security/api_key', { name: 'brief', expiration: '1500ms' })).json();
  const key = `ApiKey ${made.encoded}`;
  expect((await as(key, 'GET', '/_security/_authenticate')).status).toBe(200);
  const refused = await node.until(async () => {
    const answer = await as(key, 'GET', '/_security/_authenticate');
    return answer.status === 401 ? answer : undefined;
  });
  expect(refused.json().error.additional_unsuccessful_credentials).toBe('API key: api key is expired');
});

test('keys are granted to those whose password one has', async () => {
  const grant = {
    grant_type: 'password',
    username: 'owner',
    password: 'owners-password',
    api_key: { name: 'granted' },
  };
  const made = (await as(ADMIN, 'POST', '/_security/api_key/grant', grant)).json();
  expect((await as(`ApiKey ${made.encoded}`, 'GET', '/_security/_authenticate')).json().username).toBe('owner');
  const wrong = await as(ADMIN, 'POST', '/_security/api_key/grant', { ...grant, password: 'not-the-one' });
  expect(wrong.status).toBe(401);
  expect(wrong.text).not.toContain('not-the-one');
  expect((await as(ADMIN, 'POST', `/_security/api_key/${made.id}/_clear_cache`)).json()._nodes.failed).toBe(0);
});

test('a key makes no key that may do anything', async () => {
  const parent = (await as(OWNER, 'POST', '/_security/api_key', { name: 'parent' })).json();
  const key = `ApiKey ${parent.encoded}`;
  const refused = await as(key, 'POST', '/_security/api_key', { name: 'child' });
  expect(refused.json().error.reason).toContain('creating derived api keys requires an explicit role descriptor');
  const child = await as(key, 'POST', '/_security/api_key', { name: 'child', role_descriptors: { none: {} } });
  expect(child.status).toBe(200);
});

test('wrong bodies of keys are refused by field', async () => {
  const cases: readonly (readonly [Json, string])[] = [
    [{}, 'api key name is required'],
    [{ name: 'n'.repeat(257) }, 'api key name may not be more than 256 characters long'],
    [{ name: '_n' }, 'api key name may not begin with an underscore'],
    [{ name: 'n', expiration: '0' }, 'api key expiration must be more than zero'],
    [{ name: 'n', expiration: 5 }, '[expiration] to be of type string, but found [number]'],
    [{ name: 'n', role_descriptors: [] }, '[role_descriptors] to be of type object, but found [array]'],
    [{ name: 'n', role_descriptors: { r: { other: 1 } } }, 'unexpected field [other]'],
    [{ name: 'n', metadata: { _m: 1 } }, 'metadata keys may not start with [_]'],
    [{ name: 'n', metadata: { m: 'x'.repeat(300_000) } }, 'the limit of API keys'],
    [{ name: 'n', other: 1 }, 'unexpected field [other]'],
  ];
  for (const [body, words] of cases) {
    const answer = await as(OWNER, 'POST', '/_security/api_key', body);
    expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringContaining(words)]);
  }
  expect((await as(OWNER, 'POST', '/_security/api_key', { name: 'n'.repeat(256) })).status).toBe(200);
});

test('tokens of service accounts', async () => {
  const account = '/_security/service/elastic/fleet-server';
  expect(Object.keys((await as(ADMIN, 'GET', '/_security/service/elastic')).json())).toEqual([
    'elastic/fleet-server',
    'elastic/kibana',
  ]);
  const made = (await as(ADMIN, 'POST', `${account}/credential/token/token1`)).json();
  expect(made).toEqual({ created: true, token: { name: 'token1', value: expect.stringMatching(/^AAEAA/) } });
  const bearer = `Bearer ${made.token.value}`;
  expect((await as(bearer, 'GET', '/_security/_authenticate')).json()).toEqual({
    username: 'elastic/fleet-server',
    roles: [],
    full_name: 'Service account - elastic/fleet-server',
    email: null,
    metadata: { _elastic_service_account: true },
    enabled: true,
    authentication_realm: { name: '_service_account', type: '_service_account' },
    lookup_realm: { name: '_service_account', type: '_service_account' },
    authentication_type: 'token',
    token: { name: 'token1', type: '_service_account_index' },
  });
  expect((await as(ADMIN, 'POST', `${account}/credential/token/token1`)).status).toBe(409);
  expect((await as(ADMIN, 'POST', '/_security/service/elastic/none/credential/token/t')).status).toBe(404);
  expect((await as(ADMIN, 'POST', `${account}/credential/token/_t`)).status).toBe(400);
  const listed = (await as(ADMIN, 'GET', `${account}/credential`)).json();
  expect(listed).toMatchObject({ service_account: 'elastic/fleet-server', count: 1, tokens: { token1: {} } });
  expect((await as(ADMIN, 'DELETE', `${account}/credential/token/token1`)).json()).toEqual({ found: true });
  expect((await as(ADMIN, 'DELETE', `${account}/credential/token/token1`)).status).toBe(404);
  const refused = await as(bearer, 'GET', '/');
  expect(refused.json().error.reason).toBe(
    'failed to authenticate service account [elastic/fleet-server] with token name [token1]',
  );
});

test('a bearer token is not refreshed when its user is disabled or gone', async () => {
  const user = { password: 'a-password', roles: ['superuser'] };
  await as(ADMIN, 'PUT', '/_security/user/leaver', user);
  const grant = { grant_type: 'password', username: 'leaver', password: 'a-password' };
  const issued = (await as(ADMIN, 'POST', '/_security/oauth2/token', grant)).json();
  const refresh = { grant_type: 'refresh_token', refresh_token: issued.refresh_token };
  for (const end of ['_disable', '']) {
    await as(ADMIN, end === '' ? 'DELETE' : 'PUT', `/_security/user/leaver/${end}`.replace(/\/$/, ''));
    const refused = await as(ADMIN, 'POST', '/_security/oauth2/token', refresh);
    expect([refused.status, refused.json()]).toEqual([
      400,
      { error: 'invalid_grant', error_description: 'the user of the token is disabled or gone' },
    ]);
  }
});

test('bearer tokens are issued, refreshed once and invalidated', async () => {
  const path = '/_security/oauth2/token';
  const issued = (
    await as(ADMIN, 'POST', path, { grant_type: 'password', username: 'owner', password: 'owners-password' })
  ).json();
  expect(issued).toMatchObject({ type: 'Bearer', expires_in: 1200, authentication: { username: 'owner' } });
  const first = `Bearer ${issued.access_token}`;
  expect((await as(first, 'GET', '/_security/_authenticate')).json()).toMatchObject({
    username: 'owner',
    authentication_type: 'token',
    authentication_realm: { name: 'default_native' },
  });
  const refresh = { grant_type: 'refresh_token', refresh_token: issued.refresh_token };
  const other = await as(OWNER, 'POST', path, refresh);
  expect([other.status, other.json()]).toEqual([
    400,
    { error: 'invalid_grant', error_description: 'tokens must be refreshed by the creating client' },
  ]);
  const second = (await as(ADMIN, 'POST', path, refresh)).json();
  expect((await as(`Bearer ${second.access_token}`, 'GET', '/_security/_authenticate')).status).toBe(200);
  const twice = await as(ADMIN, 'POST', path, refresh);
  expect([twice.status, twice.json().error]).toEqual([400, 'invalid_grant']);

  expect((await as(ADMIN, 'DELETE', path, { token: issued.access_token })).json()).toEqual({
    invalidated_tokens: 1,
    previously_invalidated_tokens: 0,
    error_count: 0,
  });
  const expired = await as(first, 'GET', '/');
  expect(expired.status).toBe(401);
  expect(expired.headers.get('www-authenticate')).toContain('error="invalid_token"');
  expect((await as(ADMIN, 'DELETE', path, { username: 'owner' })).json()).toMatchObject({
    invalidated_tokens: 1,
    previously_invalidated_tokens: 1,
  });
  expect((await as(`Bearer ${second.access_token}`, 'GET', '/')).status).toBe(401);

  const own = (await as(OWNER, 'POST', path, { grant_type: 'client_credentials' })).json();
  expect(own.refresh_token).toBeUndefined();
  expect((await as(`Bearer ${own.access_token}`, 'GET', '/_security/_authenticate')).json().username).toBe('owner');
  await as(ADMIN, 'PUT', '/_security/user/owner/_disable');
  expect((await as(`Bearer ${own.access_token}`, 'GET', '/')).status).toBe(401);
  await as(ADMIN, 'PUT', '/_security/user/owner/_enable');

  const wrong = await as(ADMIN, 'POST', path, { grant_type: 'password', username: 'owner', password: 'nope-nope' });
  expect([wrong.status, wrong.json()]).toEqual([
    400,
    { error: 'invalid_grant', error_description: 'failed to authenticate user [owner]' },
  ]);
  for (const [body, words] of [
    [{ grant_type: 'password', username: 'owner' }, 'password is missing'],
    [{ grant_type: 'client_credentials', username: 'x' }, 'username is not supported'],
    [{ grant_type: '_kerberos' }, 'grant_type [_kerberos] is not supported'],
    [{ grant_type: 'refresh_token' }, 'refresh_token is missing'],
  ] as const) {
    const answer = await as(ADMIN, 'POST', path, body);
    expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringContaining(words)]);
  }
  expect((await as('Bearer unknown', 'GET', '/')).json().error.additional_unsuccessful_credentials).toBe(
    'oauth2 token: invalid token',
  );
});

test('one runs as another, and shows who both are', async () => {
  const seen = await node.request('GET', '/_security/_authenticate', undefined, {
    authorization: ADMIN,
    'es-security-runas-user': 'owner',
  });
  expect(seen.json()).toMatchObject({
    username: 'owner',
    authentication_realm: { name: 'reserved' },
    lookup_realm: { name: 'default_native' },
    authentication_type: 'realm',
  });
});

test('who runs as another may change his password and make keys in his name, also as the built-in user', async () => {
  await as(ADMIN, 'PUT', '/_security/role/runs', { run_as: ['adm*', 'target'] });
  await as(ADMIN, 'PUT', '/_security/role/keeps', { cluster: ['manage_own_api_key'] });
  await as(ADMIN, 'PUT', '/_security/user/target', { password: 'targets-password', roles: ['keeps'] });
  await as(ADMIN, 'PUT', '/_security/user/runner', { password: 'runners-password', roles: ['runs'] });
  const acting = (user: string, path: string, body?: unknown): Promise<Answer> =>
    node.request(body === undefined ? 'GET' : 'POST', path, body, {
      authorization: basic('runner', 'runners-password'),
      'es-security-runas-user': user,
    });
  expect((await acting('target', '/_security/user/_password', { password: 'another-password' })).status).toBe(200);
  expect((await as(basic('target', 'another-password'), 'GET', '/_security/_authenticate')).status).toBe(200);
  const made = (await acting('target', '/_security/api_key', { name: 'in-his-name' })).json();
  await as(ADMIN, 'DELETE', '/_security/role/runs');
  expect((await acting('target', '/_security/_authenticate')).status).toBe(403);
  const kept = await as(`ApiKey ${made.encoded}`, 'GET', '/_security/_authenticate');
  expect(kept.json()).toMatchObject({ username: 'target', api_key: { name: 'in-his-name' } });
  await as(ADMIN, 'PUT', '/_security/role/runs', { run_as: ['adm*'] });
  expect((await acting('admin', '/_security/user')).status).toBe(200);
});
