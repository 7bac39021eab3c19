import { expect, onTestFinished, test } from 'vitest';
import type { WriteItemsInput, WriteItemsOutput } from '../../../src/actions/operations/write-items.js';
import { asQuarryError } from '../../../src/base/error-wire.js';
import { seededRandom } from '../../../src/base/random.js';
import { isActive } from '../../../src/cluster/copies/shard-copies.js';
import { ID_SEED_BYTES, splitBulk } from '../../../src/native/bulk.js';
import { itemCount } from '../../../src/native/descriptor.js';
import type { SearchResult } from '../../../src/native/searcher.js';
import type { GetResult } from '../../../src/native/get-options.js';
import { encodePlan } from '../../../src/search/plan/search-plan.js';
import { sharedBody, testDirectory } from '../../native/open-test-shard.js';
import { indexOf } from '../../cluster/support.js';
import { InProcessCluster } from './in-process-cluster.js';

const SETTINGS = {
  number_of_shards: 1,
  'index.unassigned.node_left.delayed_timeout': '0',
  'index.allocation.max_retries': 1000,
};
const MAPPINGS = { properties: { n: { type: 'long' }, t: { type: 'text' } } };
const WAIT_MS_MAX = 20_000;

function writeInput(lines: readonly unknown[], refresh: WriteItemsInput['refresh'] = 'none'): WriteItemsInput {
  const body = sharedBody(lines);
  const items = splitBulk(body, { index: 'test' }, new Uint8Array(ID_SEED_BYTES));
  const selection = Uint32Array.from({ length: itemCount(items) }, (_, place) => place);
  return { body, items, selection, refresh, bare: false, timeoutMs: WAIT_MS_MAX };
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endMs = performance.now() + WAIT_MS_MAX;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function newCluster(): InProcessCluster {
  const cluster = new InProcessCluster(testDirectory());
  onTestFinished(() => cluster.closeAll());
  return cluster;
}

async function isGreen(cluster: InProcessCluster, copies: number): Promise<void> {
  const inSync = (): number => indexOf(cluster.state, 'test').inSyncAllocationIds[0]?.length ?? 0;
  const what = (): string =>
    JSON.stringify([cluster.copies('test'), indexOf(cluster.state, 'test').inSyncAllocationIds]);
  await until(() => cluster.copies('test').filter(isActive).length === copies && inSync() === copies, what()).catch(
    () => {
      throw new Error(`not green: ${what()}`);
    },
  );
}

async function write(cluster: InProcessCluster, input: WriteItemsInput): Promise<WriteItemsOutput> {
  const output = await cluster.onNode(cluster.primaryNode('test'), cluster.key('test'), 'write-items', input);
  return output as WriteItemsOutput;
}

function documents(from: number, to: number): unknown[] {
  return Array.from({ length: to - from }, (_, at) => [
    { index: { _id: String(from + at) } },
    { n: from + at, t: `some words of ${from + at}` },
  ]).flat();
}

/** The checksums of all copies, which must be equal. */
async function checksum(cluster: InProcessCluster): Promise<unknown> {
  const key = cluster.key('test');
  await cluster.onNode(cluster.primaryNode('test'), key, 'refresh', null);
  const sums = await Promise.all(
    cluster.copies('test').map(({ nodeId }) => cluster.onNode(nodeId ?? '', key, 'content-checksum', null)),
  );
  for (const sum of sums) expect(sum).toEqual(sums[0]);
  return sums[0];
}

async function threeNodes(replicas: number): Promise<InProcessCluster> {
  const cluster = newCluster();
  await cluster.join('node-2');
  await cluster.join('node-3');
  await cluster.createIndex({
    name: 'test',
    settings: { ...SETTINGS, number_of_replicas: replicas },
    mappings: MAPPINGS,
  });
  await isGreen(cluster, 1 + replicas);
  return cluster;
}

test('writes are on every copy when they are acknowledged, and a refresh shows them on all', async () => {
  const cluster = await threeNodes(2);
  const { answers } = await write(cluster, writeInput(documents(0, 50), 'immediate'));
  const [first] = answers;
  const item = JSON.parse(Buffer.from(first?.items.subarray(0, first.ends[0]) ?? []).toString()) as {
    index: { _shards: unknown };
  };
  expect(item.index._shards).toEqual({ total: 3, successful: 3, failed: 0 });
  const key = cluster.key('test');
  for (const { nodeId } of cluster.copies('test')) {
    const { stats } = (await cluster.onNode(nodeId ?? '', key, 'statistics', null)) as {
      stats: { documents: number; maxSeqNo: number };
    };
    expect(stats).toMatchObject({ documents: 50, maxSeqNo: 49 });
  }
  const replica = cluster.copies('test').find(({ primary }) => !primary)?.nodeId ?? '';
  await expect(cluster.onNode(replica, key, 'write-items', writeInput(documents(0, 1)))).rejects.toMatchObject({
    type: 'shard_not_found_exception',
  });
});

test('vectors are found on every copy, and on the one that is promoted', async () => {
  const cluster = newCluster();
  await cluster.join('node-2');
  const mappings = { properties: { v: { type: 'dense_vector', similarity: 'l2_norm' } } };
  await cluster.createIndex({ name: 'test', settings: { ...SETTINGS, number_of_replicas: 1 }, mappings });
  await isGreen(cluster, 2);
  const lines = Array.from({ length: 20 }, (_, at) => [{ index: { _id: String(at) } }, { v: [at, 1] }]).flat();
  await write(cluster, writeInput(lines, 'immediate'));
  const plan = encodePlan({
    query: { knn: { field: 'v', query_vector: [7.2, 1], k: 3, num_candidates: 10 } },
    from: 0,
    size: 3,
    track_total_hits: 'exact',
    now_ms: 0,
    limits: { max_clauses: 1024, max_buckets: 65_535, allow_expensive_queries: true },
    fetch: { source: { enabled: false } },
  });
  const found = async (nodeId: string): Promise<readonly string[]> => {
    const answer = await cluster.onNode(nodeId, cluster.key('test'), 'search', { plan, groups: [] });
    const { hits } = JSON.parse(Buffer.from((answer as SearchResult).hits).toString('utf8')) as {
      hits: readonly { _id: string }[];
    };
    return hits.map(({ _id }) => _id);
  };
  for (const { nodeId } of cluster.copies('test')) expect(await found(nodeId ?? '')).toEqual(['7', '8', '6']);
  const before = cluster.primaryNode('test');
  await cluster.cutOff(before);
  await until(() => cluster.primaryNode('test') !== before, 'another primary');
  await until(async () => (await found(cluster.primaryNode('test')).catch(() => [])).length === 3, 'an answer');
  expect(await found(cluster.primaryNode('test'))).toEqual(['7', '8', '6']);
});

test('a copy that comes later gets files and operations, and one that returns what it missed', async () => {
  const cluster = newCluster();
  await cluster.createIndex({ name: 'test', settings: { ...SETTINGS, number_of_replicas: 1 }, mappings: MAPPINGS });
  await until(() => cluster.copies('test').some(isActive), 'a primary');
  await write(cluster, writeInput(documents(0, 500)));
  await cluster.onNode('node-1', cluster.key('test'), 'flush', { force: true });
  await write(cluster, writeInput(documents(400, 600)));
  await cluster.join('node-2');
  await isGreen(cluster, 2);
  expect(await checksum(cluster)).toMatchObject({ documents: 600 });
  await cluster.cutOff('node-2');
  await write(cluster, writeInput(documents(0, 700)));
  await cluster.stop('node-2');
  await cluster.join('node-2');
  await isGreen(cluster, 2);
  expect(await checksum(cluster)).toMatchObject({ documents: 700 });
});

test('a primary that was cut off acknowledges nothing, and its successor loses nothing', async () => {
  const cluster = await threeNodes(1);
  await write(cluster, writeInput(documents(0, 100)));
  const former = cluster.primaryNode('test');
  await cluster.cutOff(former);
  const lost = cluster.onNode(former, cluster.key('test'), 'write-items', writeInput(documents(1_000, 1_010)));
  const failed = lost.then(
    () => 'acknowledged',
    (error: unknown) => asQuarryError(error).status,
  );
  expect(cluster.primaryNode('test')).not.toBe(former);
  await write(cluster, writeInput(documents(100, 200)));
  await cluster.stop(former);
  expect(await failed).toBe(503);
  await cluster.join(former);
  await isGreen(cluster, 2);
  expect(await checksum(cluster)).toMatchObject({ documents: 200 });
});

test('a write is not acknowledged before its replica has it', async () => {
  const cluster = await threeNodes(1);
  cluster.faults = { loss: 0, delayMsMax: 100, next: () => 0.9 };
  for (let n = 0; n < 3; n++) await write(cluster, writeInput(documents(n, n + 1)));
  const former = cluster.primaryNode('test');
  // What is still on its way to the replica does not arrive.
  await cluster.cutOff(former);
  const heir = cluster.primaryNode('test');
  expect(heir).not.toBe(former);
  const asked = { documents: ['0', '1', '2'].map((id) => ({ id, options: {} })), refresh: false };
  const results = (await cluster.onNode(heir, cluster.key('test'), 'get-documents', asked)) as GetResult[];
  expect(results.map(({ found }) => found)).toEqual([true, true, true]);
});

test('a primary moves under load, and its target has every acknowledged write', async () => {
  const cluster = newCluster();
  await cluster.join('node-2');
  await cluster.createIndex({ name: 'test', settings: { ...SETTINGS, number_of_replicas: 0 }, mappings: MAPPINGS });
  await until(() => cluster.copies('test').some(isActive), 'a primary');
  await write(cluster, writeInput(documents(0, 300)));
  const from = cluster.primaryNode('test');
  const to = from === 'node-1' ? 'node-2' : 'node-1';
  let acknowledged = 300;
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      try {
        await write(cluster, writeInput(documents(acknowledged, acknowledged + 10)));
        acknowledged += 10;
      } catch (error) {
        expect(['no_shard_available_action_exception', 'shard_not_found_exception']).toContain(
          asQuarryError(error).type,
        );
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  })();
  await cluster.movePrimary('test', to);
  await until(() => cluster.primaryNode('test') === to, 'the move');
  await until(() => cluster.copies('test').length === 1 && cluster.copies('test').every(isActive), 'its end');
  isOver = true;
  await writing;
  expect(acknowledged).toBeGreaterThan(300);
  expect(indexOf(cluster.state, 'test')).toMatchObject({ primaryTerms: [2] });
  const { documents: count } = (await checksum(cluster)) as { documents: number };
  // The last batch may be there without having been acknowledged.
  expect(count - acknowledged).toBeOneOf([0, 10]);
});

test.each([1, 2, 3])('no acknowledged write is lost through faults and changes of primaries: seed %i', async (seed) => {
  const random = seededRandom(seed);
  const next = (): number => random.below(1 << 30) / (1 << 30);
  const cluster = await threeNodes(2);
  cluster.faults = { loss: 0.02, delayMsMax: 15, next };
  const acknowledged = new Map<string, number>();
  const possible = new Map<string, Set<number>>();
  let isOver = false;
  let count = 0;
  // Ids are not written any more once a node is lost: what is lost with it stays lost.
  let round = 0;
  const writer = async (name: string): Promise<void> => {
    for (let n = 1; !isOver; n++) {
      const ids = Array.from({ length: 1 + Math.floor(next() * 5) }, (_, at) => `${name}-${round}-${(n + at) % 7}`);
      const lines = ids.flatMap((id) => [{ index: { _id: id } }, { n, t: name }]);
      for (const id of ids) possible.set(id, (possible.get(id) ?? new Set()).add(n));
      const refresh = next() < 0.2 ? 'immediate' : 'none';
      try {
        // A primary may be gone for good while it is asked.
        await Promise.race([write(cluster, writeInput(lines, refresh)), pause(2_000)]);
        for (const id of ids) acknowledged.set(id, n);
        for (const id of ids) possible.set(id, new Set([n]));
        count++;
      } catch {
        await pause(10).catch(() => undefined);
      }
    }
  };
  const writers = ['a', 'b', 'c', 'd'].map(writer);
  while (round < 3) {
    await pause(150 + next() * 200).catch(() => undefined);
    const primary = cluster.primaryNode('test');
    const others = ['node-1', 'node-2', 'node-3'].filter((id) => id !== primary);
    const victim = next() < 0.7 ? primary : (others[Math.floor(next() * 2)] ?? primary);
    round++;
    await cluster.cutOff(victim);
    await pause(100 + next() * 200).catch(() => undefined);
    await cluster.stop(victim);
    await cluster.join(victim);
    if (next() < 0.7) await isGreen(cluster, 3);
    else await until(() => cluster.copies('test').filter(isActive).length >= 2, 'two copies');
  }
  isOver = true;
  await Promise.all(writers);
  cluster.faults = undefined;
  await isGreen(cluster, 3);
  const { documents: found } = (await checksum(cluster)) as { documents: number };
  expect(found).toBeGreaterThanOrEqual(acknowledged.size);
  expect(found).toBeLessThanOrEqual(possible.size);
  expect(count).toBeGreaterThan(20);
  for (const [id, values] of possible) {
    const input = { documents: [{ id, options: {} }], refresh: false };
    const node = cluster.primaryNode('test');
    const [result] = (await cluster.onNode(node, cluster.key('test'), 'get-documents', input)) as GetResult[];
    if (result?.found !== true) {
      expect(acknowledged.has(id)).toBe(false);
      continue;
    }
    const { _source } = JSON.parse(Buffer.from(result.body).toString()) as { _source: { n: number } };
    expect([...values], `${id} acknowledged as ${acknowledged.get(id) ?? 'nothing'}`).toContain(_source.n);
  }
});

/** Rejects, so that it can end a race. */
function pause(milliseconds: number): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => {
      reject(new Error('the time is over'));
    }, milliseconds);
  });
}
