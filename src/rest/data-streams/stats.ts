/** `GET _data_stream/{name}/_stats`: how many indices, how large. */
import type { ActionContext } from '../../actions/context.js';
import { broadcastEach, shardsHeader } from '../../actions/indices/broadcast.js';
import { shardStatistics } from '../../actions/indices/shard-statistics.js';
import { formatBytes } from '../../base/units.js';
import { backingIndices, TIMESTAMP_FIELD } from '../../cluster/data-streams/data-streams.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { listParameter } from '../parameters.js';
import { namedStreams } from './named-streams.js';

export const dataStreamStatsEndpoint = defineEndpoint({
  name: 'indices.data_streams_stats',
  action: 'indices:monitor/data_stream/stats',
  methods: ['GET'],
  paths: ['/_data_stream/_stats', '/_data_stream/{name}/_stats'],
  parameters: { expand_wildcards: listParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, presentation }, context) {
    const streams = namedStreams(context, parts.name, parameters.expand_wildcards);
    const state = context.clusterState();
    const rows = streams.map((stream) => ({ stream, indices: backingIndices(state, stream) }));
    const all = await shardStatistics(
      context,
      rows.flatMap(({ indices }) => indices),
      { includeUnloadedSegments: true },
    );
    const newest = await newestTimestamps(
      context,
      rows.flatMap(({ indices }) => indices),
    );
    const sizeOf = (names: readonly string[]): number =>
      all.answers
        .filter(({ index }) => names.includes(index.name))
        .reduce((sum, { output }) => sum + output.stats.storeBytes, 0);
    const sizes = rows.map(({ stream, indices }) => {
      const bytes = sizeOf(indices.map(({ name }) => name));
      return {
        data_stream: stream.name,
        backing_indices: indices.length,
        ...(presentation.human ? { store_size: formatBytes(bytes) } : {}),
        store_size_bytes: bytes,
        maximum_timestamp: Math.max(0, ...indices.map(({ name }) => newest.get(name) ?? 0)),
      };
    });
    const total = sizes.reduce((sum, { store_size_bytes }) => sum + store_size_bytes, 0);
    return answerValue({
      _shards: shardsHeader(all),
      data_stream_count: rows.length,
      backing_indices: rows.reduce((sum, { indices }) => sum + indices.length, 0),
      ...(presentation.human ? { total_store_size: formatBytes(total) } : {}),
      total_store_size_bytes: total,
      data_streams: sizes,
    });
  },
});

/** Of each index, in milliseconds since 1970, as its columns have it: documents that were deleted count until they are merged away. */
async function newestTimestamps(
  context: ActionContext,
  indices: readonly IndexMetadata[],
): Promise<ReadonlyMap<string, number>> {
  const open = indices.filter(({ state }) => state === 'open');
  const inputFor = (): { field: string } => ({ field: TIMESTAMP_FIELD });
  const { answers } = await broadcastEach(context, open, 'greatest-value', inputFor, 'primaries');
  const newest = new Map<string, number>();
  for (const { index, output } of answers) {
    const field = index.mapping.root.properties.get(TIMESTAMP_FIELD);
    const isInNanos = field?.kind === 'field' && field.type === 'date_nanos';
    const atMs = Math.floor((output ?? 0) / (isInNanos ? 1e6 : 1));
    newest.set(index.name, Math.max(newest.get(index.name) ?? 0, atMs));
  }
  return newest;
}
