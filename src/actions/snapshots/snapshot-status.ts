/** How far snapshots are, shard by shard: from the repository for those that have ended, from the copies for others. */
import { asQuarryError } from '../../base/error-wire.js';
import { primaryOf } from '../../cluster/copies/shard-copies.js';
import type { CreateOperation, ShardSnapshot } from '../../cluster/snapshots/types.js';
import type { RootIndex } from '../../repositories/format.js';
import { shardBlob, type Repository } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { copiesOf, placeOf } from '../copy-selection.js';
import { recordOf, type ListedSnapshot } from './list-snapshots.js';

export type ShardStage = 'INIT' | 'STARTED' | 'FINALIZE' | 'DONE' | 'FAILURE';

export interface ShardStatus {
  readonly stage: ShardStage;
  readonly totalFiles: number;
  readonly totalBytes: number;
  readonly newFiles: number;
  readonly newBytes: number;
  /** Copied so far; of one that is being copied. */
  readonly done?: { readonly files: number; readonly bytes: number };
  readonly startedAtMs: number;
  readonly tookMs: number;
  readonly nodeId?: string;
  readonly reason?: string;
}

export interface IndexStatus {
  readonly name: string;
  readonly shards: readonly ShardStatus[];
}

export interface SnapshotStatus {
  readonly name: string;
  readonly uuid: string;
  readonly repository: string;
  readonly state: string;
  readonly includeGlobalState: boolean;
  readonly startedAtMs: number;
  readonly tookMs: number;
  readonly indices: readonly IndexStatus[];
}

/** Shards of a repository that are read at once. */
const READS_AT_ONCE = 16;

export function snapshotStatus(context: ActionContext, listed: ListedSnapshot): Promise<SnapshotStatus> {
  return listed.kind === 'finished' ? finished(listed) : running(context, listed.operation);
}

async function finished(listed: ListedSnapshot & { readonly kind: 'finished' }): Promise<SnapshotStatus> {
  const { repository } = listed;
  const record = await recordOf(listed);
  const root = await repository.root();
  const indices: IndexStatus[] = [];
  for (const name of record.indices) {
    const entry = root.indices.find((index) => index.name === name && record.uuid in index.snapshots);
    const count = record.details[name]?.shards ?? 0;
    const failures = record.failures.filter(({ index }) => index === name);
    const shards: ShardStatus[] = [];
    for (let from = 0; from < count; from += READS_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(READS_AT_ONCE, count - from) }, (_, at) => from + at);
      const read = numbers.map(async (shard) => {
        const failure = failures.find((each) => each.shard === shard);
        if (failure !== undefined || entry === undefined)
          return { ...NOTHING, stage: 'FAILURE', reason: failure?.reason ?? '' } as const;
        return storedShard(repository, entry, shard, record.uuid);
      });
      shards.push(...(await Promise.all(read)));
    }
    indices.push({ name, shards });
  }
  const { name, uuid, state, includeGlobalState, startedAtMs, endedAtMs } = record;
  const tookMs = endedAtMs - startedAtMs;
  return { name, uuid, repository: repository.name, state, includeGlobalState, startedAtMs, tookMs, indices };
}

const NOTHING = { totalFiles: 0, totalBytes: 0, newFiles: 0, newBytes: 0, startedAtMs: 0, tookMs: 0 } as const;

async function storedShard(
  repository: Repository,
  { id, shards }: RootIndex,
  shard: number,
  snapshotUuid: string,
): Promise<ShardStatus> {
  try {
    const entry = (await repository.newestShard(id, shard))[snapshotUuid];
    if (entry === undefined) return { ...NOTHING, stage: 'FAILURE', reason: 'the repository lacks the shard' };
    const { files, newFiles, newBytes, startedAtMs, tookMs } = entry;
    const totalBytes = files.reduce((sum, { length }) => sum + length, 0);
    return { stage: 'DONE', totalFiles: files.length, totalBytes, newFiles, newBytes, startedAtMs, tookMs };
  } catch (error) {
    // It cannot be restored, and all else of the snapshot is to be told.
    const { type, message } = asQuarryError(error);
    if (type === 'corrupt_index_exception') return { ...NOTHING, stage: 'FAILURE', reason: message };
    if (type !== 'no_such_file_exception') throw error;
    const blob = shardBlob(id, shard, shards[shard] ?? '');
    return { ...NOTHING, stage: 'FAILURE', reason: `the repository lacks the blob [${blob}]` };
  }
}

async function running(context: ActionContext, operation: CreateOperation): Promise<SnapshotStatus> {
  const indices = await Promise.all(
    operation.indices.map(async ({ index, id, shards }) => ({
      name: index.name,
      shards: await Promise.all(
        shards.map(async (shard, number) =>
          shard.state === 'pending'
            ? pendingShard(context, operation.uuid, id, { index: index.name, indexUuid: index.uuid, shard: number })
            : endedShard(shard),
        ),
      ),
    })),
  );
  const { name, uuid, repository, includeGlobalState, startedAtMs, aborted } = operation;
  const tookMs = context.clock.nowMs() - startedAtMs;
  const state = aborted === true ? 'ABORTED' : 'STARTED';
  return { name, uuid, repository, state, includeGlobalState, startedAtMs, tookMs, indices };
}

function endedShard(shard: ShardSnapshot): ShardStatus {
  const { files = 0, bytes = 0, newFiles = 0, newBytes = 0, startedAtMs = 0, tookMs = 0, nodeId, reason } = shard;
  const stage = shard.state === 'success' ? 'DONE' : 'FAILURE';
  const figures = { totalFiles: files, totalBytes: bytes, newFiles, newBytes, startedAtMs, tookMs };
  return {
    stage,
    ...figures,
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(reason === undefined ? {} : { reason }),
  };
}

async function pendingShard(
  context: ActionContext,
  snapshotUuid: string,
  indexId: string,
  key: { readonly index: string; readonly indexUuid: string; readonly shard: number },
): Promise<ShardStatus> {
  const primary = primaryOf(copiesOf(context.clusterState(), key));
  const place = primary === undefined ? undefined : placeOf(primary);
  if (place === undefined) return { ...NOTHING, stage: 'INIT' };
  const input = { snapshotUuid, indexId };
  const progress = await context.shards.onCopy(key, place, 'snapshot-progress', input).catch(() => null);
  if (progress === null) return { ...NOTHING, stage: 'INIT', nodeId: place.nodeId };
  const { files, bytes, newFiles, newBytes, doneFiles, doneBytes, startedAtMs } = progress;
  return {
    stage: doneFiles === newFiles ? 'FINALIZE' : 'STARTED',
    totalFiles: files,
    totalBytes: bytes,
    newFiles,
    newBytes,
    done: { files: doneFiles, bytes: doneBytes },
    startedAtMs,
    tookMs: context.clock.nowMs() - startedAtMs,
    nodeId: place.nodeId,
  };
}
