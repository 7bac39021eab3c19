/** `GET _nodes/{node_id}/{metric}`: who the nodes are and how they are set up. */
import { QuarryError, illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { formatBytes } from '../../base/units.js';
import { renderNodeSettings } from './render-node-settings.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { apiVersion } from '../info/compatibility.js';
import { booleanParameter, splitList, timeParameter } from '../parameters.js';
import { aggregationTypes } from './aggregation-types.js';
import { roleNames } from './node-roles.js';
import { allPools } from './pools.js';
import { selectNodes } from './select-nodes.js';

const METRICS = [
  ...(['settings', 'os', 'process', 'thread_pool', 'transport', 'http', 'plugins', 'ingest', 'aggregations'] as const),
];

export const nodesInfoEndpoint = defineEndpoint({
  name: 'nodes.info',
  methods: ['GET'],
  paths: ['/_nodes', '/_nodes/{node_id}', '/_nodes/{node_id}/{metric}'],
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
    const nodes = selectNodes(state, single || parts.node_id === undefined ? [] : splitList(parts.node_id));
    const pools = await context.poolFigures();
    const distribution = context.settings.values['compatibility.distribution'];
    const entries = nodes.map((node) => {
      const sections: Record<(typeof METRICS)[number], JsonObject | readonly JsonObject[]> = {
        settings: renderNodeSettings(context.settings, node.name, request.parameters.flat_settings),
        os: { name: process.platform, arch: process.arch, allocated_processors: node.workerSlots },
        process: { id: process.pid, mlockall: false },
        thread_pool: Object.fromEntries(
          allPools(pools).map(({ name, type, figures: { size, queueSize } }) => [
            name,
            type === 'fixed'
              ? { type, size, queue_size: queueSize }
              : { type, core: 0, max: size, queue_size: queueSize },
          ]),
        ),
        transport: { bound_address: [node.transportAddress], publish_address: node.transportAddress, profiles: {} },
        http: {
          bound_address: [node.httpAddress],
          publish_address: node.httpAddress,
          max_content_length_in_bytes: context.settings.values['http.max_content_length'],
        },
        plugins: [],
        ingest: { processors: [] },
        aggregations: aggregationTypes(),
      };
      const identity = {
        name: node.name,
        transport_address: node.transportAddress,
        host: node.host,
        ip: node.ip,
        version: apiVersion(distribution),
        build_type: 'quarry',
        build_hash: `quarry-${node.version}`,
        roles: roleNames(node, distribution),
        attributes: node.attributes,
        ...indexingBuffer(context.node.indexingBufferBytes, request.presentation.human),
      };
      const chosen = metrics.map((metric) => [metric, sections[metric]] as const);
      return [node.id, { ...identity, ...Object.fromEntries(chosen) }] as const;
    });
    return answerValue({
      _nodes: { total: nodes.length, successful: nodes.length, failed: 0 },
      cluster_name: state.clusterName,
      nodes: Object.fromEntries(entries),
    });
  },
});

/** Words that name other endpoints, not yet here, in the place of a node or a metric. */
const OTHER_ENDPOINTS: ReadonlySet<string> = new Set([
  ...['hot_threads', 'hotthreads', 'reload_secure_settings', 'stats', 'usage', '_repositories_metering'],
]);

type Metric = (typeof METRICS)[number];

function indexingBuffer(bytes: number, human: boolean): JsonObject {
  return {
    ...(human ? { total_indexing_buffer: formatBytes(bytes) } : {}),
    total_indexing_buffer_in_bytes: bytes,
  };
}

/** Known to the API, without a counterpart here: there is no virtual machine. */
const ABSENT_METRICS = ['jvm', 'indices', 'search_pipelines', 'remote_cluster_server'];

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
