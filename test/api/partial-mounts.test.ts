/** Partially mounted indices over HTTP: searched out of the repository, through a cache that holds a part of them. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparable, indexSource, randomNumbers, searchOf, SOURCE_DOCUMENTS } from './mounted-documents.js';
import { TestNode, type Answer, type Json } from './node-harness.js';

const KB = 1024;
/** 48 regions: less than half of the index. */
const CACHE_BYTES = 3072 * KB;
const REGION_BYTES = 64 * KB;
const SHARDS = 2;

let node: TestNode;
let repositories: string;

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

function mount(snapshot: string, body: Json, query = ''): Promise<Answer> {
  return node.post(`/_snapshot/archive/${snapshot}/_mount?wait_for_completion=true&storage=shared_cache${query}`, body);
}

interface CacheFigures {
  readonly size_in_bytes: number;
  readonly num_regions: number;
  readonly num_regions_used: number;
  readonly bytes_written_in_bytes: number;
  readonly evictions: number;
  readonly rejections: number;
}

async function cacheFigures(): Promise<CacheFigures> {
  const { nodes } = await ok(node.get('/_searchable_snapshots/cache/stats'));
  const [figures] = Object.values(nodes) as { shared_cache: CacheFigures }[];
  return (figures as { shared_cache: CacheFigures }).shared_cache;
}

async function segmentBytes(index: string): Promise<number> {
  const { _all } = await ok(node.get(`/${index}/_stats/store`));
  return _all.primaries.store.total_data_set_size_in_bytes;
}

const SETTINGS = {
  'xpack.searchable.snapshot.shared_cache.size': `${CACHE_BYTES / KB}kb`,
  'xpack.searchable.snapshot.shared_cache.region_size': `${REGION_BYTES / KB}kb`,
};

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-partial-'));
  node = await TestNode.start({ 'path.repo': repositories, ...SETTINGS });
  await ok(node.put('/_snapshot/archive', { type: 'fs', settings: { location: 'archive' } }));
  await indexSource(node, ok, SHARDS);
  await ok(node.put('/_snapshot/archive/first?wait_for_completion=true', { indices: 'source' }));
  // What is compared has the same segments for ever.
  await ok(node.delete('/source'));
  await ok(node.post('/_snapshot/archive/first/_mount?wait_for_completion=true', { index: 'source' }));
  await ok(node.put('/plain', {}));
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

describe('a partially mounted index', () => {
  it('is there at once: a first search fetches a part of it', async () => {
    const mounted = await ok(mount('first', { index: 'source', renamed_index: 'partial' }));
    expect(mounted.snapshot.shards).toEqual({ total: SHARDS, failed: 0, successful: SHARDS });
    const { settings } = (await ok(node.get('/partial/_settings'))).partial;
    expect(settings.index).toMatchObject({
      number_of_replicas: '0',
      blocks: { write: 'true' },
      store: { type: 'snapshot', snapshot: { repository_name: 'archive', partial: 'true' } },
      routing: { allocation: { include: { _tier_preference: 'data_frozen' } } },
    });
    const { _all } = await ok(node.get('/partial/_stats/store'));
    const bytes = await segmentBytes('source');
    expect(_all.total.store).toMatchObject({ size_in_bytes: 0, total_data_set_size_in_bytes: bytes });
    const sizes = 'store.size,pri.store.size,dataset.size';
    const [line] = (await node.get(`/_cat/indices/partial?format=json&bytes=b&h=${sizes}`)).json();
    expect(line).toEqual({ 'store.size': '0', 'pri.store.size': '0', 'dataset.size': `${bytes}` });
    const shards: Json[] = (await node.get('/_cat/shards/partial?format=json&bytes=b&h=store,dataset')).json();
    expect(shards.map(({ store }) => store)).toEqual(Array.from({ length: SHARDS }, () => '0'));
    expect(shards.reduce((sum, { dataset }) => sum + Number(dataset), 0)).toBe(bytes);
    const found = await ok(node.post('/partial/_search', { query: { term: { tag: 'amber' } }, size: 1 }));
    expect(found.hits.total.value).toBeGreaterThan(0);
    const { bytes_written_in_bytes: fetched, rejections } = await cacheFigures();
    expect(fetched).toBeGreaterThan(0);
    expect(fetched).toBeLessThan(bytes / 3);
    expect(bytes).toBeGreaterThan(2 * CACHE_BYTES);
    expect(rejections).toBe(0);
  });

  it('answers as the index that it was taken of, whatever the cache holds', async () => {
    const random = randomNumbers(11);
    for (let round = 0; round < 60; round++) {
      const body = searchOf(random);
      const [expected, found] = await Promise.all(
        ['source', 'partial'].map((index) => ok(node.post(`/${index}/_search?request_cache=false`, body))),
      );
      expect(found._shards.failures, JSON.stringify(body)).toBeUndefined();
      expect(comparable(found), JSON.stringify(body)).toEqual(comparable(expected));
    }
    const { evictions, num_regions_used: used, num_regions: regions, rejections } = await cacheFigures();
    expect(evictions).toBeGreaterThan(0);
    expect(used).toBeLessThanOrEqual(regions);
    expect(rejections).toBe(0);
  });

  it('gives documents, explanations, term vectors and counts as the other does', async () => {
    await ok(node.post('/partial/_searchable_snapshots/cache/clear'));
    for (const id of ['50', '777', '3999', '3', 'absent']) {
      const [expected, found] = await Promise.all(
        ['source', 'partial'].map((index) => node.get(`/${index}/_doc/${id}`)),
      );
      expect(found?.status).toBe(expected?.status);
      expect(found?.json()).toEqual({ ...expected?.json(), _index: 'partial' });
    }
    const ids = { ids: ['60', '61', '3990', 'absent'] };
    const many = await ok(node.post('/partial/_mget', ids));
    expect(many.docs.map(({ found }: Json) => found)).toEqual([true, true, true, false]);
    const asked: readonly [string, Json][] = [
      ['_count', { query: { match: { text: 'river cloud' } } }],
      ['_explain/777', { query: { match: { text: 'river stone' } } }],
      ['_termvectors/777', { fields: ['text'], term_statistics: false, field_statistics: false }],
      ['_validate/query?explain=true&rewrite=true', { query: { match: { text: 'river' } } }],
    ];
    for (const [path, body] of asked) {
      await ok(node.post('/partial/_searchable_snapshots/cache/clear'));
      const [expected, found] = await Promise.all(
        ['source', 'partial'].map((index) => ok(node.post(`/${index}/${path}`, body))),
      );
      const text = JSON.stringify(found)
        .replaceAll('partial', 'source')
        .replace(/"took":\d+/, '"took":0');
      expect(text).toBe(JSON.stringify(expected).replace(/"took":\d+/, '"took":0'));
    }
  });

  it('is scrolled, held open and paged through', async () => {
    const collect = async (index: string): Promise<string[]> => {
      const first = await ok(node.post(`/${index}/_search?scroll=1m`, { size: 700, sort: ['n'], _source: false }));
      const ids: string[] = [];
      for (let page = first; page.hits.hits.length > 0;) {
        ids.push(...page.hits.hits.map(({ _id }: Json) => _id));
        page = await ok(node.post('/_search/scroll', { scroll: '1m', scroll_id: page._scroll_id }));
      }
      return ids;
    };
    expect(await collect('partial')).toEqual(await collect('source'));
  });

  it('refuses a search that needs more of the cache than there is, with a reason, and answers the next one', async () => {
    const greedy = { size: 0, aggs: { all: { top_hits: { size: 100, sort: ['n'] } } }, sort: ['n'] };
    const hits = { size: SOURCE_DOCUMENTS, sort: ['n'] };
    const before = (await cacheFigures()).rejections;
    const refused = await node.post('/partial/_search', hits);
    expect(refused.status, refused.text.slice(0, 300)).toBe(429);
    expect(refused.json().error.root_cause[0].type).toBe('circuit_breaking_exception');
    expect(refused.text).toContain('the shared cache of searchable snapshots has [48] regions of [65536] bytes');
    expect((await cacheFigures()).rejections).toBeGreaterThan(before);
    expect((await node.post('/partial/_search', greedy)).status).toBe(200);
    expect((await ok(node.get('/partial/_count'))).count).toBe(SOURCE_DOCUMENTS);
  });

  it('tells what was read and fetched of it, and gives it up', async () => {
    const stats = await ok(node.get('/partial/_searchable_snapshots/stats?level=shards'));
    expect(stats._shards).toEqual({ total: SHARDS, successful: SHARDS, failed: 0 });
    const [total] = stats.indices.partial.total;
    expect(total).toMatchObject({ file_ext: 'seg', damaged_parts: 0 });
    expect(total.size.total_in_bytes).toBe(await segmentBytes('source'));
    expect(total.cached_bytes_written.sum).toBe((await cacheFigures()).bytes_written_in_bytes);
    expect(Object.keys(stats.indices.partial.shards)).toEqual(['0', '1']);
    expect(stats.indices.partial.shards['0'][0].shard).toMatchObject({ state: 'STARTED', primary: true });
    expect((await ok(node.get('/_searchable_snapshots/stats?level=cluster'))).indices).toBeUndefined();
    const cleared = await ok(node.post('/partial/_searchable_snapshots/cache/clear'));
    expect(cleared._shards).toEqual({ total: SHARDS, successful: SHARDS, failed: 0 });
    expect((await cacheFigures()).num_regions_used).toBe(0);
    const whole = await ok(node.get('/source/_searchable_snapshots/stats'));
    expect(whole.indices.source).toEqual({ total: [] });
    const none = await node.get('/plain/_searchable_snapshots/stats');
    expect([none.status, none.json().error.reason]).toEqual([404, 'No searchable snapshots indices found']);
    expect((await node.get('/_searchable_snapshots/stats?level=others')).status).toBe(400);
  });

  it('is not merged, resized or given replicas, and stays in its tier', async () => {
    const refusals: readonly (readonly [string, Answer])[] = [
      ['segments stay as the snapshot has them', await node.post('/partial/_forcemerge?max_num_segments=1')],
      ['cannot resize the searchable snapshot index', await node.put('/partial/_clone/copy')],
      ['[index.number_of_replicas] of a partial', await node.put('/partial/_settings', { number_of_replicas: 1 })],
      [
        'only the [data_frozen] tier preference may be used for partial searchable snapshots (got: [data_hot])',
        await node.put('/partial/_settings', { 'index.routing.allocation.include._tier_preference': 'data_hot' }),
      ],
    ];
    for (const [reason, answer] of refusals) expect(answer.text).toContain(reason);
    expect((await node.put('/partial/_doc/new', { n: 1 })).status).toBe(403);
  });

  it('can be snapshotted, and is an ordinary index when that is restored', async () => {
    await ok(node.put('/_snapshot/archive/second?wait_for_completion=true', { indices: 'partial' }));
    const body = { rename_pattern: 'partial', rename_replacement: 'whole' };
    const restored = await ok(node.post('/_snapshot/archive/second/_restore?wait_for_completion=true', body));
    expect(restored.snapshot.shards).toEqual({ total: SHARDS, failed: 0, successful: SHARDS });
    expect((await ok(node.get('/whole/_count'))).count).toBe(SOURCE_DOCUMENTS);
    expect((await ok(node.get('/whole/_settings'))).whole.settings.index.store).toBeUndefined();
    await ok(node.delete('/whole'));
    await ok(node.delete('/_snapshot/archive/second'));
  });

  it('is there after closing, opening and a restart', async () => {
    await ok(node.post('/partial/_close'));
    await ok(node.post('/partial/_open'));
    await ok(node.get('/_cluster/health/partial?wait_for_status=green&timeout=30s'));
    expect((await ok(node.get('/partial/_count'))).count).toBe(SOURCE_DOCUMENTS);
    const { directory } = node;
    await node.signal('SIGTERM');
    node = await TestNode.start({ 'path.repo': repositories, ...SETTINGS }, directory);
    await ok(node.get('/_cluster/health/partial?wait_for_status=green&timeout=30s'));
    const found = await ok(node.post('/partial/_search', { query: { term: { n: 777 } } }));
    expect(found.hits.hits.map(({ _id }: Json) => _id)).toEqual(['777']);
    expect((await stat(join(directory, 'data', 'shared_snapshot_cache'))).size).toBe(CACHE_BYTES);
  });

  it('tells damage by file, which fails the searches of that shard alone', async () => {
    await ok(node.post('/partial/_searchable_snapshots/cache/clear'));
    const folder = await largestShardFolder();
    const names = (await readdir(folder)).filter((name) => name.startsWith('file-'));
    const whole = new Map<string, Buffer>();
    for (const name of names) {
      const bytes = await readFile(join(folder, name));
      whole.set(name, bytes);
      const damaged = Buffer.from(bytes);
      for (let at = 0; at < damaged.length; at += 32 * KB) damaged[at] = (damaged[at] ?? 0) ^ 1;
      await writeFile(join(folder, name), damaged);
    }
    const found = await ok(node.post('/partial/_search', { query: { match: { text: 'river' } } }));
    expect(found._shards).toMatchObject({ total: SHARDS, failed: 1, successful: SHARDS - 1 });
    const [failure] = found._shards.failures;
    expect(failure.reason.type).toBe('corrupt_index_exception');
    expect(failure.reason.reason).toMatch(/_\w+\.seg\]: bytes \d+ to \d+ of the repository's file do not match/);
    const [total] = (await ok(node.get('/partial/_searchable_snapshots/stats'))).total;
    expect(total.damaged_parts).toBeGreaterThan(0);
    for (const [name, bytes] of whole) await writeFile(join(folder, name), bytes);
    const again = await ok(node.post('/partial/_search', { query: { match: { text: 'river' } } }));
    expect(again._shards.failed).toBe(0);
  });

  it('lets go of all of it when it is deleted', async () => {
    await ok(node.delete('/partial'));
    await node.until(async () => ((await cacheFigures()).num_regions_used === 0 ? true : undefined));
  });
});

describe('a partial mount', () => {
  it.each([
    [
      { index_settings: { 'index.number_of_replicas': 1 } },
      '[index.number_of_replicas] of a partial searchable snapshot may not ask for replicas (got: [1])',
    ],
    [
      { index_settings: { 'index.routing.allocation.include._tier_preference': 'data_hot' } },
      'only the [data_frozen] tier preference may be used',
    ],
    [{ index_settings: { 'index.store.snapshot.partial': false } }, 'index.store.snapshot.partial'],
  ])('refuses %j', async (body, reason) => {
    const refused = await mount('first', { index: 'source', renamed_index: 'refused', ...body });
    expect([refused.status, refused.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('is no whole one that is to be in the frozen tier', async () => {
    const index_settings = { 'index.routing.allocation.include._tier_preference': 'data_frozen' };
    const body = { index: 'source', renamed_index: 'refused', index_settings };
    const refused = await node.post('/_snapshot/archive/first/_mount?storage=full_copy', body);
    expect([refused.status, refused.json().error.reason]).toEqual([
      400,
      '[data_frozen] tier can only be used for partial searchable snapshots (got: [data_frozen])',
    ]);
  });
});

describe('a lifecycle policy with a frozen phase', () => {
  const MOUNT = { searchable_snapshot: { snapshot_repository: 'archive' } };

  it('mounts an index partially, of the snapshot that a phase before made, and deletes both', async () => {
    await ok(node.put('/_cluster/settings', { persistent: { 'indices.lifecycle.poll_interval': '1s' } }));
    const phases = (deleteAge: string): Json => ({
      cold: { actions: MOUNT },
      frozen: { actions: MOUNT },
      delete: { min_age: deleteAge, actions: { delete: {} } },
    });
    await ok(node.put('/_ilm/policy/freezing', { policy: { phases: phases('1d') } }));
    await ok(node.put('/events', { settings: { number_of_replicas: 0 }, aliases: { everything: {} } }));
    const lines = Array.from({ length: 40 }, (_, n) => [{ index: { _id: String(n) } }, { n }]);
    await ok(node.bulk('/events/_bulk?refresh=true', lines.flat()));
    await ok(node.put('/events/_settings', { 'index.lifecycle.name': 'freezing' }));
    const name = 'partial-restored-events';
    await node.until(async () => ((await node.get(`/_alias/restored-events`)).status === 200 ? true : undefined));
    const index = (await ok(node.get('/events')))[name];
    expect(Object.keys(index.aliases).sort()).toEqual(['events', 'everything', 'restored-events']);
    expect(index.settings.index).toMatchObject({
      store: { snapshot: { partial: 'true', index_name: 'events' } },
      lifecycle: { name: 'freezing' },
    });
    expect((await ok(node.get('/everything/_count'))).count).toBe(40);
    const snapshots = async (): Promise<Json[]> => (await ok(node.get('/_snapshot/archive/ilm-*'))).snapshots as Json[];
    expect(await snapshots()).toHaveLength(1);
    await ok(node.put('/_ilm/policy/freezing', { policy: { phases: phases('0d') } }));
    await node.until(async () => ((await node.get(`/${name}`)).status === 404 ? true : undefined));
    await node.until(async () => ((await snapshots()).length === 0 ? true : undefined));
    await ok(node.put('/_cluster/settings', { persistent: { 'indices.lifecycle.poll_interval': null } }));
  });

  it.each([
    [{ frozen: { actions: {} } }, 'a searchable snapshot action is required in the frozen phase'],
    [
      { frozen: { actions: { ...MOUNT, set_priority: { priority: 1 } } } },
      'invalid action [set_priority] defined in phase [frozen]',
    ],
    [
      { cold: { actions: MOUNT }, frozen: { actions: { searchable_snapshot: { snapshot_repository: 'other' } } } },
      'differing repositories [archive, other]',
    ],
  ])('refuses %j', async (phases, reason) => {
    const refused = await node.put('/_ilm/policy/refused', { policy: { phases } });
    expect([refused.status, refused.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
  });
});

/** Of the shard with the most bytes in the repository. */
async function largestShardFolder(): Promise<string> {
  const indices = join(repositories, 'archive', 'indices');
  const [index = ''] = await readdir(indices);
  const folders = await Promise.all(
    Array.from({ length: SHARDS }, async (_, shard) => {
      const folder = join(indices, index, String(shard));
      const names = await readdir(folder);
      const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
      return { folder, bytes: sizes.reduce((sum, size) => sum + size, 0) };
    }),
  );
  return folders.sort((left, right) => right.bytes - left.bytes)[0]?.folder ?? '';
}
