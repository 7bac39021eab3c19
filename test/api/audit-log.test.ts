/** The audit log of a real node: who was let in, who may do what, what was changed; and never what proves who somebody is. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Json, TestNode } from './node-harness.js';
import { ADMIN, basic, PASSWORD, startSecured } from './security-helpers.js';

const FILTER = 'xpack.security.audit.logfile.events';
const READER_PASSWORD = 'the-readers-password';
const READER = basic('reader', READER_PASSWORD);
/** Nothing of these may stand in the log. */
const secrets: string[] = [PASSWORD, READER_PASSWORD, 'a-wrong-password', 'another-password', 'in-a-query-string'];

let node: TestNode;
let marks = 0;

beforeAll(async () => {
  // Numbers of tasks tell which way a request took, and each front has its own.
  node = await startSecured({ 'xpack.security.audit.enabled': 'true', 'http.front_threads': '1' });
  await as(ADMIN, 'PUT', '/films', {});
  await as(ADMIN, 'PUT', '/secrets', {});
  const indices = [{ names: ['films'], privileges: ['read', 'create_doc'] }];
  await as(ADMIN, 'PUT', '/_security/role/reads-films', { indices, run_as: ['other'] });
  for (const name of ['reader', 'other']) {
    await as(ADMIN, 'PUT', `/_security/user/${name}`, { password: READER_PASSWORD, roles: ['reads-films'] });
  }
});

afterAll(async () => {
  await node.stop();
});

type Headers = Readonly<Record<string, string>>;

function as(
  authorization: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
): Promise<Answer> {
  const type = typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : {};
  return node.request(method, path, body, { ...(authorization === '' ? {} : { authorization }), ...type, ...headers });
}

async function entries(): Promise<readonly Json[]> {
  const logs = join(node.directory, 'logs');
  const files = (await readdir(logs)).filter((name) => name.startsWith('quarry_audit.')).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(logs, file), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').slice(0, -1));
  return lines.map((line) => JSON.parse(line) as Json);
}

/** What the requests bring; one that comes behind them shows that nothing more is on its way. */
async function audited(requests: () => Promise<unknown>): Promise<readonly Json[]> {
  const before = (await entries()).length;
  await requests();
  const mark = `mark-${++marks}`;
  await as('', 'GET', `/${mark}`);
  return node.until(async () => {
    const added = (await entries()).slice(before);
    const isThere = added.some((entry) => entry['url.path'] === `/${mark}`);
    return isThere ? added.filter((entry) => entry['url.path'] !== `/${mark}`) : undefined;
  });
}

/** Without what differs from run to run. */
function essence(entry: Json): Json {
  const { timestamp, 'cluster.uuid': uuid, 'node.id': id, 'request.id': request, ...rest } = entry as Json;
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{3}\+0000$/);
  for (const each of [uuid, id, request]) expect(each).toMatch(/^[\w-]{22}$/);
  return rest as Json;
}

async function settings(persistent: Readonly<Record<string, unknown>>): Promise<Answer> {
  return as(ADMIN, 'PUT', '/_cluster/settings', { persistent });
}

describe('an entry', () => {
  it('tells who did what from where, to which indices', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = { traceparent, 'x-opaque-id': 'my-id', 'x-forwarded-for': '10.1.1.1' };
    const [entry, ...more] = await audited(() =>
      as(READER, 'POST', '/films/_search?size=0&source=%7B%22in-a-query-string%22%3A1%7D', {}, headers),
    );
    expect(more).toEqual([]);
    expect(essence(entry)).toEqual({
      type: 'audit',
      'event.type': 'transport',
      'event.action': 'access_granted',
      'user.name': 'reader',
      'user.realm': 'default_native',
      'user.roles': ['reads-films'],
      'authentication.type': 'REALM',
      'origin.type': 'rest',
      'origin.address': '127.0.0.1',
      'request.method': 'POST',
      'request.name': 'search',
      'url.path': '/films/_search',
      'url.query': 'size=0&source=...',
      opaque_id: 'my-id',
      'trace.id': '0af7651916cd43dd8448eb211c80319c',
      x_forwarded_for: '10.1.1.1',
      action: 'indices:data/read/search',
      indices: ['films'],
    });
  });

  it('names what patterns reach, and all that may be seen where nothing is named', async () => {
    const namesOf = async (authorization: string, path: string): Promise<readonly string[]> => {
      const [entry] = await audited(() => as(authorization, 'GET', path));
      return [...(entry.indices as readonly string[])].sort();
    };
    expect(await namesOf(READER, '/fil*,none*/_search')).toEqual(['films']);
    expect(await namesOf(READER, '/_search')).toEqual(['films']);
    expect(await namesOf(ADMIN, '/_search')).toEqual(['films', 'secrets']);
    expect(await namesOf(READER, '/none*/_search')).toEqual(['none*']);
    const [health] = await audited(() => as(ADMIN, 'GET', '/_cluster/health'));
    expect(health.indices).toBeUndefined();
  });

  it('tells of refusals, also of single items', async () => {
    const [denied] = await audited(() => as(READER, 'GET', '/secrets/_doc/1'));
    expect(essence(denied)).toMatchObject({
      'event.action': 'access_denied',
      'user.name': 'reader',
      action: 'indices:data/read/get',
      indices: ['secrets'],
      'request.name': 'get',
    });
    const lines = ['films', 'secrets', 'secrets'].flatMap((index) => [{ create: { _index: index } }, { a: 1 }]);
    const bulk = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
    const of = await audited(() => as(READER, 'POST', '/_bulk', bulk));
    expect(of.map((entry) => [entry['event.action'], entry.action, entry.indices])).toEqual([
      ['access_granted', 'indices:data/write/bulk', undefined],
      // Neither may the bulk reach it, nor may a document be added to it.
      ['access_denied', 'indices:data/write/bulk', ['secrets']],
      ['access_granted', 'indices:data/write/index:op_type/create', ['films']],
      ['access_denied', 'indices:data/write/index:op_type/create', ['secrets']],
    ]);
    const several = `{"index":"films"}\n{}\n{"index":"secrets"}\n{}\n`;
    const searches = await audited(() => as(READER, 'POST', '/_msearch', several));
    expect(searches.map((entry) => [entry['event.action'], entry.action, entry.indices])).toEqual([
      ['access_granted', 'indices:data/read/msearch', undefined],
      ['access_granted', 'indices:data/read/search', ['films']],
      ['access_denied', 'indices:data/read/search', ['secrets']],
    ]);
    // A second user with the same roles is told of by his own name.
    const [other] = await audited(() => as(basic('other', READER_PASSWORD), 'GET', '/secrets/_search'));
    expect([other['event.action'], other['user.name']]).toEqual(['access_denied', 'other']);
  });

  it('tells which indices the parts of a request search', async () => {
    const SEARCH = 'indices:data/read/search';
    const searched = async (request: () => Promise<unknown>): Promise<readonly Json[]> => {
      const told = (await audited(request)).filter(({ action }) => action === SEARCH);
      return told.map((entry) => [entry['event.action'], [...((entry.indices as string[] | undefined) ?? [])].sort()]);
    };
    const template = { source: { query: { match_all: {} } } };
    const post = (path: string, body: unknown) => () => as(ADMIN, 'POST', path, body);
    const lines = (...values: readonly unknown[]): string => values.map((each) => `${JSON.stringify(each)}\n`).join('');
    expect(await searched(post('/films,fil*/_search/template', template))).toEqual([['access_granted', ['films']]]);
    expect(await searched(post('/_search/template', template))).toEqual([['access_granted', ['films', 'secrets']]]);
    // An equal part is told of once.
    const several = lines({ index: 'secrets' }, template, { index: 'fil*' }, template, { index: 'secrets' }, template);
    expect(await searched(post('/_msearch/template', several))).toEqual([
      ['access_granted', ['secrets']],
      ['access_granted', ['films']],
    ]);
    expect(await searched(post('/films/_msearch', lines({}, {}, { index: 'none' }, {})))).toEqual([
      ['access_granted', ['films']],
      ['access_granted', ['none']],
    ]);
    const { id } = (await as(ADMIN, 'POST', '/secrets/_pit?keep_alive=1m')).json();
    expect(await searched(post('/_msearch', lines({}, { pit: { id } })))).toEqual([['access_granted', ['secrets']]]);
    const copy = { source: { index: 'films' }, dest: { index: 'secrets' } };
    expect(await searched(post('/_reindex', copy))).toEqual([['access_granted', ['films']]]);
    expect(await searched(post('/fil*/_update_by_query', {}))).toEqual([['access_granted', ['films']]]);
  });

  it('tells who ran as whom, and who may not', async () => {
    const runAs = (name: string) => as(READER, 'GET', '/films/_search', undefined, { 'es-security-runas-user': name });
    const granted = await audited(() => runAs('other'));
    expect(granted.map((entry) => entry['event.action'])).toEqual(['run_as_granted', 'access_granted']);
    expect(granted[0]).toMatchObject({
      'user.name': 'reader',
      'user.realm': 'default_native',
      'user.run_as.name': 'other',
      'user.run_as.realm': 'default_native',
      action: 'indices:data/read/search',
    });
    expect(granted[1]).toMatchObject({ 'user.name': 'other', 'user.run_by.name': 'reader' });
    const [denied, ...more] = await audited(() => runAs('admin'));
    expect(more).toEqual([]);
    expect(denied).toMatchObject({
      'event.action': 'run_as_denied',
      'user.name': 'reader',
      'user.run_as.name': 'admin',
    });
  });

  it('tells of those who were not let in, by what they said of themselves', async () => {
    const key = Buffer.from('some-id:a-wrong-password').toString('base64');
    const service = Buffer.from('\0\x01\0\x01elastic/kibana/token1:a-wrong-password').toString('base64');
    const cases: readonly (readonly [string, Json])[] = [
      ['', { 'event.action': 'anonymous_access_denied' }],
      [
        basic('reader', 'a-wrong-password'),
        { 'event.action': 'authentication_failed', 'user.name': 'reader', 'authentication.type': 'REALM' },
      ],
      [`ApiKey ${key}`, { 'event.action': 'authentication_failed', 'apikey.id': 'some-id' }],
      [`Bearer ${service}`, { 'event.action': 'authentication_failed', 'user.name': 'elastic/kibana' }],
      ['Bearer a-wrong-password', { 'event.action': 'authentication_failed', 'authentication.type': 'TOKEN' }],
      ['Basic a-wrong-password!', { 'event.action': 'tampered_request' }],
    ];
    for (const [authorization, expected] of cases) {
      const [entry, ...more] = await audited(() => as(authorization, 'GET', '/films/_count?q=x'));
      expect(more).toEqual([]);
      expect(essence(entry)).toMatchObject({
        'event.type': 'rest',
        'origin.address': '127.0.0.1',
        'url.path': '/films/_count',
        'url.query': 'q=x',
        ...expected,
      });
    }
    const grant = { grant_type: 'password', username: 'reader', password: 'a-wrong-password' };
    const inBody = await audited(() => as(ADMIN, 'POST', '/_security/oauth2/token', grant));
    expect(inBody.map((entry) => [entry['event.action'], entry['user.name']])).toEqual([
      ['access_granted', 'admin'],
      ['authentication_failed', 'reader'],
    ]);
  });

  it('tells what was changed about security, without secrets', async () => {
    const changes = async (requests: () => Promise<unknown>): Promise<readonly Json[]> =>
      (await audited(requests)).filter((entry) => entry['event.type'] === 'security_config_change');
    const user = { password: 'another-password', roles: ['viewer'], full_name: 'N', metadata: { team: 'red' } };
    const [put] = await changes(() => as(ADMIN, 'PUT', '/_security/user/new', user));
    expect(essence(put)).toMatchObject({
      'event.action': 'put_user',
      'user.name': 'admin',
      put: { user: { name: 'new', roles: ['viewer'], full_name: 'N', metadata: { team: '...' }, has_password: true } },
    });
    const [password] = await changes(() =>
      as(ADMIN, 'PUT', '/_security/user/new/_password', { password: 'another-password' }),
    );
    expect(password).toMatchObject({
      'event.action': 'change_password',
      change: { password: { user: { name: 'new' } } },
    });
    const [own] = await changes(() =>
      as(basic('new', 'another-password'), 'PUT', '/_security/user/_password', { password: 'another-password' }),
    );
    expect(own).toMatchObject({ change: { password: { user: { name: 'new' } } } });
    const [withdrawn] = await changes(() => as(ADMIN, 'DELETE', '/_security/oauth2/token', { username: 'reader' }));
    expect(withdrawn).toMatchObject({
      'event.action': 'invalidate_token',
      invalidate: { token: { username: 'reader' } },
    });
    const [sealed] = await changes(async () => {
      const metadata = { enrollment: { scope: 'node', hosts: ['h'], sealed: 'the-sealed-parcel' } };
      await as(ADMIN, 'POST', '/_security/api_key', { name: 'joins', metadata });
    });
    secrets.push('the-sealed-parcel');
    expect(sealed.create.apikey.metadata).toEqual({ enrollment: '...' });
    const [disabled] = await changes(() => as(ADMIN, 'PUT', '/_security/user/new/_disable'));
    expect(disabled).toMatchObject({
      'event.action': 'change_disable_user',
      change: { disable: { user: { name: 'new' } } },
    });
    const role = { cluster: ['monitor'] };
    const [roles] = await changes(() => as(ADMIN, 'PUT', '/_security/role/new', role));
    expect(roles).toMatchObject({ 'event.action': 'put_role', put: { role: { name: 'new', ...role } } });
    const [created] = await changes(async () => {
      const made = (await as(ADMIN, 'POST', '/_security/api_key', { name: 'mine', expiration: '1d' })).json();
      secrets.push(made.api_key, made.encoded);
      await as(`ApiKey ${made.encoded}`, 'GET', '/');
    });
    expect(created).toMatchObject({
      'event.action': 'create_apikey',
      create: { apikey: { name: 'mine', expiration: '1d' } },
    });
    const [granted] = await changes(async () => {
      const body = { grant_type: 'password', username: 'reader', password: READER_PASSWORD, api_key: { name: 'his' } };
      const made = (await as(ADMIN, 'POST', '/_security/api_key/grant', body)).json();
      secrets.push(made.api_key, made.encoded);
    });
    expect(granted.create.apikey).toEqual({
      grant_type: 'password',
      username: 'reader',
      api_key: { name: 'his' },
      has_password: true,
    });
    const [token] = await changes(async () => {
      const path = '/_security/service/elastic/kibana/credential/token/t1';
      const made = (await as(ADMIN, 'POST', path)).json();
      secrets.push(made.token.value);
      await as(`Bearer ${made.token.value}`, 'GET', '/');
    });
    expect(token).toMatchObject({ 'event.action': 'create_service_token', create: { service_token: { name: 't1' } } });
    const [deleted] = await changes(() => as(ADMIN, 'DELETE', '/_security/user/new'));
    expect(deleted).toMatchObject({ 'event.action': 'delete_user', delete: { user: { name: 'new' } } });
    await as(ADMIN, 'POST', '/_security/oauth2/token', { grant_type: 'client_credentials' }).then(async (answer) => {
      secrets.push(answer.json().access_token);
      await as(`Bearer ${answer.json().access_token}`, 'GET', '/');
    });
    // What is refused changes nothing.
    expect(await changes(() => as(READER, 'PUT', '/_security/user/new', user))).toEqual([]);
  });
});

describe('requests that are answered at once', () => {
  /** As many as take the usual way between two questions are tasks of their own. */
  async function taskNumber(): Promise<number> {
    const { nodes } = (await as(ADMIN, 'GET', '/_tasks?actions=cluster:monitor/tasks/lists')).json();
    const numbers = Object.values(nodes as Record<string, { readonly tasks: Record<string, { readonly id: number }> }>)
      .flatMap(({ tasks }) => Object.values(tasks))
      .map(({ id }) => id);
    return Math.max(...numbers);
  }

  it.each([
    ['the root', '/', 200, {}],
    ['a document', '/films/_doc/at-once', 200, {}],
    ['a document that is not there', '/films/_doc/absent', 404, {}],
    ['a document that is read as somebody else', '/films/_doc/at-once', 200, { 'es-security-runas-user': 'other' }],
  ])('are in the log, each of them, as those that are not: %s', async (_what, path, status, headers) => {
    await as(ADMIN, 'PUT', '/films/_doc/at-once?refresh=true', { a: 1 });
    await settings({ [`${FILTER}.include`]: ['_all'] });
    const get = async (opaqueId: string): Promise<void> => {
      const answer = await as(path === '/' ? ADMIN : READER, 'GET', path, undefined, {
        ...headers,
        'x-opaque-id': opaqueId,
      });
      expect(answer.status).toBe(status);
    };
    // The usual way: nothing is known of such requests yet.
    const usual = await audited(() => get('first'));
    for (let time = 0; time < 5; time++) await get('more');
    const before = await taskNumber();
    const COUNT = 40;
    const told = await audited(async () => {
      for (let time = 0; time < COUNT; time++) await get(`at-once-${time}`);
      // All at the same time: some wait for their turn.
      await Promise.all(Array.from({ length: COUNT }, (_, time) => get(`at-once-${COUNT + time}`)));
      expect((await taskNumber()) - before).toBeLessThan(COUNT);
    });
    const expected = usual.map(essence).map(({ opaque_id: _, ...entry }) => entry);
    expect(expected.length).toBe('es-security-runas-user' in headers ? 3 : 2);
    for (let time = 0; time < 2 * COUNT; time++) {
      const own = told.filter((entry) => entry.opaque_id === `at-once-${time}`).map(essence);
      expect(own).toEqual(expected.map((entry) => ({ ...entry, opaque_id: `at-once-${time}` })));
    }
    await settings({ [`${FILTER}.include`]: null });
  });

  it('are in none of its lines where the settings leave them out', async () => {
    await settings({ [`${FILTER}.exclude`]: ['access_granted'] });
    const told = await audited(async () => {
      for (let time = 0; time < 8; time++) await as(ADMIN, 'GET', '/');
    });
    expect(told).toEqual([]);
    await settings({ [`${FILTER}.exclude`]: null });
  });
});

describe('settings of the cluster', () => {
  it('include and exclude events, and leave out what a filter covers', async () => {
    const search = () => as(READER, 'GET', '/films/_search');
    const told = async (): Promise<readonly string[]> =>
      (await audited(search)).map((entry) => entry['event.action'] as string);
    await settings({ [`${FILTER}.include`]: ['_all'], [`${FILTER}.exclude`]: 'access_denied' });
    expect(await told()).toEqual(['authentication_success', 'access_granted']);
    expect((await audited(() => as(READER, 'GET', '/secrets/_search'))).map((entry) => entry['event.action'])).toEqual([
      'authentication_success',
    ]);
    await settings({ [`${FILTER}.include`]: null, [`${FILTER}.exclude`]: null });
    const rules = { users: ['read*'], realms: ['default_native'], actions: ['indices:data/read/*'], indices: ['fil*'] };
    for (const [rule, names] of Object.entries(rules)) {
      await settings({ [`${FILTER}.ignore_filters.mine.${rule}`]: names });
    }
    expect(await told()).toEqual([]);
    // All indices that an entry names have to be covered.
    expect((await audited(() => as(READER, 'GET', '/secrets/_search'))).length).toBe(1);
    await settings({ [`${FILTER}.ignore_filters.mine.roles`]: ['others'] });
    expect(await told()).toEqual(['access_granted']);
    await settings({ [`${FILTER}.ignore_filters.*`]: null });
    expect(await told()).toEqual(['access_granted']);
  });

  it('have bodies shown, but for secrets', async () => {
    await settings({ [`${FILTER}.emit_request_body`]: true });
    const [search] = await audited(() => as(READER, 'POST', '/films/_search', { query: { match_all: {} } }));
    expect(search['request.body']).toBe('{"query":{"match_all":{}}}');
    const remote = { host: 'http://127.0.0.1:1', username: 'u', password: 'another-password' };
    const [reindex] = await audited(() =>
      as(ADMIN, 'POST', '/_reindex', { source: { remote, index: 'a' }, dest: { index: 'b' } }),
    );
    expect(reindex['request.body']).toContain('"password":"..."');
    const put = await audited(() =>
      as(ADMIN, 'PUT', '/_security/user/other', { password: READER_PASSWORD, roles: ['reads-films'] }),
    );
    expect(put[0]['request.body']).toBe('(not shown: it may hold secrets)');
    const large = '{"index":{}}\n{"a":1}\n'.repeat(2_000);
    const [bulk] = await audited(() => as(ADMIN, 'POST', '/films/_bulk', large));
    expect(bulk['request.body'].length).toBeLessThan(17_000);
    expect(bulk['request.body']).toContain(`(${large.length} bytes)`);
    await settings({ [`${FILTER}.emit_request_body`]: null });
  });

  it('name the node and the cluster, if that is wanted', async () => {
    const prefix = 'xpack.security.audit.logfile.emit_';
    const names = ['node_name', 'node_host_name', 'node_host_address', 'cluster_name'];
    await settings(Object.fromEntries([...names, 'node_id'].map((name) => [`${prefix}${name}`, name !== 'node_id'])));
    const [entry] = await audited(() => as(READER, 'GET', '/films/_search'));
    expect(entry).toMatchObject({ 'cluster.name': 'quarry', 'host.ip': '127.0.0.1' });
    expect(Object.keys(entry as Json)).toEqual(expect.arrayContaining(['node.name', 'host.name', 'cluster.uuid']));
    expect(entry['node.id']).toBeUndefined();
    await settings({ [`${prefix}*`]: null });
  });

  it.each([
    [`${FILTER}.include`, ['none'], 'invalid event name [none]'],
    [`${FILTER}.include`, ['system_access_granted'], 'invalid event name [system_access_granted]'],
    [`${FILTER}.ignore_filters.mine`, ['a'], 'unknown setting'],
    [`${FILTER}.ignore_filters.mine.names`, ['a'], 'one of [users, realms, actions, roles, indices]'],
    [`${FILTER}.emit_request_body`, 'perhaps', 'only [true] or [false] are allowed'],
  ])('refuse %s of %s', async (key, value, words) => {
    const answer = await settings({ [key]: value });
    expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringContaining(words)]);
  });
});

it('shows no secret anywhere, and counts what was written', async () => {
  await settings({ [`${FILTER}.include`]: ['_all'], [`${FILTER}.emit_request_body`]: true });
  for (const authorization of [ADMIN, READER]) await as(authorization, 'GET', '/_security/_authenticate');
  await audited(() => Promise.resolve());
  const text = JSON.stringify(await entries());
  for (const secret of [...secrets, ...secrets.map((each) => Buffer.from(each).toString('base64').slice(0, -4))]) {
    expect(text.includes(secret), secret).toBe(false);
  }
  const stats = (await as(ADMIN, 'GET', '/_nodes/stats/security')).json();
  const [own] = Object.values(stats.nodes as Json) as Json[];
  expect(own.security.audit.lost).toBe(0);
  expect(own.security.audit.written).toBeGreaterThan(30);
  expect(own.security.authentication).toMatchObject({
    cache: { size: expect.any(Number), hits: expect.any(Number), misses: expect.any(Number), evictions: 0 },
    password_hashes: { active: 0, queue: 0, completed: expect.any(Number), rejected: 0 },
    refused: { failed: expect.any(Number), anonymous: expect.any(Number), malformed: 1, rejected: 0 },
  });
  expect((await as(ADMIN, 'GET', '/_xpack/usage')).json().security).toMatchObject({
    enabled: true,
    audit: { enabled: true },
    ssl: { http: { enabled: false } },
  });
  const metrics = (await as(ADMIN, 'GET', '/_prometheus/metrics')).text;
  expect(metrics).toMatch(/quarry_security_requests_refused_total\{reason="malformed",[^}]*\} 1\n/);
  expect(metrics).toMatch(/quarry_security_audit_entries_total\{state="lost",[^}]*\} 0\n/);
});
