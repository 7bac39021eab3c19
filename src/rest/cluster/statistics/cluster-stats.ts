/** `GET _cluster/stats/{metric}/{index_metric}/nodes/{node_id}`: the whole cluster in figures. */
import { askNodes, type NodeAnswer } from '../../../actions/nodes/ask-nodes.js';
import type { NodeFacts } from '../../../actions/nodes/node-facts.js';
import { shardStatistics } from '../../../actions/indices/shard-statistics.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { didYouMean } from '../../../base/suggest.js';
import { clusterHealth } from '../../../cluster/health.js';
import { selectNodes } from '../../../cluster/nodes/node-filter.js';
import { answerValue } from '../../answer.js';
import { clusterUuidOf } from '../../cluster-identity.js';
import { defineEndpoint } from '../../endpoint.js';
import { booleanParameter, splitList, timeParameter } from '../../parameters.js';
import { sumOfJson } from '../nodes/sum-of-json.js';
import { INDICES_METRICS, NODES_METRICS, type IndicesMetric, type NodesMetric } from './cluster-stats-metrics.js';
import { nodesHeader } from '../nodes/nodes-header.js';

export const clusterStatsEndpoint = defineEndpoint({
  name: 'cluster.stats',
  action: 'cluster:monitor/stats',
  methods: ['GET'],
  paths: [
    '/_cluster/stats',
    '/_cluster/stats/nodes/{node_id}',
    '/_cluster/stats/{metric}/nodes/{node_id}',
    '/_cluster/stats/{metric}/{index_metric}/nodes/{node_id}',
  ],
  parameters: {
    timeout: timeParameter(30_000),
    include_remotes: booleanParameter(false),
    // Shapes are the same.
    flat_settings: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts, presentation } = request;
    if (parameters.include_remotes) throw illegalArgument('[include_remotes]: there are no remote clusters');
    const wanted = readMetrics(parts.metric, parts.index_metric, request.rawPath);
    const state = context.clusterState();
    const filters = parts.node_id === undefined ? [] : splitList(parts.node_id);
    const nodes = selectNodes(state, filters, context.node.id);
    const indices = [...state.indices.values()];
    const withIngest = wanted.nodes.includes('ingest') ? nodes : [];
    const [facts, ingest, shards] = await Promise.all([
      askNodes(context, nodes, 'node-facts', null, parameters.timeout),
      askNodes(context, withIngest, 'ingest-figures', null, parameters.timeout),
      shardStatistics(context, indices, { includeUnloadedSegments: false }),
    ]);
    const onNodes = new Set(nodes.map(({ id }) => id));
    const copies = shards.answers.filter(({ copy }) => copy.nodeId !== null && onNodes.has(copy.nodeId));
    const isElasticsearch = context.settings.values['compatibility.distribution'] === 'elasticsearch';
    const sections: Record<string, JsonObject> = {};
    if (wanted.indices.length > 0) {
      const { indicesSections } = await import('./cluster-stats-indices.js');
      const view = { indices, copies, isHuman: presentation.human };
      const searches = wanted.all && isElasticsearch ? searchesOf(facts.answers) : undefined;
      sections['indices'] = indicesSections(wanted.indices, { ...view, searches });
    }
    if (wanted.nodes.length > 0) {
      const { nodesSections } = await import('./cluster-stats-nodes.js');
      // OpenSearch tells of the pressure of indexing by node alone.
      const metrics = wanted.nodes.filter((metric) => isElasticsearch || metric !== 'indexing_pressure');
      const view = {
        answers: facts.answers,
        nowMs: context.clock.nowMs(),
        isHuman: presentation.human,
        ingest: ingest.answers.map(({ output }) => output),
        pipelines: state.pipelines.size,
      };
      sections['nodes'] = nodesSections(metrics, view);
    }
    return answerValue({
      _nodes: nodesHeader(nodes.length, facts.failures),
      cluster_name: state.clusterName,
      cluster_uuid: clusterUuidOf(state),
      timestamp: context.clock.nowMs(),
      status: clusterHealth(state, indices).status,
      ...sections,
      ...(wanted.all && isElasticsearch ? ABSENT : {}),
    });
  },
});

/** There are no repositories of snapshots, and no searches of other clusters. */
const ABSENT: JsonObject = {
  repositories: {},
  snapshots: {
    current_counts: { snapshots: 0, shard_snapshots: 0, snapshot_deletions: 0, concurrent_operations: 0, cleanups: 0 },
    repositories: {},
  },
  ccs: {
    _search: {
      total: 0,
      success: 0,
      skipped: 0,
      took: { max: 0, avg: 0, p90: 0 },
      remotes_per_search_max: 0,
      remotes_per_search_avg: 0,
      failure_reasons: {},
      features: {},
      clients: {},
      clusters: {},
    },
  },
};

/** Of clients, since the nodes started. */
function searchesOf(answers: readonly NodeAnswer<NodeFacts>[]): JsonObject {
  const none: JsonObject = { total: 0, queries: {}, rescorers: {}, sections: {}, retrievers: {} };
  return sumOfJson([none, ...answers.map(({ output }): JsonObject => ({ ...output.searchUsage }))]);
}

interface Wanted {
  /** Whether nothing in particular was named. */
  readonly all: boolean;
  readonly indices: readonly IndicesMetric[];
  readonly nodes: readonly NodesMetric[];
}

/** `indices` among the metrics asks for the sections of indices: all of them, or those that are named after it. */
function readMetrics(metric: string | undefined, indexMetric: string | undefined, path: string): Wanted {
  const names = metric === undefined ? ['_all'] : splitList(metric);
  const indexNames = indexMetric === undefined ? ['_all'] : splitList(indexMetric);
  const isAll = chooseAll(names, path);
  const withIndices = isAll || names.includes('indices');
  if (indexMetric !== undefined && !withIndices) {
    throw illegalArgument(
      `request [${path}] contains index metrics [${indexNames.join(',')}] but indices stats not requested`,
    );
  }
  checkKnown(names, ['indices', ...NODES_METRICS], 'metric', path);
  checkKnown(indexNames, INDICES_METRICS, 'index metric', path);
  const allIndices = chooseAll(indexNames, path);
  return {
    all: isAll,
    indices: withIndices ? INDICES_METRICS.filter((name) => allIndices || indexNames.includes(name)) : [],
    nodes: NODES_METRICS.filter((name) => isAll || names.includes(name)),
  };
}

function chooseAll(names: readonly string[], path: string): boolean {
  if (!names.includes('_all')) return false;
  if (names.length === 1) return true;
  throw illegalArgument(`request [${path}] contains _all and individual metrics [${names.join(',')}]`);
}

function checkKnown(names: readonly string[], known: readonly string[], noun: string, path: string): void {
  const unknown = names.filter((name) => name !== '_all' && !known.includes(name));
  if (unknown.length === 0) return;
  const hints = unknown.map((name) => `[${name}]${didYouMean(name, known)}`);
  throw illegalArgument(
    `request [${path}] contains unrecognized ${noun}${unknown.length === 1 ? '' : 's'}: ${hints.join(', ')}`,
  );
}
