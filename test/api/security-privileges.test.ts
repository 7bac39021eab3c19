/** Built-in and refused roles, questions about privileges, and what API keys may do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Json, TestNode } from './node-harness.js';
import { ADMIN, basic, startSecured } from './security-helpers.js';

let node: TestNode;
const PASSWORD = 'users-password';

const as = (user: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  node.request(method, path, body, { authorization: user === 'admin' ? ADMIN : basic(user, PASSWORD) });

async function admin(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await as('admin', method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
}

async function user(name: string, role: unknown): Promise<void> {
  await admin('PUT', `/_security/role/${name}`, role);
  await admin('PUT', `/_security/user/${name}`, { password: PASSWORD, roles: [name] });
}

const on = (names: readonly string[], privileges: readonly string[]): Json => ({ indices: [{ names, privileges }] });

function reasonOf(answer: Answer): string {
  return (answer.json() as Json).error.reason;
}

beforeAll(async () => {
  node = await startSecured();
  for (const index of ['logs-a', 'logs-b', 'secret']) {
    await admin('PUT', `/${index}/_doc/1?refresh=true`, { from: index });
  }
  await user('reader', { cluster: ['monitor'], ...on(['logs-*'], ['read', 'view_index_metadata', 'monitor']) });
}, 60_000);

afterAll(async () => {
  await node.stop();
});

describe('roles', () => {
  it('that are built in are shown, and cannot be changed', async () => {
    const roles = (await as('admin', 'GET', '/_security/role')).json();
    for (const name of ['superuser', 'console_admin', 'viewer', 'editor', 'snapshot_user']) {
      expect(roles[name].metadata).toEqual({ _reserved: true });
    }
    for (const method of ['PUT', 'DELETE']) {
      const answer = await as('admin', method, '/_security/role/superuser', method === 'PUT' ? {} : undefined);
      expect([method, answer.status, reasonOf(answer)]).toEqual([
        ...[method, 400],
        'Validation Failed: 1: Role [superuser] is reserved and may not be used.;',
      ]);
    }
  });

  it('that would look narrower than they are get no room', async () => {
    for (const [more, reason] of [
      [{ query: { nonsense: {} } }, 'unknown query [nonsense]'],
      [{ field_security: { except: ['a'] } }, '[field_security] requires [grant] if [except] is given'],
    ] as const) {
      const answer = await as('admin', 'PUT', '/_security/role/narrow', {
        indices: [{ names: ['*'], privileges: ['read'], ...more }],
      });
      expect([answer.status, reasonOf(answer)]).toEqual([400, expect.stringContaining(reason)]);
    }
    expect((await as('admin', 'GET', '/_security/role/narrow')).status).toBe(404);
  });

  it('may have empty members that would be refused otherwise, and privileges of failure stores', async () => {
    const privileges = ['read_failure_store', 'manage_failure_store'];
    const role = { ...on(['logs-*'], privileges), global: {}, remote_indices: [], remote_cluster: [] };
    await user('failures', role);
    const kept = (await as('admin', 'GET', '/_security/role/failures')).json().failures;
    expect(kept).toMatchObject(on(['logs-*'], privileges));
    for (const name of ['global', 'remote_indices', 'remote_cluster']) expect(Object.keys(kept)).not.toContain(name);
    // They lead to no document of the stream itself.
    expect((await as('failures', 'GET', '/logs-a/_search')).status).toBe(403);
    const asked = { index: [{ names: ['logs-a'], privileges: [...privileges, 'read', 'manage'] }] };
    const granted = async (who: string): Promise<Json> =>
      (await as(who, 'POST', '/_security/user/_has_privileges', asked)).json().index['logs-a'];
    const none = { read: false, manage: false };
    expect(await granted('failures')).toEqual({ read_failure_store: true, manage_failure_store: true, ...none });
    expect(await granted('reader')).toEqual({
      ...{ read_failure_store: false, manage_failure_store: false, read: true, manage: false },
    });
    await user('manager', on(['logs-*'], ['manage']));
    expect(await granted('manager')).toMatchObject({ read_failure_store: false, manage_failure_store: true });
  });

  it('that are gone are named where something is refused', async () => {
    await user('lost', { cluster: ['monitor'] });
    await admin('DELETE', '/_security/role/lost');
    expect(reasonOf(await as('lost', 'GET', '/_cluster/health'))).toBe(
      'action [cluster:monitor/health] is unauthorized for user [lost] with effective roles [] ' +
        '(assigned roles [lost] were not found), this action is granted by the cluster privileges [monitor,manage,all]',
    );
  });
});

describe('questions about privileges', () => {
  it('are answered for each of them', async () => {
    const asked = {
      cluster: ['monitor', 'manage'],
      index: [
        { names: ['logs-a', 'logs-2020*', 'secret'], privileges: ['read', 'write'] },
        { names: '.tasks', privileges: ['read'] },
      ],
      application: [{ application: 'shop', privileges: ['data:read/orders', 'buy'], resources: ['store/1'] }],
    };
    const answer = await as('reader', 'POST', '/_security/user/_has_privileges', asked);
    const onLogs = { read: true, write: false };
    expect(answer.json()).toEqual({
      username: 'reader',
      has_all_requested: false,
      cluster: { monitor: true, manage: false },
      index: {
        'logs-a': onLogs,
        'logs-2020*': onLogs,
        secret: { read: false, write: false },
        '.tasks': { read: false },
      },
      application: { shop: { 'store/1': { 'data:read/orders': false, buy: false } } },
    });
    const all = { cluster: ['monitor'], index: [{ names: ['logs-*'], privileges: ['read', 'indices:data/read/get'] }] };
    expect((await as('reader', 'POST', '/_security/user/reader/_has_privileges', all)).json().has_all_requested).toBe(
      true,
    );
    expect((await as('reader', 'POST', '/_security/user/other/_has_privileges', all)).status).toBe(400);
    for (const body of [{}, { cluster: ['nothing'] }, { index: [{ names: ['a'] }] }, { what: [] }]) {
      expect([body, (await as('reader', 'POST', '/_security/user/_has_privileges', body)).status]).toEqual([body, 400]);
    }
  });

  it('are refused where they ask about some documents or fields only, or about what nobody knows', async () => {
    const logs = { names: ['logs-a'], privileges: ['read'] };
    const shop = { application: 'shop', privileges: ['read'], resources: ['*'] };
    const unsupported = (name: string): string => `Field [${name}] is not supported in a has_privileges request`;
    for (const [asked, reason] of [
      [{ index: [logs, { ...logs, query: { match_all: {} } }] }, unsupported('query')],
      [{ index: [{ ...logs, query: '{"match_all":{}}' }] }, unsupported('query')],
      [{ index: [{ ...logs, field_security: { grant: ['a'] } }] }, unsupported('field_security')],
      [{ index: [{ ...logs, field_security: { grant: ['*'], except: ['a'] } }] }, unsupported('field_security')],
      [{ index: [{ ...logs, what: 1 }] }, 'unexpected field [what]'],
      [{ application: [{ ...shop, query: '{}' }] }, 'unexpected field [query]'],
    ] as const) {
      const answer = await as('reader', 'POST', '/_security/user/_has_privileges', asked);
      expect([answer.status, answer.json().error?.reason]).toEqual([400, expect.stringContaining(reason)]);
      const ofProfiles = { uids: ['u_1'], privileges: asked };
      const profiles = await as('admin', 'POST', '/_security/profile/_has_privileges', ofProfiles);
      expect([profiles.status, profiles.json().error?.reason]).toEqual([400, expect.stringContaining(reason)]);
    }
    // As consoles send them, these hide nothing.
    const empty = { index: [{ ...logs, query: '', field_security: { grant: ['*'] } }] };
    const answer = await as('reader', 'POST', '/_security/user/_has_privileges', empty);
    expect([answer.status, answer.json().has_all_requested]).toEqual([200, true]);
  });

  it('take what applications call their privileges', async () => {
    const privilege = { actions: ['data:read/*', 'action:login'], metadata: { a: 1 } };
    expect((await as('admin', 'PUT', '/_security/privilege', { shop: { read: privilege } })).json()).toEqual({
      shop: { read: { created: true } },
    });
    expect(
      (await as('admin', 'PUT', '/_security/privilege', { shop: { read: privilege } })).json().shop.read.created,
    ).toBe(false);
    expect((await as('admin', 'GET', '/_security/privilege/shop/read')).json()).toEqual({
      shop: { read: { application: 'shop', name: 'read', ...privilege } },
    });
    await user('customer', { applications: [{ application: 'shop', privileges: ['read'], resources: ['store/*'] }] });
    const ask = async (resource: string): Promise<Json> => {
      const application = [
        { application: 'shop', privileges: ['read', 'data:read/orders', 'data:write/orders'], resources: [resource] },
      ];
      return (await as('customer', 'POST', '/_security/user/_has_privileges', { application })).json().application.shop[
        resource
      ];
    };
    expect(await ask('store/1')).toEqual({ read: true, 'data:read/orders': true, 'data:write/orders': false });
    expect(await ask('bank')).toEqual({ read: false, 'data:read/orders': false, 'data:write/orders': false });
    for (const bad of [
      {},
      { Shop: { a: privilege } },
      { shop: { A: privilege } },
      { shop: { a: { actions: ['read'] } } },
    ]) {
      expect([bad, (await as('admin', 'PUT', '/_security/privilege', bad)).status]).toEqual([bad, 400]);
    }
    expect((await as('admin', 'DELETE', '/_security/privilege/shop/read,none')).json()).toEqual({
      shop: { read: { found: true }, none: { found: false } },
    });
    expect((await as('admin', 'GET', '/_security/privilege/shop/read')).status).toBe(404);
  });

  it('that a user has are listed for him', async () => {
    expect((await as('reader', 'GET', '/_security/user/_privileges')).json()).toEqual({
      ...{ cluster: ['monitor'], global: [], applications: [], run_as: [] },
      indices: [
        { names: ['logs-*'], privileges: ['read', 'view_index_metadata', 'monitor'], allow_restricted_indices: false },
      ],
    });
    const { cluster, index } = (await as('admin', 'GET', '/_security/privilege/_builtin')).json();
    expect([cluster.includes('manage_slm'), index.includes('create_doc')]).toEqual([true, true]);
  });
});

describe('an API key', () => {
  it('may do what it was given, as far as its owner could', async () => {
    await user('owner', { cluster: ['monitor', 'manage_own_api_key'], ...on(['logs-*'], ['read']) });
    const keyWith = async (role_descriptors: Json): Promise<string> => {
      const answer = await as('owner', 'POST', '/_security/api_key', { name: 'k', role_descriptors });
      expect(answer.status, answer.text).toBe(200);
      return `ApiKey ${answer.json().encoded as string}`;
    };
    const status = async (authorization: string, path: string): Promise<number> =>
      (await node.request('GET', path, undefined, { authorization })).status;
    const paths = ['/logs-a/_count', '/logs-b/_count', '/secret/_count', '/_cluster/health'];
    const of = async (key: string): Promise<readonly number[]> => Promise.all(paths.map((path) => status(key, path)));
    expect(await of(await keyWith({}))).toEqual([200, 200, 403, 200]);
    expect(await of(await keyWith({ narrow: on(['logs-a'], ['read']) }))).toEqual([200, 403, 403, 403]);
    const wide = await keyWith({ wide: { cluster: ['all'], ...on(['*'], ['all']) } });
    expect(await of(wide)).toEqual([200, 200, 403, 200]);
    expect(await status(wide, '/_security/user')).toBe(403);
    const refused = await node.request('GET', '/secret/_count', undefined, { authorization: wide });
    expect(reasonOf(refused)).toMatch(
      /^action \[indices:data\/read\/search\] is unauthorized for API key id \[[^\]]+\] of user \[owner\] on indices \[secret\], this action is granted by/,
    );
    expect((await as('reader', 'POST', '/_security/api_key', { name: 'k' })).status).toBe(403);
  });
});
