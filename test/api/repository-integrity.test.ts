/** `_verify_integrity`: what is missing or damaged in a repository is told by its place. */
import { mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

const PATH = '/_snapshot/kept/_verify_integrity';

let node: TestNode;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  node = await TestNode.start({ 'path.repo': repositories });
  await node.put('/_snapshot/kept', { type: 'fs', settings: { location: 'kept' } });
  await node.put('/goods', { settings: { number_of_shards: 2, number_of_replicas: 0 } });
  for (let n = 0; n < 20; n++) await node.put(`/goods/_doc/${n}`, { n });
  for (const name of ['one', 'two']) {
    const taken = await node.put(`/_snapshot/kept/${name}?wait_for_completion=true`, { indices: 'goods' });
    expect(taken.json().snapshot.state).toBe('SUCCESS');
  }
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

async function verify(query = ''): Promise<Json> {
  const answer = await node.post(`${PATH}${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json();
}

async function blobs(pattern: RegExp): Promise<readonly string[]> {
  const found = await readdir(join(repositories, 'kept'), { recursive: true });
  return found.filter((name) => pattern.test(name)).map((name) => join(repositories, 'kept', name));
}

it('passes a sound repository', async () => {
  const { log, results } = await verify();
  expect(log).toEqual([]);
  expect(results).toEqual({
    status: {
      repository: { name: 'kept', uuid: expect.any(String), generation: 1 },
      snapshots: { verified: 2, total: 2 },
      indices: { verified: 1, total: 1 },
      index_snapshots: { verified: 2, total: 2 },
    },
    final_repository_generation: 1,
    total_anomalies: 0,
    result: 'pass',
  });
});

it.each([
  ['a file that is gone', /\/file-/, 'missing blob'],
  ['checksums of parts that are gone', /\/parts-/, 'missing blob'],
  ['a set of segments that is gone', /\/segments-/, 'failed to load set of segments'],
  ['a generation that is gone', /\/shard-/, 'failed to load shard generation'],
  ['metadata of an index that is gone', /\/metadata-/, 'failed to load index metadata'],
  ['a snapshot that is gone', /^snapshot-/, 'failed to load snapshot info'],
])('tells of %s', async (_what, pattern, anomaly) => {
  const [path = ''] = await blobs(pattern);
  await rename(path, `${path}.away`);
  const { log, results } = await verify();
  expect(log[0]).toMatchObject({ anomaly: expect.stringContaining(anomaly), timestamp_in_millis: expect.any(Number) });
  expect(results).toMatchObject({ total_anomalies: log.length, result: 'fail' });
  await rename(`${path}.away`, path);
  expect((await verify()).results.result).toBe('pass');
});

it('tells of files that are too short, and of metadata that was changed', async () => {
  for (const [pattern, anomaly] of [
    [/\/file-/, 'mismatched blob length'],
    [/\/parts-/, 'failed to load checksums'],
    [/^snapshot-/, 'failed to load snapshot info'],
  ] as const) {
    const [path = ''] = await blobs(pattern);
    const whole = await readFile(path);
    await truncate(path, whole.length - 1);
    const { log } = await verify();
    expect(JSON.stringify(log)).toContain(anomaly);
    await writeFile(path, whole);
  }
  expect((await verify()).results.result).toBe('pass');
});

it('tells of a root that was damaged since the node read it, and that clones and lists remember', async () => {
  const [path = ''] = await blobs(/^root-1$/);
  const whole = await readFile(path);
  await writeFile(path, 'nothing of the kind');
  const answer = await node.post(PATH);
  expect([answer.status, answer.json().error.type]).toEqual([500, 'corrupt_index_exception']);
  expect(answer.json().error.reason).toContain('blob [root-1] ');
  expect((await node.get('/_snapshot/kept/*')).json().total).toBe(2);
  await writeFile(path, whole);
  expect((await verify()).results.result).toBe('pass');
});

it.each([0, 10])('a restore of a file that was cut to %i bytes is not tried again', async (length) => {
  const path = (await blobs(/\/file-/)).at(-1) ?? '';
  const whole = await readFile(path);
  await truncate(path, length);
  const body = { rename_pattern: 'goods', rename_replacement: 'back' };
  const restored = await node.post('/_snapshot/kept/two/_restore?wait_for_completion=true', body);
  expect(restored.json().snapshot.shards).toEqual({ total: 2, failed: 1, successful: 1 });
  const explained = await node.post('/_cluster/allocation/explain', {});
  const { failed_allocation_attempts: attempts, details } = explained.json().unassigned_info;
  expect([attempts, details]).toEqual([1, expect.stringContaining('corrupt_index_exception: ')]);
  await node.delete('/back');
  await writeFile(path, whole);
});

it('reads files where that is asked for, and tells of a bit that changed', async () => {
  const sound = await verify('?verify_blob_contents&blob_thread_pool_concurrency=3&max_bytes_per_sec=100mb');
  expect(sound.log).toEqual([]);
  const paths = await blobs(/\/file-/);
  for (const [at, path] of paths.entries()) {
    const whole = await readFile(path);
    const damaged = Buffer.from(whole);
    const place = Math.floor((whole.length * (at + 1)) / (paths.length + 1));
    damaged[place] = (damaged[place] ?? 0) ^ 16;
    await writeFile(path, damaged);
    expect((await verify()).results.result).toBe('pass');
    const { log, results } = await verify('?verify_blob_contents=true&index_snapshot_verification_concurrency=2');
    expect(results).toMatchObject({ total_anomalies: 1, result: 'fail' });
    expect(log[0]).toMatchObject({
      anomaly: expect.stringContaining(path.slice(path.lastIndexOf('/') + 1)),
      index: { name: 'goods' },
      exception: { type: 'corrupt_index_exception' },
    });
    await writeFile(path, whole);
  }
  expect((await verify('?verify_blob_contents')).results.result).toBe('pass');
});

it('ends where there are more anomalies than are wanted, and refuses what it does not offer', async () => {
  const paths = await blobs(/\/segments-/);
  for (const path of paths) await rename(path, `${path}.away`);
  expect((await verify(`?max_failed_shard_snapshots=${paths.length}`)).results.total_anomalies).toBe(paths.length);
  const many = await node.post(`${PATH}?max_failed_shard_snapshots=${paths.length - 1}`);
  expect(many.json().error).toMatchObject({ type: 'repository_verification_exception' });
  for (const path of paths) await rename(`${path}.away`, path);
  const refused = ['max_bytes_per_sec=1mb', 'snapshot_verification_concurrency=0', 'blob_thread_pool_concurrency=17'];
  for (const query of refused) {
    expect((await node.post(`${PATH}?${query}`)).status).toBe(400);
  }
  expect((await node.post('/_snapshot/none/_verify_integrity')).status).toBe(404);
});
