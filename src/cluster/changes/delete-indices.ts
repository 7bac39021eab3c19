/** `DELETE {index}`. */
import { checkDeletionBlocks } from '../blocks.js';
import type { ClusterState, IndexId } from '../state.js';
import { nextState, type Change, type ChangeEnvironment } from './change.js';
import { findIndex } from './find-index.js';

export interface IndicesInput {
  readonly indices: readonly IndexId[];
}

export function deleteIndices(state: ClusterState, input: IndicesInput, environment: ChangeEnvironment): Change<null> {
  if (input.indices.length === 0) return { state, result: null };
  const indices = new Map(state.indices);
  const routing = new Map(state.routing);
  for (const id of input.indices) {
    checkDeletionBlocks(findIndex(state, id));
    indices.delete(id.name);
    routing.delete(id.name);
  }
  return { state: nextState(state, { indices, routing }, environment), result: null };
}
