/**
 * A node is killed at moments that a seed chooses while it splits, shrinks and clones an index. After the start the target is
 * either not there, or gets whole; and the source is as it was.
 */
import { afterEach, expect, test } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { TestNode, type Json } from '../api/node-harness.js';

const KILLS = Number(process.env['QUARRY_CRASH_KILLS'] ?? 6);
const SEED = Number(process.env['QUARRY_CRASH_SEED'] ?? 1);
const DOCUMENTS = 2_000;
/** Longer than a resize takes. */
const KILL_WITHIN_MS = 250;

const KINDS = [
  ['split', 8],
  ['shrink', 1],
  ['clone', 2],
] as const;

let node: TestNode;

afterEach(async () => {
  await node.stop();
});

async function expectWhole(index: string): Promise<void> {
  const health = (await node.get(`/_cluster/health/${index}?wait_for_status=green&timeout=60s`)).json();
  expect(health).toMatchObject({ status: 'green', timed_out: false });
  const found = await node.post(`/${index}/_search`, {
    size: 0,
    track_total_hits: true,
    aggs: { ids: { cardinality: { field: 'n', precision_threshold: 40_000 } } },
  });
  const { hits, aggregations } = found.json() as Json;
  expect([hits.total.value, aggregations.ids.value]).toEqual([DOCUMENTS, DOCUMENTS]);
}

test(`${KILLS} kills leave either no target or a good one (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  node = await TestNode.start();
  const settings = { number_of_shards: 2, number_of_replicas: 0, 'index.blocks.write': false };
  await node.put('/source', { settings, mappings: { properties: { n: { type: 'long' } } } });
  for (let from = 0; from < DOCUMENTS; from += 500) {
    const lines = Array.from({ length: 500 }, (_, at) => [
      { index: { _id: `d${from + at}` } },
      { n: from + at },
    ]).flat();
    await node.bulk('/source/_bulk?refresh=true', lines);
  }
  await node.put('/source/_settings', { 'index.blocks.write': true });
  for (let round = 0; round < KILLS; round++) {
    const [kind, shards] = KINDS[round % KINDS.length] ?? KINDS[0];
    const target = `target-${round}`;
    const resized = node
      .put(`/source/_${kind}/${target}`, { settings: { 'index.number_of_shards': shards } })
      .catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, random.below(KILL_WITHIN_MS)));
    await node.signal('SIGKILL');
    const answer = await resized;
    node = await TestNode.start({}, node.directory);
    await expectWhole('source');
    const isThere = (await node.request('HEAD', `/${target}`)).status === 200;
    if (answer?.status === 200) expect(isThere).toBe(true);
    if (isThere) await expectWhole(target);
  }
});
