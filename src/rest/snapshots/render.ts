/** Snapshots as the API shows them. */
import type { ActionContext } from '../../actions/context.js';
import { recordOf, type ListedSnapshot } from '../../actions/snapshots/list-snapshots.js';
import type { JsonObject } from '../../base/json-value.js';
import type { CreateOperation } from '../../cluster/snapshots/types.js';
import type { SnapshotRecord } from '../../repositories/format.js';
import { apiVersion, versionId } from '../info/compatibility.js';

export interface SnapshotShape {
  readonly showsRepository: boolean;
  readonly showsIndices: boolean;
  readonly showsDetails: boolean;
}

export const WHOLE: SnapshotShape = { showsRepository: true, showsIndices: true, showsDetails: false };

/** Reads the record of one that has ended. */
export async function renderSnapshot(
  context: ActionContext,
  listed: ListedSnapshot,
  shape: SnapshotShape,
): Promise<JsonObject> {
  const { name } = listed.repository;
  return listed.kind === 'finished'
    ? renderRecord(context, name, await recordOf(listed), shape)
    : renderRunning(context, listed.operation, shape);
}

export function renderRecord(
  context: ActionContext,
  repository: string,
  record: SnapshotRecord,
  shape: SnapshotShape = WHOLE,
): JsonObject {
  const { state, startedAtMs, endedAtMs, totalShards, successfulShards, reason } = record;
  return {
    ...head(context, repository, record, shape),
    state,
    ...(reason === undefined ? {} : { reason }),
    ...times(startedAtMs, endedAtMs),
    failures: record.failures.map(({ index, indexUuid, shard, nodeId, reason: why }) => ({
      index,
      index_uuid: indexUuid,
      shard_id: shard,
      reason: why,
      ...(nodeId === undefined ? {} : { node_id: nodeId }),
      status: 'INTERNAL_SERVER_ERROR',
    })),
    shards: { total: totalShards, failed: record.failures.length, successful: successfulShards },
    ...(shape.showsDetails ? { index_details: detailsOf(record) } : {}),
  };
}

function renderRunning(context: ActionContext, operation: CreateOperation, shape: SnapshotShape): JsonObject {
  const shards = operation.indices.flatMap((index) => index.shards);
  const indices = operation.indices.map(({ index }) => index.name).sort();
  return {
    ...head(context, operation.repository, { ...operation, indices }, shape),
    state: 'IN_PROGRESS',
    ...times(operation.startedAtMs, 0),
    failures: [],
    shards: {
      total: shards.length,
      failed: shards.filter(({ state }) => state === 'failed' || state === 'missing').length,
      successful: shards.filter(({ state }) => state === 'success').length,
    },
    ...(shape.showsDetails ? { index_details: {} } : {}),
  };
}

type Described = Pick<
  SnapshotRecord,
  'name' | 'uuid' | 'indices' | 'dataStreams' | 'featureStates' | 'includeGlobalState' | 'metadata'
>;

function head(context: ActionContext, repository: string, snapshot: Described, shape: SnapshotShape): JsonObject {
  const isOpensearch = context.settings.values['compatibility.distribution'] === 'opensearch';
  const { name, uuid, metadata } = snapshot;
  return {
    snapshot: name,
    uuid,
    ...(shape.showsRepository && !isOpensearch ? { repository } : {}),
    version_id: versionId(context.settings),
    version: apiVersion(context.settings),
    ...(isOpensearch ? { remote_store_index_shallow_copy: false } : {}),
    ...(shape.showsIndices ? { indices: snapshot.indices } : {}),
    data_streams: snapshot.dataStreams,
    include_global_state: snapshot.includeGlobalState,
    ...(metadata === undefined ? {} : { metadata }),
    ...(isOpensearch ? {} : { feature_states: featureStates(snapshot.featureStates) }),
  };
}

function featureStates(names: readonly string[]): readonly JsonObject[] {
  return names.map((feature_name) => ({ feature_name, indices: [] }));
}

function times(startedAtMs: number, endedAtMs: number): JsonObject {
  return {
    start_time: new Date(startedAtMs).toISOString(),
    start_time_in_millis: startedAtMs,
    end_time: new Date(endedAtMs).toISOString(),
    end_time_in_millis: endedAtMs,
    duration_in_millis: Math.max(0, endedAtMs - startedAtMs),
  };
}

function detailsOf({ details }: SnapshotRecord): JsonObject {
  return Object.fromEntries(
    Object.entries(details).map(([index, { shards, bytes, segmentsMax }]) => [
      index,
      { shard_count: shards, size_in_bytes: bytes, max_segments_per_shard: segmentsMax },
    ]),
  );
}
