/** `GET _cat/nodeattrs`: custom attributes of the nodes. */
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import type { NodeRecord } from '../../cluster/state.js';
import { defineEndpoint } from '../endpoint.js';
import { answerTable, catParameters, column, type Column } from './table.js';

const hidden = (aliases: string): { aliases: string; isDefault: false } => ({ aliases, isDefault: false });

/** Node ids are printed in short. */
const SHORT_ID_LENGTH = 4;
/** For the process ids, which only the nodes know. */
const ASK_MS_MAX = 30_000;

interface AttributeRow {
  readonly node: NodeRecord;
  readonly processId: number | undefined;
  readonly attribute: string;
  readonly value: string;
}

const ATTRIBUTE_COLUMNS: readonly Column<AttributeRow>[] = [
  column('node', 'name of the node', (row) => row.node.name, { aliases: 'name' }),
  column('id', 'identifier of the node', (row) => row.node.id.slice(0, SHORT_ID_LENGTH), hidden('nodeId')),
  column('pid', 'process', (row) => row.processId, hidden('p')),
  column('host', 'host of the node', (row) => row.node.host, { aliases: 'h' }),
  column('ip', 'address of the node', (row) => row.node.ip, { aliases: 'i' }),
  column('port', 'port for other nodes', (row) => row.node.transportAddress.split(':').at(-1), hidden('po')),
  column('attr', 'name of the attribute', (row) => row.attribute, { aliases: 'attr.name' }),
  column('value', 'value of the attribute', (row) => row.value, { aliases: 'attr.value' }),
];

export const catNodeAttributesEndpoint = defineEndpoint({
  name: 'cat.nodeattrs',
  action: { name: 'cluster:monitor/state', also: ['cluster:monitor/nodes/info'] },
  methods: ['GET'],
  paths: ['/_cat/nodeattrs'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    return answerTable(ATTRIBUTE_COLUMNS, request.parameters, request.presentation, async () => {
      const nodes = [...context.clusterState().nodes.values()];
      const { answers } = await askNodes(context, nodes, 'node-facts', null, ASK_MS_MAX);
      return nodes.flatMap((node) => {
        const processId = answers.find((answer) => answer.node === node)?.output.processId;
        return Object.entries(node.attributes).map(([attribute, value]): AttributeRow => {
          return { node, processId, attribute, value };
        });
      });
    });
  },
});
