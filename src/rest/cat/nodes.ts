/** `GET _cat/nodes` and `_cat/nodeattrs`. */
import type { ClusterState, NodeRecord } from '../../cluster/state.js';
import type { NodeIdentity } from '../../actions/context.js';
import { apiVersion } from '../info/compatibility.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface NodeRow {
  readonly node: NodeRecord;
  readonly state: ClusterState;
  readonly self: NodeIdentity;
  readonly apiVersion: string;
  readonly fullId: boolean;
  readonly nowMs: number;
}

const hidden = (aliases: string): { aliases: string; isDefault: false } => ({ aliases, isDefault: false });

/** Node ids are printed in short unless `full_id` asks for all of them. */
const SHORT_ID_LENGTH = 4;

/** One letter for each role, in order. */
const ROLE_LETTERS: Readonly<Record<string, string>> = {
  master: 'm',
  cluster_manager: 'm',
  data: 'd',
  data_cold: 'c',
  data_frozen: 'f',
  data_hot: 'h',
  data_content: 's',
  data_warm: 'w',
  ingest: 'i',
  remote_cluster_client: 'r',
};

function roleLetters({ node }: NodeRow): string {
  const letters = node.roles.map((role) => ROLE_LETTERS[role] ?? '').sort();
  return letters.length === 0 ? '-' : letters.join('');
}

function nodeId({ node, fullId }: NodeRow): string {
  return fullId ? node.id : node.id.slice(0, SHORT_ID_LENGTH);
}

const isMaster = ({ node, state }: NodeRow): string => (node.id === state.masterNodeId ? '*' : '-');

const NODE_COLUMNS: readonly Column<NodeRow>[] = [
  column('id', 'identifier of the node', nodeId, hidden('nodeId')),
  column('pid', 'process', () => process.pid, hidden('p')),
  column('ip', 'address of the node', (row) => row.node.ip, { aliases: 'i' }),
  column('port', 'port for other nodes', (row) => row.node.transportAddress.split(':').at(-1), hidden('po')),
  column('http_address', 'address of HTTP', (row) => row.node.httpAddress, hidden('http')),
  column('version', 'version of the API', (row) => row.apiVersion, hidden('v')),
  column('build', 'version of the software', (row) => row.node.version, hidden('b')),
  column('uptime', 'time since the node started', (row) => ({ millis: row.nowMs - row.self.startedAtMs }), {
    ...hidden('u'),
    align: 'right',
  }),
  column('ram.current', 'memory of the process', () => ({ bytes: process.memoryUsage.rss() }), {
    ...hidden('rc,ramCurrent'),
    align: 'right',
  }),
  column('node.role', 'a letter for each role', roleLetters, { aliases: 'r,role,nodeRole' }),
  column('node.roles', 'roles by name', (row) => [...row.node.roles].sort().join(','), {
    ...hidden('rs,all roles'),
  }),
  column('master', 'a star marks the node that leads', isMaster, { aliases: 'm' }),
  column('cluster_manager', 'a star marks the node that leads', isMaster, hidden('cm')),
  column('name', 'name of the node', (row) => row.node.name, { aliases: 'n' }),
];

export const catNodesEndpoint = defineEndpoint({
  name: 'cat.nodes',
  methods: ['GET'],
  paths: ['/_cat/nodes'],
  parameters: { ...catParameters, full_id: booleanParameter(false), include_unloaded_segments: booleanParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    return answerTable(NODE_COLUMNS, request.parameters, request.presentation, () => {
      const state = context.clusterState();
      return [...state.nodes.values()].map((node): NodeRow => ({
        node,
        state,
        self: context.node,
        apiVersion: apiVersion(context.settings.values['compatibility.distribution']),
        fullId: request.parameters.full_id,
        nowMs: context.clock.nowMs(),
      }));
    });
  },
});

interface AttributeRow {
  readonly node: NodeRecord;
  readonly attribute: string;
  readonly value: string;
}

const ATTRIBUTE_COLUMNS: readonly Column<AttributeRow>[] = [
  column('node', 'name of the node', (row) => row.node.name, { aliases: 'name' }),
  column('id', 'identifier of the node', (row) => row.node.id.slice(0, SHORT_ID_LENGTH), hidden('nodeId')),
  column('pid', 'process', () => process.pid, hidden('p')),
  column('host', 'host of the node', (row) => row.node.host, { aliases: 'h' }),
  column('ip', 'address of the node', (row) => row.node.ip, { aliases: 'i' }),
  column('port', 'port for other nodes', (row) => row.node.transportAddress.split(':').at(-1), hidden('po')),
  column('attr', 'name of the attribute', (row) => row.attribute, { aliases: 'attr.name' }),
  column('value', 'value of the attribute', (row) => row.value, { aliases: 'attr.value' }),
];

export const catNodeAttributesEndpoint = defineEndpoint({
  name: 'cat.nodeattrs',
  methods: ['GET'],
  paths: ['/_cat/nodeattrs'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    return answerTable(ATTRIBUTE_COLUMNS, request.parameters, request.presentation, () =>
      [...context.clusterState().nodes.values()].flatMap((node) =>
        Object.entries(node.attributes).map(([attribute, value]): AttributeRow => ({ node, attribute, value })),
      ),
    );
  },
});
