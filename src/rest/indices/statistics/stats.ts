/** `GET {index}/_stats/{metrics}`. */
import type { ActionContext } from '../../../actions/context.js';
import { askNodes } from '../../../actions/nodes/ask-nodes.js';
import { hasPlacedCopy } from '../../../actions/copy-selection.js';
import { byShard, shardsHeader, type BroadcastResult, type ShardAnswer } from '../../../actions/indices/broadcast.js';
import { shardStatistics } from '../../../actions/indices/shard-statistics.js';
import type { ShardStatistics } from '../../../actions/operations/shard-maintenance.js';
import type { JsonObject } from '../../../base/json-value.js';
import { indexHealth } from '../../../cluster/health.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import type { ClusterState, IndexMetadata } from '../../../cluster/state.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import {
  booleanParameter,
  enumParameter,
  indicesOptionsParameters,
  listParameter,
  splitList,
} from '../../parameters.js';
import { namedIndices } from '../index-names.js';
import { printer, readMetrics, type Print } from './print-statistics.js';

export const statsEndpoint = defineEndpoint({
  name: 'indices.stats',
  action: 'indices:monitor/stats',
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
    const metrics = readMetrics(parts.metric === undefined ? [] : splitList(parts.metric), request.rawPath);
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
    const paths = level === 'shards' ? await dataPaths(context, state, result.answers) : undefined;
    // One of which no copy is on a node is left out, as in the reference.
    const entries = indices
      .filter((index) => hasPlacedCopy(state, index))
      .map((index) => [index.name, indexEntry(state, index, result, paths, print)] as const);
    return answerValue({ ...body, indices: Object.fromEntries(entries) });
  },
});

/** Where each node keeps its data, by node id. */
type DataPaths = ReadonlyMap<string, string>;

async function dataPaths(
  context: ActionContext,
  state: ClusterState,
  copies: readonly ShardAnswer<ShardStatistics>[],
): Promise<DataPaths> {
  const ids = new Set(copies.map(({ copy }) => copy.nodeId));
  const nodes = [...state.nodes.values()].filter(({ id }) => ids.has(id));
  const { answers } = await askNodes(context, nodes, 'node-facts', null, FACTS_MS_MAX);
  return new Map(answers.map(({ node, output }) => [node.id, output.dataPath]));
}

const FACTS_MS_MAX = 30_000;

/** Nothing where no copy tells any, as while an index is restored: zeros would be wrong. */
function both(copies: readonly ShardAnswer<ShardStatistics>[], print: Print): JsonObject {
  const primaries = copies.filter(({ copy }) => copy.primary);
  return {
    primaries: primaries.length === 0 ? {} : print(primaries),
    total: copies.length === 0 ? {} : print(copies),
  };
}

function indexEntry(
  state: ClusterState,
  index: IndexMetadata,
  result: BroadcastResult<ShardStatistics>,
  paths: DataPaths | undefined,
  print: Print,
): JsonObject {
  const own = result.answers.filter((answer) => answer.index.name === index.name);
  const entry: JsonObject = {
    uuid: index.uuid,
    health: indexHealth(state, index).status,
    status: index.state,
    ...both(own, print),
  };
  if (paths === undefined) return entry;
  return { ...entry, shards: byShard(own, (answer) => shardEntry(answer, paths, print)) };
}

function shardEntry(answer: ShardAnswer<ShardStatistics>, paths: DataPaths, print: Print): JsonObject {
  const { stats, segments } = answer.output;
  const { copy } = answer;
  const path = paths.get(copy.nodeId ?? '') ?? '';
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
      global_checkpoint: stats.globalCheckpoint,
    },
    retention_leases: { primary_term: stats.primaryTerm, version: 0, leases: [] },
    shard_path: { state_path: path, data_path: path, is_custom_data_path: false },
    segment_names: segments.map(({ name }) => name),
  };
}
