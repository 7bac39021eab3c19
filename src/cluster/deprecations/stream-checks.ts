/** Data streams: whether they can get a next index, and what their indices were created by. */
import { INDEX_FORMAT_VERSION } from '../changes/indices/new-index.js';
import { backingIndices } from '../data-streams/data-streams.js';
import { streamTemplate } from '../data-streams/stream-templates.js';
import type { ClusterState, DataStream } from '../state.js';
import { critical, listed, warning, type Deprecation } from './entry.js';

/** By the name of the stream; only those with something to tell. */
export function streamDeprecations(state: ClusterState): ReadonlyMap<string, readonly Deprecation[]> {
  const found = new Map<string, readonly Deprecation[]>();
  for (const [name, stream] of state.dataStreams) {
    const entries = [...withoutTemplate(state, name), ...oldIndices(state, stream)];
    if (entries.length > 0) found.set(name, entries);
  }
  return found;
}

function withoutTemplate(state: ClusterState, name: string): readonly Deprecation[] {
  try {
    streamTemplate(state, name);
    return [];
  } catch {
    const details = `Put an index template with [data_stream] that matches [${name}]: it cannot be rolled over without one`;
    return [critical('Data stream has no matching index template', `/_data_stream/${name}`, details)];
  }
}

function oldIndices(state: ClusterState, stream: DataStream): readonly Deprecation[] {
  const old = backingIndices(state, stream).filter(
    ({ settings }) => Number(settings.get('index.version.created') ?? NaN) < Number(INDEX_FORMAT_VERSION),
  );
  if (old.length === 0) return [];
  const details = `Reindex ${listed(old.map(({ name }) => name))}, or wait until they are deleted, before a next major version`;
  return [warning('Data stream has indices of an earlier format', `/_data_stream/${stream.name}`, details)];
}
