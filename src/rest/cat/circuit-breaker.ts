/** `GET _cat/circuit_breaker/{patterns}`: memory limits of the nodes, and what is held against them. */
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import type { BreakerFigures } from '../../base/breakers.js';
import type { NodeRecord } from '../../cluster/state.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { defineEndpoint } from '../endpoint.js';
import { splitList } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly node: NodeRecord;
  readonly name: string;
  readonly figures: BreakerFigures;
}

const hidden = (aliases: string): { aliases: string; isDefault: false } => ({ aliases, isDefault: false });

const COLUMNS: readonly Column<Row>[] = [
  column('node_id', 'identifier of the node', ({ node }) => node.id, { aliases: 'id' }),
  column('node_name', 'name of the node', ({ node }) => node.name, hidden('nn')),
  column('breaker', 'name of the limit', ({ name }) => name, { aliases: 'br' }),
  column('limit', 'how much may be held', ({ figures }) => ({ bytes: figures.limitBytes }), { aliases: 'l' }),
  column('limit_bytes', 'the same in bytes', ({ figures }) => figures.limitBytes, hidden('lb')),
  column('estimated', 'how much is held', ({ figures }) => ({ bytes: figures.usedBytes }), { aliases: 'e' }),
  column('estimated_bytes', 'the same in bytes', ({ figures }) => figures.usedBytes, hidden('eb')),
  column('tripped', 'requests refused because of it', ({ figures }) => figures.refused, { aliases: 't' }),
  column('overhead', 'factor of the estimates', () => '1.0', hidden('o')),
];

/** How long a node may take to answer. */
const ASK_MS_MAX = 30_000;

export const catCircuitBreakerEndpoint = defineEndpoint({
  name: 'cat.circuit_breaker',
  action: 'cluster:monitor/nodes/stats',
  methods: ['GET'],
  paths: ['/_cat/circuit_breaker', '/_cat/circuit_breaker/{circuit_breaker_patterns}'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const patterns = request.parts.circuit_breaker_patterns;
    const wanted = patterns === undefined ? ['*'] : splitList(patterns);
    return answerTable(COLUMNS, request.parameters, request.presentation, async () => {
      const nodes = [...context.clusterState().nodes.values()];
      const { answers } = await askNodes(context, nodes, 'node-facts', null, ASK_MS_MAX);
      return answers.flatMap(({ node, output }) =>
        Object.entries(output.front.breakers)
          .filter(([name]) => matchesAny(wanted, name))
          .map(([name, figures]): Row => ({ node, name, figures })),
      );
    });
  },
});
