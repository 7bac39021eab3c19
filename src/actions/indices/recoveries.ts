/** How the copies of several indices recovered, or do. */
import { isActive, recoverySourceOf } from '../../cluster/copies/shard-copies.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../../cluster/state.js';
import type { RecoveryReport } from '../../shard/recovery-progress.js';
import { recoveryNode } from '../assigned-copies.js';
import type { ActionContext } from '../context.js';
import { placeOf } from '../copy-selection.js';
import { keyOf } from './broadcast.js';

export interface ShardRecovery {
  readonly index: IndexMetadata;
  readonly shard: number;
  readonly report: RecoveryReport;
}

/** In order of index, shard number and place. Copies whose node does not answer are left out, as the API does. */
export async function recoveries(
  context: ActionContext,
  indices: readonly IndexMetadata[],
  activeOnly: boolean,
): Promise<readonly ShardRecovery[]> {
  const state = context.clusterState();
  const copies = indices.flatMap((index) =>
    (state.routing.get(index.name)?.shards ?? []).flatMap((shard) => shard.map((copy) => ({ index, copy }))),
  );
  const reports = await Promise.all(
    copies.map(async ({ index, copy }) => {
      const report = await reportOf(context, state, index, copy).catch(() => undefined);
      return report === undefined ? [] : [{ index, shard: copy.shard, report }];
    }),
  );
  return reports.flat().filter(({ report }) => !activeOnly || report.stage !== 'DONE');
}

async function reportOf(
  context: ActionContext,
  state: ClusterState,
  index: IndexMetadata,
  copy: ShardCopy,
): Promise<RecoveryReport | undefined> {
  const place = placeOf(copy);
  if (place === undefined) return undefined;
  const key = keyOf(index, copy.shard);
  if (index.state === 'open') return context.shards.recovery(key, place);
  return isActive(copy) ? closedReport(context, state, index, copy) : undefined;
}

/** A closed shard holds no open files: it is as its last commit point left it. */
async function closedReport(
  context: ActionContext,
  { nodes }: ClusterState,
  index: IndexMetadata,
  copy: ShardCopy,
): Promise<RecoveryReport | undefined> {
  const place = placeOf(copy);
  if (place === undefined) return undefined;
  const { segments, writtenAtMs } = await context.shards.lastCommit(keyOf(index, copy.shard), place);
  const type = recoverySourceOf(index, copy);
  return {
    type: type === 'EMPTY_STORE' ? 'EXISTING_STORE' : type,
    primary: copy.primary,
    source: undefined,
    target: recoveryNode(nodes.get(place.nodeId)),
    stage: 'DONE',
    startedAtMs: writtenAtMs,
    stoppedAtMs: writtenAtMs,
    totalMs: 0,
    indexMs: 0,
    verifyMs: 0,
    translogMs: 0,
    files: segments.map(({ name, bytes }) => ({ name: `${name}.seg`, length: bytes, recovered: 0, reused: true })),
    sourceThrottleMs: 0,
    operations: { recovered: 0, total: 0, totalOnStart: 0 },
  };
}

/** Counts of files or of their bytes. */
export interface RecoveryCounts {
  readonly total: number;
  readonly reused: number;
  readonly recovered: number;
  /** Of what had to come. */
  readonly percent: string;
}

export function fileCounts({ files }: RecoveryReport): RecoveryCounts {
  return counts(files.length, files.filter(({ reused }) => reused).length, files.filter(isComplete).length);
}

export function byteCounts({ files }: RecoveryReport): RecoveryCounts {
  const sum = (bytes: readonly number[]): number => bytes.reduce((total, each) => total + each, 0);
  return counts(
    sum(files.map(({ length }) => length)),
    sum(files.map(({ length, reused }) => (reused ? length : 0))),
    sum(files.map(({ recovered }) => recovered)),
  );
}

export function operationsPercent({ operations: { recovered, total } }: RecoveryReport): string {
  return percent(total === 0 ? 1 : recovered / total);
}

function isComplete({ reused, recovered, length }: RecoveryReport['files'][number]): boolean {
  return !reused && recovered >= length;
}

function counts(total: number, reused: number, recovered: number): RecoveryCounts {
  const wanted = total - reused;
  const share = wanted > 0 ? recovered / wanted : total === 0 ? 0 : 1;
  return { total, reused, recovered, percent: percent(share) };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
