/** Users, roles and keys in snapshots: the feature state `security`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';
import { ADMIN, askAs, basic, done, SECURED, startSecured, type Ask } from './security-helpers.js';

const SECRET = 'a-long-password';
const WAITS = '?wait_for_completion=true';
const READER = { indices: [{ names: ['films'], privileges: ['read'] }] };

let node: TestNode;
let repositories: string;
const ask: Ask = (method, path, body) => askAs(() => node, ADMIN)(method, path, body);

async function putUser(name: string, ...roles: string[]): Promise<void> {
  await done(ask('PUT', `/_security/user/${name}`, { password: SECRET, roles }));
}

async function mayCome(name: string): Promise<boolean> {
  return (await askAs(() => node, basic(name, SECRET))('GET', '/_security/_authenticate')).status === 200;
}

async function take(name: string, body: Json = {}): Promise<Json> {
  return (await done(ask('PUT', `/_snapshot/archive/${name}${WAITS}`, { indices: 'films', ...body }))).snapshot;
}

function restore(name: string, body: Json, who: Ask = ask): Promise<Answer> {
  return who('POST', `/_snapshot/archive/${name}/_restore${WAITS}`, { indices: 'absent*', ...body });
}

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-security-states-'));
  node = await startSecured({ 'path.repo': repositories });
  await done(ask('PUT', '/_snapshot/archive', { type: 'fs', settings: { location: 'archive' } }));
  await done(ask('PUT', '/films', { settings: { number_of_replicas: 0 } }));
  await done(ask('PUT', '/_security/role/reader', READER));
  await done(ask('PUT', '/_security/role/manager', { cluster: ['manage'] }));
  await putUser('ann', 'reader');
  await putUser('max', 'manager');
  await take('one');
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

const STATE = [{ feature_name: 'security', indices: [] }];

describe('a snapshot', () => {
  afterEach(() => done(ask('DELETE', '/_snapshot/archive/two')));

  it.each<[Json, Json]>([
    [{}, STATE],
    [{ include_global_state: false }, []],
    [{ feature_states: ['none'] }, []],
    [{ include_global_state: false, feature_states: ['security'] }, STATE],
  ])('of %j has the feature states %j', async (body, expected) => {
    expect((await take('two', body)).feature_states).toEqual(expected);
    const { snapshots } = await done(ask('GET', '/_snapshot/archive/two'));
    expect(snapshots[0].feature_states).toEqual(expected);
  });
});

it.each([
  [['kibana'], 'feature state [kibana] does not exist, there is [security]'],
  [['none', 'security'], 'but other feature states were requested: [none, security]'],
])('a snapshot of the feature states %j is refused', async (features, reason) => {
  const answer = await ask('PUT', '/_snapshot/archive/refused', { feature_states: features });
  expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
});

it('a policy of snapshots takes it too', async () => {
  const policy = { schedule: '0 30 1 * * ?', name: 'nightly', repository: 'archive', config: { indices: ['films'] } };
  const other = { ...policy, config: { ...policy.config, feature_states: ['kibana'] } };
  const refused = await ask('PUT', '/_slm/policy/nightly', other);
  expect([refused.status, refused.json().error.reason]).toEqual([
    400,
    'feature state [kibana] does not exist, there is [security]',
  ]);
  await done(ask('PUT', '/_slm/policy/nightly', policy));
  const { snapshot_name: name } = await done(ask('POST', '/_slm/policy/nightly/_execute'));
  const states = await node.until(async () => {
    const { snapshots } = await done(ask('GET', `/_snapshot/archive/${name}`));
    return snapshots[0]?.state === 'SUCCESS' ? (snapshots[0].feature_states as Json) : undefined;
  });
  expect(states).toEqual(STATE);
});

describe('a restore', () => {
  beforeEach(async () => {
    await done(ask('DELETE', '/_security/user/ann'));
    await done(ask('PUT', '/_security/role/reader', { indices: [{ names: ['books'], privileges: ['read'] }] }));
    await putUser('bob', 'reader');
  });
  afterEach(() => done(restore('one', { feature_states: ['security'] })));

  it('with the global state puts who is in the snapshot in the place of who is there', async () => {
    const key = (await done(ask('POST', '/_security/api_key', { name: 'later' }))).encoded as string;
    await done(restore('one', { include_global_state: true }));
    expect([await mayCome('ann'), await mayCome('bob')]).toEqual([true, false]);
    expect((await done(ask('GET', '/_security/role/reader'))).reader.indices).toMatchObject(READER.indices);
    expect((await askAs(() => node, `ApiKey ${key}`)('GET', '/')).status).toBe(401);
  });

  it.each<Json>([{}, { include_global_state: true, feature_states: ['none'] }])('of %j lets them be', async (body) => {
    await done(restore('one', body));
    expect([await mayCome('ann'), await mayCome('bob')]).toEqual([false, true]);
  });

  it('of the feature state alone leaves the rest as it is', async () => {
    await done(ask('PUT', '/_ingest/pipeline/later', { processors: [] }));
    await done(restore('one', { feature_states: ['security'] }));
    expect([await mayCome('ann'), await mayCome('bob')]).toEqual([true, false]);
    await done(ask('GET', '/_ingest/pipeline/later'));
  });

  it('is refused where the snapshot has none, and changes nothing', async () => {
    await take('bare', { feature_states: ['none'] });
    const answer = await restore('bare', { include_global_state: true, feature_states: ['security'] });
    expect([answer.status, answer.json().error]).toEqual([
      500,
      expect.objectContaining({
        type: 'snapshot_restore_exception',
        reason: '[archive:bare] requested feature states [[security]] are not present in snapshot',
      }),
    ]);
    await done(restore('bare', { include_global_state: true }));
    expect([await mayCome('ann'), await mayCome('bob')]).toEqual([false, true]);
  });

  it('needs the right to put users: who has that to restore alone could let anybody in', async () => {
    const max: Ask = askAs(() => node, basic('max', SECRET));
    const refused = await restore('one', { include_global_state: true }, max);
    expect([refused.status, refused.json().error.reason]).toEqual([
      403,
      expect.stringContaining('action [cluster:admin/xpack/security/user/put] is unauthorized for user [max]'),
    ]);
    expect(await mayCome('ann')).toBe(false);
    await done(restore('one', { include_global_state: true, feature_states: ['none'] }, max));
  });
});

it('OpenSearch knows no feature states: a snapshot has none, and a restore leaves them', async () => {
  const settings = { ...SECURED, 'compatibility.distribution': 'opensearch', 'path.repo': repositories };
  const twin = await startSecured(settings);
  try {
    const admin = askAs(() => twin, ADMIN);
    await done(admin('PUT', '/_snapshot/archive', { type: 'fs', settings: { location: 'archive', readonly: true } }));
    await done(admin('POST', `/_snapshot/archive/one/_restore${WAITS}`, { include_global_state: true }));
    expect((await askAs(() => twin, basic('ann', SECRET))('GET', '/')).status).toBe(401);
  } finally {
    await twin.stop();
  }
});
