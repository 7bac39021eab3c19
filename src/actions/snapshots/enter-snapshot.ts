/** The end of a snapshot: what it keeps of indices and of the cluster is written, and the next root names it. */
import { QuarryError } from '../../base/errors.js';
import { SM_METADATA } from '../../cluster/sm/types.js';
import { encodeMetadata, metadataOf } from '../../cluster/snapshots/global-metadata.js';
import type { CreateOperation, ShardSnapshot, SnapshotIndex } from '../../cluster/snapshots/types.js';
import { encodeIndex } from '../../cluster/state-codec.js';
import type {
  IndexDetails,
  RepositoryRoot,
  RootIndex,
  RootSnapshot,
  ShardFailure,
  SnapshotRecord,
} from '../../repositories/format.js';
import type { ActionContext } from '../context.js';
import { changeRoot } from './change-root.js';
import { newestRoot } from './newest-root.js';
import type { OperationResult } from './run-snapshots.js';

export async function enterSnapshot(context: ActionContext, operation: CreateOperation): Promise<OperationResult> {
  const { repository, root } = await newestRoot(context, operation.repository);
  // A master that has ended since came so far.
  if (root.snapshots.some(({ uuid }) => uuid === operation.uuid)) {
    return { outcome: {}, root };
  }
  if (root.snapshots.length >= repository.options.snapshotsMax) {
    throw new QuarryError(
      'repository_exception',
      `[${operation.repository}] Cannot add another snapshot to this repository as it already contains ` +
        `[${root.snapshots.length}] snapshots and is configured to hold up to [${repository.options.snapshotsMax}] ` +
        'snapshots only.',
    );
  }
  const state = context.clusterState();
  const kept = operation.indices.filter(({ index }) => state.indices.get(index.name)?.uuid === index.uuid);
  const blobs = new Map<string, string>();
  for (const { index, id } of kept) {
    const metadata = state.indices.get(index.name);
    if (metadata === undefined) continue;
    const known = Object.values(root.indices.find((each) => each.id === id)?.snapshots ?? {});
    const text = encodeIndex(metadata);
    blobs.set(id, await repository.writeIndexMetadata(id, text, known, operation.uuid));
  }
  const text = encodeMetadata(
    metadataOf(state, operation.dataStreams, operation.includeGlobalState, operation.featureStates),
  );
  await repository.writeClusterMetadata(operation.uuid, text);
  const record = recordOf(operation, kept, context.clock.nowMs());
  await repository.writeSnapshot(record);
  const written = await changeRoot(context, operation, (newest) =>
    withSnapshot(newest, record, kept, blobs, operation),
  );
  return { outcome: {}, root: written };
}

function withSnapshot(
  root: RepositoryRoot,
  record: SnapshotRecord,
  kept: readonly SnapshotIndex[],
  blobs: ReadonlyMap<string, string>,
  operation: CreateOperation,
): Pick<RepositoryRoot, 'snapshots' | 'indices'> {
  const indices = new Map(root.indices.map((index) => [index.id, index] as const));
  for (const each of kept) {
    const former = indices.get(each.id);
    const next: RootIndex = {
      id: each.id,
      name: each.index.name,
      snapshots: { ...former?.snapshots, [record.uuid]: blobs.get(each.id) ?? '' },
      shards: generationsOf(each, former),
    };
    indices.set(each.id, next);
  }
  const { policy, [SM_METADATA]: smPolicy } = operation.metadata ?? {};
  const entry: RootSnapshot = {
    name: record.name,
    uuid: record.uuid,
    state: record.state,
    startedAtMs: record.startedAtMs,
    endedAtMs: record.endedAtMs,
    indices: record.indices.length,
    successfulShards: record.successfulShards,
    totalShards: record.totalShards,
    ...(typeof policy === 'string' ? { policy } : {}),
    ...(typeof smPolicy === 'string' ? { smPolicy } : {}),
  };
  const others = root.snapshots.filter(({ uuid }) => uuid !== record.uuid);
  return { snapshots: [...others, entry], indices: [...indices.values()] };
}

/** Shards that were not copied keep what the repository has of them. An index of the name may have had another number of shards before. */
function generationsOf({ shards }: SnapshotIndex, former: RootIndex | undefined): readonly string[] {
  const count = Math.max(shards.length, former?.shards.length ?? 0);
  return Array.from({ length: count }, (_, at) => shards[at]?.generation ?? former?.shards[at] ?? '');
}

function recordOf(operation: CreateOperation, kept: readonly SnapshotIndex[], endedAtMs: number): SnapshotRecord {
  // A partial snapshot is no less whole for an index that was deleted meanwhile: it does without.
  const counted = operation.partial ? kept : operation.indices;
  const shards = counted.flatMap((each) => each.shards);
  const failures = counted.flatMap((each) => failuresOf(each));
  const { metadata } = operation;
  return {
    name: operation.name,
    uuid: operation.uuid,
    // Also where it must not be partial: its primaries were there when it began.
    state: failures.length === 0 ? 'SUCCESS' : 'PARTIAL',
    startedAtMs: operation.startedAtMs,
    endedAtMs,
    indices: kept.map(({ index }) => index.name).sort(),
    dataStreams: operation.dataStreams,
    featureStates: operation.featureStates,
    includeGlobalState: operation.includeGlobalState,
    totalShards: shards.length,
    successfulShards: shards.filter(({ state }) => state === 'success').length,
    failures,
    ...(metadata === undefined ? {} : { metadata }),
    details: Object.fromEntries(kept.map((each) => [each.index.name, detailsOf(each.shards)])),
  };
}

function failuresOf({ index, shards }: SnapshotIndex): readonly ShardFailure[] {
  return shards.flatMap(({ state, reason, nodeId }, shard) =>
    state === 'success'
      ? []
      : [
          {
            index: index.name,
            indexUuid: index.uuid,
            shard,
            ...(nodeId === undefined ? {} : { nodeId }),
            reason: reason ?? 'it was not copied',
          },
        ],
  );
}

function detailsOf(shards: readonly ShardSnapshot[]): IndexDetails {
  return {
    shards: shards.length,
    bytes: shards.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
    segmentsMax: Math.max(0, ...shards.map(({ segments }) => segments ?? 0)),
  };
}
