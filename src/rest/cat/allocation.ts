/** `GET _cat/allocation/{node_id}`: shards and disk of each node. */
import type { ActionContext } from '../../actions/context.js';
import { broadcast } from '../../actions/indices/broadcast.js';
import { selectNodes } from '../../cluster/node-filter.js';
import type { NodeRecord } from '../../cluster/state.js';
import { defineEndpoint } from '../endpoint.js';
import { diskUsage, type DiskUsage } from '../../store/disk.js';
import { splitList } from '../parameters.js';
import { answerTable, catParameters, column, type CellValue, type Column } from './table.js';

interface Row {
  readonly shards: number;
  readonly indexBytes: number | undefined;
  readonly disk: DiskUsage | undefined;
  /** Absent on the line that counts unassigned copies. */
  readonly node: NodeRecord | undefined;
}

const right = (aliases: string): { aliases: string; align: 'right' } => ({ aliases, align: 'right' });
const bytes = (value: number | undefined): CellValue => (value === undefined ? undefined : { bytes: value });

function used({ disk }: Row): number | undefined {
  return disk === undefined ? undefined : disk.totalBytes - disk.availableBytes;
}

function usedPercent(row: Row): number | undefined {
  const total = row.disk?.totalBytes ?? 0;
  return total === 0 ? undefined : Math.floor((100 * (used(row) ?? 0)) / total);
}

const COLUMNS: readonly Column<Row>[] = [
  column('shards', 'shard copies on the node', (row) => row.shards, right('s')),
  column('disk.indices', 'disk that indices take', (row) => bytes(row.indexBytes), right('di,diskIndices')),
  column('disk.used', 'disk in use, whatever for', (row) => bytes(used(row)), right('du,diskUsed')),
  column('disk.avail', 'disk left', (row) => bytes(row.disk?.availableBytes), right('da,diskAvail')),
  column('disk.total', 'size of the disk', (row) => bytes(row.disk?.totalBytes), right('dt,diskTotal')),
  column('disk.percent', 'share of the disk in use', usedPercent, right('dp,diskPercent')),
  column('host', 'host of the node', (row) => row.node?.host, { aliases: 'h' }),
  column('ip', 'address of the node', (row) => row.node?.ip),
  column('node', 'name of the node', (row) => row.node?.name ?? 'UNASSIGNED', { aliases: 'n' }),
];

export const catAllocationEndpoint = defineEndpoint({
  name: 'cat.allocation',
  methods: ['GET'],
  paths: ['/_cat/allocation', '/_cat/allocation/{node_id}'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    const filters = parts.node_id === undefined ? [] : splitList(parts.node_id);
    return answerTable(COLUMNS, parameters, request.presentation, () => readRows(context, filters));
  },
});

async function readRows(context: ActionContext, filters: readonly string[]): Promise<readonly Row[]> {
  const state = context.clusterState();
  const copies = [...state.routing.values()].flatMap((routing) => routing.shards.flat());
  const open = [...state.indices.values()].filter((index) => index.state === 'open');
  const { answers } = await broadcast(context, open, 'statistics', null);
  const disk = await diskUsage(context.node.dataPath);
  const rows: Row[] = selectNodes(state, filters, context.node.id).map((node) => ({
    shards: copies.filter(({ nodeId }) => nodeId === node.id).length,
    indexBytes: answers
      .filter(({ copy }) => copy.nodeId === node.id)
      .reduce((sum, { output }) => sum + output.stats.storeBytes, 0),
    disk,
    node,
  }));
  const unassigned = copies.filter(({ nodeId }) => nodeId === null).length;
  const isEveryNode = filters.length === 0 || filters.some((filter) => filter === '_all' || filter === '*');
  if (unassigned > 0 && isEveryNode) {
    rows.push({ shards: unassigned, indexBytes: undefined, disk: undefined, node: undefined });
  }
  return rows;
}
