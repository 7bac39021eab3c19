/** `_nodes/{node_id}/_repositories_metering`: no repository can be registered yet, so no node has counted any request to one. */
import type { ActionContext } from '../../../actions/context.js';
import { selectNodes } from '../../../cluster/nodes/node-filter.js';
import { illegalArgument } from '../../../base/errors.js';
import { answerValue, type RestAnswer } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { splitList } from '../../parameters.js';
import { nodesHeader } from './nodes-header.js';

const COMMON = { parameters: {}, body: 'none', pool: 'management', placement: 'any' } as const;

export const getRepositoriesMeteringEndpoint = defineEndpoint({
  ...COMMON,
  name: 'nodes.get_repositories_metering_info',
  action: 'cluster:monitor/xpack/repositories_metering/get_metrics',
  methods: ['GET'],
  paths: ['/_nodes/{node_id}/_repositories_metering'],
  handle: (request, context) => answerNothing(context, request.parts.node_id),
});

export const clearRepositoriesMeteringEndpoint = defineEndpoint({
  ...COMMON,
  name: 'nodes.clear_repositories_metering_archive',
  action: 'cluster:monitor/xpack/repositories_metering/clear_metrics',
  methods: ['DELETE'],
  paths: ['/_nodes/{node_id}/_repositories_metering/{max_archive_version}'],
  handle(request, context) {
    const { node_id: nodeId, max_archive_version: version } = request.parts;
    if (!/^\d+$/.test(version)) {
      throw illegalArgument(`Failed to parse long parameter [max_archive_version] with value [${version}]`);
    }
    return answerNothing(context, nodeId);
  },
});

function answerNothing(context: ActionContext, nodeId: string): RestAnswer {
  const state = context.clusterState();
  const nodes = selectNodes(state, splitList(nodeId), context.node.id);
  return answerValue({
    _nodes: nodesHeader(nodes.length, []),
    cluster_name: state.clusterName,
    nodes: Object.fromEntries(nodes.map(({ id }) => [id, []])),
  });
}
