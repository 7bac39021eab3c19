/** `GET {index}/_segments`. */
import { byShard, broadcast, shardsHeader, type ShardAnswer } from '../../../actions/indices/broadcast.js';
import type { ShardStatistics } from '../../../actions/operations/shard-maintenance.js';
import type { JsonObject } from '../../../base/json-value.js';
import { formatBytes } from '../../../base/units.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import type { SegmentStats } from '../../../native/shard-statistics.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, indicesOptionsParameters } from '../../parameters.js';
import { FORMAT_NAME } from '../format-name.js';
import { namedIndices } from '../index-names.js';
import { openOnly } from '../maintenance/refresh.js';
import { segmentSort } from './segment-sort.js';

export const segmentsEndpoint = defineEndpoint({
  name: 'indices.segments',
  action: 'indices:monitor/segments',
  methods: ['GET'],
  paths: ['/_segments', '/{index}/_segments'],
  parameters: { ...indicesOptionsParameters, verbose: booleanParameter(), vector_formats: booleanParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts, presentation } = request;
    const indices = openOnly(namedIndices(context, parts.index, IndicesDefaults.expandOpenForbidClosed, parameters));
    const result = await broadcast(context, indices, 'statistics', null);
    const entries = indices.map((index) => {
      const own = result.answers.filter((answer) => answer.index.name === index.name);
      const shown = { human: presentation.human, sort: segmentSort(index) };
      return [index.name, { shards: byShard(own, (answer) => shardEntry(answer, shown)) }] as const;
    });
    return answerValue({ _shards: shardsHeader(result), indices: Object.fromEntries(entries) });
  },
});

interface Shown {
  readonly human: boolean;
  /** Of every segment of the index. */
  readonly sort: readonly JsonObject[] | undefined;
}

function shardEntry({ copy, output }: ShardAnswer<ShardStatistics>, shown: Shown): JsonObject {
  const { segments } = output;
  return {
    routing: { state: copy.state, primary: copy.primary, node: copy.nodeId },
    num_committed_segments: segments.filter(({ committed }) => committed).length,
    num_search_segments: segments.filter(({ searchable }) => searchable).length,
    segments: Object.fromEntries(segments.map((segment) => [segment.name, segmentEntry(segment, shown)])),
  };
}

function segmentEntry(segment: SegmentStats, { human, sort }: Shown): JsonObject {
  return {
    generation: segment.generation,
    num_docs: segment.documents,
    deleted_docs: segment.deleted,
    ...(human ? { size: formatBytes(segment.bytes) } : {}),
    size_in_bytes: segment.bytes,
    ...(human ? { memory: '0b' } : {}),
    memory_in_bytes: 0,
    committed: segment.committed,
    search: segment.searchable,
    version: FORMAT_NAME,
    // A segment is one file.
    compound: true,
    ...(sort === undefined ? {} : { sort }),
    attributes: {},
  };
}
