/** Searchable snapshots over HTTP: indices that are searched as a snapshot has them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

const DOCUMENTS = 40;

let node: TestNode;
let repositories: string;

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

async function count(index: string): Promise<number> {
  return (await ok(node.get(`/${index}/_count`))).count;
}

function mount(snapshot: string, body: Json, query = ''): Promise<Answer> {
  return node.post(`/_snapshot/archive/${snapshot}/_mount?wait_for_completion=true${query}`, body);
}

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-mounts-'));
  node = await TestNode.start({ 'path.repo': repositories });
  await ok(node.put('/_snapshot/archive', { type: 'fs', settings: { location: 'archive' } }));
  await ok(node.put('/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 }, aliases: { all: {} } }));
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => [{ index: { _id: String(n) } }, { n, word: `w${n}` }]);
  expect((await ok(node.bulk('/logs/_bulk?refresh=true', lines.flat()))).errors).toBe(false);
  await ok(node.put('/_snapshot/archive/first?wait_for_completion=true', { indices: 'logs' }));
  await ok(node.delete('/logs'));
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

describe('a mounted index', () => {
  it('is searched as the snapshot has it, under another name, with no replicas and no aliases', async () => {
    const mounted = await ok(mount('first', { index: 'logs', renamed_index: 'old' }));
    expect(mounted.snapshot).toEqual({
      snapshot: 'first',
      indices: ['old'],
      shards: { total: 2, failed: 0, successful: 2 },
    });
    expect(await count('old')).toBe(DOCUMENTS);
    const { settings } = (await ok(node.get('/old/_settings'))).old;
    expect(settings.index).toMatchObject({
      number_of_replicas: '0',
      blocks: { write: 'true' },
      store: { type: 'snapshot', snapshot: { repository_name: 'archive', snapshot_name: 'first', index_name: 'logs' } },
      routing: { allocation: { include: { _tier_preference: 'data_cold,data_warm,data_hot,data_content' } } },
    });
    expect((await ok(node.get('/old/_alias'))).old.aliases).toEqual({});
    const found = await ok(node.post('/old/_search', { query: { match: { word: 'w7' } } }));
    expect(found.hits.hits.map(({ _id }: Json) => _id)).toEqual(['7']);
  });

  it('takes no writes, and keeps its write block', async () => {
    const write = await node.put('/old/_doc/new', { n: 1 });
    expect([write.status, write.json().error.type]).toEqual([403, 'cluster_block_exception']);
    for (const value of [false, null]) {
      const unblocked = await node.put('/old/_settings', { 'index.blocks.write': value });
      expect(unblocked.status).toBe(400);
      expect(unblocked.json().error.reason).toBe(
        'cannot remove the write block [index.blocks.write] of a searchable snapshot index [old]',
      );
    }
    await ok(node.put('/old/_settings', { 'index.priority': 3 }));
    expect(await count('old')).toBe(DOCUMENTS);
  });

  it('holds its snapshot and its repository', async () => {
    const snapshot = await node.delete('/_snapshot/archive/first');
    expect([snapshot.status, snapshot.json().error.type]).toEqual([409, 'snapshot_in_use_deletion_exception']);
    const repository = await node.delete('/_snapshot/archive');
    expect(repository.json().error.type).toBe('repository_conflict_exception');
    expect(repository.json().error.reason).toMatch(
      /found 1 searchable snapshots indices that use the repository: \[old/,
    );
    expect(await count('old')).toBe(DOCUMENTS);
  });

  it('holds its snapshot also against another repository over the same place, which may be forgotten', async () => {
    await ok(node.put('/_snapshot/alias', { type: 'fs', settings: { location: 'archive' } }));
    expect((await ok(node.get('/_snapshot/alias/_all'))).snapshots).toHaveLength(1);
    for (const path of ['/_snapshot/alias/first', '/_snapshot/alias/fir*']) {
      const refused = await node.delete(path);
      expect([refused.status, refused.json().error.type]).toEqual([409, 'snapshot_in_use_deletion_exception']);
      expect(refused.json().error.reason).toMatch(/^\[alias:first\] is used by the searchable snapshot index \[old\//);
    }
    // What nobody needs goes, and no more.
    await ok(node.post('/_snapshot/alias/_cleanup'));
    await ok(node.put('/_snapshot/alias/other?wait_for_completion=true', { indices: '-*' }));
    await ok(node.delete('/_snapshot/alias/other'));
    await ok(node.delete('/_snapshot/alias'));
    expect((await ok(node.get('/_snapshot/archive/_all'))).snapshots).toHaveLength(1);
    expect(await count('old')).toBe(DOCUMENTS);
  });

  it('names the repository by what is written there, whatever it is called', async () => {
    const uuidOf = async (index: string): Promise<string> =>
      (await ok(node.get(`/${index}/_settings`)))[index].settings.index.store.snapshot.repository_uuid;
    await ok(node.put('/_snapshot/alias', { type: 'fs', settings: { location: 'archive' } }));
    const path = '/_snapshot/alias/first/_mount?wait_for_completion=true';
    await ok(node.post(path, { index: 'logs', renamed_index: 'twin' }));
    expect(await uuidOf('twin')).toBe(await uuidOf('old'));
    await ok(node.delete('/twin'));
    await ok(node.delete('/_snapshot/alias'));
  });

  it('cannot be resized', async () => {
    const cloned = await node.put('/old/_clone/copy');
    expect([cloned.status, cloned.json().error.reason]).toEqual([
      400,
      'cannot resize the searchable snapshot index [old]',
    ]);
  });

  it('is there after a restart, closed and opened again', async () => {
    await ok(node.post('/old/_close'));
    await ok(node.post('/old/_open'));
    await ok(node.get('/_cluster/health/old?wait_for_status=green&timeout=30s'));
    expect(await count('old')).toBe(DOCUMENTS);
  });

  it('becomes an ordinary index when a snapshot of it is restored', async () => {
    await ok(node.put('/_snapshot/archive/second?wait_for_completion=true', { indices: 'old' }));
    const path = '/_snapshot/archive/second/_restore?wait_for_completion=true';
    const body = {
      rename_pattern: 'old',
      rename_replacement: 'again',
      index_settings: { 'index.blocks.write': false },
    };
    expect((await ok(node.post(path, body))).snapshot.shards.failed).toBe(0);
    expect((await ok(node.get('/again/_settings'))).again.settings.index.store).toBeUndefined();
    await ok(node.put('/again/_doc/new', { n: 1 }));
    await ok(node.delete('/_snapshot/archive/second'));
  });

  it('lets go of its snapshot when it is deleted', async () => {
    await ok(node.delete('/old'));
    await ok(node.put('/_snapshot/archive/third?wait_for_completion=true', { indices: 'again' }));
    await ok(node.delete('/_snapshot/archive/third'));
  });
});

describe('a mount', () => {
  it.each([
    [{}, '', 400, 'Required [index] of a mount is missing'],
    [{ index: 'absent' }, '', 404, 'no such index [absent]'],
    [{ index: 'logs', strange: 1 }, '', 400, 'Unknown parameter strange of a mount'],
    [{ index: 'logs', renamed_index: 'Upper' }, '', 400, 'Invalid index name [Upper], must be lowercase'],
    [{ index: 'logs', index_settings: { 'index.blocks.write': false } }, '', 400, 'cannot remove the write block'],
    [
      { index: 'logs', index_settings: { 'index.store.type': 'snapshot' } },
      '',
      400,
      'private index setting [index.store.type]',
    ],
    [{ index: 'logs' }, '&storage=other', 400, 'unknown value [other] for parameter [storage]'],
  ])('refuses %j%s', async (body, query, status, reason) => {
    const refused = await mount('first', body, query);
    expect([refused.status, refused.json().error.reason]).toEqual([status, expect.stringContaining(reason)]);
    expect((await node.get('/logs')).status).toBe(404);
  });

  it('refuses a snapshot that is not there', async () => {
    const refused = await mount('absent', { index: 'logs' });
    expect([refused.status, refused.json().error.type]).toEqual([404, 'snapshot_missing_exception']);
  });

  it('takes settings, and leaves others out', async () => {
    const body = {
      index: 'logs',
      index_settings: { number_of_replicas: 1 },
      ignore_index_settings: ['index.refresh_interval'],
    };
    await ok(mount('first', body));
    expect((await ok(node.get('/logs/_settings'))).logs.settings.index.number_of_replicas).toBe('1');
    await ok(node.delete('/logs'));
  });
});

describe('a lifecycle policy', () => {
  const MOUNT = { searchable_snapshot: { snapshot_repository: 'archive' } };

  it('mounts an index in its own place, then deletes it with its snapshot', async () => {
    await ok(node.put('/_cluster/settings', { persistent: { 'indices.lifecycle.poll_interval': '1s' } }));
    const phases = (deleteAge: string): Json => ({
      cold: { actions: MOUNT },
      delete: { min_age: deleteAge, actions: { delete: {} } },
    });
    await ok(node.put('/_ilm/policy/archiving', { policy: { phases: phases('1d') } }));
    await ok(node.put('/events', { settings: { number_of_replicas: 0 }, aliases: { everything: {} } }));
    const lines = Array.from({ length: DOCUMENTS }, (_, n) => [{ index: { _id: String(n) } }, { n }]);
    await ok(node.bulk('/events/_bulk?refresh=true', lines.flat()));
    await ok(node.put('/events/_settings', { 'index.lifecycle.name': 'archiving' }));
    await node.until(async () => ((await node.get('/_alias/events')).status === 200 ? true : undefined));
    const index = (await ok(node.get('/events')))['restored-events'];
    expect(index.aliases).toEqual({ events: {}, everything: {} });
    expect(index.settings.index).toMatchObject({ store: { type: 'snapshot' }, lifecycle: { name: 'archiving' } });
    expect(await count('everything')).toBe(DOCUMENTS);
    const explained = (await ok(node.get('/restored-events/_ilm/explain'))).indices['restored-events'];
    expect(explained).toMatchObject({ managed: true, phase: 'cold' });
    const snapshots = async (): Promise<Json[]> => (await ok(node.get('/_snapshot/archive/ilm-*'))).snapshots as Json[];
    expect(await snapshots()).toMatchObject([{ indices: ['events'], state: 'SUCCESS', include_global_state: false }]);
    await ok(node.put('/_ilm/policy/archiving', { policy: { phases: phases('0d') } }));
    await node.until(async () => ((await node.get('/restored-events')).status === 404 ? true : undefined));
    await node.until(async () => ((await snapshots()).length === 0 ? true : undefined));
    await ok(node.put('/_cluster/settings', { persistent: { 'indices.lifecycle.poll_interval': null } }));
  });

  it.each([
    [{ cold: { actions: { searchable_snapshot: {} } } }, 'Required [snapshot_repository]'],
    [
      { cold: { actions: { searchable_snapshot: { snapshot_repository: 'absent' } } } },
      'repository [absent] that does not exist',
    ],
    [{ warm: { actions: MOUNT } }, 'invalid action [searchable_snapshot] defined in phase [warm]'],
    [{ hot: { actions: MOUNT } }, 'without an accompanying [rollover] action'],
    [
      {
        hot: { actions: { rollover: { max_docs: 1 }, ...MOUNT } },
        warm: { actions: { forcemerge: { max_num_segments: 1 } } },
      },
      'not allowed after a managed index is mounted',
    ],
    [
      {
        hot: { actions: { rollover: { max_docs: 1 }, ...MOUNT } },
        cold: { actions: { searchable_snapshot: { snapshot_repository: 'other' } } },
      },
      'differing repositories [archive, other]',
    ],
    [
      { cold: { actions: { searchable_snapshot: { ...MOUNT.searchable_snapshot, strange: 1 } } } },
      'unknown field [strange]',
    ],
  ])('refuses %j', async (phases, reason) => {
    const refused = await node.put('/_ilm/policy/refused', { policy: { phases } });
    expect([refused.status, refused.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
    expect((await node.get('/_ilm/policy/refused')).status).toBe(404);
  });
});
