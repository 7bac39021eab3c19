/** Fully mounted indices over HTTP: searched out of the repository until their files are here. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { comparable, indexSource, randomNumbers, searchOf, SOURCE_DOCUMENTS } from './mounted-documents.js';
import { TestNode, type Answer, type Json } from './node-harness.js';

const KB = 1_024;
const SHARDS = 2;
/** The files take some seconds then. */
const RATE = '2mb';

let node: TestNode;
let repositories: string;
let segmentBytes: number;

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

/** Answers while files are copied, slowly unless another repository is named. */
function mount(index: string, repository = 'slow'): Promise<Json> {
  const body = { index: 'source', renamed_index: index };
  return ok(node.post(`/_snapshot/${repository}/first/_mount?wait_for_completion=true`, body));
}

async function shardsOf(index: string): Promise<Json[]> {
  return (await ok(node.get(`/${index}/_recovery`)))[index].shards;
}

async function stages(index: string): Promise<string[]> {
  return (await shardsOf(index)).map(({ stage }) => stage as string);
}

function whenCopied(index: string): Promise<true> {
  return node.until(async () => ((await stages(index)).every((stage) => stage === 'DONE') ? true : undefined));
}

/** The same searches find the same in both. */
async function expectEqual(index: string, rounds: number, seed: number): Promise<void> {
  const random = randomNumbers(seed);
  for (let round = 0; round < rounds; round++) {
    const body = searchOf(random);
    const ask = (name: string): Promise<Json> => ok(node.post(`/${name}/_search?request_cache=false`, body));
    const [expected, found] = await Promise.all([ask('source'), ask(index)]);
    expect(found._shards.failures, JSON.stringify(body)).toBeUndefined();
    expect(comparable(found), JSON.stringify(body)).toBe(comparable(expected));
  }
}

async function count(index: string): Promise<number> {
  return (await ok(node.get(`/${index}/_count`))).count;
}

/** Names of files of all shards of the node. */
async function filesOf(index: string): Promise<string[]> {
  const { uuid } = (await ok(node.get(`/${index}/_settings`)))[index].settings.index;
  const entries = await readdir(join(node.directory, 'data'), { recursive: true });
  return entries.filter((name) => name.includes(uuid));
}

async function restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { directory } = node;
  await node.signal(signal);
  node = await TestNode.start({ 'path.repo': repositories }, directory);
  await ok(node.get('/_cluster/health?wait_for_status=green&timeout=30s'));
}

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-copied-'));
  node = await TestNode.start({ 'path.repo': repositories });
  await ok(node.put('/_snapshot/archive', { type: 'fs', settings: { location: 'archive' } }));
  const settings = { location: 'archive', readonly: true, max_restore_bytes_per_sec: RATE };
  await ok(node.put('/_snapshot/slow', { type: 'fs', settings }));
  await indexSource(node, ok, SHARDS);
  await ok(node.put('/_snapshot/archive/first?wait_for_completion=true', { indices: 'source' }));
  segmentBytes = (await ok(node.get('/source/_stats/store')))._all.total.store.size_in_bytes;
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

beforeEach(async () => {
  await ok(node.delete('/mounted?ignore_unavailable=true'));
});

describe('a fully mounted index', () => {
  it('answers as the index that it was taken of before its files are here, meanwhile, and then', async () => {
    const { snapshot } = await mount('mounted');
    expect(snapshot.shards).toEqual({ total: SHARDS, failed: 0, successful: SHARDS });
    await expectEqual('mounted', 4, 3);
    const [shard] = await shardsOf('mounted');
    expect(shard).toMatchObject({ type: 'SNAPSHOT', stage: 'FINALIZE', primary: true });
    expect(shard?.index.size.recovered_in_bytes).toBeLessThan(shard?.index.size.total_in_bytes);
    const { store } = (await ok(node.get('/mounted/_stats/store')))._all.total;
    expect(store.total_data_set_size_in_bytes).toBe(segmentBytes);
    expect(store.size_in_bytes).toBeLessThan(segmentBytes);
    const [line] = (await node.get('/_cat/indices/mounted?format=json&bytes=b&h=store.size,dataset.size')).json();
    expect(line['dataset.size']).toBe(`${segmentBytes}`);
    expect(Number(line['store.size'])).toBeLessThan(segmentBytes);
    const [figures] = (await ok(node.get('/mounted/_searchable_snapshots/stats'))).total;
    expect(figures.size.total_in_bytes).toBe(segmentBytes);
    for (const id of ['777', '3999', 'absent']) {
      const [expected, found] = await Promise.all(
        ['source', 'mounted'].map((index) => node.get(`/${index}/_doc/${id}`)),
      );
      expect(found?.json()).toEqual({ ...expected?.json(), _index: 'mounted' });
    }
    await expectEqual('mounted', 40, 5);
    await whenCopied('mounted');
    await expectEqual('mounted', 20, 7);
    const after = (await ok(node.get('/mounted/_stats/store')))._all.total.store;
    expect(after).toMatchObject({ size_in_bytes: segmentBytes, total_data_set_size_in_bytes: segmentBytes });
    expect((await ok(node.get('/mounted/_searchable_snapshots/stats'))).indices.mounted).toEqual({ total: [] });
    for (const { index, start } of await shardsOf('mounted')) {
      expect(index.size.percent).toBe('100.0%');
      expect(index.files.percent).toBe('100.0%');
      expect(start).toBeUndefined();
    }
    const files = await filesOf('mounted');
    expect(files.filter((name) => /copying|elsewhere/.test(name))).toEqual([]);
    expect(files.filter((name) => name.endsWith('.seg')).length).toBeGreaterThanOrEqual(SHARDS);
  });

  it('has its files still after a restart', async () => {
    await mount('mounted', 'archive');
    await whenCopied('mounted');
    await restart('SIGTERM');
    expect((await shardsOf('mounted')).map(({ type }) => type)).toEqual(['EXISTING_STORE', 'EXISTING_STORE']);
    await expectEqual('mounted', 10, 9);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)('is fetched anew after %s while it was copied', async (signal) => {
    await mount('mounted');
    expect(await stages('mounted')).toContain('FINALIZE');
    await restart(signal);
    await expectEqual('mounted', 10, 11);
    await whenCopied('mounted');
    expect((await filesOf('mounted')).filter((name) => /copying|elsewhere/.test(name))).toEqual([]);
    await expectEqual('mounted', 10, 13);
  });

  it('is closed, opened and snapshotted while it is copied', async () => {
    await mount('mounted');
    expect(await stages('mounted')).toContain('FINALIZE');
    await ok(node.post('/mounted/_close'));
    const closed = await node.put('/_snapshot/archive/closed?wait_for_completion=true', { indices: 'mounted' });
    expect([closed.status, closed.json().snapshot.state]).toEqual([500, 'PARTIAL']);
    expect(closed.text).toContain('its files lie in another snapshot: open it first');
    await ok(node.post('/mounted/_open'));
    await ok(node.get('/_cluster/health/mounted?wait_for_status=green&timeout=30s'));
    expect(await stages('mounted')).toContain('FINALIZE');
    await ok(node.put('/_snapshot/archive/second?wait_for_completion=true', { indices: 'mounted' }));
    const body = { rename_pattern: 'mounted', rename_replacement: 'whole' };
    const restored = await ok(node.post('/_snapshot/archive/second/_restore?wait_for_completion=true', body));
    expect(restored.snapshot.shards).toEqual({ total: SHARDS, failed: 0, successful: SHARDS });
    await expectEqual('whole', 10, 15);
    await ok(node.delete('/whole'));
    await ok(node.delete('/_snapshot/archive/closed,second'));
  });

  it('goes on with the pages of a scroll behind hits that cannot be fetched', async () => {
    await mount('mounted');
    const whole = await damageFiles();
    const ids = new Set<string>();
    let failed = 0;
    const request = { size: 500, sort: ['n'], query: { range: { n: { gte: 2_000 } } } };
    let page = await ok(node.post('/mounted/_search?scroll=1m', request));
    for (let pages = 0; pages < 4; pages++) {
      for (const { _id: id } of page.hits.hits as Json[]) ids.add(id);
      failed += page._shards.failed > 0 ? 1 : 0;
      page = await ok(node.post('/_search/scroll', { scroll: '1m', scroll_id: page._scroll_id }));
    }
    expect(page.hits.hits).toEqual([]);
    expect(failed).toBeGreaterThan(0);
    const { _source: other } = await ok(node.get('/source/_doc/3999'));
    expect(other.n).toBe(3_999);
    // All of the other shard's.
    expect(ids.size).toBeGreaterThan(800);
    expect(ids.size).toBeLessThan(2_000);
    for (const [path, bytes] of whole) await writeFile(path, bytes);
  });

  it('is deleted while it is copied', async () => {
    await mount('mounted');
    expect(await stages('mounted')).toContain('FINALIZE');
    const files = await filesOf('mounted');
    expect(files.some((name) => name.endsWith('.copying'))).toBe(true);
    await ok(node.delete('/mounted'));
    await node.until(async () => {
      const left = await readdir(join(node.directory, 'data'), { recursive: true });
      return left.some((name) => name.endsWith('.copying')) ? undefined : true;
    });
  });

  it('fails searches that need a damaged part, and is copied once the part is whole', async () => {
    await mount('mounted');
    const whole = await damageFiles();
    const found = await ok(node.post('/mounted/_search', { query: { match_all: {} }, size: SOURCE_DOCUMENTS }));
    expect(found._shards).toMatchObject({ total: SHARDS, failed: 1, successful: SHARDS - 1 });
    const [{ reason }] = found._shards.failures;
    expect(reason.type).toBe('corrupt_index_exception');
    expect(reason.reason).toMatch(/_\w+\.seg\]: bytes \d+ to \d+ of the repository's file do not match/);
    expect((await ok(node.get('/_cluster/health/mounted'))).status).toBe('green');
    for (const [path, bytes] of whole) await writeFile(path, bytes);
    await whenCopied('mounted');
    expect(await count('mounted')).toBe(SOURCE_DOCUMENTS);
    await expectEqual('mounted', 10, 17);
  });
});

/** Of one shard. What its files were, by path. */
async function damageFiles(): Promise<Map<string, Buffer>> {
  const archive = join(repositories, 'archive');
  const names = (await readdir(archive, { recursive: true })).filter((name) => /\/0\/file-[^/]*$/.test(name));
  const whole = new Map<string, Buffer>();
  for (const name of names) {
    const bytes = await readFile(join(archive, name));
    whole.set(join(archive, name), bytes);
    const damaged = Buffer.from(bytes);
    for (let at = 0; at < damaged.length; at += 32 * KB) damaged[at] = (damaged[at] ?? 0) ^ 1;
    await writeFile(join(archive, name), damaged);
  }
  return whole;
}
