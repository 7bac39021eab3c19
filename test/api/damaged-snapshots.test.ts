/** Single blobs of a repository that are lost or damaged: what does not need them goes on, what does names them. */
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

const WAITS = '?wait_for_completion=true';

let node: TestNode;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-damaged-'));
  node = await TestNode.start({ 'path.repo': repositories });
  for (const index of ['goods', 'other']) {
    await ok(node.put(`/${index}`, { settings: { number_of_shards: 2, number_of_replicas: 0 } }));
    await write(index, 0);
  }
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

async function write(index: string, from: number): Promise<void> {
  const lines = Array.from({ length: 20 }, (_, at) => [{ index: { _id: String(from + at) } }, { n: from + at }]);
  await ok(node.bulk(`/${index}/_bulk?refresh=true`, lines.flat()));
}

async function registered(name: string): Promise<void> {
  await ok(node.put(`/_snapshot/${name}`, { type: 'fs', settings: { location: name, compress: false } }));
}

async function taken(name: string, body: Json): Promise<Json> {
  return (await ok(node.put(`/_snapshot/${name}${WAITS}`, body))).snapshot;
}

/** Below the repository, in order. */
async function blobs(repository: string, pattern: RegExp): Promise<readonly string[]> {
  const found = await readdir(join(repositories, repository), { recursive: true });
  return found.filter((name) => pattern.test(name)).sort();
}

/** One byte in the middle is another one. */
async function damage(path: string): Promise<void> {
  const bytes = await readFile(path);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

describe.each([
  ['lost', (path: string) => rename(path, `${path}.away`), /lacks the blob \[indices\/.+\/shard-.+\]/],
  ['damaged', damage, /^blob \[indices\/.+\/shard-.+\] does not match its checksum/],
] as const)('a list of what a shard has that is %s', (how, spoil, reason) => {
  const repository = `lists-${how}`;
  let list: string;

  beforeAll(async () => {
    await registered(repository);
    for (const name of ['one', 'two', 'three']) {
      expect((await taken(`${repository}/${name}`, { indices: 'goods,other' })).state).toBe('SUCCESS');
      await write('goods', 1_000);
    }
    [list = ''] = await blobs(repository, /\/0\/shard-/);
    await spoil(join(repositories, repository, list));
  });

  it('is told by the status of a snapshot, with all that is known besides', async () => {
    const { snapshots } = await ok(node.get(`/_snapshot/${repository}/three/_status`));
    expect(snapshots[0]).toMatchObject({ state: 'SUCCESS', shards_stats: { done: 3, failed: 1, total: 4 } });
    const shards = Object.values(snapshots[0].indices as Json).flatMap((index: Json) => Object.values(index.shards));
    const failed = shards.filter((shard: Json) => shard.stage === 'FAILURE') as readonly Json[];
    expect(failed).toMatchObject([{ reason: expect.stringMatching(reason) }]);
  });

  it('holds up no deletion, and none of its files go', async () => {
    const folder = new RegExp(`^${list.slice(0, list.lastIndexOf('/'))}/`);
    const before = await blobs(repository, folder);
    const all = await blobs(repository, /^/);
    await ok(node.delete(`/_snapshot/${repository}/one`));
    await ok(node.post(`/_snapshot/${repository}/_cleanup`));
    expect((await ok(node.get(`/_snapshot/${repository}/*`))).total).toBe(2);
    expect(await blobs(repository, folder)).toEqual(before);
    expect((await blobs(repository, /^/)).length).toBeLessThan(all.length);
    const told = (await node.logged()).filter((line: Json) => line.blob === list);
    // By the deletion, and by the cleanup.
    expect(told).toHaveLength(2);
    expect(told[0]?.msg).toMatch(/^failed to delete shard data for shard \[\w+\]\[0\]: its files stay$/);
  });

  it('leaves the other shards to restores', async () => {
    const body = { indices: 'goods,other', rename_pattern: '^', rename_replacement: 'back-' };
    const { snapshot } = await ok(node.post(`/_snapshot/${repository}/three/_restore${WAITS}`, body));
    expect(snapshot.shards).toEqual({ total: 4, failed: 1, successful: 3 });
    await ok(node.delete('/back-goods,back-other'));
  });

  it('goes with the folder of its index', async () => {
    await ok(node.delete(`/_snapshot/${repository}/two,three`));
    expect(await blobs(repository, /^indices\//)).toEqual([]);
  });
});

describe.each([
  ['lost', (path: string) => rename(path, `${path}.away`), 404, 'lacks the blob [metadata-'],
  ['damaged', damage, 500, 'failed to read global metadata: blob [metadata-'],
] as const)('what a snapshot keeps of the cluster that is %s', (how, spoil, status, reason) => {
  const repository = `globals-${how}`;

  beforeAll(async () => {
    await ok(node.put('/_index_template/streamed', { index_patterns: ['st-*'], data_stream: {}, priority: 900 }));
    await ok(node.post('/st-one/_doc?refresh=true', { '@timestamp': '2026-01-01T00:00:00Z' }));
    await registered(repository);
    await taken(`${repository}/whole`, { indices: 'goods,st-one' });
    await taken(`${repository}/bare`, { indices: 'goods', include_global_state: false });
    await ok(node.delete('/_data_stream/st-one'));
    for (const name of await blobs(repository, /^metadata-/)) await spoil(join(repositories, repository, name));
  });

  it('is not needed to restore, mount or clone indices', async () => {
    const body = { indices: 'goods', rename_pattern: '^', rename_replacement: 'back-' };
    const { snapshot } = await ok(node.post(`/_snapshot/${repository}/whole/_restore${WAITS}`, body));
    expect(snapshot.shards).toEqual({ total: 2, failed: 0, successful: 2 });
    const mount = { index: 'goods', renamed_index: 'mounted' };
    const mounted = await ok(node.post(`/_snapshot/${repository}/whole/_mount${WAITS}`, mount));
    expect(mounted.snapshot.shards).toEqual({ total: 2, failed: 0, successful: 2 });
    await ok(node.delete('/back-goods,mounted'));
    await ok(node.put(`/_snapshot/${repository}/bare/_clone/copy`, { indices: 'goods' }));
    const [copy] = (await ok(node.get(`/_snapshot/${repository}/copy`))).snapshots;
    expect(copy).toMatchObject({ state: 'SUCCESS', include_global_state: false });
  });

  it.each([
    ['the global state', { indices: 'goods', include_global_state: true, feature_states: ['none'] }],
    ['a data stream', { indices: 'st-one' }],
  ])('is named where %s is wanted', async (_what, body) => {
    const answer = await node.post(`/_snapshot/${repository}/whole/_restore${WAITS}`, body);
    expect([answer.status, answer.json().error.reason]).toEqual([status, expect.stringContaining(reason)]);
    expect(answer.text).not.toContain(repositories);
  });

  it('is named by a clone of a snapshot that has it', async () => {
    const answer = await node.put(`/_snapshot/${repository}/whole/_clone/other`, { indices: 'goods' });
    expect([answer.status, answer.json().error.reason]).toEqual([status, expect.stringContaining(reason)]);
  });
});

it.each([{}, { chunk_size: '1kb' }])('a damaged file is told by its name in the repository, with %j', async (more) => {
  const repository = `files-${Object.keys(more).length}`;
  await ok(node.put(`/_snapshot/${repository}`, { type: 'fs', settings: { location: repository, ...more } }));
  await taken(`${repository}/one`, { indices: 'goods' });
  const [file = ''] = await blobs(repository, /\/file-/);
  await damage(join(repositories, repository, file));
  const body = { indices: 'goods', rename_pattern: '^', rename_replacement: 'back-' };
  const { snapshot } = await ok(node.post(`/_snapshot/${repository}/one/_restore${WAITS}`, body));
  expect(snapshot.shards).toEqual({ total: 2, failed: 1, successful: 1 });
  const explained = await ok(node.post('/_cluster/allocation/explain', {}));
  const { details } = explained.unassigned_info;
  expect(details).toContain(`corrupt_index_exception: blob [`);
  expect(details).toContain(file);
  expect(details).not.toContain('.tmp');
  await ok(node.delete('/back-goods'));
});

it('a partial snapshot counts the shards of indices that it has: not of one that was deleted meanwhile', async () => {
  const settings = { location: 'counts', max_snapshot_bytes_per_sec: '30kb' };
  await ok(node.put('/_snapshot/counts', { type: 'fs', settings }));
  await ok(node.put('/short-lived', { settings: { number_of_shards: 3, number_of_replicas: 0 } }));
  const lines = Array.from({ length: 300 }, (_, at) => [{ index: {} }, { text: String(Math.sin(at)).repeat(20) }]);
  await ok(node.bulk('/short-lived/_bulk?refresh=true', lines.flat()));
  await ok(node.put('/_snapshot/counts/one', { indices: 'goods,short-lived', partial: true }));
  await ok(node.delete('/short-lived'));
  const record = await node.until(async () => {
    const [found] = (await ok(node.get('/_snapshot/counts/one'))).snapshots;
    return found.state === 'IN_PROGRESS' ? undefined : (found as Json);
  });
  const counted = {
    indices: ['goods'],
    state: 'SUCCESS',
    shards: { total: 2, failed: 0, successful: 2 },
    failures: [],
  };
  expect(record).toMatchObject(counted);
  const [line] = (await ok(node.get('/_cat/snapshots/counts?format=json'))) as readonly Json[];
  expect(line).toMatchObject({ total_shards: '2', successful_shards: '2', failed_shards: '0' });
});
