/** `DELETE {index}`. */
import { illegalArgument } from '../../../base/errors.js';
import { checkDeletionBlocks } from '../../blocks/blocks.js';
import { checkNotInSnapshot } from '../../snapshots/queue.js';
import type { ClusterState, IndexId, IndexTombstone } from '../../state.js';
import { nextState, withoutIndices, type Change, type ChangeEnvironment } from '../change.js';
import { withoutBackingIndices } from './backing-indices.js';
import { findIndex } from '../find-index.js';

export interface IndicesInput {
  readonly indices: readonly IndexId[];
}

/** Beyond it the oldest is forgotten: a node that was away for all that time keeps files that nobody knows. */
const TOMBSTONES_MAX = 500;

export function deleteIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  if (input.indices.length === 0) return { state, result: null };
  const dataStreams = withoutBackingIndices(state, input.indices);
  for (const id of input.indices) checkDeletionBlocks(findIndex(state, id));
  checkNotInSnapshot(state, input.indices, 'delete');
  const kept = withoutIndices(
    state,
    input.indices.map(({ name }) => name),
  );
  const tombstones = withTombstones(state.tombstones, input.indices, environment.nowMs);
  return { state: nextState(state, { ...kept, tombstones, dataStreams }, environment), result: null };
}

/** Indices of which only files were left, here or there, are known as deleted from now on. */
export function entombIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  const found = input.indices.find(({ name, uuid }) => state.indices.get(name)?.uuid === uuid);
  if (found !== undefined) throw illegalArgument(`index [${found.name}/${found.uuid}] is not dangling`);
  const unknown = input.indices.filter(({ uuid }) => !state.tombstones.has(uuid));
  if (unknown.length === 0) return { state, result: null };
  const tombstones = withTombstones(state.tombstones, unknown, environment.nowMs);
  return { state: nextState(state, { tombstones }, environment), result: null };
}

export function withTombstones(
  former: ClusterState['tombstones'],
  indices: readonly IndexId[],
  deletedAtMs: number,
): ClusterState['tombstones'] {
  const all: (readonly [string, IndexTombstone])[] = [
    ...former,
    ...indices.map(({ name, uuid }) => [uuid, { name, deletedAtMs }] as const),
  ];
  return new Map(all.slice(-TOMBSTONES_MAX));
}
