/** Snapshots over HTTP: a real node, a repository in a real directory. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  node = await TestNode.start({ 'path.repo': repositories });
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

async function put(path: string, body: Json = {}): Promise<Json> {
  const answer = await node.put(path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.json();
}

async function repository(name: string, settings: Json = {}): Promise<string> {
  await put(`/_snapshot/${name}`, { type: 'fs', settings: { location: name, ...settings } });
  return join(repositories, name);
}

async function fill(index: string, from: number, to: number, shards = 1): Promise<void> {
  const exists = (await node.get(`/${index}`)).status === 200;
  if (!exists) await put(`/${index}`, { settings: { number_of_shards: shards, number_of_replicas: 0 } });
  const lines = Array.from({ length: to - from }, (_, at) => [
    { index: { _id: String(from + at) } },
    { n: from + at, text: `document number ${from + at} of ${index}` },
  ]).flat();
  const { errors } = (await node.bulk(`/${index}/_bulk?refresh=true`, lines)).json();
  expect(errors).toBe(false);
}

async function count(index: string): Promise<number> {
  return (await node.get(`/${index}/_count`)).json().count;
}

/** All files below a directory, with their lengths. */
async function files(directory: string): Promise<ReadonlyMap<string, number>> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  const found = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(found.map(async (path) => (await stat(path)).size));
  return new Map(found.map((path, at) => [path.slice(directory.length + 1), sizes[at] ?? 0]));
}

async function snapshot(name: string, body: Json = {}): Promise<Json> {
  return (await put(`/_snapshot/${name}?wait_for_completion=true`, body)).snapshot;
}

describe('a repository', () => {
  it('is registered, shown, verified and forgotten', async () => {
    await repository('shown', { max_snapshot_bytes_per_sec: '20mb' });
    const shown = await node.get('/_snapshot/shown');
    expect(shown.status).toBe(200);
    expect(shown.json()).toEqual({
      shown: { type: 'fs', settings: { location: 'shown', max_snapshot_bytes_per_sec: '20mb' } },
    });
    expect(Object.values((await node.post('/_snapshot/shown/_verify')).json().nodes)).toHaveLength(1);
    expect((await node.get('/_cat/repositories?h=id,type')).text).toContain('shown fs');
    expect((await node.delete('/_snapshot/shown')).json()).toEqual({ acknowledged: true });
    expect(await node.get('/_snapshot/shown')).toMatchObject({ status: 404 });
  });

  it('shows the uuid of what lies there, whichever name and cluster it is registered under', async () => {
    const uuidOf = async (name: string): Promise<unknown> => (await node.get(`/_snapshot/${name}`)).json()[name].uuid;
    await repository('numbered');
    expect(await uuidOf('numbered')).toBeUndefined();
    await put('/_snapshot/numbered/one?wait_for_completion=true', { indices: 'absent*' });
    const uuid = await uuidOf('numbered');
    expect(uuid).toMatch(/^[\w-]{22}$/);
    await put('/_snapshot/again', { type: 'fs', settings: { location: 'numbered', readonly: true } });
    expect(await uuidOf('again')).toBe(uuid);
    await put('/_snapshot/unseen?verify=false', { type: 'fs', settings: { location: 'numbered' } });
    expect(await uuidOf('unseen')).toBeUndefined();
    expect((await node.delete('/_snapshot/unseen/one')).status).toBe(200);
    expect(await uuidOf('unseen')).toBe(uuid);
    expect(Object.keys((await node.get('/_snapshot/again')).json().again)).toEqual(['type', 'uuid', 'settings']);
    const twin = await TestNode.start({ 'path.repo': repositories, 'compatibility.distribution': 'opensearch' });
    try {
      await twin.put('/_snapshot/there', { type: 'fs', settings: { location: 'numbered' } });
      const { there } = (await twin.get('/_snapshot/there')).json();
      expect(there).toEqual({ type: 'fs', settings: { location: 'numbered' } });
    } finally {
      await twin.stop();
    }
    for (const name of ['numbered', 'again', 'unseen']) await node.delete(`/_snapshot/${name}`);
  });

  it.each([
    ['an unknown type', { type: 'tape', settings: {} }, /repository type \[tape\] does not exist/],
    ['no location', { type: 'fs' }, /missing location/],
    [
      'a place outside of path.repo',
      { type: 'fs', settings: { location: '/etc' } },
      /doesn't match any of the locations/,
    ],
    ['a way out of path.repo', { type: 'fs', settings: { location: '../x' } }, /doesn't match any of the locations/],
    ['a place that is none', { type: 'fs', settings: { location: 'a\0b' } }, /must not contain \[\\u0000\]/],
    ['an unknown setting', { type: 'fs', settings: { location: 'a', colour: 'red' } }, /unknown setting \[colour\]/],
    [
      'a rate that is none',
      { type: 'fs', settings: { location: 'a', max_snapshot_bytes_per_sec: 'x' } },
      /max_snapshot/,
    ],
    [
      'chunks that are too short',
      { type: 'fs', settings: { location: 'a', chunk_size: '4b' } },
      /failed to parse value \[4b\] for setting \[chunk_size\], must be >= \[5b\]/,
    ],
  ])('is refused with %s', async (_what, body, reason) => {
    const answer = await node.put('/_snapshot/refused', body);
    expect(answer.status).toBe(400);
    expect(answer.json().error).toMatchObject({ type: 'repository_exception', reason: expect.stringMatching(reason) });
    expect((await node.get('/_snapshot/refused')).status).toBe(404);
  });
});

describe('a snapshot', () => {
  it('comes back whole, in the place of what was there or beside it', async () => {
    await repository('whole');
    await fill('goods', 0, 500, 2);
    await node.post('/_aliases', { actions: [{ add: { index: 'goods', alias: 'wares' } }] });
    const taken = await snapshot('whole/first', { indices: 'goods', metadata: { why: 'a test' } });
    expect(taken).toMatchObject({
      snapshot: 'first',
      repository: 'whole',
      state: 'SUCCESS',
      indices: ['goods'],
      metadata: { why: 'a test' },
      include_global_state: true,
      failures: [],
      shards: { total: 2, failed: 0, successful: 2 },
    });
    await node.post('/goods/_delete_by_query?refresh=true', { query: { range: { n: { gte: 100 } } } });
    expect(await count('goods')).toBe(100);
    const open = await node.post('/_snapshot/whole/first/_restore', {});
    expect(open.json().error).toMatchObject({
      type: 'snapshot_restore_exception',
      reason: expect.stringContaining('open index'),
    });
    await node.post('/goods/_close');
    const restored = await node.post('/_snapshot/whole/first/_restore?wait_for_completion=true', {});
    expect(restored.json()).toEqual({
      snapshot: { snapshot: 'first', indices: ['goods'], shards: { total: 2, failed: 0, successful: 2 } },
    });
    expect(await count('wares')).toBe(500);
    const beside = { rename_pattern: '(.+)', rename_replacement: 'old-$1', include_aliases: false };
    await node.post('/_snapshot/whole/first/_restore?wait_for_completion=true', beside);
    expect(await count('old-goods')).toBe(500);
    expect((await node.get('/old-goods/_alias')).json()).toEqual({ 'old-goods': { aliases: {} } });
    // Writes go on where they were.
    expect((await node.put('/old-goods/_doc/new?refresh=true', { n: 1 })).status).toBe(201);
    expect(await count('old-goods')).toBe(501);
    const { shards } = (await node.get('/old-goods/_recovery')).json()['old-goods'];
    expect(shards[0]).toMatchObject({
      type: 'SNAPSHOT',
      stage: 'DONE',
      source: { snapshot: 'first', repository: 'whole' },
    });
  });

  it('adds what is new, and takes away what nobody else needs', async () => {
    const directory = await repository('steps');
    await fill('steps', 0, 1_000);
    await snapshot('steps/one', { indices: 'steps' });
    const first = await files(directory);
    const data = (all: ReadonlyMap<string, number>): readonly string[] =>
      [...all.keys()].filter((name) => name.includes('/file-'));
    await snapshot('steps/two', { indices: 'steps' });
    expect(data(await files(directory))).toEqual(data(first));
    await fill('steps', 1_000, 1_100);
    await snapshot('steps/three', { indices: 'steps' });
    expect(data(await files(directory)).length).toBeGreaterThan(data(first).length);
    expect((await node.delete('/_snapshot/steps/three,two')).json()).toEqual({ acknowledged: true });
    expect(data(await files(directory))).toEqual(data(first));
    await node.post('/_snapshot/steps/one/_restore?wait_for_completion=true', {
      rename_pattern: 'steps',
      rename_replacement: 'steps-one',
    });
    expect(await count('steps-one')).toBe(1_000);
    await node.delete('/_snapshot/steps/*');
    const left = [...(await files(directory)).keys()];
    expect(left.filter((name) => !name.startsWith('root-') && name !== 'latest')).toEqual([]);
  });

  it('has closed indices as well, which come back open', async () => {
    await repository('closed');
    await fill('shut', 0, 120, 2);
    await node.post('/shut/_close');
    expect(await snapshot('closed/one', { indices: 'shut' })).toMatchObject({
      state: 'SUCCESS',
      shards: { successful: 2 },
    });
    await node.post('/shut/_open');
    await fill('shut', 120, 150);
    expect(await count('shut')).toBe(150);
    await node.post('/shut/_close');
    await node.post('/_snapshot/closed/one/_restore?wait_for_completion=true');
    expect(await count('shut')).toBe(120);
  });

  it('is listed, counted and told of', async () => {
    await repository('listed');
    await fill('listed', 0, 10);
    await snapshot('listed/a', { indices: 'listed' });
    await snapshot('listed/b', { indices: 'listed' });
    const all = (await node.get('/_snapshot/listed/_all')).json();
    expect(all).toMatchObject({ total: 2, remaining: 0 });
    expect(all.snapshots.map((each: Json) => each.snapshot)).toEqual(['a', 'b']);
    const page = (await node.get('/_snapshot/listed/*?size=1&order=desc&sort=name')).json();
    expect(page).toMatchObject({ total: 2, remaining: 1, snapshots: [{ snapshot: 'b' }] });
    const rest = (await node.get(`/_snapshot/listed/*?size=1&order=desc&sort=name&after=${page.next}`)).json();
    expect(rest).toMatchObject({ remaining: 0, snapshots: [{ snapshot: 'a' }] });
    const status = (await node.get('/_snapshot/listed/b/_status')).json().snapshots[0];
    expect(status).toMatchObject({ state: 'SUCCESS', shards_stats: { done: 1, failed: 0, total: 1 } });
    expect(status.stats.incremental.file_count).toBe(0);
    expect(status.stats.total.file_count).toBeGreaterThan(0);
    const cat = (
      await node.get('/_cat/snapshots/listed?h=id,repository,status,indices,total_shards&format=json')
    ).json();
    expect(cat).toEqual([
      { id: 'a', repository: 'listed', status: 'SUCCESS', indices: '1', total_shards: '1' },
      { id: 'b', repository: 'listed', status: 'SUCCESS', indices: '1', total_shards: '1' },
    ]);
    expect((await node.get('/_snapshot/listed/c')).json().error).toMatchObject({
      type: 'snapshot_missing_exception',
      reason: '[listed:c] is missing',
    });
    const again = await node.put('/_snapshot/listed/a', {});
    expect(again.json().error.type).toBe('snapshot_name_already_in_use_exception');
    expect((await node.put('/_snapshot/listed/Upper', {})).json().error.type).toBe('invalid_snapshot_name_exception');
  });

  it('is not restored with other settings where these are what an index is', async () => {
    await repository('fixed');
    await fill('fixed', 0, 3);
    await snapshot('fixed/one', { indices: 'fixed' });
    const restore = (more: Json): Promise<Answer> =>
      node.post('/_snapshot/fixed/one/_restore', { rename_pattern: '$', rename_replacement: '-again', ...more });
    const refusals = [
      await restore({ index_settings: { number_of_shards: 3 } }),
      await restore({ ignore_index_settings: 'index.uuid' }),
    ];
    expect(refusals.map((answer) => answer.json().error.reason)).toEqual([
      '[fixed:one] cannot modify setting [index.number_of_shards] on restore',
      '[fixed:one] cannot remove setting [index.uuid] on restore',
    ]);
    expect((await node.get('/fixed-again')).status).toBe(404);
  });

  it('is not cloned where the metadata of an index is lost: nobody could restore it', async () => {
    const directory = await repository('lost-metadata');
    await fill('lost-metadata', 0, 5);
    await snapshot('lost-metadata/source', { indices: 'lost-metadata' });
    const lost = [...(await files(directory)).keys()].filter((file) => /^indices\/[^/]+\/metadata-/.test(file));
    expect(lost).toHaveLength(1);
    await rm(join(directory, lost[0] ?? ''));
    const answer = await node.put('/_snapshot/lost-metadata/source/_clone/copy', { indices: 'lost-metadata' });
    expect(answer.json().error.type).toBe('snapshot_missing_exception');
    const { snapshots } = (await node.get('/_snapshot/lost-metadata/*')).json();
    expect(snapshots.map(({ snapshot: name }: Json) => name)).toEqual(['source']);
  });

  it('is cloned without copying files', async () => {
    const directory = await repository('clones');
    await fill('cloned-a', 0, 50);
    await fill('cloned-b', 0, 50);
    await snapshot('clones/source', { indices: 'cloned-*' });
    const empty = await node.put('/_snapshot/clones/source/_clone/copy', { indices: 'absent-*,-cloned-a' });
    expect([empty.status, empty.json().error]).toMatchObject([
      500,
      {
        type: 'snapshot_exception',
        reason: expect.stringMatching(
          /^\[clones:source\/(.+)\] No indices in the source snapshot \[source\/\1\] matched requested pattern \[absent-\*,-cloned-a\]$/,
        ),
      },
    ]);
    expect((await node.put('/_snapshot/clones/source/_clone/copy', { indices: 'cloned-a' })).status).toBe(200);
    await node.delete('/_snapshot/clones/source');
    const { snapshots } = (await node.get('/_snapshot/clones/copy')).json();
    expect(snapshots[0]).toMatchObject({
      indices: ['cloned-a'],
      state: 'SUCCESS',
      shards: { total: 1, successful: 1 },
    });
    await node.delete('/cloned-a');
    await node.post('/_snapshot/clones/copy/_restore?wait_for_completion=true');
    expect(await count('cloned-a')).toBe(50);
    const data = [...(await files(directory)).keys()].filter((name) => name.includes('/file-'));
    expect(new Set(data.map((name) => name.split('/')[1])).size).toBe(1);
  });

  it('is cloned without indices of which a shard failed alone', async () => {
    await repository('halves');
    await fill('half-sound', 0, 5);
    const nowhere = { number_of_replicas: 0, 'index.routing.allocation.require._name': 'nobody' };
    await put('/half-lost?wait_for_active_shards=0', { settings: nowhere });
    const source = await snapshot('halves/source', { indices: 'half-*', partial: true });
    expect([source.state, source.shards.failed]).toEqual(['PARTIAL', 1]);
    for (const indices of ['half-lost', 'half-*']) {
      const refused = await node.put('/_snapshot/halves/source/_clone/bad', { indices });
      expect(refused.status, refused.text).toBe(500);
      expect(refused.json().error).toMatchObject({
        type: 'snapshot_exception',
        reason: expect.stringMatching(
          /^\[halves:bad\] Can't clone index \[\[half-lost\/.+\]\] because its snapshot was not successful\.$/,
        ),
      });
    }
    await put('/_snapshot/halves/source/_clone/good', { indices: 'half-sound' });
    const { snapshots } = (await node.get('/_snapshot/halves/*')).json();
    expect(snapshots.map((each: Json) => [each.snapshot, each.state])).toEqual([
      ['source', 'PARTIAL'],
      ['good', 'SUCCESS'],
    ]);
    await node.delete('/half-lost');
  });
});

it('what a name must not contain is refused, and an index that a snapshot lacks is not found', async () => {
  await repository('names');
  await fill('named', 0, 5);
  for (const [name, shown] of [
    ['a%00b', '\\u0000'],
    ['a%1Fb', '\\u001f'],
    ['a%23b', '#'],
  ]) {
    const refused = await node.put(`/_snapshot/names/${name}`, undefined);
    expect(refused.status).toBe(400);
    expect(refused.json().error).toMatchObject({
      type: 'invalid_snapshot_name_exception',
      reason: expect.stringContaining(`must not contain [${shown}]`),
    });
  }
  await snapshot('names/one', { indices: 'named' });
  for (const [path, body] of [
    ['_restore', { indices: 'absent' }],
    ['_clone/two', { indices: 'absent' }],
  ] as const) {
    const method = (target: string): Promise<Answer> =>
      path === '_restore' ? node.post(target, body) : node.put(target, body);
    const missing = await method(`/_snapshot/names/one/${path}`);
    expect(missing.status).toBe(404);
    expect(missing.json().error).toMatchObject({
      type: 'index_not_found_exception',
      reason: 'no such index [absent]',
    });
  }
});

describe('a snapshot of which the record is lost or damaged', () => {
  let lost = '';
  let damaged = '';

  beforeAll(async () => {
    const directory = await repository('records');
    await fill('recorded', 0, 5);
    for (const name of ['one', 'two', 'three', 'four']) await snapshot(`records/${name}`, { indices: 'recorded' });
    const uuidOf = async (name: string): Promise<string> =>
      (await node.get(`/_snapshot/records/${name}`)).json().snapshots[0].uuid;
    [lost, damaged] = [await uuidOf('one'), await uuidOf('three')];
    await rm(join(directory, `snapshot-${lost}`));
    await writeFile(join(directory, `snapshot-${damaged}`), 'nothing of the kind');
  });

  it('fails what needs it, by its name and without a place on the disk', async () => {
    for (const ask of [
      () => node.get('/_snapshot/records/one'),
      () => node.get('/_snapshot/records/one/_status'),
      () => node.put('/_snapshot/records/one/_clone/copy', { indices: 'recorded' }),
      () => node.post('/_snapshot/records/one/_restore', { rename_pattern: '$', rename_replacement: '-again' }),
    ]) {
      const missing = await ask();
      expect(missing.status, missing.text).toBe(404);
      expect(missing.json().error).toMatchObject({
        type: 'snapshot_missing_exception',
        reason: `[records:one/${lost}] is missing`,
      });
      expect(missing.text).not.toContain(repositories);
    }
    const unreadable = await node.get('/_snapshot/records/three');
    expect(unreadable.status).toBe(500);
    expect(unreadable.json().error).toMatchObject({
      type: 'snapshot_exception',
      reason: expect.stringContaining(
        `[records:three/${damaged}] Snapshot could not be read: blob [snapshot-${damaged}] `,
      ),
    });
    expect(unreadable.text).not.toContain(repositories);
    expect((await node.get('/_snapshot/records/*?order=asc&size=1')).json().error.type).toBe(
      'snapshot_missing_exception',
    );
  });

  it.each([
    ['what it keeps of the cluster', (uuid: string) => `metadata-${uuid}`, /^metadata-/],
    ['what it keeps of an index', () => '', /^indices\/[^/]+\/metadata-/],
  ])('cannot be restored without %s, likewise', async (_, nameOf, form) => {
    const directory = join(repositories, 'records');
    const { uuid } = (await node.get('/_snapshot/records/four')).json().snapshots[0];
    const names = [...(await files(directory)).keys()].filter((name) => form.test(name));
    const blob = join(directory, nameOf(uuid) || (names[0] ?? ''));
    const bytes = await readFile(blob);
    const restore = (): Promise<Answer> =>
      node.post('/_snapshot/records/four/_restore', {
        rename_pattern: '$',
        rename_replacement: '-again',
        include_global_state: true,
      });
    await rm(blob);
    const missing = await restore();
    await writeFile(blob, 'nothing of the kind');
    const unreadable = await restore();
    await writeFile(blob, bytes);
    expect([missing.status, missing.json().error.type], missing.text).toEqual([404, 'snapshot_missing_exception']);
    expect([unreadable.status, unreadable.json().error.type]).toEqual([500, 'snapshot_exception']);
    expect(missing.text + unreadable.text).not.toContain(repositories);
  });

  it('is left out of lists that ignore what is not available, and of their pages', async () => {
    const listed = async (query: string): Promise<Json> => {
      const answer = await node.get(`/_snapshot/records/${query}`);
      expect(answer.status, answer.text).toBe(200);
      const { snapshots, ...rest } = answer.json();
      return { names: snapshots.map((each: Json) => each.snapshot), ...rest };
    };
    const all = await listed('*?ignore_unavailable=true');
    expect(all).toEqual({ names: ['two', 'four'], total: 2, remaining: 0 });
    const page = '*?ignore_unavailable=true&size=1&sort=start_time';
    const first = await listed(page);
    expect(first).toMatchObject({ names: ['two'], remaining: 2, next: expect.any(String) });
    expect(await listed(`${page}&after=${first.next}`)).toEqual({ names: ['four'], total: 3, remaining: 0 });
    expect(await listed('one?ignore_unavailable=true')).toEqual({ names: [], total: 0, remaining: 0 });
    // What is told without the records.
    expect((await listed('*?verbose=false')).names).toEqual(['one', 'two', 'three', 'four']);
    const lines = (await node.get('/_cat/snapshots/records?format=json')).json();
    expect(lines.map((line: Json) => line.id)).toEqual(['one', 'two', 'three', 'four']);
  });
});

it('a data stream is renamed with its indices, whose names keep their form', async () => {
  await repository('streams');
  await put('/_index_template/streamed', { index_patterns: ['ds-one*'], data_stream: {}, priority: 900 });
  expect((await node.put('/_data_stream/ds-one')).status).toBe(200);
  await fill('beside', 0, 1);
  await snapshot('streams/one', { indices: ['ds-one', 'beside'], include_global_state: false });
  const former: Json = (await node.get('/_data_stream/ds-one')).json().data_streams[0];
  const [{ index_name: index }] = former.indices;
  const renaming = { rename_pattern: '(.+)', rename_replacement: 'ds-restored-$1' };
  const restored = await node.post('/_snapshot/streams/one/_restore?wait_for_completion=true', {
    indices: ['ds-one', 'beside'],
    ...renaming,
  });
  expect(restored.status, restored.text).toBe(200);
  const made: Json = (await node.get('/_data_stream/ds-restored-ds-one')).json().data_streams[0];
  const name = `.ds-ds-restored-${index.slice('.ds-'.length)}`;
  expect(made.indices.map((each: Json) => each.index_name)).toEqual([name]);
  expect(await count('ds-restored-beside')).toBe(1);
  expect((await node.post('/ds-restored-ds-one/_doc?refresh=true', { '@timestamp': '2026-01-01' })).status).toBe(201);
  await node.delete('/_data_stream/ds-*');
  await node.delete('/_index_template/streamed');
});
