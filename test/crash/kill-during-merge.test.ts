/**
 * A node is killed while a forced merge writes its segment and documents are deleted. After the start every document is there once but
 * for those that were deleted, what the merge left behind is gone, and the files are whole.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { runCommand, TestNode, type Json } from '../api/node-harness.js';

const KILLS = Number(process.env['QUARRY_CRASH_KILLS'] ?? 6);
const SEED = Number(process.env['QUARRY_CRASH_SEED'] ?? 1);
const INDEX = 'merged';
const SEGMENTS = 6;
const DOCUMENTS_PER_SEGMENT = 3_000;
const WORDS_PER_DOCUMENT = 60;
const DELETIONS_PER_BATCH = 10;
/** From the first sight of the new segment; a merge of that much takes longer in most cases. */
const KILL_WITHIN_MS = 60;
const SEGMENT_SUFFIX = '.seg';

let node: TestNode;

afterEach(async () => {
  await node.stop();
});

/** Documents of a segment of their own: nothing else refreshes. */
async function addSegment(first: number, word: () => number): Promise<void> {
  const lines = Array.from({ length: DOCUMENTS_PER_SEGMENT }, (_, at) => {
    const text = Array.from({ length: WORDS_PER_DOCUMENT }, () => `word${word()}`).join(' ');
    return [{ index: { _id: `d${first + at}` } }, { n: first + at, text }];
  });
  expect((await node.bulk(`/${INDEX}/_bulk?refresh=true`, lines.flat())).status).toBe(200);
}

async function segmentFiles(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith(SEGMENT_SUFFIX)).sort();
}

/** What searches see and flushes keep, by the node's own account. */
async function segmentsInUse(): Promise<readonly string[]> {
  const rows = (await node.get(`/_cat/segments/${INDEX}?format=json&h=segment`)).json() as { segment: string }[];
  return rows.map(({ segment }) => `${segment}${SEGMENT_SUFFIX}`).sort();
}

/** Deletes documents in the order of their numbers until the node is gone; `deleted` has those whose deletion was acknowledged. */
async function deleteOnAndOn(from: number, deleted: Set<string>): Promise<{ readonly inDoubt: ReadonlySet<string> }> {
  for (let first = from; ; first += DELETIONS_PER_BATCH) {
    const ids = Array.from({ length: DELETIONS_PER_BATCH }, (_, at) => `d${first + at}`);
    try {
      const lines = ids.map((_id) => ({ delete: { _id } }));
      const answer = await node.bulk(`/${INDEX}/_bulk`, lines);
      expect((answer.json() as Json).errors).toBe(false);
    } catch {
      return { inDoubt: new Set(ids) };
    }
    for (const id of ids) deleted.add(id);
  }
}

/** Throws unless all are there but the deleted ones, and each once. */
async function expectDocuments(
  count: number,
  deleted: ReadonlySet<string>,
  inDoubt: ReadonlySet<string>,
): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => `d${n}`);
  const read = (await node.post(`/${INDEX}/_mget?_source=false`, { ids })).json() as Json;
  const found = new Set<string>(read.docs.filter((one: Json) => one.found).map((one: Json) => one._id));
  const wrong = ids.filter((id) => !inDoubt.has(id) && found.has(id) === deleted.has(id));
  expect(wrong).toEqual([]);
  await node.post(`/${INDEX}/_refresh`);
  const aggs = { numbers: { cardinality: { field: 'n', precision_threshold: 40_000 } } };
  const { hits, aggregations } = (
    await node.post(`/${INDEX}/_search`, { size: 0, track_total_hits: true, aggs })
  ).json() as Json;
  expect([hits.total.value, aggregations.numbers.value]).toEqual([found.size, found.size]);
}

test(
  `${KILLS} kills during forced merges lose nothing and leave nothing behind (seed ${SEED})`,
  { timeout: 120_000 },
  async () => {
    const random = seededRandom(SEED);
    node = await TestNode.start();
    // Nothing is merged but on demand.
    const settings = {
      number_of_shards: 1,
      number_of_replicas: 0,
      refresh_interval: '-1',
      'merge.policy.segments_per_tier': 100,
      'merge.policy.max_merge_at_once': 100,
    };
    const mappings = { properties: { n: { type: 'long' }, text: { type: 'text' } } };
    expect((await node.put(`/${INDEX}`, { settings, mappings })).status).toBe(200);
    const { uuid } = (await node.get(`/${INDEX}/_settings`)).json()[INDEX].settings.index as { uuid: string };
    const directory = join(node.directory, 'data', 'indices', uuid, '0');
    const deleted = new Set<string>();
    let count = 0;
    let leftBehind = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      while ((await segmentsInUse()).length < SEGMENTS) {
        await addSegment(count, () => random.below(5_000));
        count += DOCUMENTS_PER_SEGMENT;
      }
      await node.post(`/${INDEX}/_flush`);
      const before = await segmentFiles(directory);
      const deleting = deleteOnAndOn(deleted.size, deleted);
      node.post(`/${INDEX}/_forcemerge?max_num_segments=1`).catch(() => undefined);
      await node.until(async () =>
        (await segmentFiles(directory)).some((name) => !before.includes(name)) ? true : undefined,
      );
      await new Promise((resolve) => setTimeout(resolve, random.below(KILL_WITHIN_MS)));
      await node.signal('SIGKILL');
      const { inDoubt } = await deleting;
      const after = await segmentFiles(directory);
      node = await TestNode.start({}, node.directory);
      await node.get(`/_cluster/health/${INDEX}?wait_for_status=green&timeout=30s`);
      const kept = await segmentsInUse();
      expect(await segmentFiles(directory)).toEqual(kept);
      leftBehind += after.filter((name) => !kept.includes(name)).length;
      await expectDocuments(count, deleted, inDoubt);
      // Whether they were deleted is known now; the next round goes on behind them.
      for (const id of inDoubt) deleted.add(id);
      await node.bulk(
        `/${INDEX}/_bulk`,
        [...inDoubt].map((_id) => ({ delete: { _id } })),
      );
    }
    expect(leftBehind).toBeGreaterThan(0);
    expect(await node.signal('SIGTERM')).toBe(0);
    const checked = await runCommand(['check', join(node.directory, 'data')]);
    expect(checked).toMatchObject({ code: 0, output: expect.stringContaining('0 problems') });
  },
);
