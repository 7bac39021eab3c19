/** What every copy of an index holds, asked of each copy for itself. */
import { createHash } from 'node:crypto';
import type { TestCluster } from '../cluster-harness.js';

interface Hit {
  readonly _id: string;
  readonly _version: number;
  readonly _seq_no: number;
  readonly _primary_term: number;
  readonly _source: { readonly value: number };
}

interface CopyRow {
  readonly shard: string;
  readonly prirep: string;
  readonly state: string;
  readonly node: string;
  readonly 'seq_no.max': string;
  readonly 'seq_no.local_checkpoint': string;
}

/** More documents of one shard cannot be read at once. */
const DOCUMENTS_MAX = 10_000;
const QUIET_MS_MAX = 30_000;
const LOOK_AGAIN_MS = 500;

export interface Compared {
  /** Value of each document by id, as all copies have it. */
  readonly found: ReadonlyMap<string, number>;
  /** In what copies differ, or repeat themselves, as sentences. */
  readonly wrong: readonly string[];
  readonly copies: number;
}

/** Refreshes, reads every copy of every shard, and compares the copies of each. */
export async function compareCopies(cluster: TestCluster, index: string): Promise<Compared> {
  const { rows, wrong } = await whenQuiet(cluster, index);
  const found = new Map<string, number>();
  for (const shard of new Set(rows.map((row) => row.shard))) {
    const copies = rows.filter((row) => row.shard === shard);
    const contents = await Promise.all(copies.map(({ node }) => hitsOf(cluster, index, shard, node)));
    const checksums = contents.map(checksumOf);
    const [first = []] = contents;
    copies.forEach((copy, at) => {
      const name = `${index}[${shard}] on ${copy.node}`;
      if (checksums[at] !== checksums[0]) wrong.push(`${name} differs: ${difference(first, contents[at] ?? [])}`);
    });
    for (const { _id, _source } of first) {
      if (found.has(_id)) wrong.push(`${index}[${shard}] has ${_id} twice, or another shard has it too`);
      found.set(_id, _source.value);
    }
  }
  return { found, wrong, copies: rows.length };
}

/**
 * Requests that their clients gave up may still be on their way: what counts is what copies have when nothing comes any more. Equal copies
 * that were equal at the look before are quiet; what keeps them from that is what is wrong.
 */
async function whenQuiet(
  cluster: TestCluster,
  index: string,
): Promise<{ readonly rows: readonly CopyRow[]; readonly wrong: string[] }> {
  const endMs = performance.now() + QUIET_MS_MAX;
  let before = '';
  for (;;) {
    const refreshed = await cluster.node().post(`/${index}/_refresh`);
    const wrong = refreshed.json()._shards?.failed === 0 ? [] : [`${index} cannot be refreshed: ${refreshed.text}`];
    const rows = await copyRows(cluster, index);
    if (rows.length === 0) wrong.push(`${index} has no copies, or they are not told`);
    wrong.push(...rows.flatMap((row) => unequal(index, row, rows)));
    const now = JSON.stringify(rows);
    if ((wrong.length === 0 && now === before) || performance.now() > endMs) return { rows, wrong };
    before = now;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** In what the copy is not as the first of its shard. */
function unequal(index: string, copy: CopyRow, rows: readonly CopyRow[]): readonly string[] {
  const first = rows.find(({ shard }) => shard === copy.shard);
  const name = `${index}[${copy.shard}] on ${copy.node}`;
  if (copy.state !== 'STARTED') return [`${name} is ${copy.state}`];
  return (['seq_no.max', 'seq_no.local_checkpoint'] as const).flatMap((column) =>
    copy[column] === first?.[column] ? [] : `${name}: ${column} is ${copy[column]}, elsewhere ${first?.[column]}`,
  );
}

async function copyRows(cluster: TestCluster, index: string): Promise<readonly CopyRow[]> {
  const columns = 'shard,prirep,state,node,seq_no.max,seq_no.local_checkpoint';
  const answer = await cluster.node().get(`/_cat/shards/${index}?format=json&h=${columns}&s=shard,prirep`);
  if (answer.status === 200) return answer.json() as CopyRow[];
  // Connections of before the faults may still break when they are used next: what lasts is wrong, the rest is told.
  console.log(`copies of ${index} cannot be listed: ${answer.status} ${answer.text}`);
  return [];
}

async function hitsOf(cluster: TestCluster, index: string, shard: string, node: string): Promise<readonly Hit[]> {
  const preference = encodeURIComponent(`_shards:${shard}|_only_nodes:${node}`);
  const body = { size: DOCUMENTS_MAX, version: true, seq_no_primary_term: true, track_total_hits: true };
  const answer = await cluster.node().post(`/${index}/_search?preference=${preference}`, body);
  if (answer.status !== 200) throw new Error(`${index}[${shard}] on ${node}: ${answer.text}`);
  const { hits, _shards: shards } = answer.json();
  if (shards.failed > 0 || hits.total.value !== hits.hits.length) {
    throw new Error(`${index}[${shard}] on ${node} was not read wholly: ${JSON.stringify(shards)}`);
  }
  return hits.hits as readonly Hit[];
}

function described({ _id, _version, _seq_no, _primary_term, _source }: Hit): string {
  return JSON.stringify([_id, _version, _seq_no, _primary_term, _source]);
}

function checksumOf(hits: readonly Hit[]): string {
  return createHash('sha256').update(hits.map(described).sort().join('\n')).digest('hex');
}

function difference(left: readonly Hit[], right: readonly Hit[]): string {
  const [lefts, rights] = [left, right].map((hits) => new Set(hits.map(described)));
  const only = (these: Set<string> = new Set(), those: Set<string> = new Set()): string =>
    [...these]
      .filter((each) => !those.has(each))
      .slice(0, 3)
      .join(' ');
  return `${left.length} and ${right.length} documents; only there: ${only(lefts, rights)}; only here: ${only(rights, lefts)}`;
}
