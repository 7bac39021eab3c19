/** `GET _cat/thread_pool/{names}`: the bounded queues of requests. `size` was a unit once, and is read by nobody. */
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import type { NodeRecord } from '../../cluster/state.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { allPools, type Pool } from '../cluster/nodes/pools.js';
import { defineEndpoint } from '../endpoint.js';
import { splitList, stringParameter } from '../parameters.js';
import { answerTable, catParameters, column, type CellValue, type Column } from './table.js';

interface Row {
  readonly node: NodeRecord;
  readonly processId: number;
  readonly pool: Pool;
}

const hidden = (aliases: string): { aliases: string; isDefault: false } => ({ aliases, isDefault: false });
const number = (aliases: string): { aliases: string; align: 'right' } => ({ aliases, align: 'right' });

const fixed = ({ pool }: Row, value: number): number | undefined => (pool.type === 'fixed' ? value : undefined);
const scaling = ({ pool }: Row, value: number): number | undefined => (pool.type === 'scaling' ? value : undefined);

function waitTime({ pool }: Row): CellValue {
  return pool.measuresWaiting ? { millis: Math.round(pool.figures.waitMs) } : -1;
}

/** How long a node may take to answer. */
const ASK_MS_MAX = 30_000;

const COLUMNS: readonly Column<Row>[] = [
  column('node_name', 'name of the node', (row) => row.node.name, { aliases: 'nn' }),
  column('node_id', 'identifier of the node', (row) => row.node.id, hidden('id')),
  column('ephemeral_node_id', 'identifier of this run of the node', (row) => row.node.ephemeralId, hidden('eid')),
  column('pid', 'process', (row) => row.processId, hidden('p')),
  column('host', 'host of the node', (row) => row.node.host, hidden('h')),
  column('ip', 'address of the node', (row) => row.node.ip, hidden('i')),
  column('port', 'port of the node', (row) => row.node.transportAddress.split(':').at(-1), hidden('po')),
  column('name', 'name of the pool', (row) => row.pool.name, { aliases: 'n' }),
  column('type', 'kind of pool', (row) => row.pool.type, hidden('t')),
  column('active', 'requests being carried out', (row) => row.pool.figures.active, number('a')),
  column('pool_size', 'workers of the pool', (row) => row.pool.figures.size, { ...number('psz'), isDefault: false }),
  column('queue', 'requests that wait', (row) => row.pool.figures.queue, number('q')),
  column('queue_size', 'how many may wait', (row) => row.pool.figures.queueSize, { ...number('qs'), isDefault: false }),
  column('rejected', 'requests refused because the queue was full', (row) => row.pool.figures.rejected, number('r')),
  column('largest', 'most requests carried out at once', (row) => row.pool.figures.largest, {
    ...number('l'),
    isDefault: false,
  }),
  column('completed', 'requests carried out', (row) => row.pool.figures.completed, {
    ...number('c'),
    isDefault: false,
  }),
  column('total_wait_time', 'time that requests have waited, where it is measured', waitTime, {
    ...number('twt'),
    isDefault: false,
  }),
  column('core', 'least number of workers, where it may grow', (row) => scaling(row, 0), hidden('cr')),
  column('max', 'greatest number of workers, where it may grow', (row) => scaling(row, row.pool.figures.size), {
    ...number('mx'),
    isDefault: false,
  }),
  column('size', 'number of workers, where it is fixed', (row) => fixed(row, row.pool.figures.size), {
    ...number('sz'),
    isDefault: false,
  }),
  column('keep_alive', 'how long an idle worker stays, where the number may grow', () => undefined, hidden('ka')),
];

export const catThreadPoolEndpoint = defineEndpoint({
  name: 'cat.thread_pool',
  action: { name: 'cluster:monitor/state', also: ['cluster:monitor/nodes/info', 'cluster:monitor/nodes/stats'] },
  methods: ['GET'],
  paths: ['/_cat/thread_pool', '/_cat/thread_pool/{thread_pool_patterns}'],
  parameters: { ...catParameters, size: stringParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const patterns = request.parts.thread_pool_patterns;
    const wanted = patterns === undefined ? ['*'] : splitList(patterns);
    return answerTable(COLUMNS, request.parameters, request.presentation, async () => {
      const nodes = [...context.clusterState().nodes.values()];
      const { answers } = await askNodes(context, nodes, 'node-facts', null, ASK_MS_MAX);
      return answers.flatMap(({ node, output: { front, processId } }) =>
        allPools(front.pools)
          .filter(({ name }) => matchesAny(wanted, name))
          .map((pool): Row => ({ node, processId, pool })),
      );
    });
  },
});
