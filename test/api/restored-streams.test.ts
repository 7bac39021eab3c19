/** Restores of data streams and of single indices of them, over HTTP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  node = await TestNode.start({ 'path.repo': repositories });
  await done('PUT', '/_snapshot/backups', { type: 'fs', settings: { location: 'backups' } });
  await done('PUT', '/_index_template/streamed', { index_patterns: ['mm-*'], data_stream: {}, priority: 900 });
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

async function done(method: string, path: string, body?: Json): Promise<Json> {
  const answer = await node.request(method, path, body);
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json();
}

const write = (stream: string): Promise<Json> =>
  done('POST', `/${stream}/_doc?refresh=true`, { '@timestamp': '2026-01-01T00:00:00Z' });

const restore = (snapshot: string, body: Json): Promise<Json> =>
  done('POST', `/_snapshot/backups/${snapshot}/_restore?wait_for_completion=true`, body);

async function streams(): Promise<readonly Json[]> {
  return (await done('GET', '/_data_stream')).data_streams as Json[];
}

it('an index that is restored over a closed one of a stream belongs to the stream', async () => {
  await write('mm-one');
  await done('POST', '/mm-one/_rollover');
  await write('mm-one');
  await done('PUT', '/_snapshot/backups/one?wait_for_completion=true', { indices: 'mm-one' });
  const [stream] = await streams();
  const [first, second] = stream.indices as Json[];
  await done('POST', `/${first.index_name}/_close`);
  await restore('one', { indices: first.index_name });
  const [mended] = await streams();
  const settings = await done('GET', `/${first.index_name}/_settings`);
  const uuid: string = settings[first.index_name].settings.index.uuid;
  expect(uuid).not.toBe(first.index_uuid);
  expect(mended.indices.map(({ index_uuid: each }: Json) => each)).toEqual([uuid, second.index_uuid]);
  expect((await done('GET', '/mm-one/_count')).count).toBe(2);
  const again = await done('PUT', '/_snapshot/backups/again?wait_for_completion=true', { indices: 'mm-one' });
  expect(again.snapshot).toMatchObject({ data_streams: ['mm-one'] });
  expect(again.snapshot.indices).toHaveLength(2);
  await done('DELETE', '/_data_stream/mm-one');
  expect(await streams()).toEqual([]);
});

it.each([
  ['mm-*,-mm-b', ['mm-a', 'mm-two']],
  ['mm-*,-mm-b*', ['mm-a', 'mm-two']],
  ['mm-*,-mm-*', []],
  ['mm-*,-mm-*,mm-a', ['mm-a']],
  ['mm-b', ['mm-b']],
  ['_all', ['mm-a', 'mm-b', 'mm-two']],
])('of [%s] the streams %j are shown, searched, taken and restored', async (indices, names) => {
  for (const name of ['mm-two', 'mm-a', 'mm-b']) await write(name);
  const snapshot = indices.replaceAll(/[^a-z]/g, '_').replace(/^_*/, 's');
  const { data_streams: shown } = await done('GET', `/_data_stream/${indices}`);
  expect(shown.map(({ name }: Json) => String(name))).toEqual(names);
  expect((await done('GET', `/${indices}/_count`)).count).toBe(names.length);
  const taken = await done('PUT', `/_snapshot/backups/${snapshot}-part?wait_for_completion=true`, { indices });
  expect(taken.snapshot.data_streams).toEqual(names);
  await done('PUT', `/_snapshot/backups/${snapshot}?wait_for_completion=true`, { indices: 'mm-*' });
  await done('DELETE', '/_data_stream/mm-*');
  await restore(snapshot, { indices });
  expect((await streams()).map(({ name }) => String(name)).sort()).toEqual(names);
  if (names.length > 0) await done('DELETE', '/_data_stream/mm-*');
});
