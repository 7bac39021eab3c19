/** Names of indices, aliases and data streams stay different from each other when a restore brings some back, over HTTP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  node = await TestNode.start({ 'path.repo': repositories });
  await done('PUT', '/_snapshot/backups', { type: 'fs', settings: { location: 'backups' } });
  await done('PUT', '/_index_template/streamed', { index_patterns: ['mm-*'], data_stream: {}, priority: 900 });
  for (const stream of ['mm-1', 'mm-2']) {
    await done('POST', `/${stream}/_doc?refresh=true`, { '@timestamp': '2026-01-01T00:00:00Z' });
  }
  // So that their backing indices have different numbers.
  await done('POST', '/mm-1/_rollover');
  const [first] = (await done('GET', '/_data_stream/mm-1')).data_streams[0].indices as Json[];
  await done('DELETE', `/${first.index_name}`);
  await done('POST', '/_aliases', { actions: [{ add: { index: 'mm-2', alias: 'of-stream' } }] });
  await done('PUT', '/plain', { aliases: { 'of-index': {} } });
  await done('PUT', '/_snapshot/backups/all?wait_for_completion=true', { indices: 'mm-*,plain' });
  await done('DELETE', '/_data_stream/mm-*');
  await done('DELETE', '/plain');
});

afterEach(async () => {
  await done('DELETE', '/_data_stream/*');
  await done('DELETE', '/*?expand_wildcards=all');
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

async function refused(body: Json): Promise<string> {
  const before = await names();
  const answer = await node.post('/_snapshot/backups/all/_restore?wait_for_completion=true', body);
  expect([answer.status, answer.json().error?.type]).toEqual([500, 'snapshot_restore_exception']);
  expect(await names()).toEqual(before);
  return answer.json().error.reason as string;
}

const names = (): Promise<Json> => done('GET', '/_resolve/index/*?expand_wildcards=all');

it.each<[string, (name: string) => Promise<unknown>, Json, string]>([
  [
    'a stream and an index',
    (name) => done('PUT', `/${name}`),
    { indices: 'mm-2', include_aliases: false, rename_pattern: 'mm-2', rename_replacement: 'taken' },
    'data stream [taken] conflicts with index',
  ],
  [
    'a stream and an alias',
    (name) => done('PUT', '/other', { aliases: { [name]: {} } }),
    { indices: 'mm-2', include_aliases: false, rename_pattern: 'mm-2', rename_replacement: 'taken' },
    'data stream [taken] conflicts with alias',
  ],
  [
    'an alias of an index and an index',
    () => done('PUT', '/of-index'),
    { indices: 'plain' },
    'of-index (alias of [plain]) conflicts with index',
  ],
  [
    'an alias of an index and a stream',
    () =>
      done('PUT', '/_index_template/alone', { index_patterns: ['of-i*'], data_stream: {}, priority: 901 }).then(() =>
        done('PUT', '/_data_stream/of-index'),
      ),
    { indices: 'plain' },
    'of-index (alias of [plain]) conflicts with data stream',
  ],
  [
    'an alias of a stream and an index',
    () => done('PUT', '/of-stream'),
    { indices: 'mm-2' },
    'of-stream (alias of [mm-2]) conflicts with index',
  ],
])('%s cannot have the same name', async (_what, take, body, conflict) => {
  await take('taken');
  const rule = 'index, alias, and data stream names need to be unique, but the following duplicates were found';
  expect(await refused(body)).toBe(`[backups:all] ${rule} [${conflict}]`);
});

it('two streams cannot be renamed into one', async () => {
  const reason = await refused({ indices: 'mm-*', rename_pattern: 'mm-.', rename_replacement: 'one' });
  expect(reason).toBe('[backups:all] data streams [mm-2] and [mm-1] are renamed into the same data stream [one]');
});

it('what conflicts with nothing comes back', async () => {
  await done('POST', '/_snapshot/backups/all/_restore?wait_for_completion=true', { indices: 'mm-*,plain' });
  const { indices, aliases, data_streams: streams } = await names();
  expect(aliases.map(({ name }: Json) => name)).toEqual(['of-index', 'of-stream']);
  expect(streams.map(({ name }: Json) => name)).toEqual(['mm-1', 'mm-2']);
  expect(indices.map(({ name }: Json) => name)).toContain('plain');
});

it.each<[Json, readonly string[]]>([
  [{ include_aliases: false }, []],
  [{ rename_alias_pattern: 'of-(.+)', rename_alias_replacement: 'named-$1' }, ['named-index', 'named-stream']],
])('aliases of streams come back as those of indices do: %j', async (body, aliases) => {
  const restore = { indices: 'mm-2,plain', ...body };
  await done('POST', '/_snapshot/backups/all/_restore?wait_for_completion=true', restore);
  expect((await names()).aliases.map(({ name }: Json) => name)).toEqual(aliases);
});
