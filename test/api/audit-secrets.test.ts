/** What clients misspell is in no audit log: changes are often refused because of a member that holds a password. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, Json, TestNode } from './node-harness.js';
import { ADMIN, startSecured } from './security-helpers.js';

const LEAK = /Leak-[\w-]*/g;

let node: TestNode;

beforeAll(async () => {
  node = await startSecured({ 'xpack.security.audit.enabled': 'true' });
});

afterAll(async () => {
  await node.stop();
});

function send(method: string, path: string, body?: unknown): Promise<Answer> {
  return node.request(method, path, body, { authorization: ADMIN });
}

async function auditText(): Promise<string> {
  const logs = join(node.directory, 'logs');
  const files = (await readdir(logs)).filter((name) => name.startsWith('quarry_audit.'));
  return (await Promise.all(files.map((file) => readFile(join(logs, file), 'utf8')))).join('');
}

/** The log once it tells of the request that was sent last. */
async function toldOf(last: string): Promise<string> {
  await send('GET', `/${last}`);
  return node.until(async () => {
    const text = await auditText();
    return text.includes(`/${last}`) ? text : undefined;
  });
}

function changes(text: string): readonly Json[] {
  const entries = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Json);
  return entries.filter((entry) => entry['event.type'] === 'security_config_change');
}

const USER = '/_security/user/x';
const ROLE = '/_security/role/x';
const INDICES = { names: ['a'], privileges: ['read'] };
const REFUSED: readonly (readonly [string, string, Json])[] = [
  ['PUT', USER, { passwort: 'Leak-1', passwd: 'Leak-2', pwd: 'Leak-3', roles: [] }],
  ['PUT', USER, { Password: 'Leak-4', 'password ': 'Leak-5', roles: [] }],
  ['PUT', USER, { password: ['Leak-6'], roles: [] }],
  ['PUT', USER, { password: { x: 'Leak-7' }, password_hash: ['Leak-8'], roles: [{ password: 'Leak-9' }] }],
  ['PUT', USER, { constructor: 'Leak-10', username: { a: 'Leak-11' }, metadata: ['Leak-12'], roles: [] }],
  ['PUT', `${USER}/_password`, { Password: 'Leak-13' }],
  [
    'POST',
    '/_security/api_key/grant',
    { grant_type: 'access_token', access_tokens: 'Leak-14', api_key: { name: 'a' } },
  ],
  ['POST', '/_security/api_key/grant', { grant_type: 'password', api_key: 'Leak-15', password: { a: 'Leak-16' } }],
  ['POST', '/_security/api_key/clone', { apikey: 'Leak-17', name: 'a' }],
  ['POST', '/_security/api_key', { name: 'a', key: 'Leak-18', role_descriptors: { r: { key: 'Leak-19' } } }],
  ['PUT', '/_security/api_key/some', { key: 'Leak-20', name: 'Leaves-the-id' }],
  ['POST', '/_security/api_key/_bulk_update', { ids: ['a'], key: ['Leak-21'] }],
  ['DELETE', '/_security/api_key', { ids: [{ a: 'Leak-22' }], key: 'Leak-23' }],
  ['DELETE', '/_security/oauth2/token', { tokens: 'Leak-24' }],
  ['POST', '/_security/profile/_activate', { grant_type: 'password', username: 'a', passwort: 'Leak-25' }],
  ['PUT', ROLE, { cluster: [['Leak-26']], indices: [{ ...INDICES, key: 'Leak-27' }], global: { a: { b: 'Leak-28' } } }],
  ['PUT', ROLE, { applications: [{ application: 'app', password: 'Leak-29' }], remote_indices: [{ a: 'Leak-30' }] }],
  [
    'PUT',
    '/_security/role_mapping/x',
    { roles: ['a'], rules: { fields: 'Leak-31', field: { username: { a: 'Leak-32' } } } },
  ],
  [
    'PUT',
    '/_security/role_mapping/x',
    { role_templates: [{ template: '{"key":"Leak-33"}', x: 'Leak-34' }], rules: {} },
  ],
  ['PUT', '/_security/privilege', { app: { read: { password: 'Leak-35', actions: [{ a: 'Leak-36' }] } } }],
  ['PUT', '/_security/privilege', { app: 'Leak-37' }],
];

it('a refused change has the names of its members, and only values that are known not to be secret', async () => {
  for (const [method, path, body] of REFUSED) {
    const answer = await send(method, path, body);
    expect([answer.status, JSON.stringify(body)]).toEqual([expect.toBeOneOf([400, 401]), JSON.stringify(body)]);
  }
  const text = await toldOf('refused');
  expect(text.match(LEAK)).toBeNull();
  const told = changes(text);
  expect(told.length).toBe(REFUSED.length);
  expect(told[0]?.put).toEqual({ user: { name: 'x', passwort: '...', passwd: '...', pwd: '...', roles: [] } });
  expect(told.find((entry) => 'apikey' in (entry.change ?? {}))?.change.apikey.name).toBe('some');
});

it('a change that is made tells what it gives, and of metadata only the names', async () => {
  const role = {
    cluster: ['monitor'],
    indices: [{ ...INDICES, field_security: { grant: ['a*'], except: ['ab'] }, query: '{"term":{"team":"red"}}' }],
    applications: [{ application: 'app', privileges: ['read'], resources: ['*'] }],
    run_as: ['other'],
    description: 'Reads',
  };
  expect((await send('PUT', '/_security/role/r', { ...role, metadata: { hint: 'Leak-1' } })).status).toBe(200);
  const user = {
    password: 'Leak-password',
    roles: ['r'],
    metadata: { initial_password: 'Leak-2', a: { b: 'Leak-3' } },
  };
  expect((await send('PUT', '/_security/user/made', user)).status).toBe(200);
  const rules = { all: [{ field: { username: ['a*', 'b'] } }, { except: { field: { 'metadata.team': 'red' } } }] };
  const template = { source: '{{username}}', params: { a: 'Leak-4' } };
  const roleTemplates = [{ template: JSON.stringify(template), format: 'string' }];
  const mapping = { role_templates: roleTemplates, rules, enabled: true, metadata: { a: 'Leak-5' } };
  expect((await send('PUT', '/_security/role_mapping/m', mapping)).status).toBe(200);
  const text = await toldOf('made');
  expect(text.match(LEAK)).toBeNull();
  const [putRole, putUser, putMapping] = changes(text).slice(-3);
  expect(putRole?.put).toEqual({ role: { name: 'r', ...role, metadata: { hint: '...' } } });
  expect(putUser?.put).toEqual({
    user: { name: 'made', roles: ['r'], metadata: { initial_password: '...', a: '...' }, has_password: true },
  });
  expect(putMapping?.put.role_mapping).toEqual({
    name: 'm',
    ...mapping,
    role_templates: [{ template: { ...template, params: { a: '...' } }, format: 'string' }],
    metadata: { a: '...' },
  });
});

it('bodies and addresses that are shown have nothing of a remote cluster that would let somebody in', async () => {
  const setting = 'xpack.security.audit.logfile.events.emit_request_body';
  await send('PUT', '/_cluster/settings', { persistent: { [setting]: true } });
  const remote = {
    host: 'http://u:Leak-1@127.0.0.1:1',
    username: 'u',
    passwd: 'Leak-2',
    headers: { 'X-Api': 'Leak-3', Authorization: ['Leak-4'] },
  };
  await send('POST', '/_reindex', { source: { remote, index: 'a' }, dest: { index: 'b' } });
  await send('POST', '/a/_search', { query: { match: { password: { query: 'Leak-5' } } }, pwd: ['Leak-6'] });
  await send('GET', '/a/_count?passwd=Leak-7&api_key=Leak-8&pwd=Leak-9');
  const text = await toldOf('bodies');
  expect(text.match(LEAK)).toBeNull();
  expect(text).toContain(String.raw`\"host\":\"http://...@127.0.0.1:1\",\"username\":\"u\"`);
  expect(text).toContain(String.raw`\"X-Api\":\"...\"`);
});
