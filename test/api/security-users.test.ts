/** Who comes in: passwords of built-in, native and file users over HTTP, and what a node with security says to everybody else. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from '@node-rs/bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigFolder } from '../cli/keystore-harness.js';
import { TestNode, type Answer, type Json } from './node-harness.js';
import { ADMIN, basic, PASSWORD, SECURED, startSecured } from './security-helpers.js';

let node: TestNode;

beforeAll(async () => {
  node = await startSecured();
});

afterAll(async () => {
  await node.stop();
});

const as = (
  authorization: string | undefined,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  node.request(method, path, body, { ...(authorization === undefined ? {} : { authorization }), ...headers });

const CHALLENGES = ['Basic realm="security", charset="UTF-8"', 'Bearer realm="security"', 'ApiKey'];

function refusal(reason: string): Json {
  const cause = { type: 'security_exception', reason, header: { 'WWW-Authenticate': CHALLENGES } };
  return { error: { root_cause: [cause], ...cause }, status: 401 };
}

test('nobody comes in without credentials, whatever he asks for', async () => {
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/_nothing/of/the/kind?pretty=false'],
    ['OPTIONS', '/_search'],
    ['POST', '/_ml/info'],
    ['GET', '/films/_doc/1'],
    ['PATCH', '/_search'],
  ] as const) {
    const answer = await as(undefined, method, path);
    expect([path, answer.status]).toEqual([path, 401]);
    expect(answer.json()).toEqual(refusal(`missing authentication credentials for REST request [${path}]`));
    expect(answer.headers.get('www-authenticate')).toBe(CHALLENGES.join(', '));
  }
  expect((await as(undefined, 'HEAD', '/')).status).toBe(401);
});

test('a wrong password and a wrong name are refused with the same words', async () => {
  for (const [user, password] of [
    ['admin', 'wrong'],
    ['nobody', PASSWORD],
    ['admin', ''],
    ['admin', `${PASSWORD}${'x'.repeat(100)}`],
  ] as const) {
    const answer = await as(basic(user, password), 'GET', '/_cluster/health');
    expect(answer.json()).toEqual(refusal(`unable to authenticate user [${user}] for REST request [/_cluster/health]`));
  }
});

test('a header that cannot be read, and a scheme that nobody knows', async () => {
  const broken = await as('Basic !!!', 'GET', '/');
  expect(broken.json()).toEqual(refusal('invalid basic authentication header value'));
  const other = await as('Digest abc', 'GET', '/');
  expect(other.json()).toEqual(refusal('missing authentication credentials for REST request [/]'));
});

test('the built-in user has the password of the environment', async () => {
  expect((await as(ADMIN, 'GET', '/_security/_authenticate')).json()).toEqual({
    username: 'admin',
    roles: ['superuser'],
    full_name: null,
    email: null,
    metadata: { _reserved: true },
    enabled: true,
    authentication_realm: { name: 'reserved', type: 'reserved' },
    lookup_realm: { name: 'reserved', type: 'reserved' },
    authentication_type: 'realm',
  });
});

test('the built-in user may have his first password from the keystore', async () => {
  const folder = await ConfigFolder.make();
  await folder.add({ 'bootstrap.password': 'the-password-of-the-keystore' });
  const configured = ['--config', folder.config];
  const other = await TestNode.start({ ...SECURED, 'path.config': undefined }, folder.directory, configured);
  const headers = { authorization: basic('admin', 'the-password-of-the-keystore') };
  expect((await other.get('/_security/_authenticate', headers)).json().username).toBe('admin');
  await other.stop();
});

test('a first password that nobody could set later is refused at the start, wherever it comes from', async () => {
  const folder = await ConfigFolder.make();
  const configured = ['--config', folder.config];
  const start = (environment: Readonly<Record<string, string>>, settings = {}): Promise<TestNode> =>
    TestNode.start({ ...SECURED, 'path.config': undefined, ...settings }, folder.directory, configured, environment);
  const short = 'passwords must be at least [6] characters long';
  const variable = 'quarry: variable [QUARRY_BOOTSTRAP_PASSWORD]: ';
  await expect(start({ QUARRY_BOOTSTRAP_PASSWORD: 'abc' })).rejects.toThrow(`${variable}${short}\n`);
  const long = { QUARRY_BOOTSTRAP_PASSWORD: 'x'.repeat(73) };
  await expect(start(long)).rejects.toThrow(`${variable}passwords must be at most [72] bytes long in UTF-8\n`);
  await folder.add({ 'bootstrap.password': 'abc' });
  await expect(start({})).rejects.toThrow(`quarry: secure setting [bootstrap.password]: ${short}\n`);
  // That of the environment wins, and nobody needs any where security is off.
  for (const [environment, settings] of [
    [{ QUARRY_BOOTSTRAP_PASSWORD: PASSWORD }, {}],
    [{}, { 'security.enabled': 'false' }],
  ] as const) {
    await (await start(environment, settings)).signal('SIGTERM');
  }
  await rm(folder.directory, { recursive: true, force: true });
});

test('a native user is made, comes in, is changed, disabled, enabled and deleted', async () => {
  const body = {
    password: 'l0ng-r4nd0m-p@ssw0rd',
    roles: ['superuser', 'other_role1'],
    full_name: 'Jack Nicholson',
    email: 'jacknich@example.com',
    metadata: { intelligence: 7 },
  };
  const jack = basic('jacknich', 'l0ng-r4nd0m-p@ssw0rd');
  const path = '/_security/user/jacknich';
  expect((await as(ADMIN, 'POST', path, body)).json()).toEqual({ created: true });
  expect((await as(ADMIN, 'PUT', path, { ...body, password: undefined })).json()).toEqual({ created: false });
  const shown = {
    username: 'jacknich',
    roles: ['superuser', 'other_role1'],
    full_name: 'Jack Nicholson',
    email: 'jacknich@example.com',
    metadata: { intelligence: 7 },
    enabled: true,
  };
  expect((await as(ADMIN, 'GET', path)).json()).toEqual({ jacknich: shown });
  expect((await as(jack, 'GET', '/_security/_authenticate')).json()).toMatchObject({
    ...shown,
    authentication_realm: { name: 'default_native', type: 'native' },
  });

  expect((await as(ADMIN, 'PUT', `${path}/_disable`)).json()).toEqual({});
  expect((await as(jack, 'GET', '/')).status).toBe(401);
  expect((await as(ADMIN, 'PUT', `${path}/_enable`)).json()).toEqual({});
  expect((await as(jack, 'GET', '/')).status).toBe(200);

  expect((await as(jack, 'POST', '/_security/user/_password', { password: 'another-one' })).json()).toEqual({});
  expect((await as(jack, 'GET', '/')).status).toBe(401);
  expect((await as(basic('jacknich', 'another-one'), 'GET', '/')).status).toBe(200);
  // As older programs write it.
  const hashed = (await hash('by-its-hash', 4)).replace('$2b$', '$2a$');
  expect((await as(ADMIN, 'PUT', `${path}/_password`, { password_hash: hashed })).json()).toEqual({});
  expect((await as(basic('jacknich', 'another-one'), 'GET', '/')).status).toBe(401);
  expect((await as(basic('jacknich', 'by-its-hash'), 'GET', '/')).status).toBe(200);

  expect((await as(ADMIN, 'DELETE', path)).json()).toEqual({ found: true });
  expect((await as(basic('jacknich', 'by-its-hash'), 'GET', '/')).status).toBe(401);
  const again = await as(ADMIN, 'DELETE', path);
  expect([again.status, again.json()]).toEqual([404, { found: false }]);
  const gone = await as(ADMIN, 'GET', path);
  expect([gone.status, gone.json()]).toEqual([404, {}]);
});

test('wrong bodies of users are refused by field, and no refusal shows a value', async () => {
  const secret = 'secret-in-a-body';
  const cases: readonly (readonly [Json, number, string])[] = [
    [{ roles: [] }, 400, 'password must be specified unless you are updating an existing user'],
    [{ password: secret }, 400, 'roles are missing'],
    [{ password: 'short', roles: [] }, 400, 'passwords must be at least [6] characters long'],
    [{ password: 'x'.repeat(73), roles: [] }, 400, 'passwords must be at most [72] bytes long'],
    [{ password: [secret], roles: [] }, 400, '[password] to be of type string, but found [array]'],
    [{ password: secret, roles: [1] }, 400, '[roles[0]] to be of type string, but found [number]'],
    [{ password: secret, roles: {} }, 400, '[roles] to be of type array of strings, but found [object]'],
    [{ password: secret, roles: [], full_name: 1 }, 400, '[full_name] to be of type string, but found [number]'],
    [{ password: secret, roles: [], email: {} }, 400, '[email] to be of type string, but found [object]'],
    [{ password: secret, roles: [], metadata: 1 }, 400, '[metadata] to be of type object, but found [number]'],
    [{ password: secret, roles: [], metadata: { _x: 1 } }, 400, 'metadata keys may not start with [_]'],
    [{ password: secret, roles: [], enabled: 'x' }, 400, '[enabled] to be of type boolean, but found [string]'],
    [{ password: secret, roles: [], other: 1 }, 400, 'unexpected field [other]'],
    [{ password: secret, roles: [], username: 'else' }, 400, 'does not match the username provided [wrong]'],
    [
      { password: secret, password_hash: secret, roles: [] },
      400,
      '[password] and [password_hash] cannot both be given',
    ],
    [{ password_hash: secret, roles: [] }, 400, '[password_hash] is not a hash of [bcrypt]'],
    [{ password_hash: `$2a$31$${'a'.repeat(53)}`, roles: [] }, 400, 'with a cost of 4 to 14'],
    [{ password: secret, roles: ['r'.repeat(300_000)] }, 400, 'the limit of users'],
  ];
  for (const [body, status, words] of cases) {
    const answer = await as(ADMIN, 'PUT', '/_security/user/wrong', body);
    expect(answer.json().error.reason).toContain(words);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain(secret);
  }
  expect((await as(ADMIN, 'GET', '/_security/user/wrong')).status).toBe(404);
  const longest = { password: 'x'.repeat(72), roles: [] };
  expect((await as(ADMIN, 'PUT', '/_security/user/longest', longest)).json()).toEqual({ created: true });
  expect((await as(basic('longest', 'x'.repeat(72)), 'GET', '/_security/_authenticate')).status).toBe(200);
  expect((await as(basic('longest', 'x'.repeat(73)), 'GET', '/_security/_authenticate')).status).toBe(401);
  for (const name of ['%20blank', 'n'.repeat(508), 'caf%C3%A9']) {
    const answer = await as(ADMIN, 'PUT', `/_security/user/${name}`, { password: secret, roles: [] });
    expect(answer.json().error.reason).toContain('names must be at least 1 and no more than 507 characters');
  }
});

test('of reserved users the password alone can be changed', async () => {
  const put = await as(ADMIN, 'PUT', '/_security/user/admin', { password: 'another', roles: [] });
  expect(put.json().error.reason).toBe('user [admin] is reserved and only the password can be changed');
  const gone = await as(ADMIN, 'DELETE', '/_security/user/admin');
  expect(gone.json().error.reason).toBe('user [admin] is reserved and cannot be deleted');
  const own = await as(ADMIN, 'PUT', '/_security/user/admin/_disable');
  expect(own.json().error.reason).toBe('users may not update the enabled status of their own account');
  expect((await as(ADMIN, 'POST', '/_security/user/_password', { password: 'for-a-moment' })).status).toBe(200);
  expect((await as(ADMIN, 'GET', '/')).status).toBe(401);
  const moment = basic('admin', 'for-a-moment');
  expect((await as(moment, 'POST', '/_security/user/admin/_password', { password: PASSWORD })).status).toBe(200);
  expect((await as(ADMIN, 'GET', '/')).status).toBe(200);
});

test('users of files come in as soon as the files are there, and stay out when they are gone', async () => {
  const config = join(node.directory, 'config');
  await mkdir(config, { recursive: true });
  const secret = 'kept-in-a-file';
  const line = `filed:${await hash(secret, 4)}\n`;
  await writeFile(join(config, 'users_roles'), '# roles\nsuperuser:filed,other\nwatcher:filed\n');
  await writeFile(join(config, 'users'), `${line}broken line\n`);
  const filed = basic('filed', secret);
  const shown = await node.until(async () => {
    const answer = await as(filed, 'GET', '/_security/_authenticate');
    return answer.status === 200 ? (answer.json() as Json) : undefined;
  });
  expect(shown).toMatchObject({
    username: 'filed',
    roles: ['superuser', 'watcher'],
    authentication_realm: { name: 'default_file', type: 'file' },
  });
  // The first front says it, and another one may have let him in.
  const logged = await node.until(async () => {
    const lines = JSON.stringify(await node.logged());
    return lines.includes('users:2') ? lines : undefined;
  });
  expect(logged).not.toContain('broken line');
  await writeFile(join(config, 'users'), '');
  await node.until(async () => ((await as(filed, 'GET', '/')).status === 401 ? true : undefined));
});

test('role mappings give roles by rules', async () => {
  const rules = {
    all: [{ field: { username: 'map*' } }, { except: { field: { 'metadata.team': ['red', '/bl.*/'] } } }],
  };
  const mapping = { enabled: true, roles: ['mapped'], rules, metadata: { version: 1 } };
  const path = '/_security/role_mapping/some';
  expect((await as(ADMIN, 'PUT', path, mapping)).json()).toEqual({ role_mapping: { created: true } });
  expect((await as(ADMIN, 'POST', path, mapping)).json()).toEqual({ role_mapping: { created: false } });
  expect((await as(ADMIN, 'GET', path)).json()).toEqual({ some: mapping });
  for (const [team, roles] of [
    ['green', ['own', 'mapped']],
    ['red', ['own']],
    ['blue', ['own']],
  ] as const) {
    const user = { password: 'mapped-password', roles: ['own'], metadata: { team } };
    await as(ADMIN, 'PUT', '/_security/user/mapped', user);
    const seen = await as(basic('mapped', 'mapped-password'), 'GET', '/_security/_authenticate');
    expect(seen.json().roles).toEqual(roles);
  }
  const wrong: readonly (readonly [Json, string])[] = [
    [{ roles: ['a'] }, '[rules] is required'],
    [{ rules, roles: [] }, 'role-mapping roles or role-templates are missing'],
    [{ rules: { none: [] }, roles: ['a'] }, 'failed to parse [rules.none]: expected one of [any, all, field, except]'],
    [{ rules: { any: [{ field: { x: 1 } }] }, roles: ['a'] }, 'failed to parse [rules.any[0].field.x]: unknown field'],
    [{ rules: { except: { field: { dn: '*' } } }, roles: ['a'] }, '[except] is only allowed within [all]'],
    [{ rules, role_templates: [] }, 'role-mapping roles or role-templates are missing'],
    [{ rules, roles: ['a'], other: 1 }, 'unexpected field [other]'],
  ];
  for (const [body, words] of wrong) {
    const answer = await as(ADMIN, 'PUT', '/_security/role_mapping/wrong', body);
    expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringContaining(words)]);
  }
  expect((await as(ADMIN, 'DELETE', path)).json()).toEqual({ found: true });
  const after = await as(basic('mapped', 'mapped-password'), 'GET', '/_security/_authenticate');
  expect(after.json().roles).toEqual(['own']);
});

test('bodies of requests whose senders are not known yet arrive whole', async () => {
  await as(ADMIN, 'PUT', '/_security/user/bulky', { password: 'first-seen-here', roles: ['superuser'] });
  const lines = Array.from({ length: 20_000 }, (_, at) => `{"index":{"_id":"${at}"}}\n{"number":${at}}\n`).join('');
  const answer = await node.request('POST', '/numbers/_bulk?refresh=true', lines, {
    authorization: basic('bulky', 'first-seen-here'),
    'content-type': 'application/x-ndjson',
  });
  expect(answer.json().errors).toBe(false);
  expect((await as(ADMIN, 'GET', '/numbers/_count')).json().count).toBe(20_000);
  const refused = await node.request('POST', '/numbers/_bulk', lines, { authorization: basic('bulky', 'not-that') });
  expect(refused.status).toBe(401);
});

test('security keeps through a restart, and no password is in any log or task', async () => {
  const secret = 'never-to-be-logged-1';
  await as(ADMIN, 'PUT', '/_security/user/kept', { password: secret, roles: ['superuser'] });
  const tasks = await as(basic('kept', secret), 'GET', '/_tasks?detailed=true');
  expect(tasks.status).toBe(200);
  expect(tasks.text).not.toContain(secret);
  await as(ADMIN, 'PUT', '/_security/user/kept2', `{"password": "${secret}", "roles": [`);
  await as(basic('kept', `${secret}-wrong`), 'GET', '/');
  const { directory } = node;
  await node.signal('SIGTERM');
  node = await TestNode.start(SECURED, directory);
  expect((await as(ADMIN, 'GET', '/')).status).toBe(200);
  expect((await as(basic('kept', secret), 'GET', '/')).status).toBe(200);
  const state = await as(ADMIN, 'GET', '/_cluster/state');
  expect(state.text).not.toContain('$2b$');
  const logs = join(directory, 'logs');
  for (const file of await readdir(logs)) expect(await readFile(join(logs, file), 'utf8')).not.toContain(secret);
  expect(node.printed).not.toContain(secret);
});
