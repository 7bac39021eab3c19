/** `GET _cat/thread_pool/{names}`: the bounded queues of requests. */
import type { PoolFigures } from '../../actions/context.js';
import { must } from '../../base/assert.js';
import type { NodeRecord } from '../../cluster/state.js';
import { matchesAny } from '../../cluster/wildcard.js';
import { defineEndpoint } from '../endpoint.js';
import { splitList } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly node: NodeRecord;
  readonly name: string;
  readonly figures: PoolFigures;
}

const hidden = (aliases: string): { aliases: string; isDefault: false } => ({ aliases, isDefault: false });
const number = (aliases: string): { aliases: string; align: 'right' } => ({ aliases, align: 'right' });

const COLUMNS: readonly Column<Row>[] = [
  column('node_name', 'name of the node', (row) => row.node.name, { aliases: 'nn' }),
  column('node_id', 'identifier of the node', (row) => row.node.id, hidden('id')),
  column('ephemeral_node_id', 'identifier of this run of the node', (row) => row.node.id, hidden('eid')),
  column('pid', 'process', () => process.pid, hidden('p')),
  column('host', 'host of the node', (row) => row.node.host, hidden('h')),
  column('ip', 'address of the node', (row) => row.node.ip, hidden('i')),
  column('port', 'port of the node', (row) => row.node.transportAddress.split(':').at(-1), hidden('po')),
  column('name', 'name of the pool', (row) => row.name, { aliases: 'n' }),
  column('type', 'kind of pool', () => 'fixed', hidden('t')),
  column('active', 'requests being carried out', (row) => row.figures.active, number('a')),
  column('pool_size', 'workers of the pool', (row) => row.figures.size, { ...number('psz'), isDefault: false }),
  column('queue', 'requests that wait', (row) => row.figures.queue, number('q')),
  column('queue_size', 'how many may wait', (row) => row.figures.queueSize, { ...number('qs'), isDefault: false }),
  column('rejected', 'requests refused because the queue was full', (row) => row.figures.rejected, number('r')),
  column('largest', 'most requests carried out at once', (row) => row.figures.size, {
    ...number('l'),
    isDefault: false,
  }),
  column('completed', 'requests carried out', (row) => row.figures.completed, { ...number('c'), isDefault: false }),
  column('size', 'fixed number of workers', (row) => row.figures.size, { ...number('sz'), isDefault: false }),
];

export const catThreadPoolEndpoint = defineEndpoint({
  name: 'cat.thread_pool',
  methods: ['GET'],
  paths: ['/_cat/thread_pool', '/_cat/thread_pool/{thread_pool_patterns}'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const patterns = request.parts.thread_pool_patterns;
    const wanted = patterns === undefined ? ['*'] : splitList(patterns);
    return answerTable(COLUMNS, request.parameters, request.presentation, async () => {
      const state = context.clusterState();
      const node = must(state.nodes.get(context.node.id), 'the node in the cluster state');
      const pools = Object.entries(await context.poolFigures());
      return pools
        .filter(([name]) => matchesAny(wanted, name))
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, figures]): Row => ({ node, name, figures }));
    });
  },
});
