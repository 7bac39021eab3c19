/**
 * From the start of the process to the first answer, and the private memory of an idle node; the median of several starts. Then the same of a
 * node that has a large index, up to the first search of it that is answered.
 */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { bulkBodies, call, mergeToOne, sendBulk } from './bulk-load.js';
import { readCorpus } from './corpus.js';
import { at, type Json } from './json.js';
import { quantile } from './quantile.js';
import { anonymousMegabytes, privateMegabytes, scratchDirectory, startQuarry } from './servers.js';

/** After the start, until memory is looked at: soon, and when V8 has given back what the start needed (it waits 8 s for more to do). */
const IDLE_MS = [2_000, 15_000] as const;

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  await withoutIndex(size);
  await withLargeIndex(size);
}

async function withoutIndex(size: Readonly<Record<string, number>>): Promise<void> {
  const ready: number[] = [];
  const idle = IDLE_MS.map(() => ({ own: [] as number[], anonymous: [] as number[] }));
  for (let start = 0; start < (size['starts'] ?? 1); start++) {
    const node = await startQuarry();
    ready.push(node.readyMs);
    let sinceMs = 0;
    for (const [look, { own, anonymous }] of idle.entries()) {
      const untilMs = IDLE_MS[look] ?? 0;
      await sleep(untilMs - sinceMs);
      sinceMs = untilMs;
      own.push(privateMegabytes(node.pid));
      anonymous.push(anonymousMegabytes(node.pid));
    }
    await node.stop();
  }
  console.log(`ready after ${quantile(ready, 0.5).toFixed(0)} ms (median of ${ready.length} starts)`);
  for (const [look, { own, anonymous }] of idle.entries()) {
    const [all, heap] = [own, anonymous].map((each) => quantile(each, 0.5).toFixed(0));
    console.log(`idle for ${(IDLE_MS[look] ?? 0) / 1_000} s: private memory ${all} MB, ${heap} MB of it not of files`);
  }
}

const INDEX = 'large';
const FIRST_SEARCH = `/${INDEX}/_search`;
/** A term, a phrase and an aggregation, so that parts of all kinds are read. */
const FIRST_BODY = JSON.stringify({
  track_total_hits: true,
  query: { bool: { must: [{ match: { body: 'history' } }], should: [{ match_phrase: { body: 'the first' } }] } },
  aggs: { lengths: { histogram: { field: 'chars', interval: 10_000 } } },
});
const POLL_MS = 2;

async function withLargeIndex(size: Readonly<Record<string, number>>): Promise<void> {
  const directory = scratchDirectory();
  try {
    const { bytes, hits } = await makeIndex(directory, size);
    const [ready, anonymous, own]: [number[], number[], number[]] = [[], [], []];
    for (let start = 0; start < (size['starts'] ?? 1); start++) {
      const startedMs = performance.now();
      const node = await startQuarry([], [], directory);
      const client = new Client(node.url);
      const found = await untilAnswered(client);
      ready.push(performance.now() - startedMs);
      if (found !== hits) throw new Error(`${found} hits after the start, ${hits} before`);
      anonymous.push(anonymousMegabytes(node.pid));
      own.push(privateMegabytes(node.pid));
      await client.close();
      await node.stop();
    }
    const [readyMs, heap, all] = [ready, anonymous, own].map((each) => quantile(each, 0.5).toFixed(0));
    const gigabytes = (bytes / 1e9).toFixed(2);
    console.log(`first search of an index of ${gigabytes} GB after ${readyMs} ms (median of ${ready.length} starts)`);
    console.log(`private memory then ${all} MB, ${heap} MB of it not of files`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** One segment of the prose, as often as it takes to have so many megabytes of files. */
async function makeIndex(
  directory: string,
  { documents = 200, megabytes = 0 }: Readonly<Record<string, number>>,
): Promise<{ readonly bytes: number; readonly hits: number }> {
  const bodies = bulkBodies(await readCorpus('wiki', documents));
  const node = await startQuarry([], [], directory);
  const client = new Client(node.url, { headersTimeout: 0, bodyTimeout: 0 });
  const properties = { title: { type: 'text' }, body: { type: 'text' }, category: { type: 'keyword' } };
  const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' };
  await call(client, 'PUT', `/${INDEX}`, JSON.stringify({ settings, mappings: { properties } }));
  let bytes = 0;
  do {
    for (const body of bodies) (await sendBulk(client, INDEX, body)).check();
    await mergeToOne(client, INDEX);
    await call(client, 'POST', `/${INDEX}/_flush`);
    const stats = parsed(await call(client, 'GET', `/${INDEX}/_stats/store`));
    bytes = Number(at(stats, '_all', 'primaries', 'store', 'size_in_bytes'));
  } while (bytes < megabytes * 1e6);
  const hits = await untilAnswered(client);
  await client.close();
  await node.stop();
  return { bytes, hits };
}

function parsed(json: Buffer): Json {
  return JSON.parse(json.toString()) as Json;
}

/** The hits of the first search that all shards answer. */
async function untilAnswered(client: Client): Promise<number> {
  for (;;) {
    const { statusCode, body } = await client.request({
      method: 'POST',
      path: FIRST_SEARCH,
      headers: { 'content-type': 'application/json' },
      body: FIRST_BODY,
    });
    const answer = parsed(Buffer.from(await body.arrayBuffer()));
    const isWhole = statusCode === 200 && at(answer, '_shards', 'failed') === 0;
    if (isWhole) return Number(at(answer, 'hits', 'total', 'value'));
    await sleep(POLL_MS);
  }
}
