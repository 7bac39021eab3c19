/** OpenSearch's snapshot management over HTTP, with a repository on disk. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN, basic, startSecured } from './security-helpers.js';
import { TestNode, type Answer, type Json } from './node-harness.js';

const PATH = '/_plugins/_sm/policies';
const MINUTE_MS = 60_000;
const POLICY = {
  description: 'each day',
  creation: { schedule: { cron: { expression: '0 8 * * *', timezone: 'UTC' } }, time_limit: '1h' },
  deletion: { condition: { max_age: '7d', max_count: 21, min_count: 7 } },
  snapshot_config: { repository: 'backup', indices: 'films', metadata: { by: 'us' } },
};

let node: TestNode;
let backups: string;

beforeAll(async () => {
  backups = await mkdtemp(join(tmpdir(), 'quarry-backups-'));
  node = await TestNode.start({ 'path.repo': backups, 'compatibility.distribution': 'opensearch' });
  const repository = { type: 'fs', settings: { location: join(backups, 'one') } };
  expect((await node.put('/_snapshot/backup', repository)).status).toBe(200);
  await node.put('/films/_doc/1?refresh=true', { title: 'Heat' });
  await node.put('/books/_doc/1?refresh=true', { title: 'Emma' });
});
afterAll(async () => {
  await node.stop();
  await rm(backups, { recursive: true });
});
afterEach(async () => {
  for (const { sm_policy: policy } of (await list()).policies as Json[]) await node.delete(`${PATH}/${policy.name}`);
});

async function create(name: string, members: Json = {}): Promise<Json> {
  const answer = await node.post(`${PATH}/${name}`, { ...POLICY, ...members });
  expect(answer.status, answer.text).toBe(201);
  return answer.json();
}

async function list(query = ''): Promise<Json> {
  return (await node.get(`${PATH}${query}`)).json();
}

async function explain(names: string): Promise<readonly Json[]> {
  return (await node.get(`${PATH}/${names}/_explain`)).json().policies as Json[];
}

const named = (policies: readonly Json[]): readonly string[] =>
  policies.map(({ sm_policy: { name } }) => name as string);
const faultOf = (answer: Answer): readonly [number, string] => [answer.status, answer.json().error.reason as string];

describe('a policy', () => {
  test('is created, read, changed by who knows it, and deleted', async () => {
    const made = await create('daily');
    expect(made).toMatchObject({ _id: 'daily-sm-policy', _version: 1, _primary_term: 1 });
    const { last_updated_time: updated, ...policy } = made.sm_policy as Json;
    expect(policy).toEqual({
      name: 'daily',
      schema_version: 30,
      ...POLICY,
      deletion: { ...POLICY.deletion, schedule: POLICY.creation.schedule },
      schedule: { interval: { start_time: updated, period: 1, unit: 'Minutes' } },
      enabled: true,
      enabled_time: updated,
    });
    expect((await node.get(`${PATH}/daily`)).json()).toEqual(made);

    expect(faultOf(await node.post(`${PATH}/daily`, POLICY))[1]).toContain('document already exists');
    expect(faultOf(await node.put(`${PATH}/daily`, POLICY))).toEqual([
      400,
      'Validation Failed: 1: Sequence number and primary term must be provided when updating a snapshot management ' +
        'policy;',
    ]);
    expect((await node.put(`${PATH}/daily?if_seq_no=999999&if_primary_term=1`, POLICY)).status).toBe(409);
    expect((await node.put(`${PATH}/none?if_seq_no=1&if_primary_term=1`, POLICY)).status).toBe(409);
    // What an answer shows can be sent back.
    const body = { ...made.sm_policy, description: 'other' };
    const changed = await node.put(`${PATH}/daily?refresh=true&if_seq_no=${made._seq_no}&if_primary_term=1`, body);
    expect(changed.status, changed.text).toBe(200);
    expect(changed.headers.get('location')).toBe('_plugins/_sm/policies/daily');
    expect(changed.json()).toMatchObject({ _version: 2, sm_policy: { description: 'other' } });
    expect(changed.json()._seq_no).toBeGreaterThan(made._seq_no as number);

    const deleted = (await node.delete(`${PATH}/daily`)).json();
    expect(deleted).toMatchObject({ _id: 'daily-sm-policy', _version: 3, result: 'deleted', _primary_term: 1 });
    for (const missing of [await node.delete(`${PATH}/daily`), await node.get(`${PATH}/daily`)]) {
      expect(missing.json().error.type).toBe('status_exception');
      expect(faultOf(missing)).toEqual([404, 'Snapshot management policy not found']);
    }
  });

  test('has a size', async () => {
    const answer = (length: number): Promise<Answer> =>
      node.post(`${PATH}/p${length}`, { ...POLICY, description: 'x'.repeat(length) });
    const [, reason] = faultOf(await answer(16 * 1024));
    const over = Number(/of \[(\d+)\] characters is larger than \[16384\]/.exec(reason)?.[1]) - 16 * 1024;
    expect((await answer(16 * 1024 - over)).status).toBe(201);
    expect((await answer(16 * 1024 - over + 1)).status).toBe(400);
  });

  test('is refused with the name of what is wrong, and nothing changes', async () => {
    const refused = async (members: Json): Promise<readonly [number, string]> =>
      faultOf(await node.post(`${PATH}/p`, { ...POLICY, ...members }));
    expect(await refused({ notification: { channel: { id: 'x' } } })).toEqual([
      400,
      '[notification] is not supported: there are no channels to notify',
    ]);
    expect(await refused({ snapshot_config: { repository: 'backup', index: 'a' } })).toEqual([
      400,
      'unknown field [snapshot_config.index] of a policy',
    ]);
    expect((await node.post(`${PATH}/P`, POLICY)).status).toBe(400);
    expect((await node.post(`${PATH}/p?if_seq_no=1`, POLICY)).status).toBe(400);
    expect((await node.post(PATH, POLICY)).status).toBe(405);
    expect(await list()).toEqual({ policies: [], total_policies: 0 });
  });

  test('is started and stopped', async () => {
    await create('daily', { enabled: false });
    expect(await explain('daily')).toMatchObject([{ enabled: false }]);
    expect((await node.post(`${PATH}/daily/_start`)).json()).toEqual({ acknowledged: true });
    expect(await explain('daily')).toMatchObject([{ enabled: true }]);
    expect((await node.post(`${PATH}/daily/_stop`)).json()).toEqual({ acknowledged: true });
    const { sm_policy: policy } = (await node.get(`${PATH}/daily`)).json();
    expect(policy).toMatchObject({ enabled: false, enabled_time: null });
    expect((await node.post(`${PATH}/none/_start`)).status).toBe(404);
  });

  test('is explained by names and patterns', async () => {
    const made = await create('daily');
    await create('day-2', { deletion: undefined });
    const [policy] = await explain('daily,none');
    const noon = policy?.creation.trigger.time as number;
    expect(new Date(noon).toISOString()).toMatch(/T08:00:00\.000Z$/);
    expect(policy).toEqual({
      name: 'daily',
      creation: { current_state: 'CREATION_START', trigger: { time: noon } },
      deletion: { current_state: 'DELETION_START', trigger: { time: noon } },
      policy_seq_no: made._seq_no,
      policy_primary_term: 1,
      enabled: true,
    });
    expect((await explain('day-%3F')).map(({ name }) => name as string)).toEqual(['day-2']);
    expect((await explain('d*')).map(({ name }) => name as string)).toEqual(['daily', 'day-2']);
    expect(await explain('none')).toEqual([]);
  });
});

test('policies are listed in pages, in an order, by a query', async () => {
  for (const name of ['b-1', 'a-1', 'a-2', 'c']) await create(name, { enabled: name !== 'a-2' });
  expect(named((await list()).policies as Json[])).toEqual(['a-1', 'a-2', 'b-1', 'c']);
  expect(Object.keys((await list()).policies[0] as Json)).toEqual(['_id', '_seq_no', '_primary_term', 'sm_policy']);
  const page = await list('?from=1&size=2&sortOrder=desc');
  expect([named(page.policies as Json[]), page.total_policies]).toEqual([['b-1', 'a-2'], 4]);
  const by = async (query: string): Promise<readonly string[]> =>
    named((await list(`?queryString=${encodeURIComponent(query)}`)).policies as Json[]);
  expect(await by('a-*')).toEqual(['a-1', 'a-2']);
  expect(await by('*-1 a-?')).toEqual(['a-1']);
  expect(await by('c OR (a-* AND NOT a-2)')).toEqual(['a-1', 'c']);
  expect(await by('sm_policy.name:"b-1" || -*-*')).toEqual(['b-1', 'c']);
  expect(named((await list('?sortField=sm_policy.enabled')).policies as Json[])[0]).toBe('a-2');
  for (const query of [
    'queryString=other:a',
    'queryString=(a',
    'queryString=a~1',
    'sortField=x',
    'size=-1',
    'size=10001',
  ]) {
    expect((await node.get(`${PATH}?${query}`)).status, query).toBe(400);
  }
});

test('a policy makes snapshots and deletes old ones, each at its time', { timeout: 180_000 }, async () => {
  for (const name of ['old-1', 'old-2', 'old-3']) await node.put(`/_snapshot/backup/${name}?wait_for_completion=true`);
  const cron = { schedule: { cron: { expression: '* * * * *', timezone: 'Europe/Paris' } } };
  await create('often', {
    creation: cron,
    deletion: { ...cron, snapshot_pattern: 'old-*,none-*', condition: { max_count: 2, min_count: 1 } },
    snapshot_config: { ...POLICY.snapshot_config, date_format: 'yyyy-MM-dd' },
  });
  await create('lost', { creation: cron, deletion: undefined, snapshot_config: { repository: 'nowhere' } });
  // Both are due when the next minute begins.
  await new Promise((resolve) => setTimeout(resolve, MINUTE_MS - (Date.now() % MINUTE_MS)));
  const done = await node.until(async () => {
    const [policy] = await explain('often');
    const isDone = (each: Json): boolean => each.latest_execution?.status === 'SUCCESS';
    return isDone(policy?.creation as Json) && isDone(policy?.deletion as Json) ? policy : undefined;
  });
  expect(done.creation.latest_execution.info.message).toMatch(
    /^\[\S+Z\]: Snapshot often-\d{4}-\d\d-\d\d-[a-z0-9]{8} creation has finished successfully\.$/,
  );
  expect(done.creation.latest_execution.end_time).toBeGreaterThanOrEqual(done.creation.latest_execution.start_time);
  expect(done.deletion.latest_execution.info.message).toContain('deletion has finished.');
  await node.post(`${PATH}/often/_stop`);
  const { snapshots } = (await node.get('/_snapshot/backup/_all')).json();
  const own = (snapshots as Json[]).filter(({ snapshot }) => (snapshot as string).startsWith('often-'));
  expect(own[0]).toMatchObject({ state: 'SUCCESS', indices: ['films'], metadata: { by: 'us', sm_policy: 'often' } });
  expect((snapshots as Json[]).map(({ snapshot }) => snapshot as string)).not.toContain('old-1');
  const lost = await node.until(async () => {
    const [policy] = await explain('lost');
    return policy?.creation.latest_execution?.status === 'RETRYING' ? policy : undefined;
  });
  expect(lost.creation.retry).toEqual({ count: 3 });
  expect(lost.creation.latest_execution.info.cause).toContain('[nowhere]');
});

test('a policy is put by who may do what it does', async () => {
  const secured = await startSecured({ 'compatibility.distribution': 'opensearch' });
  try {
    const put = async (name: string, actions: readonly string[], policy: Json): Promise<number> => {
      const cluster = ['cluster:admin/opensearch/snapshot_management/*', ...actions];
      const asAdmin = { authorization: ADMIN };
      await secured.request('PUT', `/_security/role/${name}`, { cluster }, asAdmin);
      const user = { password: 'a-password', roles: [name] };
      await secured.request('PUT', `/_security/user/${name}`, user, asAdmin);
      const own = { authorization: basic(name, 'a-password') };
      return (await secured.request('POST', `${PATH}/${name}`, policy, own)).status;
    };
    const { deletion: _deletion, ...creating } = POLICY;
    expect(await put('nothing', [], creating)).toBe(403);
    expect(await put('creates', ['cluster:admin/snapshot/create'], creating)).toBe(201);
    expect(await put('deletes-not', ['cluster:admin/snapshot/create'], POLICY)).toBe(403);
    expect(await put('both', ['cluster:admin/snapshot/create', 'cluster:admin/snapshot/delete'], POLICY)).toBe(201);
  } finally {
    await secured.stop();
  }
});
