/** Data streams: a name for a row of backing indices, of which the last one takes writes. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { formatDate } from '../names/date-format.js';
import { checkIndexName } from '../names/index-name.js';
import type { AliasMetadata, ClusterState, DataStream, IndexMetadata } from '../state.js';

export const TIMESTAMP_FIELD = '@timestamp';
const BACKING_PREFIX = '.ds-';
/** Digits of the generation in a name. */
const GENERATION_WIDTH = 6;

/** Whether the names of backing indices tell the day on which they were made: one dialect of the API has them so. */
export type BackingNames = 'dated' | 'plain';

export function backingIndexName(stream: string, generation: number, names: BackingNames, nowMs: number): string {
  const day = names === 'dated' ? `${formatDate(nowMs, 'yyyy.MM.dd', 'UTC')}-` : '';
  return `${BACKING_PREFIX}${stream}-${day}${String(generation).padStart(GENERATION_WIDTH, '0')}`;
}

/** The backing indices that are there, the oldest first. */
export function backingIndices(state: Pick<ClusterState, 'indices'>, stream: DataStream): readonly IndexMetadata[] {
  return stream.indices.flatMap(({ name, uuid }) => {
    const index = state.indices.get(name);
    return index?.uuid === uuid ? [index] : [];
  });
}

export function writeIndexOf(state: ClusterState, stream: DataStream): IndexMetadata {
  const index = backingIndices(state, stream).at(-1);
  if (index !== undefined) return index;
  throw new QuarryError('internal_error', `data stream [${stream.name}] has no index`);
}

const parents = new WeakMap<ClusterState['dataStreams'], ReadonlyMap<string, DataStream>>();

/** The data stream that an index is part of. */
export function parentStream(state: ClusterState, indexName: string): DataStream | undefined {
  let byIndex = parents.get(state.dataStreams);
  if (byIndex === undefined) {
    const entries = [...state.dataStreams.values()].flatMap((stream) =>
      stream.indices.map(({ name }) => [name, stream] as const),
    );
    byIndex = new Map(entries);
    parents.set(state.dataStreams, byIndex);
  }
  return byIndex.get(indexName);
}

/** Refuses what a data stream may not be called. */
export function checkDataStreamName(name: string): void {
  if (name.startsWith(BACKING_PREFIX)) {
    throw illegalArgument(`data_stream [${name}] must not start with '${BACKING_PREFIX}'`);
  }
  if (name !== name.toLowerCase()) throw illegalArgument(`data_stream [${name}] must be lowercase`);
  checkIndexName(name);
}

/** Refuses what an alias of an index may say, and one of a data stream may not. */
export function checkStreamAlias({ indexRouting, searchRouting, isHidden }: AliasMetadata): void {
  const said = { index_routing: indexRouting, search_routing: searchRouting, is_hidden: isHidden };
  const [refused] = Object.entries(said).find(([, value]) => value !== undefined) ?? [];
  if (refused !== undefined) throw illegalArgument(`aliases that point to data streams don't support ${refused}`);
}

/** Documents are ordered by it, so every index must know it as a time. */
export function checkTimestampMapping(index: Pick<IndexMetadata, 'name' | 'mapping'>): void {
  const field = index.mapping.root.properties.get(TIMESTAMP_FIELD);
  if (field === undefined) {
    throw illegalArgument(`data stream timestamp field [${TIMESTAMP_FIELD}] does not exist in index [${index.name}]`);
  }
  const type = field.kind === 'field' ? field.type : 'object';
  if (type === 'date' || type === 'date_nanos') return;
  throw illegalArgument(
    `data stream timestamp field [${TIMESTAMP_FIELD}] is of type [${type}], but [date,date_nanos] is expected`,
  );
}
