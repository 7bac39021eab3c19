/** `GET _nodes/{node_id}/stats/{metric}/{index_metric}`: what the nodes do, and how their machines are. */
import { askNodes } from '../../../actions/nodes/ask-nodes.js';
import type { NodeFacts } from '../../../actions/nodes/node-facts.js';
import type { ActionContext } from '../../../actions/context.js';
import type { ShardAnswer } from '../../../actions/indices/broadcast.js';
import { shardStatistics } from '../../../actions/indices/shard-statistics.js';
import type { ShardStatistics } from '../../../actions/operations/shard-maintenance.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { didYouMean } from '../../../base/suggest.js';
import { selectNodes } from '../../../cluster/nodes/node-filter.js';
import type { NodeRecord } from '../../../cluster/state.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { printer, readMetrics, type Print } from '../../indices/statistics/print-statistics.js';
import { booleanParameter, enumParameter, listParameter, splitList, timeParameter } from '../../parameters.js';
import { roleNames } from './node-roles.js';
import { ABSENT_METRICS, NODE_METRICS, type NodeMetric } from './node-metrics.js';
import { nodesHeader } from './nodes-header.js';

export const nodesStatsEndpoint = defineEndpoint({
  name: 'nodes.stats',
  action: 'cluster:monitor/nodes/stats',
  methods: ['GET'],
  paths: [
    '/_nodes/stats',
    '/_nodes/stats/{metric}',
    '/_nodes/stats/{metric}/{index_metric}',
    '/_nodes/{node_id}/stats',
    '/_nodes/{node_id}/stats/{metric}',
    '/_nodes/{node_id}/stats/{metric}/{index_metric}',
  ],
  parameters: {
    level: enumParameter(['node', 'indices', 'shards']),
    groups: listParameter(),
    fields: listParameter(),
    fielddata_fields: listParameter(),
    completion_fields: listParameter(),
    // Mapping types are no more.
    types: listParameter(),
    include_segment_file_sizes: booleanParameter(),
    include_unloaded_segments: booleanParameter(false),
    timeout: timeParameter(30_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts, presentation, rawPath } = request;
    const metrics = readNodeMetrics(parts.metric, rawPath);
    const indexMetrics = readIndexMetrics(parts.index_metric, metrics, rawPath);
    const state = context.clusterState();
    const filters = parts.node_id === undefined ? [] : splitList(parts.node_id);
    const nodes = selectNodes(state, filters, context.node.id);
    const [found, ingest, updates, copies] = await Promise.all([
      askNodes(context, nodes, 'node-facts', null, parameters.timeout),
      askNodes(context, metrics.includes('ingest') ? nodes : [], 'ingest-figures', null, parameters.timeout),
      metrics.includes('discovery') ? stateUpdates(context, nodes, parameters.timeout, presentation.human) : NO_UPDATES,
      metrics.includes('indices') ? statisticsOfCopies(context, parameters.include_unloaded_segments) : [],
    ]);
    const { nodeSection } = await import('./nodes-stats-sections.js');
    const print = printer(indexMetrics, parameters, presentation.human);
    const level = parameters.level ?? 'node';
    const renderSecurity = metrics.includes('security') ? await securityRenderer(found.answers) : undefined;
    const ingestOf = new Map(ingest.answers.map(({ node, output }) => [node.id, output]));
    const entries = found.answers.map(({ node, output: facts }) => {
      const own = copies.filter(({ copy }) => copy.nodeId === node.id);
      const timestamp = context.clock.nowMs();
      const sections = metrics.flatMap((metric): readonly ReturnType<typeof nodeSection>[] => {
        if (metric === 'indices') return [['indices', renderIndices(own, level, print)] as const];
        if (metric === 'security') return renderSecurity?.(facts.front) ?? [];
        const view = {
          ...{ facts, timestamp, isHuman: presentation.human },
          ...{ ingest: ingestOf.get(node.id), updates: hasUpdates(facts) ? (updates.get(node.id) ?? {}) : {} },
        };
        return [nodeSection(metric, view)];
      });
      return [node.id, { timestamp, ...describeNode(node, facts), ...Object.fromEntries(sections) }] as const;
    });
    return answerValue({
      _nodes: nodesHeader(nodes.length, found.failures),
      cluster_name: state.clusterName,
      nodes: Object.fromEntries(entries),
    });
  },
});

/** Undefined where no node has security on. */
async function securityRenderer(
  answers: readonly { readonly output: NodeFacts }[],
): Promise<typeof import('./security-section.js').securitySection | undefined> {
  if (answers.every(({ output }) => output.front.security === undefined)) return undefined;
  return (await import('./security-section.js')).securitySection;
}

/** OpenSearch has no such sections. */
function hasUpdates({ settings }: NodeFacts): boolean {
  return settings.values['compatibility.distribution'] !== 'opensearch';
}

const NO_UPDATES: ReadonlyMap<string, JsonObject> = new Map();

/** By id of the node; of those that told. */
async function stateUpdates(
  context: ActionContext,
  nodes: readonly NodeRecord[],
  timeoutMs: number,
  isHuman: boolean,
): Promise<ReadonlyMap<string, JsonObject>> {
  // Few ask for it: loaded when somebody does.
  const { renderStateUpdates } = await import('./state-updates.js');
  const { answers } = await askNodes(context, nodes, 'update-figures', null, timeoutMs);
  return new Map(answers.map(({ node, output }) => [node.id, renderStateUpdates(output, node, isHuman)]));
}

async function statisticsOfCopies(
  context: ActionContext,
  includeUnloadedSegments: boolean,
): Promise<readonly ShardAnswer<ShardStatistics>[]> {
  const indices = [...context.clusterState().indices.values()];
  return (await shardStatistics(context, indices, { includeUnloadedSegments })).answers;
}

function describeNode(node: NodeRecord, facts: NodeFacts): JsonObject {
  return {
    name: node.name,
    transport_address: node.transportAddress,
    host: node.host,
    ip: node.transportAddress,
    roles: roleNames(node, facts.settings.values['compatibility.distribution']),
    ...(Object.keys(node.attributes).length === 0 ? {} : { attributes: node.attributes }),
  };
}

type Level = 'node' | 'indices' | 'shards';

function renderIndices(own: readonly ShardAnswer<ShardStatistics>[], level: Level, print: Print): JsonObject {
  if (level === 'node') return print(own);
  const names = [...new Set(own.map(({ index }) => index.name))];
  const ofIndex = (name: string): readonly ShardAnswer<ShardStatistics>[] =>
    own.filter(({ index }) => index.name === name);
  if (level === 'indices') {
    return { ...print(own), indices: Object.fromEntries(names.map((name) => [name, print(ofIndex(name))] as const)) };
  }
  const shards = names.map((name) => [name, ofIndex(name).map((each) => renderShard(each, print))] as const);
  return { ...print(own), shards: Object.fromEntries(shards) };
}

function renderShard(answer: ShardAnswer<ShardStatistics>, print: Print): JsonObject {
  const { copy, shard } = answer;
  const routing = {
    state: copy.state,
    primary: copy.primary,
    node: copy.nodeId,
    relocating_node: copy.relocatingNodeId,
  };
  return { [String(shard)]: { routing, ...print([answer]) } };
}

function readNodeMetrics(part: string | undefined, path: string): readonly NodeMetric[] {
  const names = part === undefined ? [] : splitList(part);
  if (names.length === 0 || (names.length === 1 && names[0] === '_all')) return NODE_METRICS;
  if (names.length === 1 && names[0] === '_none') return [];
  if (names.includes('_all')) {
    throw illegalArgument(`request [${path}] contains _all and individual metrics [${names.join(',')}]`);
  }
  const known = [...NODE_METRICS, ...ABSENT_METRICS];
  const unknown = names.filter((name) => !known.some((metric) => metric === name));
  if (unknown.length === 0) return NODE_METRICS.filter((metric) => names.includes(metric));
  const hints = unknown.map((name) => `[${name}]${didYouMean(name, known)}`);
  throw illegalArgument(
    `request [${path}] contains unrecognized ${unknown.length === 1 ? 'metric' : 'metrics'}: ${hints.join(', ')}`,
  );
}

function readIndexMetrics(
  part: string | undefined,
  metrics: readonly NodeMetric[],
  path: string,
): ReturnType<typeof readMetrics> {
  const names = part === undefined ? [] : splitList(part);
  if (part !== undefined && !metrics.includes('indices')) {
    throw illegalArgument(
      `request [${path}] contains index metrics [${names.join(',')}] but indices stats not requested`,
    );
  }
  return readMetrics(names, path);
}
