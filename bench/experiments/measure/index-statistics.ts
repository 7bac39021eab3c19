/** What a node counts of an index. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCluster } from '../../cluster/nodes.js';
import { at, type Json } from '../../json.js';

export interface IndexStatistics {
  readonly storeBytes: number;
  readonly segments: number;
  readonly merges: number;
  readonly mergedBytes: number;
  readonly mergeMs: number;
  readonly runningMerges: number;
}

export async function indexStatistics(cluster: BenchCluster, index: string): Promise<IndexStatistics> {
  const answer = (await cluster.ask('GET', `/${index}/_stats/merge,segments,store`)) as Json;
  const total = at(answer, '_all', 'total');
  const figure = (...path: readonly string[]): number => Number(at(total, ...path) ?? NaN);
  return {
    storeBytes: figure('store', 'size_in_bytes'),
    segments: figure('segments', 'count'),
    merges: figure('merges', 'total'),
    mergedBytes: figure('merges', 'total_size_in_bytes'),
    mergeMs: figure('merges', 'total_time_in_millis'),
    runningMerges: figure('merges', 'current'),
  };
}

const QUIET_LOOKS = 3;
const LOOK_MS = 50;

/** Waits until no merge runs, and none follows the last one. */
export async function settleMerges(cluster: BenchCluster, index: string): Promise<void> {
  let quiet = 0;
  let before = -1;
  while (quiet < QUIET_LOOKS) {
    const { runningMerges, merges } = await indexStatistics(cluster, index);
    quiet = runningMerges === 0 && merges === before ? quiet + 1 : 0;
    before = merges;
    await sleep(LOOK_MS);
  }
}

/** Documents and bytes of each segment, the smallest first. */
export async function segmentSizes(
  cluster: BenchCluster,
  index: string,
): Promise<readonly (readonly [number, number])[]> {
  const columns = 'docs.count,docs.deleted,size';
  const rows = await cluster.rows(`/_cat/segments/${index}?format=json&bytes=b&h=${columns}`);
  return rows
    .map((row) => [Number(row['docs.count']) + Number(row['docs.deleted']), Number(row['size'])] as const)
    .sort(([left], [right]) => left - right);
}
