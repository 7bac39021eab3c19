/** `GET _nodes/{node_id}/usage/{metric}`: how often each endpoint was called since the node started. */
import { askNodes } from '../../../actions/nodes/ask-nodes.js';
import { illegalArgument } from '../../../base/errors.js';
import { selectNodes } from '../../../cluster/nodes/node-filter.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { splitList, timeParameter } from '../../parameters.js';
import { nodesHeader } from './nodes-header.js';

/** `aggregations` is known to the API; they are not counted here. */
const METRICS = ['rest_actions', 'aggregations'];

export const nodesUsageEndpoint = defineEndpoint({
  name: 'nodes.usage',
  action: 'cluster:monitor/nodes/usage',
  methods: ['GET'],
  paths: ['/_nodes/usage', '/_nodes/usage/{metric}', '/_nodes/{node_id}/usage', '/_nodes/{node_id}/usage/{metric}'],
  parameters: { timeout: timeParameter(30_000) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parts, parameters, rawPath } = request;
    const withActions = readMetrics(parts.metric, rawPath);
    const state = context.clusterState();
    const filters = parts.node_id === undefined ? [] : splitList(parts.node_id);
    const nodes = selectNodes(state, filters, context.node.id);
    const { answers, failures } = await askNodes(context, nodes, 'node-facts', null, parameters.timeout);
    const timestamp = context.clock.nowMs();
    const entries = answers.map(({ node, output: { startedAtMs, front } }) => {
      const called = Object.entries(front.requests).filter(([, count]) => count > 0);
      const actions = withActions ? { rest_actions: Object.fromEntries(called), aggregations: {} } : {};
      return [node.id, { timestamp, since: startedAtMs, ...actions }] as const;
    });
    return answerValue({
      _nodes: nodesHeader(nodes.length, failures),
      cluster_name: state.clusterName,
      nodes: Object.fromEntries(entries),
    });
  },
});

function readMetrics(part: string | undefined, path: string): boolean {
  const names = part === undefined ? ['_all'] : splitList(part);
  if (names.length === 1 && names[0] === '_all') return true;
  if (names.includes('_all')) {
    throw illegalArgument(`request [${path}] contains _all and individual metrics [${names.join(',')}]`);
  }
  const unknown = names.filter((name) => !METRICS.includes(name));
  if (unknown.length > 0) {
    const noun = unknown.length === 1 ? 'metric' : 'metrics';
    throw illegalArgument(
      `request [${path}] contains unrecognized ${noun}: ${unknown.map((name) => `[${name}]`).join(', ')}`,
    );
  }
  if (names.includes('aggregations')) {
    throw illegalArgument(`request [${path}] contains the metric [aggregations]: uses of aggregations are not counted`);
  }
  return true;
}
