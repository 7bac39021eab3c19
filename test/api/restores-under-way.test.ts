/** What a node answers while it restores an index slowly: nothing of it waits for the restore. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

/** Documents of a kilobyte each. */
const DOCUMENTS = 2_000;
/** All that is asked is answered in a small part of the time that the restore takes. */
const SLOW = '50kb';
const QUICK = '40mb';

let node: TestNode;
let repositories: string;
let uuid: string;

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

/** A thousand bytes that do not pack well. */
function words(seed: number): string {
  return Array.from({ length: 100 }, (_, at) => ((seed * 7_919 + at * 104_729) % 2_147_483_647).toString(36)).join(' ');
}

async function setRate(rate: string): Promise<void> {
  const settings = { location: 'slow', max_restore_bytes_per_sec: rate };
  await ok(node.put('/_snapshot/slow', { type: 'fs', settings }));
}

async function recovery(): Promise<Json> {
  return (await ok(node.get('/back/_recovery'))).back.shards[0];
}

async function expectUnderWay(): Promise<void> {
  expect(await recovery()).toMatchObject({ type: 'SNAPSHOT', stage: 'INDEX' });
}

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-under-way-'));
  node = await TestNode.start({ 'path.repo': repositories });
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  for (const index of ['logs', 'healthy']) await ok(node.put(`/${index}`, { settings }));
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => [{ index: { _id: String(n) } }, { text: words(n) }]);
  await ok(node.bulk('/logs/_bulk?refresh=true', lines.flat()));
  await ok(node.put('/healthy/_doc/1?refresh=true', { n: 1 }));
  await setRate(SLOW);
  await ok(node.put('/_snapshot/slow/one?wait_for_completion=true', { indices: 'logs' }));
});

beforeEach(async () => {
  await ok(node.post('/_snapshot/slow/one/_restore', { rename_pattern: 'logs', rename_replacement: 'back' }));
  ({ uuid } = (await ok(node.get('/back/_settings'))).back.settings.index);
  // From then on there is a shard on the disk, which is empty.
  await node.until(async () => ((await recovery()).index.size.recovered_in_bytes > 0 ? true : undefined));
});

// That ends the restore.
afterEach(async () => {
  await node.delete('/back');
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

describe('while an index is restored', () => {
  it.each([
    '/_nodes/stats',
    '/_stats',
    '/_segments',
    '/_cluster/stats',
    '/_cat/nodes',
    '/_cat/indices',
    '/_cat/allocation',
    '/_cat/count',
    '/_cat/shards',
    '/_cat/segments',
    '/_cat/fielddata',
    '/_prometheus/metrics',
  ])('%s answers', async (path) => {
    const { status, text } = await node.get(path);
    expect(status, text).toBe(200);
    await expectUnderWay();
  });

  it('statistics leave its shard out, and it has not failed', async () => {
    const { _shards, _all } = await ok(node.get('/logs,back/_stats'));
    expect(_shards).toEqual({ total: 2, successful: 1, failed: 0 });
    expect(_all.total.docs.count).toBe(DOCUMENTS);
    const alone = await ok(node.get('/back/_stats'));
    expect(alone).toMatchObject({ _all: { primaries: {}, total: {} }, indices: { back: { uuid, total: {} } } });
    expect([alone._all.total, alone.indices.back.primaries, alone.indices.back.total]).toEqual([{}, {}, {}]);
    const line = (index: string): Promise<Json> => ok(node.get(`/_cat/indices/${index}?format=json&h=dc,dd,ss`));
    expect(await line('back')).toEqual([{ dc: null, dd: null, ss: null }]);
    expect((await line('logs'))[0].dc).toBe(String(DOCUMENTS));
    const rows: Json[] = (await node.get('/_cat/shards/logs,back?format=json&h=index,state,docs')).json();
    expect(rows.sort((left, right) => (left.index < right.index ? -1 : 1))).toEqual([
      { index: 'back', state: 'INITIALIZING', docs: null },
      { index: 'logs', state: 'STARTED', docs: String(DOCUMENTS) },
    ]);
    await expectUnderWay();
  });

  it.each(['_refresh', '_flush', '_forcemerge', '_cache/clear'])('%s leaves its shard out', async (action) => {
    expect(await ok(node.post(`/logs,back/${action}`))).toEqual({ _shards: { total: 2, successful: 1, failed: 0 } });
    await expectUnderWay();
  });

  it('what reads it fails at once, and reads of other shards with it in part', async () => {
    for (const path of ['_search', '_search?q=a', '_search?q=b&preference=_local']) {
      const search = await node.get(`/back/${path}`);
      expect([search.status, search.json().error?.reason], path).toEqual([503, 'all shards failed']);
    }
    const partial = await ok(node.get('/healthy,back/_search'));
    expect(partial._shards).toMatchObject({ total: 2, successful: 1, failed: 1 });
    expect(partial._shards.failures[0]).toMatchObject({
      index: 'back',
      reason: {
        type: 'no_shard_available_action_exception',
        reason: 'No shard available for [back][0]: it is being restored',
      },
    });
    expect(partial.hits.total.value).toBe(1);
    expect((await ok(node.get('/healthy,back/_count')))._shards).toMatchObject({ total: 2, successful: 1, failed: 1 });
    // What is asked twice is prepared the second time.
    const paths = [
      '_count',
      '_doc/1',
      '_doc/1',
      '_doc/1',
      '_source/1',
      '_explain/1?q=a',
      '_termvectors/1',
      '_pit?keep_alive=1m',
    ];
    for (const path of paths) {
      const answer = path.startsWith('_pit') ? node.post(`/back/${path}`) : node.get(`/back/${path}`);
      expect((await answer).status, path).toBe(503);
    }
    await expectUnderWay();
  });

  it('other indices are searched, however many requests name this one', async () => {
    const asked = Array.from({ length: 40 }, () => [node.get('/_nodes/stats'), node.get('/_all/_search')]).flat();
    expect((await ok(node.get('/healthy/_search'))).hits.total.value).toBe(1);
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
    await expectUnderWay();
  });

  it('a write waits for it until its timeout', async () => {
    const answer = await node.put('/back/_doc/new?timeout=300ms', { n: 1 });
    expect([answer.status, answer.json().error.type]).toEqual([503, 'unavailable_shards_exception']);
    expect(answer.json().error.reason).toMatch(/^\[back\]\[0\] primary shard is not active Timeout: \[300ms\]/);
    await expectUnderWay();
  });

  it('it is not closed, also not for a change of its settings', async () => {
    const reason = `Cannot close indices that are being restored: [[back/${uuid}]]`;
    const expected = { type: 'illegal_argument_exception', reason };
    const closed = await node.post('/healthy,back/_close');
    expect(closed.status).toBe(400);
    expect(closed.json().error).toMatchObject(expected);
    const changed = await node.put('/back/_settings?reopen=true', { 'index.codec': 'best_compression' });
    expect(changed.status).toBe(400);
    expect(changed.json().error).toMatchObject(expected);
    expect((await ok(node.get('/healthy/_search'))).hits.total.value).toBe(1);
    await expectUnderWay();
  });

  it('it can be deleted, which ends the restore', async () => {
    await expectUnderWay();
    await ok(node.delete('/back'));
    expect((await node.get('/back/_recovery')).status).toBe(404);
    await ok(node.put('/back/_doc/1?refresh=true', { n: 1 }));
    expect((await ok(node.get('/back/_search'))).hits.total.value).toBe(1);
  });
});

it('a node ends while an index is restored, and goes on with it when it is back', async () => {
  expect(await node.signal('SIGTERM')).toBe(0);
  node = await TestNode.start({ 'path.repo': repositories }, node.directory);
  await node.until(async () => ((await recovery()).index.size.recovered_in_bytes > 0 ? true : undefined));
  await expectUnderWay();
});

it('a restore goes on at a rate that is set meanwhile', async () => {
  await node.delete('/back');
  await setRate('1kb');
  await ok(node.post('/_snapshot/slow/one/_restore', { rename_pattern: 'logs', rename_replacement: 'back' }));
  await node.until(async () => ((await recovery()).stage === 'INDEX' ? true : undefined));
  // At the rate that it began with it would take half an hour.
  await setRate(QUICK);
  await node.until(async () => ((await recovery()).stage === 'DONE' ? true : undefined));
  expect((await ok(node.get('/back/_count'))).count).toBe(DOCUMENTS);
  await setRate(SLOW);
});

it('a write that waits is done when the index is restored, which is read and closed then', async () => {
  await node.delete('/back');
  await setRate(QUICK);
  await ok(node.post('/_snapshot/slow/one/_restore', { rename_pattern: 'logs', rename_replacement: 'back' }));
  await ok(node.put('/back/_doc/new?refresh=true', { n: 1 }));
  expect((await ok(node.get('/back/_count'))).count).toBe(DOCUMENTS + 1);
  expect((await ok(node.get('/back/_stats')))._shards).toEqual({ total: 1, successful: 1, failed: 0 });
  await ok(node.post('/back/_close'));
  await ok(node.post('/back/_open'));
  await setRate(SLOW);
});
