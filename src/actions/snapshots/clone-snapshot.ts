/**
 * Makes a snapshot of indices of another one: the same files, under another name. It keeps what that one has of the cluster, in a blob of
 * its own, but no data streams and no states of features.
 */
import { newUuid } from '../../base/random.js';
import { QuarryError } from '../../base/errors.js';
import { encodeMetadata } from '../../cluster/snapshots/global-metadata.js';
import type { CloneOperation } from '../../cluster/snapshots/types.js';
import type { RepositoryRoot, RootIndex, SnapshotRecord } from '../../repositories/format.js';
import { shardFolder, type Repository } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { changeRoot } from './change-root.js';
import { newestRoot } from './newest-root.js';
import { readMetadata, readRecord } from './read-snapshot.js';
import type { OperationResult } from './run-snapshots.js';

export async function cloneSnapshot(context: ActionContext, operation: CloneOperation): Promise<OperationResult> {
  const { repository, root } = await newestRoot(context, operation.repository);
  repository.checkWritable();
  if (root.snapshots.some(({ uuid }) => uuid === operation.uuid)) return { outcome: {}, root };
  if (!root.snapshots.some(({ uuid }) => uuid === operation.source.uuid)) {
    const { name, uuid } = operation.source;
    throw new QuarryError('snapshot_missing_exception', `[${operation.repository}:${name}/${uuid}] is missing`);
  }
  const source = await readRecord(repository, operation.source);
  const { global } = source.includeGlobalState ? await readMetadata(repository, source) : {};
  const wanted = new Set(operation.indices);
  const indices = root.indices.filter(({ name, snapshots }) => wanted.has(name) && source.uuid in snapshots);
  const generations = new Map<string, string>();
  for (const index of indices) {
    for (const [shard, generation] of index.shards.entries()) {
      context.cancellation.throwIfCancelled();
      const next = await cloneShard(context, repository, { id: index.id, shard, generation }, operation);
      if (next !== undefined) generations.set(shardFolder(index.id, shard), next);
    }
  }
  const metadata = { dataStreams: new Map(), ...(global === undefined ? {} : { global }) };
  await repository.writeClusterMetadata(operation.uuid, encodeMetadata(metadata));
  const record = recordOf(operation, source, indices, context.clock.nowMs());
  await repository.writeSnapshot(record);
  const written = await changeRoot(context, operation, (newest) => withClone(newest, record, operation, generations));
  return { outcome: {}, root: written };
}

/** The next generation of the shard; undefined where the source lacks it. */
async function cloneShard(
  context: ActionContext,
  repository: Repository,
  { id, shard, generation }: { readonly id: string; readonly shard: number; readonly generation: string },
  { uuid, source }: CloneOperation,
): Promise<string | undefined> {
  const entries = await repository.shard(id, shard, generation);
  const entry = entries[source.uuid];
  if (entry === undefined) return undefined;
  await repository.writeSegments(id, shard, uuid, await repository.segments(id, shard, source.uuid));
  const next = newUuid(context.random);
  const { clock } = context;
  const own = { ...entry, startedAtMs: clock.nowMs(), tookMs: 0, newFiles: 0, newBytes: 0 };
  await repository.writeShard(id, shard, next, { ...entries, [uuid]: own });
  return next;
}

function withClone(
  root: RepositoryRoot,
  record: SnapshotRecord,
  { source, indices: names }: CloneOperation,
  generations: ReadonlyMap<string, string>,
): Pick<RepositoryRoot, 'snapshots' | 'indices'> {
  const wanted = new Set(names);
  const indices = root.indices.map((index): RootIndex => {
    const metadata = index.snapshots[source.uuid];
    if (metadata === undefined || !wanted.has(index.name)) return index;
    const shards = index.shards.map((former, shard) => generations.get(shardFolder(index.id, shard)) ?? former);
    return { ...index, shards, snapshots: { ...index.snapshots, [record.uuid]: metadata } };
  });
  const { name, uuid, state, startedAtMs, endedAtMs, successfulShards, totalShards } = record;
  const count = record.indices.length;
  const entry = { name, uuid, state, startedAtMs, endedAtMs, indices: count, successfulShards, totalShards };
  return { snapshots: [...root.snapshots, entry], indices };
}

function recordOf(
  operation: CloneOperation,
  source: SnapshotRecord,
  indices: readonly RootIndex[],
  endedAtMs: number,
): SnapshotRecord {
  const names = indices.map(({ name }) => name).sort();
  const failures = source.failures.filter(({ index }) => names.includes(index));
  const details = Object.fromEntries(
    names.flatMap((name) => {
      const known = source.details[name];
      return known === undefined ? [] : [[name, known] as const];
    }),
  );
  const totalShards = Object.values(details).reduce((sum, { shards }) => sum + shards, 0);
  return {
    name: operation.name,
    uuid: operation.uuid,
    state: failures.length === 0 ? 'SUCCESS' : 'PARTIAL',
    startedAtMs: operation.startedAtMs,
    endedAtMs,
    indices: names,
    dataStreams: [],
    featureStates: [],
    includeGlobalState: source.includeGlobalState,
    totalShards,
    successfulShards: totalShards - failures.length,
    failures,
    details,
  };
}
