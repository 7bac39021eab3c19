/** How fast a new replica gets the files of its primary, with the throttle of recoveries and without. */
import { bareCopy } from './bare-copy.js';
import type { BenchCluster } from './nodes.js';

const INDEX = 'recovery';
const LIMIT = 'indices.recovery.max_bytes_per_sec';
const DOCUMENTS_PER_REQUEST = 500;
const WORDS_PER_DOCUMENT = 120;

export async function recovery(cluster: BenchCluster, documents: number): Promise<void> {
  for (const limit of ['40mb', '0']) {
    await cluster.ask('PUT', '/_cluster/settings', { persistent: { [LIMIT]: limit } });
    await makeIndex(cluster, documents);
    const startMs = performance.now();
    await cluster.ask('PUT', `/${INDEX}/_settings`, { 'index.number_of_replicas': 1 });
    await cluster.settle();
    const seconds = (performance.now() - startMs) / 1_000;
    const bytes = await replicaBytes(cluster, documents);
    const speed = bytes / 1e6 / seconds;
    const name = limit === '0' ? 'without a limit' : `limit of ${limit}/s`;
    const bare = limit === '0' ? await bareComparison(bytes, speed) : '';
    console.log(
      `recovery, ${name.padEnd(16)} ${speed.toFixed(0)} MB/s (${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s)${bare}`,
    );
    // Directories of copies that went elsewhere are kept while the index lives, and would spare the next one the copying.
    await cluster.ask('DELETE', `/${INDEX}`);
  }
  await cluster.ask('PUT', '/_cluster/settings', { persistent: { [LIMIT]: null } });
}

async function bareComparison(bytes: number, speed: number): Promise<string> {
  const bare = await bareCopy(bytes);
  return `; a bare copy through a loopback socket to a synced file ${bare.toFixed(0)} MB/s: ${(speed / bare).toFixed(2)} of it`;
}

async function makeIndex(cluster: BenchCluster, documents: number): Promise<void> {
  const mappings = { properties: { text: { type: 'text' } } };
  const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' };
  await cluster.ask('PUT', `/${INDEX}`, { settings, mappings });
  await load(cluster, documents);
  await cluster.ask('POST', `/${INDEX}/_flush`);
}

/** Of numbers, which are hard to compress. */
function text(seed: number): string {
  let state = seed;
  return Array.from({ length: WORDS_PER_DOCUMENT }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state.toString(36);
  }).join(' ');
}

async function load(cluster: BenchCluster, documents: number): Promise<void> {
  for (let from = 0; from < documents; from += DOCUMENTS_PER_REQUEST) {
    const count = Math.min(DOCUMENTS_PER_REQUEST, documents - from);
    const lines = Array.from(
      { length: count },
      (_, at) => `{"index":{}}\n${JSON.stringify({ text: text(from + at) })}\n`,
    );
    const { errors } = await cluster.ask('POST', `/${INDEX}/_bulk`, lines.join(''));
    if (errors !== false) throw new Error('a bulk failed');
  }
}

/** Size of the replica's files; throws unless it has all documents. */
async function replicaBytes(cluster: BenchCluster, documents: number): Promise<number> {
  const columns = 'prirep,state,docs,store,node';
  const rows = await cluster.rows(`/_cat/shards/${INDEX}?format=json&bytes=b&h=${columns}`);
  const replica = rows.find(({ prirep }) => prirep === 'r');
  if (replica?.['state'] !== 'STARTED' || Number(replica['docs']) !== documents) {
    throw new Error(`the replica is not complete: ${JSON.stringify(rows)}`);
  }
  return Number(replica['store']);
}
