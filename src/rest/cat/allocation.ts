/** `GET _cat/allocation/{node_id}`: shards and disk of each node that holds data, or of those that are named. */
import type { ActionContext } from '../../actions/context.js';
import { shardStatistics } from '../../actions/indices/shard-statistics.js';
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import { asQuarryError } from '../../base/error-wire.js';
import type { NodeBalance } from '../../cluster/explain/balance-figures.js';
import { selectNodes } from '../../cluster/nodes/node-filter.js';
import type { NodeRecord } from '../../cluster/state.js';
import type { DiskUsage } from '../../store/disk.js';
import { defineEndpoint } from '../endpoint.js';
import { splitList } from '../parameters.js';
import { roleLetters } from './node-columns.js';
import { answerTable, catParameters, column, type CellValue, type Column } from './table.js';

interface Row {
  readonly shards: number;
  /** Undefined on the line that counts unassigned copies, as all that follows. */
  readonly node: NodeRecord | undefined;
  /** As the master's balancer sees the node. */
  readonly balance: NodeBalance | undefined;
  readonly indexBytes: number | undefined;
  /** Undefined as well where the node does not tell. */
  readonly disk: DiskUsage | undefined;
}

const right = (aliases = ''): { aliases: string; align: 'right' } => ({ aliases, align: 'right' });
const bytes = (value: number | undefined): CellValue => (value === undefined ? undefined : { bytes: value });

function used({ disk }: Row): number | undefined {
  return disk === undefined ? undefined : disk.totalBytes - disk.availableBytes;
}

/** With a point, also where nothing follows. */
function decimal(value: number | undefined): CellValue {
  return value !== undefined && Number.isInteger(value) ? value.toFixed(1) : value;
}

function usedPercent(row: Row): number | undefined {
  const total = row.disk?.totalBytes ?? 0;
  return total === 0 ? undefined : Math.floor((100 * (used(row) ?? 0)) / total);
}

/** Writes of the last minutes are the forecast of the next ones, and copies that are on their way count where they go. */
const FORECASTS: readonly Column<Row>[] = [
  column('shards.undesired', 'shard copies that are to go elsewhere', (row) => row.balance?.undesired, right()),
  column(
    'write_load.forecast',
    'sum of the predicted write loads',
    (row) => decimal(row.balance?.writeLoad),
    right('wlf,writeLoadForecast'),
  ),
  column(
    'disk.indices.forecast',
    'sum of the predicted sizes of shards',
    (row) => bytes(row.balance?.shardBytes),
    right('dif,diskIndicesForecast'),
  ),
];

const DISK_AND_NODE: readonly Column<Row>[] = [
  column('disk.indices', 'disk that indices take', (row) => bytes(row.indexBytes), right('di,diskIndices')),
  column('disk.used', 'disk in use, whatever for', (row) => bytes(used(row)), right('du,diskUsed')),
  column('disk.avail', 'disk left', (row) => bytes(row.disk?.availableBytes), right('da,diskAvail')),
  column('disk.total', 'size of the disk', (row) => bytes(row.disk?.totalBytes), right('dt,diskTotal')),
  column('disk.percent', 'share of the disk in use', usedPercent, right('dp,diskPercent')),
  column('host', 'host of the node', (row) => row.node?.host, { aliases: 'h' }),
  column('ip', 'address of the node', (row) => row.node?.ip),
  column('node', 'name of the node', (row) => row.node?.name ?? 'UNASSIGNED', { aliases: 'n' }),
];

/** Tools of one kind expect some columns that those of the other do not know. */
function columnsFor(isOpensearch: boolean): readonly Column<Row>[] {
  const shards = column<Row>('shards', 'shard copies on the node', (row) => row.shards, right('s'));
  if (isOpensearch) return [shards, ...DISK_AND_NODE];
  const role = column<Row>(
    'node.role',
    'a letter for each role',
    ({ node }) => (node === undefined ? undefined : roleLetters(node)),
    { aliases: 'r,role,nodeRole' },
  );
  return [shards, ...FORECASTS, ...DISK_AND_NODE, role];
}

/** How long nodes are waited for. */
const ANSWER_MS_MAX = 30_000;

export const catAllocationEndpoint = defineEndpoint({
  name: 'cat.allocation',
  action: { name: 'cluster:monitor/state', also: ['cluster:monitor/nodes/stats'] },
  methods: ['GET'],
  paths: ['/_cat/allocation', '/_cat/allocation/{node_id}'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    const filters = parts.node_id === undefined ? undefined : splitList(parts.node_id);
    const isOpensearch = context.settings.values['compatibility.distribution'] === 'opensearch';
    const timeoutMs = parameters.cluster_manager_timeout ?? parameters.master_timeout;
    return answerTable(columnsFor(isOpensearch), parameters, request.presentation, async () => {
      const asksMaster = !isOpensearch && parameters.local !== true;
      return readRows(context, filters, asksMaster ? await balances(context, timeoutMs) : new Map());
    });
  },
});

type Balances = ReadonlyMap<string, NodeBalance>;

async function balances(context: ActionContext, timeoutMs = ANSWER_MS_MAX): Promise<Balances> {
  try {
    const figures = await context.coordinator.submit('balance-figures', null, { timeoutMs });
    return new Map(figures.map((each) => [each.nodeId, each]));
  } catch (error) {
    // A master of an earlier version knows no such question.
    if (asQuarryError(error).type === 'transport_serialization_exception') return new Map();
    throw error;
  }
}

async function readRows(
  context: ActionContext,
  filters: readonly string[] | undefined,
  balance: Balances,
): Promise<readonly Row[]> {
  const state = context.clusterState();
  const nodes = selectNodes(state, filters ?? ['data:true'], context.node.id);
  const [{ answers }, facts] = await Promise.all([
    shardStatistics(context, [...state.indices.values()], { includeUnloadedSegments: false }),
    askNodes(context, nodes, 'node-facts', null, ANSWER_MS_MAX),
  ]);
  const disks = new Map(facts.answers.map(({ node, output }) => [node.id, output.disk ?? undefined] as const));
  const copies = [...state.routing.values()].flatMap((routing) => routing.shards.flat());
  const rows: Row[] = nodes.map((node) => {
    const own = copies.filter(({ nodeId }) => nodeId === node.id);
    return {
      shards: own.length,
      node,
      balance: balance.get(node.id),
      indexBytes: answers
        .filter(({ copy }) => copy.nodeId === node.id)
        .reduce((sum, { output }) => sum + output.stats.storeBytes, 0),
      disk: disks.get(node.id),
    };
  });
  const unassigned = copies.filter(({ nodeId }) => nodeId === null).length;
  const isEveryNode = filters === undefined || filters.some((filter) => filter === '_all' || filter === '*');
  if (unassigned === 0 || !isEveryNode) return rows;
  return [...rows, { shards: unassigned, node: undefined, balance: undefined, indexBytes: undefined, disk: undefined }];
}
