/** `GET _cat/master` and `_cat/cluster_manager`: the node that leads. */
import type { NodeRecord } from '../../cluster/state.js';
import { defineEndpoint } from '../endpoint.js';
import { answerTable, catParameters, column, type Column } from './table.js';

/** Undefined while nobody leads. */
type Row = NodeRecord | undefined;

const COLUMNS: readonly Column<Row>[] = [
  column('id', 'identifier of the node', (node) => node?.id ?? '-'),
  column('host', 'host of the node', (node) => node?.host ?? '-', { aliases: 'h' }),
  column('ip', 'address of the node', (node) => node?.ip ?? '-'),
  column('node', 'name of the node', (node) => node?.name ?? '-', { aliases: 'n' }),
];

export const catMasterEndpoint = defineEndpoint({
  name: 'cat.master',
  action: 'cluster:monitor/state',
  methods: ['GET'],
  paths: ['/_cat/master', '/_cat/cluster_manager'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    return answerTable(COLUMNS, request.parameters, request.presentation, () => {
      const { nodes, masterNodeId } = context.clusterState();
      return [nodes.get(masterNodeId)];
    });
  },
});
