/** How long nobody is served after the kill of a node: writes to all shards, searches of all shards, changes of the cluster state. */
import type { Answer, BenchCluster } from './nodes.js';

const INDEX = 'failover';
const SHARDS = 6;
/** As many that each shard gets some. */
const DOCUMENTS_PER_WRITE = 60;

interface Failover {
  readonly victim: 'a primary' | 'the master';
  /** From the kill to the first success of each, in milliseconds. */
  readonly writeMs: number;
  readonly searchMs: number;
  readonly changeMs: number;
}

export async function failover(cluster: BenchCluster, kills: number): Promise<void> {
  const settings = {
    number_of_shards: SHARDS,
    number_of_replicas: 1,
    'index.unassigned.node_left.delayed_timeout': '0s',
  };
  const mappings = { properties: { n: { type: 'long' } } };
  await cluster.ask('PUT', `/${INDEX}`, { settings, mappings });
  await cluster.settle();
  const acknowledged = new Set<string>();
  await write(cluster, 'before', acknowledged);
  const measured: Failover[] = [];
  for (let kill = 0; kill < kills; kill++) {
    for (const victim of ['a primary', 'the master'] as const) {
      measured.push(await killOne(cluster, victim, `${victim} ${kill}`, acknowledged));
    }
  }
  await verify(cluster, acknowledged);
  for (const victim of ['a primary', 'the master'] as const) {
    const ofVictim = measured.filter((each) => each.victim === victim);
    console.log(`kill of the node of ${victim}, ${ofVictim.length} times, until all ${SHARDS} shards or the state:`);
    for (const [what, key] of [
      ['written', 'writeMs'],
      ['searched', 'searchMs'],
      ['changed', 'changeMs'],
    ] as const) {
      console.log(`  ${what.padEnd(10)} ${distribution(ofVictim.map((each) => each[key]))}`);
    }
  }
}

async function killOne(
  cluster: BenchCluster,
  victim: Failover['victim'],
  round: string,
  acknowledged: Set<string>,
): Promise<Failover> {
  const master = await cluster.master();
  const rows = await cluster.rows(`/_cat/shards/${INDEX}?format=json&h=node,prirep`);
  const primaries = rows.filter(({ prirep }) => prirep === 'p').map(({ node }) => node ?? '');
  const name = victim === 'the master' ? master : primaries.find((node) => node !== master);
  if (name === undefined) throw new Error('the master holds all primaries');
  const node = cluster.node(name);
  const killed = node.end('SIGKILL');
  const startMs = performance.now();
  const since = (): number => performance.now() - startMs;
  let tries = 0;
  const [writeMs, searchMs, changeMs] = await Promise.all([
    untilDone(() => write(cluster, `${round} ${tries++}`, acknowledged)).then(since),
    untilDone(() => search(cluster)).then(since),
    untilDone(() => change(cluster, round)).then(since),
  ]);
  await killed;
  await node.start();
  await cluster.settle();
  return { victim, writeMs, searchMs, changeMs };
}

async function untilDone(attempt: () => Promise<void>): Promise<void> {
  const endMs = performance.now() + 60_000;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (performance.now() > endMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

async function write(cluster: BenchCluster, round: string, acknowledged: Set<string>): Promise<void> {
  const ids = Array.from({ length: DOCUMENTS_PER_WRITE }, (_, at) => `${round}-${at}`);
  const lines = ids.map((id, at) => `{"index":{"_id":"${id}"}}\n{"n":${at}}\n`);
  const answer = await cluster.ask('POST', `/${INDEX}/_bulk?timeout=30s`, lines.join(''));
  if (answer['errors'] !== false) throw new Error('some shard was not written');
  for (const id of ids) acknowledged.add(id);
}

async function search(cluster: BenchCluster): Promise<void> {
  const answer = await cluster.ask('POST', `/${INDEX}/_search?allow_partial_search_results=false`, { size: 1 });
  const { successful } = answer['_shards'] as { successful: number };
  if (successful !== SHARDS) throw new Error(`only ${successful} shards were searched`);
}

async function change(cluster: BenchCluster, round: string): Promise<void> {
  const body = { properties: {}, _meta: { round } };
  await cluster.ask('PUT', `/${INDEX}/_mapping?master_timeout=1s`, body);
}

async function verify(cluster: BenchCluster, acknowledged: ReadonlySet<string>): Promise<void> {
  await cluster.ask('POST', `/${INDEX}/_refresh`);
  for (const copies of ['_primary', '_replica']) {
    const found = (await cluster.ask('POST', `/${INDEX}/_search?preference=${copies}`, {
      size: 10_000,
      _source: false,
    })) as { hits: { hits: readonly Answer[] } };
    const ids = new Set(found.hits.hits.map(({ _id }) => _id as string));
    const lost = [...acknowledged].filter((id) => !ids.has(id));
    if (lost.length > 0) throw new Error(`${lost.length} acknowledged documents are lost on ${copies}`);
  }
}

export function distribution(values: readonly number[]): string {
  const sorted = [...values].sort((left, right) => left - right);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(0);
  return `${at(0)} ms at least, ${at(0.5)} ms median, ${at(1)} ms at most`;
}
