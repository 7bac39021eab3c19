/** Snapshot lifecycle management over HTTP, with a repository on disk. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let backups: string;

beforeAll(async () => {
  backups = await mkdtemp(join(tmpdir(), 'quarry-backups-'));
  node = await TestNode.start({ 'path.repo': backups });
  const repository = { type: 'fs', settings: { location: join(backups, 'one') } };
  expect((await node.put('/_snapshot/backup', repository)).status).toBe(200);
  await node.put('/films/_doc/1?refresh', { title: 'Heat' });
  await node.put('/books/_doc/1?refresh', { title: 'Emma' });
});
afterAll(async () => {
  await node.stop();
  await rm(backups, { recursive: true });
});
afterEach(async () => {
  for (const id of Object.keys(await policies())) await node.delete(`/_slm/policy/${id}`);
  const names = (await snapshots()).map((each) => each.snapshot as string);
  for (const name of names) await node.delete(`/_snapshot/backup/${name}`);
});

const POLICY = {
  schedule: '0 30 1 * * ?',
  name: '<daily-{now/d}>',
  repository: 'backup',
  config: { indices: ['films'], include_global_state: false, metadata: { by: 'us' } },
  retention: { expire_after: '30d', max_count: 2 },
};

async function policies(query = ''): Promise<Json> {
  return (await node.get(`/_slm/policy${query}`)).json();
}

async function snapshots(): Promise<readonly Json[]> {
  return (await node.get('/_snapshot/backup/_all')).json().snapshots as readonly Json[];
}

async function put(id: string, members: Json = {}): Promise<void> {
  const answer = await node.put(`/_slm/policy/${id}`, { ...POLICY, ...members });
  expect(answer.json(), answer.text).toEqual({ acknowledged: true });
}

/** Runs the policy and waits for the end of the snapshot, whose name it gives. */
async function execute(id: string): Promise<string> {
  const answer = await node.post(`/_slm/policy/${id}/_execute`);
  expect(answer.status, answer.text).toBe(200);
  const name = answer.json().snapshot_name as string;
  await node.until(async () => {
    const { last_success: success, last_failure: failure } = (await policies(`/${id}`))[id];
    return success?.snapshot_name === name || failure?.snapshot_name === name || undefined;
  });
  return name;
}

/** Runs retention, and waits until so many snapshots were deleted. */
async function retain(deleted: number): Promise<Json> {
  expect((await node.post('/_slm/_execute_retention')).json()).toEqual({ acknowledged: true });
  return node.until(async () => {
    const stats = (await node.get('/_slm/stats')).json();
    return stats.total_snapshots_deleted >= deleted ? (stats as Json) : undefined;
  });
}

describe('a policy', () => {
  test('is kept as it was written, with its version and its next time', async () => {
    await put('daily');
    await put('daily');
    await put('daily', { retention: { max_count: 3 } });
    const policy = (await policies('/daily?human')).daily;
    expect(policy).toMatchObject({ version: 2, policy: { ...POLICY, retention: { max_count: 3 } } });
    expect(new Date(policy.next_execution_millis).toISOString()).toBe(policy.next_execution);
    expect(policy.next_execution).toMatch(/T01:30:00\.000Z$/);
    expect(policy.next_execution_millis - Date.now()).toBeLessThanOrEqual(86_400_000);
    expect(policy.modified_date).toBe(new Date(policy.modified_date_millis).toISOString());
    const none = { snapshots_taken: 0, snapshots_failed: 0, snapshots_deleted: 0, snapshot_deletion_failures: 0 };
    expect(policy.stats).toEqual({ policy: 'daily', ...none });
    expect((await policies('/daily')).daily).not.toHaveProperty('next_execution');
  });

  test('is found by name and pattern, deleted, and missed', async () => {
    expect(await policies()).toEqual({});
    await put('daily');
    await put('day-by-day', { schedule: '1h' });
    expect(Object.keys(await policies())).toEqual(['daily', 'day-by-day']);
    expect(Object.keys(await policies('/day-*,nothing'))).toEqual(['day-by-day']);
    const missing = await node.get('/_slm/policy/nothing');
    expect(missing.status).toBe(404);
    expect(missing.json().error.reason).toBe('snapshot lifecycle policy or policies [nothing] not found');
    expect((await node.delete('/_slm/policy/daily')).json()).toEqual({ acknowledged: true });
    expect((await node.delete('/_slm/policy/daily')).status).toBe(404);
  });

  test('is refused with all that is wrong, and nothing changes', async () => {
    const bad = await node.put('/_slm/policy/_p', { ...POLICY, name: 'Daily', schedule: '0 0 0 * * *' });
    expect(bad.status).toBe(400);
    expect(bad.json().error.type).toBe('action_request_validation_exception');
    for (const part of ['policy id [_p]', 'snapshot name [Daily]', 'schedule [0 0 0 * * *]', '[day_of_week]']) {
      expect(bad.json().error.reason).toContain(part);
    }
    const unknown = await node.put('/_slm/policy/p', { ...POLICY, repository: 'nowhere' });
    expect([unknown.status, unknown.json().error.reason]).toEqual([400, 'no such repository [nowhere]']);
    const often = await node.put('/_slm/policy/p', { ...POLICY, schedule: '1m' });
    expect(often.json().error.reason).toContain('schedule would be too frequent, executing more than every [15m]');
    expect((await node.put('/_slm/policy/p?bogus', POLICY)).status).toBe(400);
    expect(await policies()).toEqual({});
  });
});

test('a policy that is executed takes a snapshot, counts it and writes its history', async () => {
  await put('daily');
  const name = await execute('daily');
  expect(name).toMatch(/^daily-\d{4}\.\d\d\.\d\d-[a-z0-9_-]{22}$/);
  const [snapshot] = await snapshots();
  expect(snapshot).toMatchObject({ snapshot: name, state: 'SUCCESS', metadata: { by: 'us', policy: 'daily' } });
  expect(snapshot.indices).toEqual(['films']);
  const { last_success: success, stats } = (await policies('/daily')).daily;
  expect(success).toMatchObject({ snapshot_name: name });
  expect(success.time).toBeGreaterThanOrEqual(success.start_time);
  expect(stats).toMatchObject({ snapshots_taken: 1, snapshots_failed: 0 });
  expect((await node.get('/_slm/stats')).json()).toMatchObject({ total_snapshots_taken: 1 });
  const found = await node.until(async () => {
    await node.post('/.slm-history-*/_refresh?expand_wildcards=all');
    const hits = (await node.get(`/.slm-history-7/_search?q=snapshot_name:"${name}"`)).json().hits?.hits as Json[];
    return hits?.[0]?._source as Json;
  });
  expect(found).toMatchObject({ policy: 'daily', repository: 'backup', operation: 'CREATE', success: true });
  expect(found.configuration).toEqual(POLICY.config);
});

test('what cannot begin is an error, and the failure of the policy', async () => {
  expect((await node.post('/_slm/policy/nothing/_execute')).json().error.reason).toBe(
    'no such snapshot lifecycle policy [nothing]',
  );
  await put('lost', { config: { indices: 'no-such-index' } });
  const answer = await node.put('/_slm/policy/lost/_execute');
  expect(answer.status, answer.text).toBe(404);
  const { last_failure: failure, stats } = (await policies('/lost')).lost;
  expect(JSON.parse(failure.details).type).toBe('index_not_found_exception');
  expect(stats).toMatchObject({ snapshots_taken: 0, snapshots_failed: 1 });
});

test('wildcards reach what expand_wildcards says', async () => {
  await node.put('/film-archive');
  await node.post('/film-archive/_close');
  await put('open', { config: { indices: 'film*', expand_wildcards: 'open' } });
  await execute('open');
  expect((await snapshots()).map((each) => each.indices as unknown)).toEqual([['films']]);
  await node.delete('/film-archive');
});

test('retention deletes what is too much, and only that of its policy', async () => {
  await put('daily');
  await put('other', { retention: {} });
  const names = [await execute('daily'), await execute('daily'), await execute('daily')];
  const other = [await execute('other'), await execute('other'), await execute('other')];
  await node.put('/_snapshot/backup/by-hand?wait_for_completion=true', { indices: 'films' });
  const stats = await retain(1);
  const left = (await snapshots()).map((each) => each.snapshot as string);
  expect(left.sort()).toEqual([...names.slice(1), ...other, 'by-hand'].sort());
  expect(stats).toMatchObject({ retention_failed: 0, retention_timed_out: 0, total_snapshots_deleted: 1 });
  const ofDaily = stats.policy_stats.find(({ policy }: Json) => policy === 'daily');
  expect(ofDaily).toMatchObject({ snapshots_taken: 3, snapshots_deleted: 1, snapshot_deletion_failures: 0 });
});

test('the schedule runs a policy by itself, and not while all is stopped', async () => {
  await node.put('/_cluster/settings', { persistent: { 'slm.minimum_interval': '0s' } });
  await put('often', { schedule: '500ms' });
  const taken = async (): Promise<number> => (await policies('/often')).often.stats.snapshots_taken as number;
  await node.until(async () => ((await taken()) >= 2 ? true : undefined));
  expect((await node.post('/_slm/stop')).json()).toEqual({ acknowledged: true });
  expect((await node.get('/_slm/status')).json()).toEqual({ operation_mode: 'STOPPED' });
  // What has begun ends.
  await node.until(async () => ((await policies('/often')).often.in_progress === undefined ? true : undefined));
  expect((await node.get('/_health_report/slm')).json().indicators.slm).toMatchObject({ status: 'yellow' });
  const before = await taken();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect((await taken()) - before).toBeLessThanOrEqual(1);
  expect((await node.post('/_slm/start')).json()).toEqual({ acknowledged: true });
  expect((await node.get('/_slm/status')).json()).toEqual({ operation_mode: 'RUNNING' });
  await node.until(async () => ((await taken()) > before + 1 ? true : undefined));
  await node.delete('/_slm/policy/often');
  await node.put('/_cluster/settings', { persistent: { 'slm.minimum_interval': null } });
});

test('a snapshot that was begun when the node was killed comes to an end that the policy knows', async () => {
  const home = await TestNode.start({ 'path.repo': backups });
  await home.put('/_snapshot/killed', { type: 'fs', settings: { location: join(backups, 'two') } });
  const lines = Array.from({ length: 2_000 }, (_, each) => [{ index: {} }, { n: each, text: 'x'.repeat(200) }]);
  await home.bulk('/numbers/_bulk?refresh', lines.flat());
  await home.put('/_slm/policy/p', { ...POLICY, repository: 'killed', config: { indices: 'numbers' } });
  const name = (await home.post('/_slm/policy/p/_execute')).json().snapshot_name as string;
  await home.signal('SIGKILL');
  const again = await TestNode.start({ 'path.repo': backups }, home.directory);
  const policy = await again.until(async () => {
    const { p } = (await again.get('/_slm/policy')).json() as Json;
    return (p.last_success ?? p.last_failure) ? (p as Json) : undefined;
  });
  expect((policy.last_success ?? policy.last_failure).snapshot_name).toBe(name);
  expect(policy.stats.snapshots_taken + policy.stats.snapshots_failed).toBe(1);
  expect(policy).not.toHaveProperty('in_progress');
  await again.stop();
});

test('an index that waits for a snapshot is deleted when there is one', async () => {
  await node.put('/_cluster/settings', { persistent: { 'indices.lifecycle.poll_interval': '1s' } });
  const phases = { delete: { actions: { wait_for_snapshot: { policy: 'before' }, delete: {} } } };
  expect((await node.put('/_ilm/policy/kept', { policy: { phases } })).status).toBe(200);
  const settings = { number_of_replicas: 0, 'index.lifecycle.name': 'kept' };
  await node.put('/old', { settings });
  const explained = async (): Promise<Json> => (await node.get('/old/_ilm/explain')).json().indices?.old as Json;
  // Nothing to wait for is an error, and tried again.
  await node.until(async () => ((await explained())?.failed_step === undefined ? undefined : true));
  await put('before', { config: { indices: 'old' } });
  await node.until(async () => ((await explained())?.failed_step === undefined ? true : undefined));
  expect(await explained()).toMatchObject({ phase: 'delete', action: 'wait_for_snapshot' });
  await execute('before');
  await node.until(async () => ((await node.get('/old')).status === 404 ? true : undefined));
  const bad = { delete: { actions: { wait_for_snapshot: {} } } };
  expect((await node.put('/_ilm/policy/bad', { policy: { phases: bad } })).status).toBe(400);
  await node.put('/_cluster/settings', { persistent: { 'indices.lifecycle.poll_interval': null } });
});

test('the health report tells of a policy that fails, or has had no snapshot for long', async () => {
  const report = async (): Promise<Json> => (await node.get('/_health_report/slm')).json().indicators.slm as Json;
  await node.put('/_cluster/settings', {
    persistent: { 'slm.minimum_interval': '0s', 'slm.health.failed_snapshot_warn_threshold': '2' },
  });
  const short = { schedule: '1h', unhealthy_if_no_snapshot_within: '1h' };
  expect((await node.put('/_slm/policy/p', { ...POLICY, ...short })).json().error.reason).toContain('too short');
  await put('p', { schedule: '2h', unhealthy_if_no_snapshot_within: '3h', config: { indices: 'absent' } });
  expect((await report()).status).toBe('green');
  for (let run = 0; run < 2; run++) await node.post('/_slm/policy/p/_execute');
  const { status, details, impacts } = await report();
  expect(status).toBe('yellow');
  expect(details.unhealthy_policies).toEqual({ count: 1, invocations_since_last_success: { p: 2 } });
  expect(impacts[0].id).toBe('elasticsearch:health:slm:impact:stale_snapshots');
  await node.delete('/_slm/policy/p');
  // None by the first time of the schedule, which is tried in vain.
  const sharp = { schedule: '200ms', unhealthy_if_no_snapshot_within: '300ms', config: { indices: 'absent' } };
  await node.put('/_cluster/settings', { persistent: { 'slm.health.failed_snapshot_warn_threshold': '1000000' } });
  await put('p', sharp);
  const late = await node.until(async () => {
    const found = await report();
    return found.status === 'yellow' ? (found as Json) : undefined;
  });
  expect(late.impacts[0].id).toBe('elasticsearch:health:slm:impact:missing_snapshot');
  await node.delete('/_slm/policy/p');
  await node.put('/_cluster/settings', { persistent: { 'slm.*': null } });
});

test('settings are checked', async () => {
  const setting = async (key: string, value: string): Promise<number> =>
    (await node.put('/_cluster/settings', { persistent: { [key]: value } })).status;
  expect(await setting('slm.retention_schedule', 'daily')).toBe(400);
  expect(await setting('slm.retention_schedule', '')).toBe(200);
  expect(await setting('slm.retention_duration', '499ms')).toBe(400);
  expect(await setting('slm.history_index_enabled', 'perhaps')).toBe(400);
  await node.put('/_cluster/settings', { persistent: { 'slm.*': null } });
});

test('OpenSearch has none of it', async () => {
  const twin = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
  expect((await twin.get('/_slm/policy')).text).toContain('snapshot lifecycle of Elasticsearch');
  await twin.stop();
});
