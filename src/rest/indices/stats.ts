/** `GET {index}/_stats/{metrics}`. */
import { byShard, shardsHeader, type BroadcastResult, type ShardAnswer } from '../../actions/indices/broadcast.js';
import { shardStatistics } from '../../actions/indices/shard-statistics.js';
import {
  addStatistics,
  METRICS,
  printedExtras,
  searchSection,
  sectionOf,
  sections,
  type Metric,
} from '../../actions/indices/statistics.js';
import type { ShardStatistics } from '../../actions/operations/shard-maintenance.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { didYouMean } from '../../base/suggest.js';
import { formatBytes, formatTime } from '../../base/units.js';
import { indexHealth } from '../../cluster/health.js';
import { IndicesDefaults } from '../../cluster/indices-options.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { matchesAny } from '../../cluster/wildcard.js';
import { addSearchFigures, type SearchFigures } from '../../shard/activity.js';
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
    const includeUnloadedSegments = parameters.include_unloaded_segments;
    const result = await shardStatistics(context, indices, { includeUnloadedSegments });
    const print = printer(metrics, parameters, presentation.human);
    const body: JsonObject = {
      _shards: shardsHeader(result),
      _all: both(result.answers, print),
    };
    const level = parameters.level ?? 'indices';
    if (level === 'cluster') return answerValue(body);
    const state = context.clusterState();
    const entries = indices.map((index) => [index.name, indexEntry(state, index, result, level, print)] as const);
    return answerValue({ ...body, indices: Object.fromEntries(entries) });
  },
});

/** Prints the sum over shards. */
type Print = (shards: readonly ShardAnswer<ShardStatistics>[]) => JsonObject;

function both(copies: readonly ShardAnswer<ShardStatistics>[], print: Print): JsonObject {
  return { primaries: print(copies.filter(({ copy }) => copy.primary)), total: print(copies) };
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
    ...both(own, print),
  };
  if (level === 'indices') return entry;
  return { ...entry, shards: byShard(own, (answer) => shardEntry(answer, print)) };
}

function shardEntry(answer: ShardAnswer<ShardStatistics>, print: Print): JsonObject {
  const { stats, segments } = answer.output;
  const { copy } = answer;
  return {
    routing: { state: copy.state, primary: copy.primary, node: copy.nodeId, relocating_node: copy.relocatingNodeId },
    ...print([answer]),
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

interface DetailParameters {
  readonly groups: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
  readonly fielddata_fields: readonly string[] | undefined;
  readonly completion_fields: readonly string[] | undefined;
}

function printer(metrics: readonly Metric[], details: DetailParameters, human: boolean): Print {
  return (shards) => {
    const statistics = addStatistics(shards.map(({ output }) => sections(output)));
    const entries = metrics.map((metric) => {
      const section = sectionOf(metric);
      const printed = printSection(section, statistics[section] ?? {}, human);
      return [section, { ...printed, ...printDetails(section, shards, details, human) }] as const;
    });
    return Object.fromEntries(entries);
  };
}

function printSection(section: string, counters: Readonly<Record<string, number>>, human: boolean): JsonObject {
  const readable = human ? readableCounters(section, counters) : {};
  return { ...counters, ...printedExtras(section), ...readable };
}

/** What a section lists by name, where names are asked for. Neither field data nor suggestions are held in memory. */
function printDetails(
  section: string,
  shards: readonly ShardAnswer<ShardStatistics>[],
  details: DetailParameters,
  human: boolean,
): JsonObject {
  switch (section) {
    case 'search': {
      const groups = details.groups === undefined ? [] : searchGroups(shards, details.groups);
      if (groups.length === 0) return {};
      const printed = groups.map(([name, figures]) => [name, printSection('search', searchSection(figures), human)]);
      return { groups: Object.fromEntries(printed) as JsonObject };
    }
    case 'fielddata':
      return (details.fields ?? details.fielddata_fields) === undefined ? {} : { fields: {} };
    case 'completion':
      return (details.fields ?? details.completion_fields) === undefined ? {} : { fields: {} };
    default:
      return {};
  }
}

/** The sums of the groups that the patterns name, in order of their names. */
function searchGroups(
  shards: readonly ShardAnswer<ShardStatistics>[],
  patterns: readonly string[],
): readonly (readonly [string, SearchFigures])[] {
  const sums = new Map<string, SearchFigures>();
  for (const [name, figures] of shards.flatMap(({ output }) => Object.entries(output.searchGroups))) {
    if (!matchesAny(patterns.includes('_all') ? ['*'] : patterns, name)) continue;
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? figures : addSearchFigures(sum, figures));
  }
  return [...sums].sort(([left], [right]) => (left < right ? -1 : 1));
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
