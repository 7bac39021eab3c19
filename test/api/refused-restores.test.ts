/** Restores and mounts whose shards no node may take: they end, and hold their snapshot no longer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

const NOBODY = { 'index.routing.allocation.require._name': 'nobody' };
const RULE = 'cluster.routing.allocation.require._name';
const DOCUMENTS = 20;

let node: TestNode;
let repositories: string;

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

const post = (action: string, body: Json, query = ''): Promise<Answer> =>
  node.post(`/_snapshot/archive/one/${action}${query}`, body);
const WAITS = '?wait_for_completion=true';

async function fill(index: string): Promise<void> {
  await ok(node.put(`/${index}`, { settings: { number_of_shards: 2, number_of_replicas: 0 } }));
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => [{ index: { _id: String(n) } }, { n }]);
  await ok(node.bulk(`/${index}/_bulk?refresh=true`, lines.flat()));
}

/** A thousand bytes that do not pack well. */
function words(seed: number): string {
  return Array.from({ length: 100 }, (_, at) => ((seed * 7_919 + at * 104_729) % 2_147_483_647).toString(36)).join(' ');
}

async function explained(index: string): Promise<readonly Json[]> {
  const answer = await ok(node.post('/_cluster/allocation/explain', { index, shard: 0, primary: true }));
  expect([answer.can_allocate, answer.unassigned_info.last_allocation_status]).toEqual(['no', 'no']);
  return answer.node_allocation_decisions.flatMap(({ deciders }: Json) => deciders as Json[]) as Json[];
}

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-refused-'));
  node = await TestNode.start({ 'path.repo': repositories, 'node.name': 'only' });
  await ok(node.put('/_snapshot/archive', { type: 'fs', settings: { location: 'archive' } }));
  await fill('logs');
});

beforeEach(async () => {
  await ok(node.put(`/_snapshot/archive/one${WAITS}`, { indices: 'logs' }));
  return async () => {
    await node.delete('/back');
    await ok(node.delete('/_snapshot/archive/one'));
  };
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

const AS_BACK = { rename_pattern: 'logs', rename_replacement: 'back' };

describe('a restore whose shards no node may take', () => {
  it('ends with them counted as failed, says why, and lets its snapshot be deleted', async () => {
    const { snapshot } = await ok(post('_restore', { ...AS_BACK, index_settings: NOBODY }, WAITS));
    expect(snapshot).toEqual({ snapshot: 'one', indices: ['back'], shards: { total: 2, failed: 2, successful: 0 } });
    const deciders = await explained('back');
    expect(deciders.map(({ decider }) => decider as string)).toEqual(['restore_in_progress', 'filter']);
    expect(deciders[0].explanation).toMatch(
      /^shard has failed to be restored from the snapshot \[archive:one\/\S+\] - manually close or delete the index \[back\] in order to retry to restore the snapshot again or use the reroute API to force the allocation of an empty primary shard\. Details: \[shard could not be allocated to any of the nodes\]$/,
    );
    expect(await ok(node.get('/back/_recovery'))).toEqual({});
    expect((await node.get('/_cluster/health/back')).json().status).toBe('red');
    await ok(node.delete('/_snapshot/archive/one'));
    await ok(node.put(`/_snapshot/archive/one${WAITS}`, { indices: 'logs' }));
  });

  it('ends as well where nobody waits, and can be tried again with its index closed', async () => {
    await ok(post('_restore', { ...AS_BACK, index_settings: NOBODY }));
    expect((await explained('back'))[0].decider).toBe('restore_in_progress');
    await ok(node.put('/back/_settings', { 'index.routing.allocation.require._name': null }));
    expect((await explained('back')).map(({ decider }) => decider as string)).toEqual(['restore_in_progress']);
    await ok(node.post('/back/_close'));
    const { snapshot } = await ok(post('_restore', AS_BACK, WAITS));
    expect(snapshot.shards).toEqual({ total: 2, failed: 0, successful: 2 });
    expect((await ok(node.get('/back/_count'))).count).toBe(DOCUMENTS);
  });

  it('gives way to empty primaries', async () => {
    await ok(post('_restore', { ...AS_BACK, index_settings: NOBODY }, WAITS));
    for (const shard of [0, 1]) {
      const command = { index: 'back', shard, node: 'only', accept_data_loss: true };
      await ok(node.post('/_cluster/reroute', { commands: [{ allocate_empty_primary: command }] }));
    }
    await node.until(async () =>
      (await node.get('/_cluster/health/back')).json().status === 'green' ? true : undefined,
    );
    expect((await ok(node.get('/back/_count'))).count).toBe(0);
  });
});

it('a restore that is under way when its node ends goes on when that is back', async () => {
  await ok(node.put('/_snapshot/slow', { type: 'fs', settings: { location: 'slow' } }));
  await ok(node.put('/logs-large', { settings: { number_of_replicas: 0 } }));
  for (let batch = 0; batch < 4; batch++) {
    const lines = Array.from({ length: 500 }, (_, n) => [{ index: {} }, { text: words(batch * 500 + n) }]);
    await ok(node.bulk('/logs-large/_bulk?refresh=true', lines.flat()));
  }
  await ok(node.put(`/_snapshot/slow/one${WAITS}`, { indices: 'logs-large' }));
  const settings = { location: 'slow', max_restore_bytes_per_sec: '400kb' };
  await ok(node.put('/_snapshot/slow', { type: 'fs', settings }));
  const as = { rename_pattern: 'logs-large', rename_replacement: 'back' };
  await ok(node.post('/_snapshot/slow/one/_restore', as));
  await node.signal('SIGKILL');
  node = await TestNode.start({ 'path.repo': repositories, 'node.name': 'only' }, node.directory);
  expect((await node.get('/_cat/shards/back?h=state')).text.trim()).toBe('INITIALIZING');
  await node.until(async () =>
    (await node.get('/_cluster/health/back')).json().status === 'green' ? true : undefined,
  );
  expect((await ok(node.get('/back/_count'))).count).toBe(2_000);
  await ok(node.delete('/back'));
  await ok(node.delete('/_snapshot/slow'));
});

it('a mount ends in the same way', async () => {
  const how = { index: 'logs', renamed_index: 'back' };
  const { snapshot } = await ok(post('_mount', { ...how, index_settings: NOBODY }, WAITS));
  expect(snapshot.shards).toEqual({ total: 2, failed: 2, successful: 0 });
  expect((await explained('back'))[0].decider).toBe('restore_in_progress');
  await ok(node.delete('/back'));
  // No node has a cache.
  const { snapshot: partial } = await ok(post('_mount', how, `${WAITS}&storage=shared_cache`));
  expect(partial.shards).toEqual({ total: 2, failed: 2, successful: 0 });
});

it('a lifecycle policy mounts again what failed', async () => {
  await ok(node.put('/_cluster/settings', { persistent: { 'indices.lifecycle.poll_interval': '1s' } }));
  const actions = { searchable_snapshot: { snapshot_repository: 'archive' } };
  await ok(node.put('/_ilm/policy/archiving', { policy: { phases: { cold: { actions } } } }));
  await fill('events');
  // What has its place stays there: nodes may move nothing.
  await ok(node.put('/_cluster/settings', { persistent: { [RULE]: 'nobody' } }));
  await ok(node.put('/events/_settings', { 'index.lifecycle.name': 'archiving' }));
  const reason = await node.until(async () => {
    const { indices } = (await node.get('/events/_ilm/explain')).json();
    return indices?.events?.step_info?.reason as string | undefined;
  });
  expect(reason).toContain('could not be mounted as [restored-events]');
  await ok(node.put('/_cluster/settings', { persistent: { [RULE]: null } }));
  await node.until(async () => ((await node.get('/_alias/events')).status === 200 ? true : undefined));
  expect((await ok(node.get('/events/_count'))).count).toBe(DOCUMENTS);
  await ok(node.delete('/restored-events'));
  await ok(node.put('/_cluster/settings', { persistent: { 'indices.lifecycle.poll_interval': null } }));
});
