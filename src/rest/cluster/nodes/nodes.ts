/** `GET _nodes/{node_id}/{metric}`: who the nodes are and how they are set up. */
import { askNodes, type NodeAnswer } from '../../../actions/nodes/ask-nodes.js';
import type { NodeFacts } from '../../../actions/nodes/node-facts.js';
import { QuarryError, illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { formatBytes } from '../../../base/units.js';
import { selectNodes } from '../../../cluster/nodes/node-filter.js';
import type { NodeRecord } from '../../../cluster/state.js';
import { PROCESSOR_TYPES } from '../../../ingest/processors/table.js';
import { renderNodeSettings } from './render-node-settings.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint, type Distribution } from '../../endpoint.js';
import { apiVersion, versionId } from '../../info/compatibility.js';
import { booleanParameter, splitList, timeParameter } from '../../parameters.js';
import { aggregationTypes } from '../statistics/aggregation-types.js';
import { roleNames } from './node-roles.js';
import { allPools } from './pools.js';
import { nodesHeader } from './nodes-header.js';
import { runtimeInfo } from './runtime-sections.js';

const METRICS = [
  ...([
    ...(['settings', 'os', 'process', 'jvm', 'thread_pool', 'transport', 'http', 'plugins', 'ingest'] as const),
    'aggregations',
  ] as const),
];

export const nodesInfoEndpoint = defineEndpoint({
  name: 'nodes.info',
  action: 'cluster:monitor/nodes/info',
  methods: ['GET'],
  paths: ['/_nodes', '/_nodes/{node_id}', '/_nodes/{node_id}/{metric}', '/_nodes/{node_id}/info/{metric}'],
  parameters: { flat_settings: booleanParameter(false), timeout: timeParameter(30_000) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parts } = request;
    const other = [parts.node_id, parts.metric].find((part) => part !== undefined && OTHER_ENDPOINTS.has(part));
    if (other !== undefined) {
      const reason = `no handler found for uri [${request.rawPath}] and method [${request.method}]`;
      throw new QuarryError('no_handler_found_exception', reason);
    }
    const state = context.clusterState();
    const single = parts.metric === undefined && parts.node_id !== undefined && areMetrics(splitList(parts.node_id));
    const metrics = readMetrics(single ? parts.node_id : parts.metric);
    const filters = single || parts.node_id === undefined ? [] : splitList(parts.node_id);
    const nodes = selectNodes(state, filters, context.node.id);
    const { timeout, flat_settings } = request.parameters;
    const found = await askNodes(context, nodes, 'node-facts', null, timeout);
    const view = { metrics, isFlat: flat_settings, isHuman: request.presentation.human };
    return answerValue({
      _nodes: nodesHeader(nodes.length, found.failures),
      cluster_name: state.clusterName,
      nodes: Object.fromEntries(found.answers.map((answer) => [answer.node.id, renderNode(answer, view)])),
    });
  },
});

interface View {
  readonly metrics: readonly Metric[];
  readonly isFlat: boolean;
  readonly isHuman: boolean;
}

function renderNode({ node, output: facts }: NodeAnswer<NodeFacts>, view: View): JsonObject {
  const distribution = facts.settings.values['compatibility.distribution'];
  const sections = nodeSections(node, facts, view.isFlat);
  return {
    name: node.name,
    transport_address: node.transportAddress,
    host: node.host,
    ip: node.ip,
    version: apiVersion(facts.settings),
    build_type: 'quarry',
    build_hash: `quarry-${node.version}`,
    roles: roleNames(node, distribution),
    attributes: node.attributes,
    ...(distribution === 'elasticsearch' ? elasticNumbers(facts.settings) : {}),
    ...indexingBuffer(facts.indexingBufferBytes, distribution, view.isHuman),
    ...Object.fromEntries(view.metrics.map((metric) => [metric, sections[metric]] as const)),
  };
}

function nodeSections(
  node: NodeRecord,
  facts: NodeFacts,
  isFlat: boolean,
): Readonly<Record<Metric, JsonObject | readonly JsonObject[]>> {
  return {
    settings: renderNodeSettings(facts.settings, node.name, isFlat),
    os: {
      refresh_interval_in_millis: 1_000,
      name: facts.platform,
      pretty_name: facts.platform,
      arch: facts.architecture,
      version: facts.runtime?.systemRelease ?? '',
      available_processors: node.workerSlots,
      allocated_processors: node.workerSlots,
    },
    process: { refresh_interval_in_millis: 1_000, id: facts.processId, mlockall: false },
    jvm: runtimeInfo(facts),
    thread_pool: Object.fromEntries(
      allPools(facts.front.pools).map(({ name, type, figures: { size, queueSize } }) => [
        name,
        type === 'fixed' ? { type, size, queue_size: queueSize } : { type, core: 0, max: size, queue_size: queueSize },
      ]),
    ),
    transport: { bound_address: [node.transportAddress], publish_address: node.transportAddress, profiles: {} },
    http: {
      bound_address: [node.httpAddress],
      publish_address: node.httpAddress,
      max_content_length_in_bytes: facts.settings.values['http.max_content_length'],
    },
    plugins: [],
    ingest: { processors: [...PROCESSOR_TYPES.keys()].sort().map((type) => ({ type })) },
    aggregations: aggregationTypes(),
  };
}

/** Words that name other endpoints, not yet here, in the place of a node or a metric. */
const OTHER_ENDPOINTS: ReadonlySet<string> = new Set([...['reload_secure_settings', '_repositories_metering']]);

type Metric = (typeof METRICS)[number];

/** Numbers of formats that Elasticsearch counts on their own since 8.12; before, they were those of its version. */
function elasticNumbers(settings: NodeFacts['settings']): JsonObject {
  const id = versionId(settings);
  return { build_flavor: 'default', index_version: id, transport_version: id, component_versions: {} };
}

/** Elasticsearch has the two names the other way round: the one without a unit is the number. */
function indexingBuffer(bytes: number, distribution: Distribution, human: boolean): JsonObject {
  if (distribution === 'elasticsearch') {
    return {
      total_indexing_buffer: bytes,
      total_indexing_buffer_in_bytes: human ? formatBytes(bytes) : bytes,
    };
  }
  return {
    ...(human ? { total_indexing_buffer: formatBytes(bytes) } : {}),
    total_indexing_buffer_in_bytes: bytes,
  };
}

/** Known to the API, without a counterpart here. */
const ABSENT_METRICS = ['indices', 'search_pipelines', 'remote_cluster_server'];

function areMetrics(names: readonly string[]): boolean {
  return names.every((name) => isMetric(name) || ABSENT_METRICS.includes(name));
}

function isMetric(name: string): name is Metric {
  return METRICS.some((metric) => metric === name);
}

function readMetrics(part: string | undefined): readonly Metric[] {
  const names = part === undefined ? [] : splitList(part);
  if (names.length === 0 || names.includes('_all')) return METRICS;
  if (names.includes('_none')) return [];
  const unknown = names.find((name) => !isMetric(name) && !ABSENT_METRICS.includes(name));
  if (unknown !== undefined) throw illegalArgument(`request contains unrecognized metric: [${unknown}]`);
  return names.filter(isMetric);
}
