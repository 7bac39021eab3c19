/** `POST {index}/_open` and `_close`. */
import { QuarryError } from '../../../base/errors.js';
import { reroute } from '../../allocation/reroute.js';
import { unassignedCopy, unassignedInfo } from '../../copies/shard-copies.js';
import { checkBlocks } from '../../blocks/blocks.js';
import { effectiveClusterSettings } from '../../settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../settings/cluster-settings.js';
import { valueOf } from '../../settings/registry.js';
import { checkShardLimit } from '../../shard-limit.js';
import { checkNotInSnapshot } from '../../snapshots/queue.js';
import { checkNotRestoring } from '../../snapshots/restores.js';
import type { ClusterState, IndexMetadata, IndexRouting } from '../../state.js';
import { nextState, withIndices, withRouting, type Change, type ChangeEnvironment } from '../change.js';
import type { IndicesInput } from './delete-indices.js';
import { findIndex } from '../find-index.js';
import { withoutMoves } from '../nodes/membership.js';

/** The shards are read and written no more; they keep their places. */
export function closeIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  if (valueOf(ClusterSettingDefinitions.closeEnable, effectiveClusterSettings(state)) === false) {
    throw new QuarryError(
      'illegal_state_exception',
      'closing indices is disabled - set [cluster.indices.close.enable: true] to enable it. NOTE: closed indices ' +
        'still consume a significant amount of diskspace',
    );
  }
  checkNotRestoring(state, input.indices);
  checkNotInSnapshot(state, input.indices, 'close');
  const changed = input.indices.flatMap((id) => {
    const index = findIndex(state, id);
    checkBlocks(index, 'metadata_write');
    return index.state === 'close' ? [] : [inState(index, 'close')];
  });
  if (changed.length === 0) return { state, result: null };
  const settled = changed.flatMap(({ name }) => {
    const table = state.routing.get(name);
    return table === undefined ? [] : [{ ...table, shards: table.shards.map(withoutMoves) }];
  });
  const parts = { indices: withIndices(state, changed), routing: withRouting(state, settled) };
  return { state: nextState(state, parts, environment), result: null };
}

export function openIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  const changed = input.indices.flatMap((id) => {
    const index = findIndex(state, id);
    checkBlocks(index, 'metadata_write');
    return index.state === 'open' ? [] : [underNextTerms(inState(index, 'open'))];
  });
  if (changed.length === 0) return { state, result: null };
  checkShardLimit(
    state,
    changed.reduce((sum, index) => sum + index.numberOfShards * (1 + index.numberOfReplicas), 0),
  );
  const indices = withIndices(state, changed);
  const reopened = withRouting(
    state,
    changed.map((index) => reopenedRouting(index, state.routing.get(index.name), environment.nowMs)),
  );
  const routing = reroute({ ...state, indices, routing: reopened }, environment);
  return { state: nextState(state, { indices, routing }, environment), result: null };
}

/** Every copy is looked for where it was. */
function reopenedRouting(index: IndexMetadata, closed: IndexRouting | undefined, nowMs: number): IndexRouting {
  const shards = index.inSyncAllocationIds.map((_, shard) => {
    const former = closed?.shards[shard] ?? [];
    return Array.from({ length: index.numberOfReplicas + 1 }, (_, at) =>
      unassignedCopy(shard, at === 0, unassignedInfo('INDEX_REOPENED', nowMs, former[at])),
    );
  });
  return { index: { name: index.name, uuid: index.uuid }, shards };
}

/** Each shard gets a primary anew, perhaps another copy than before. */
function underNextTerms(index: IndexMetadata): IndexMetadata {
  return { ...index, primaryTerms: index.primaryTerms.map((term) => term + 1) };
}

function inState(index: IndexMetadata, state: IndexMetadata['state']): IndexMetadata {
  return { ...index, state, version: index.version + 1, settingsVersion: index.settingsVersion + 1 };
}
