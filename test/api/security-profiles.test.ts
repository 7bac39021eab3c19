/** `_security/profile`: what programs keep of the users that log in to them; and role mappings with templates. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json, TestNode } from './node-harness.js';
import { ADMIN, askAs, basic, done, startSecured } from './security-helpers.js';

let node: TestNode;
const ask = askAs(() => node, ADMIN);

beforeAll(async () => {
  node = await startSecured();
  for (const [name, full_name] of [
    ['anna', 'Anna Berg'],
    ['bert', 'Bert Anders'],
  ]) {
    const user = { password: 'a-password', roles: ['viewer'], full_name, email: `${name}@example.org` };
    await done(ask('PUT', `/_security/user/${name}`, user));
  }
});

afterAll(async () => {
  await node.stop();
});

async function activate(username: string): Promise<Json> {
  return done(
    ask('POST', '/_security/profile/_activate', { grant_type: 'password', username, password: 'a-password' }),
  );
}

it('a profile is made by a log-in, and keeps what programs say of its user', async () => {
  const made = await activate('anna');
  expect(made).toEqual({
    uid: expect.stringMatching(/^u_[\w-]{43}_0$/),
    enabled: true,
    last_synchronized: expect.any(Number),
    user: {
      username: 'anna',
      roles: ['viewer'],
      realm_name: 'default_native',
      email: 'anna@example.org',
      full_name: 'Anna Berg',
    },
    labels: {},
    data: {},
    _doc: { _primary_term: 1, _seq_no: 0 },
  });
  const path = `/_security/profile/${made.uid}`;
  const change = {
    labels: { app: { space: ['one', 'two'] } },
    data: { app: { theme: 'dark', size: 1 }, other: { x: 1 } },
  };
  expect(await done(ask('PUT', `${path}/_data`, change))).toEqual({ acknowledged: true });
  await done(ask('POST', `${path}/_data`, { data: { app: { theme: 'light' } } }));
  const shown = async (query: string): Promise<Json> => (await done(ask('GET', `${path}${query}`))).profiles[0];
  expect(await shown('')).toMatchObject({ labels: change.labels, data: {}, _doc: { _seq_no: 2 } });
  expect((await shown('?data=*')).data).toEqual({ app: { theme: 'light', size: 1 }, other: { x: 1 } });
  expect((await shown('?data=app.theme,none')).data).toEqual({ app: { theme: 'light' } });
  expect((await done(ask('GET', `${path},unknown`))).profiles.length).toBe(1);

  const conflict = await ask('PUT', `${path}/_data?if_seq_no=1&if_primary_term=1`, { data: { a: {} } });
  expect([conflict.status, JSON.parse(conflict.text).error.type]).toEqual([409, 'version_conflict_engine_exception']);
  expect((await ask('PUT', `${path}/_data?if_seq_no=2&if_primary_term=1`, { data: { a: {} } })).status).toBe(200);
  expect((await ask('PUT', '/_security/profile/none/_data', { data: { a: {} } })).status).toBe(404);
  for (const [body, words] of [
    [{}, '[labels] or [data] has to be given'],
    [{ data: { _a: {} } }, '[data._a]'],
    [{ labels: { 'a.b': {} } }, '[labels.a.b]'],
    [{ other: 1 }, 'unexpected field [other]'],
    [{ data: { app: { text: 'x'.repeat(256 * 1024) } } }, 'larger than [262144], the limit of user profiles'],
  ] as const) {
    const answer = await ask('PUT', `${path}/_data`, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)]);
  }
  // Users and keys tell of it where that is asked for.
  const user = await done(ask('GET', '/_security/user/anna?with_profile_uid=true'));
  expect(user.anna.profile_uid).toBe(made.uid);
  const found = await done(
    ask('POST', '/_security/_query/user?with_profile_uid=true', { query: { ids: { values: ['bert'] } } }),
  );
  expect(found.users[0].profile_uid).toBeUndefined();
});

it('wrong passwords and keys make no profile', async () => {
  const body = { grant_type: 'password', username: 'anna', password: 'wrong-password' };
  expect((await ask('POST', '/_security/profile/_activate', body)).status).toBe(401);
  const grant = await ask('POST', '/_security/profile/_activate', { grant_type: 'other' });
  expect([grant.status, grant.text]).toEqual([400, expect.stringContaining('grant type [other] is not supported')]);
});

it('profiles are suggested by what was typed, until they are taken out of use', async () => {
  const [anna, bert] = [await activate('anna'), await activate('bert')];
  const suggested = async (body: Json): Promise<readonly string[]> => {
    const { profiles, total } = await done(ask('POST', '/_security/profile/_suggest', body));
    expect(total).toEqual({ value: profiles.length, relation: 'eq' });
    return profiles.map(({ user }: Json) => user.username as string);
  };
  expect((await suggested({})).length).toBe(2);
  expect(await suggested({ name: 'be' })).toEqual(['bert', 'anna']);
  expect(await suggested({ name: 'be an', hint: { uids: [anna.uid] } })).toEqual(['anna', 'bert']);
  expect(await suggested({ name: 'berg' })).toEqual(['anna']);
  expect(await suggested({ hint: { labels: { 'app.space': 'two' } } })).toEqual(['anna', 'bert']);
  expect(await done(ask('PUT', `/_security/profile/${bert.uid}/_disable`))).toEqual({ acknowledged: true });
  expect(await suggested({ name: 'be' })).toEqual(['anna']);
  await done(ask('PUT', `/_security/profile/${bert.uid}/_enable`));
  expect((await suggested({ name: 'be' })).length).toBe(2);
  const asked = { uids: [anna.uid, bert.uid, 'none'], privileges: { cluster: ['monitor'] } };
  expect(await done(ask('POST', '/_security/profile/_has_privileges', asked))).toEqual({
    has_privilege_uids: [],
    errors: {
      count: 1,
      details: { none: { type: 'resource_not_found_exception', reason: 'profile document not found' } },
    },
  });
  const read = { index: [{ names: ['films'], privileges: ['read'] }] };
  const may = await done(ask('POST', '/_security/profile/_has_privileges', { uids: [anna.uid], privileges: read }));
  expect(may).toEqual({ has_privilege_uids: [anna.uid] });
});

it('role mappings make names of roles for each user', async () => {
  const path = '/_security/role_mapping/by-team';
  const template = (source: string): Json => ({ template: { source } });
  await done(
    ask('PUT', path, {
      role_templates: [
        template('user_{{username}}_{{realm.name}}'),
        { template: { source: '{{#tojson}}metadata.teams{{/tojson}}' }, format: 'json' },
      ],
      rules: { field: { 'realm.name': 'default_native' } },
    }),
  );
  await done(
    ask('PUT', '/_security/user/carl', { password: 'a-password', roles: [], metadata: { teams: ['red', 'blue'] } }),
  );
  const seen = await done(askAs(() => node, basic('carl', 'a-password'))('GET', '/_security/_authenticate'));
  expect(seen.roles).toEqual(['user_carl_default_native', 'red', 'blue']);
  const shown = await done(ask('GET', path));
  expect(shown['by-team']).toMatchObject({
    roles: [],
    role_templates: [
      { template: '{"source":"user_{{username}}_{{realm.name}}"}', format: 'string' },
      { format: 'json' },
    ],
  });
  // As it was shown, it can be put again.
  const { role_templates, rules } = shown['by-team'];
  await done(ask('PUT', path, { role_templates, rules }));
  const wrong: readonly (readonly [Json, string])[] = [
    [{ role_templates: [{ template: { id: 'stored' } }] }, 'stored templates are not supported'],
    [{ role_templates: [{ template: { source: '{{#a}}' } }] }, 'Failed to compile template'],
    [{ role_templates: [{ template: { source: 'a' }, format: 'xml' }] }, '[role_templates[0].format]'],
    [{ role_templates: Array(101).fill(template('a')) }, 'more than [100] items'],
    [{ role_templates: [template('a')], roles: ['a'] }, 'cannot have both roles and role-templates'],
  ];
  for (const [body, words] of wrong) {
    const answer = await ask('PUT', path, { ...body, rules });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)]);
  }
  // One that makes no names gives none.
  await done(ask('PUT', path, { role_templates: [{ ...template('{{username}}'), format: 'json' }], rules }));
  const none = await done(askAs(() => node, basic('carl', 'a-password'))('GET', '/_security/_authenticate'));
  expect(none.roles).toEqual([]);
});

it('privileges of many profiles are asked about up to a limit', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `i${at}`);
  const asking = (cluster: readonly string[]): ReturnType<typeof ask> =>
    ask('POST', '/_security/profile/_has_privileges', {
      uids: Array.from({ length: 1_000 }, (_, at) => `u${at}`),
      privileges: { index: [{ names, privileges: ['read'] }], cluster },
    });
  expect((await asking([])).status).toBe(200);
  const more = await asking(['all']);
  expect([more.status, more.text]).toEqual([400, expect.stringContaining('at most [100000] may be')]);
});
