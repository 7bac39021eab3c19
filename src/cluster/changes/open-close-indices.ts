/** `POST {index}/_open` and `_close`. */
import { QuarryError } from '../../base/errors.js';
import { allocate, unassignedCopy, unassignedInfo } from '../allocation.js';
import { checkBlocks } from '../blocks.js';
import { effectiveClusterSettings } from '../effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../settings/cluster-settings.js';
import { valueOf } from '../settings/registry.js';
import { checkShardLimit } from '../shard-limit.js';
import type { ClusterState, IndexMetadata, IndexRouting } from '../state.js';
import { nextState, withIndices, withRouting, type Change, type ChangeEnvironment } from './change.js';
import type { IndicesInput } from './delete-indices.js';
import { findIndex } from './find-index.js';

/** The shards are read and written no more; they keep their places. */
export function closeIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  if (valueOf(ClusterSettingDefinitions.closeEnable, effectiveClusterSettings(state)) === false) {
    throw new QuarryError(
      'illegal_state_exception',
      'closing indices is disabled - set [cluster.indices.close.enable: true] to enable it. NOTE: closed indices ' +
        'still consume a significant amount of diskspace',
    );
  }
  const changed = input.indices.flatMap((id) => {
    const index = findIndex(state, id);
    checkBlocks(index, 'metadata_write');
    return index.state === 'close' ? [] : [inState(index, 'close')];
  });
  if (changed.length === 0) return { state, result: null };
  return { state: nextState(state, { indices: withIndices(state, changed) }, environment), result: null };
}

export function openIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  const changed = input.indices.flatMap((id) => {
    const index = findIndex(state, id);
    checkBlocks(index, 'metadata_write');
    return index.state === 'open' ? [] : [inState(index, 'open')];
  });
  if (changed.length === 0) return { state, result: null };
  checkShardLimit(
    state,
    changed.reduce((sum, index) => sum + index.numberOfShards * (1 + index.numberOfReplicas), 0),
  );
  const indices = withIndices(state, changed);
  const reopened = withRouting(
    state,
    changed.map((index) => reopenedRouting(index, environment.nowMs)),
  );
  const routing = allocate({ ...state, indices }, reopened, () => environment.newUuid());
  return { state: nextState(state, { indices, routing }, environment), result: null };
}

function reopenedRouting(index: IndexMetadata, nowMs: number): IndexRouting {
  const info = unassignedInfo('INDEX_REOPENED', nowMs);
  const shards = index.inSyncAllocationIds.map((_, shard) =>
    Array.from({ length: index.numberOfReplicas + 1 }, (_, copy) => unassignedCopy(shard, copy === 0, info)),
  );
  return { index: { name: index.name, uuid: index.uuid }, shards };
}

function inState(index: IndexMetadata, state: IndexMetadata['state']): IndexMetadata {
  return { ...index, state, version: index.version + 1, settingsVersion: index.settingsVersion + 1 };
}
