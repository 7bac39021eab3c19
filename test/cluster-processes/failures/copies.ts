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

export interface Compared {
  /** Value of each document by id, as all copies have it. */
  readonly found: ReadonlyMap<string, number>;
  /** In what copies differ, or repeat themselves, as sentences. */
  readonly wrong: readonly string[];
  readonly copies: number;
}

/** Refreshes, reads every copy of every shard, and compares the copies of each. */
export async function compareCopies(cluster: TestCluster, index: string): Promise<Compared> {
  const refreshed = await cluster.node().post(`/${index}/_refresh`);
  const { _shards: shards } = refreshed.json();
  const wrong: string[] = [];
  if (refreshed.status !== 200 || shards.failed > 0) wrong.push(`${index} cannot be refreshed: ${refreshed.text}`);
  const rows = await copyRows(cluster, index);
  const found = new Map<string, number>();
  for (const shard of new Set(rows.map((row) => row.shard))) {
    const copies = rows.filter((row) => row.shard === shard);
    const contents = await Promise.all(copies.map(({ node }) => hitsOf(cluster, index, shard, node)));
    const checksums = contents.map(checksumOf);
    const [first = []] = contents;
    copies.forEach((copy, at) => {
      const name = `${index}[${shard}] on ${copy.node}`;
      if (copy.state !== 'STARTED') wrong.push(`${name} is ${copy.state}`);
      if (checksums[at] !== checksums[0]) wrong.push(`${name} differs: ${difference(first, contents[at] ?? [])}`);
      for (const column of ['seq_no.max', 'seq_no.local_checkpoint'] as const) {
        if (copy[column] !== copies[0]?.[column]) {
          wrong.push(`${name}: ${column} is ${copy[column]}, elsewhere ${copies[0]?.[column]}`);
        }
      }
    });
    for (const { _id, _source } of first) {
      if (found.has(_id)) wrong.push(`${index}[${shard}] has ${_id} twice, or another shard has it too`);
      found.set(_id, _source.value);
    }
  }
  return { found, wrong, copies: rows.length };
}

async function copyRows(cluster: TestCluster, index: string): Promise<readonly CopyRow[]> {
  const columns = 'shard,prirep,state,node,seq_no.max,seq_no.local_checkpoint';
  const answer = await cluster.node().get(`/_cat/shards/${index}?format=json&h=${columns}&s=shard,prirep`);
  return answer.json() as CopyRow[];
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
