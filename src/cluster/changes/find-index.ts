/** The index that a command names, as the state has it now. */
import { indexNotFound } from '../names/index-expression.js';
import type { ClusterState, DataStream, IndexId, IndexMetadata } from '../state.js';

/** Throws `index_not_found_exception` when the index is gone, or another one has its name meanwhile. */
export function findIndex(state: ClusterState, id: IndexId): IndexMetadata {
  const index = state.indices.get(id.name);
  if (index?.uuid !== id.uuid) throw indexNotFound(id.name);
  return index;
}

export function findStream({ dataStreams }: Pick<ClusterState, 'dataStreams'>, name: string): DataStream {
  const stream = dataStreams.get(name);
  if (stream === undefined) throw indexNotFound(name);
  return stream;
}
