/** `GET {index}/_stats/{metrics}`. */
import { broadcast, shardsHeader, type BroadcastResult, type ShardAnswer } from '../../actions/indices/broadcast.js';
import {
  addStatistics,
  METRICS,
  printedExtras,
  sectionOf,
  sections,
  type Metric,
  type Statistics,
} from '../../actions/indices/statistics.js';
import type { ShardStatistics } from '../../actions/operations/shard-maintenance.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { didYouMean } from '../../base/suggest.js';
import { formatBytes, formatTime } from '../../base/units.js';
import { indexHealth } from '../../cluster/health.js';
import { IndicesDefaults } from '../../cluster/indices-options.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, enumParameter, indicesOptionsParameters, listParameter, splitList } from '../parameters.js';
import { namedIndices } from './index-names.js';

export const statsEndpoint = defineEndpoint({
  name: 'indices.stats',
  methods: ['GET'],
  paths: ['/_stats', '/_stats/{metric}', '/{index}/_stats', '/{index}/_stats/{metric}'],
  parameters: {
    ...indicesOptionsParameters,
    level: enumParameter(['cluster', 'indices', 'shards']),
    groups: listParameter(),
    fields: listParameter(),
    fielddata_fields: listParameter(),
    completion_fields: listParameter(),
    include_segment_file_sizes: booleanParameter(),
    include_unloaded_segments: booleanParameter(false),
    forbid_closed_indices: booleanParameter(true),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts, presentation } = request;
    const metrics = readMetrics(parts.metric, request.rawPath);
    const defaults = parameters.forbid_closed_indices
      ? IndicesDefaults.expandOpenForbidClosed
      : IndicesDefaults.expandOpen;
    const indices = namedIndices(context, parts.index, defaults, parameters);
    const open = indices.filter((index) => index.state === 'open');
    if (parameters.groups !== undefined) throw illegalArgument('parameter [groups] is not supported yet');
    if (parameters.include_unloaded_segments && open.length < indices.length) {
      throw illegalArgument('parameter [include_unloaded_segments] is not supported for closed indices yet');
    }
    const result = await broadcast(context, open, 'statistics', null);
    const print: Print = (statistics) => printStatistics(statistics, metrics, presentation.human);
    const body: JsonObject = {
      _shards: { ...shardsHeader(result), total: result.total + closedCopies(context.clusterState(), indices) },
      _all: both(result.answers.map(statisticsOf), print),
    };
    const level = parameters.level ?? 'indices';
    if (level === 'cluster') return answerValue(body);
    const state = context.clusterState();
    const entries = indices.map((index) => [index.name, indexEntry(state, index, result, level, print)] as const);
    return answerValue({ ...body, indices: Object.fromEntries(entries) });
  },
});

type Print = (statistics: Statistics) => JsonObject;

function statisticsOf(answer: ShardAnswer<ShardStatistics>): Statistics {
  return sections(answer.output);
}

/** Only primaries hold data on one node, so that both sides are the same. */
function both(parts: readonly Statistics[], print: Print): JsonObject {
  const printed = print(addStatistics(parts));
  return { primaries: printed, total: printed };
}

function closedCopies(state: ClusterState, indices: readonly IndexMetadata[]): number {
  const closed = indices.filter((index) => index.state === 'close');
  return closed.reduce((sum, { name }) => sum + (state.routing.get(name)?.shards.flat().length ?? 0), 0);
}

function indexEntry(
  state: ClusterState,
  index: IndexMetadata,
  result: BroadcastResult<ShardStatistics>,
  level: 'indices' | 'shards',
  print: Print,
): JsonObject {
  const own = result.answers.filter((answer) => answer.index.name === index.name);
  const entry: JsonObject = {
    uuid: index.uuid,
    health: indexHealth(state, index).status,
    status: index.state,
    ...both(own.map(statisticsOf), print),
  };
  if (level === 'indices') return entry;
  const shards = own.map((answer) => [String(answer.shard), [shardEntry(answer, print)]] as const);
  return { ...entry, shards: Object.fromEntries(shards) };
}

function shardEntry(answer: ShardAnswer<ShardStatistics>, print: Print): JsonObject {
  const { stats, segments } = answer.output;
  const { copy } = answer;
  return {
    routing: { state: copy.state, primary: copy.primary, node: copy.nodeId, relocating_node: null },
    ...print(statisticsOf(answer)),
    commit: {
      id: stats.commit.id,
      generation: stats.commit.generation,
      user_data: { history_uuid: stats.historyUuid, max_seq_no: String(stats.maxSeqNo) },
      num_docs: stats.commit.documents,
    },
    seq_no: {
      max_seq_no: stats.maxSeqNo,
      local_checkpoint: stats.localCheckpoint,
      global_checkpoint: stats.localCheckpoint,
    },
    retention_leases: { primary_term: stats.primaryTerm, version: 0, leases: [] },
    shard_path: { is_custom_data_path: false },
    segment_names: segments.map(({ name }) => name),
  };
}

function readMetrics(part: string | undefined, path: string): readonly Metric[] {
  const names = part === undefined ? [] : splitList(part);
  if (names.length === 0 || (names.length === 1 && names[0] === '_all')) return METRICS;
  if (names.includes('_all')) {
    throw illegalArgument(`request [${path}] contains _all and individual metrics [${names.join(',')}]`);
  }
  const known = names.flatMap((name) => METRICS.filter((metric) => metric === name));
  const unknown = names.filter((name) => !METRICS.some((metric) => metric === name));
  if (unknown.length === 0) return METRICS.filter((metric) => known.includes(metric));
  const hints = unknown.map((name) => `[${name}]${didYouMean(name, METRICS)}`);
  const noun = unknown.length === 1 ? 'metric' : 'metrics';
  throw illegalArgument(`request [${path}] contains unrecognized ${noun}: ${hints.join(', ')}`);
}

function printStatistics(statistics: Statistics, metrics: readonly Metric[], human: boolean): JsonObject {
  const entries = metrics.map((metric) => {
    const section = sectionOf(metric);
    const counters = statistics[section] ?? {};
    const readable = human ? readableCounters(section, counters) : {};
    return [section, { ...counters, ...printedExtras(section), ...readable }] as const;
  });
  return Object.fromEntries(entries);
}

/** `human=true` adds each size and time as people write it. */
function readableCounters(section: string, counters: Readonly<Record<string, number>>): JsonObject {
  const entries: [string, string][] = [];
  for (const [name, value] of Object.entries(counters)) {
    if (name.endsWith('_in_bytes')) entries.push([name.slice(0, -'_in_bytes'.length), formatBytes(value)]);
    if (name.endsWith('_in_millis')) entries.push([name.slice(0, -'_in_millis'.length), formatTime(value)]);
  }
  if (section === 'get') entries.push(['getTime', formatTime(counters['time_in_millis'] ?? 0)]);
  return Object.fromEntries(entries);
}
