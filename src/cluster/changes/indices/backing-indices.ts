/** What becomes of data streams whose indices are deleted. */
import { illegalArgument } from '../../../base/errors.js';
import { parentStream } from '../../data-streams/data-streams.js';
import type { ClusterState, IndexId } from '../../state.js';
import { findIndex } from '../find-index.js';

/** Refuses to take a write index from its stream; gives the streams without the other indices. */
export function withoutBackingIndices(state: ClusterState, doomed: readonly IndexId[]): ClusterState['dataStreams'] {
  let dataStreams = state.dataStreams;
  for (const id of doomed) {
    findIndex(state, id);
    const name = parentStream({ ...state, dataStreams }, id.name)?.name;
    const stream = name === undefined ? undefined : dataStreams.get(name);
    if (stream === undefined) continue;
    if (stream.indices.at(-1)?.name === id.name) {
      throw illegalArgument(
        `index [${id.name}] is the write index for data stream [${stream.name}] and cannot be deleted`,
      );
    }
    const next = { ...stream, indices: stream.indices.filter((each) => each.name !== id.name) };
    dataStreams = new Map([...dataStreams, [stream.name, next]]);
  }
  return dataStreams;
}
