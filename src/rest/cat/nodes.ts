/** `GET _cat/nodes`: who the nodes are, and how their machines do. A node that does not answer has a line with gaps. */
import type { ActionContext } from '../../actions/context.js';
import { broadcast } from '../../actions/indices/broadcast.js';
import { addStatistics, sections, type Statistics } from '../../actions/indices/statistics.js';
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import type { NodeFacts } from '../../actions/nodes/node-facts.js';
import type { NodeRecord } from '../../cluster/state.js';
import { roleNames } from '../cluster/nodes/node-roles.js';
import { apiVersion } from '../info/compatibility.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, timeParameter } from '../parameters.js';
import { roleLetters } from './node-columns.js';
import { statisticColumns } from './statistic-columns.js';
import { answerTable, catParameters, column, type CellValue, type Column } from './table.js';

interface NodeRow {
  readonly node: NodeRecord;
  /** `x` while nobody leads. */
  readonly mark: '*' | '-' | 'x';
  /** Undefined when the node did not answer. */
  readonly facts: NodeFacts | undefined;
  /** Of the shards on the node; undefined where no column of them is asked for. */
  readonly statistics: Statistics | undefined;
  readonly fullId: boolean;
  readonly nowMs: number;
}

const hidden = (aliases: string): { aliases: string; isDefault: false } => ({ aliases, isDefault: false });
const right = (aliases: string): { aliases: string; align: 'right' } => ({ aliases, align: 'right' });
const hiddenRight = (aliases: string): { aliases: string; align: 'right'; isDefault: false } => ({
  ...right(aliases),
  isDefault: false,
});

/** Node ids are printed in short unless `full_id` asks for all of them. */
const SHORT_ID_LENGTH = 4;

function roleList({ node, facts }: NodeRow): string {
  const names = roleNames(node, facts?.settings.values['compatibility.distribution'] ?? 'elasticsearch');
  return names.length === 0 ? '-' : names.join(',');
}

function nodeId({ node, fullId }: NodeRow): string {
  return fullId ? node.id : node.id.slice(0, SHORT_ID_LENGTH);
}

function shownVersion({ facts }: NodeRow): CellValue {
  return facts === undefined ? undefined : apiVersion(facts.settings);
}

const masterMark = ({ mark }: NodeRow): string => mark;

const SHARD_FAMILIES = [
  ...['completion', 'fielddata', 'query_cache', 'request_cache', 'flush', 'get', 'indexing', 'merges', 'refresh'],
  ...['script', 'search', 'segments', 'suggest'],
];

/** A value of the node's own account, absent where it did not answer. */
function fact(read: (facts: NodeFacts) => CellValue): (row: NodeRow) => CellValue {
  return ({ facts }) => (facts === undefined ? undefined : read(facts));
}

function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((100 * part) / whole);
}

const diskUsed = ({ disk }: NodeFacts): number | undefined =>
  disk === null ? undefined : disk.totalBytes - disk.availableBytes;
const bytesOf = (bytes: number | undefined): CellValue => (bytes === undefined ? undefined : { bytes });

const DISK_COLUMNS: readonly Column<NodeRow>[] = [
  column(
    'disk.total',
    'size of the disk',
    fact(({ disk }) => bytesOf(disk?.totalBytes)),
    hiddenRight('dt,diskTotal'),
  ),
  column(
    'disk.used',
    'disk in use, whatever for',
    fact((facts) => bytesOf(diskUsed(facts))),
    hiddenRight('du,diskUsed'),
  ),
  column(
    'disk.avail',
    'disk left',
    fact(({ disk }) => bytesOf(disk?.availableBytes)),
    hiddenRight('d,da,disk,diskAvail'),
  ),
  column(
    'disk.used_percent',
    'share of the disk in use',
    fact((facts) => {
      const used = diskUsed(facts);
      return used === undefined ? undefined : ((100 * used) / Math.max(1, facts.disk?.totalBytes ?? 1)).toFixed(2);
    }),
    hiddenRight('dup,diskUsedPercent'),
  ),
];

const HEAP_COLUMNS: readonly Column<NodeRow>[] = [
  column(
    'heap.current',
    'heap that JavaScript uses',
    fact(({ memory }) => ({ bytes: memory.heapUsedBytes })),
    hiddenRight('hc,heapCurrent'),
  ),
  column(
    'heap.percent',
    'share of the heap in use',
    fact(({ memory }) => percent(memory.heapUsedBytes, memory.heapMaxBytes)),
    right('hp,heapPercent'),
  ),
  column(
    'heap.max',
    'heap that JavaScript may use',
    fact(({ memory }) => ({ bytes: memory.heapMaxBytes })),
    hiddenRight('hm,heapMax'),
  ),
];

const MACHINE_COLUMNS: readonly Column<NodeRow>[] = [
  column(
    'ram.current',
    'memory of the machine in use',
    fact(({ memory }) => ({ bytes: memory.totalBytes - memory.freeBytes })),
    hiddenRight('rc,ramCurrent'),
  ),
  column(
    'ram.percent',
    'share of the memory in use',
    fact(({ memory }) => percent(memory.totalBytes - memory.freeBytes, memory.totalBytes)),
    right('rp,ramPercent'),
  ),
  column(
    'ram.max',
    'memory of the machine',
    fact(({ memory }) => ({ bytes: memory.totalBytes })),
    hiddenRight('rm,ramMax'),
  ),
  column(
    'file_desc.current',
    'open files',
    fact(({ openFiles }) => openFiles?.current ?? -1),
    hiddenRight('fdc,fileDescriptorCurrent'),
  ),
  column(
    'file_desc.percent',
    'share of the files that may be open',
    fact(({ openFiles }) => (openFiles === null ? 0 : percent(openFiles.current, openFiles.max))),
    hiddenRight('fdp,fileDescriptorPercent'),
  ),
  column(
    'file_desc.max',
    'files that may be open',
    fact(({ openFiles }) => openFiles?.max ?? -1),
    hiddenRight('fdm,fileDescriptorMax'),
  ),
  column(
    'cpu',
    'share of the processors in use, lately',
    fact(({ cpu }) => cpu.percent),
    right(''),
  ),
  column(
    'load_1m',
    'load of the machine in the last minute',
    fact(({ cpu }) => cpu.load1m.toFixed(2)),
    right('l'),
  ),
  column(
    'load_5m',
    'load of the machine in the last 5 minutes',
    fact(({ cpu }) => cpu.load5m.toFixed(2)),
    right('l'),
  ),
  column(
    'load_15m',
    'load of the machine in the last 15 minutes',
    fact(({ cpu }) => cpu.load15m.toFixed(2)),
    right('l'),
  ),
  column(
    'uptime',
    'time since the node started',
    ({ facts, nowMs }) => (facts === undefined ? undefined : { millis: nowMs - facts.startedAtMs }),
    hiddenRight('u'),
  ),
];

function nodeColumns(isOpensearch: boolean): readonly Column<NodeRow>[] {
  const description = 'a star marks the node that leads';
  const leader: readonly Column<NodeRow>[] = isOpensearch
    ? [
        column('node.roles', 'roles by name', roleList, { aliases: 'rs,all roles' }),
        column('cluster_manager', description, masterMark, { aliases: 'cm,m,master' }),
      ]
    : [column('master', description, masterMark, { aliases: 'm' })];
  const flavor = column<NodeRow>('flavor', 'kind of distribution', () => 'default', hidden('f'));
  const families = isOpensearch ? SHARD_FAMILIES : [...SHARD_FAMILIES, 'bulk'];
  return [
    column('id', 'identifier of the node', nodeId, hidden('id,nodeId')),
    column(
      'pid',
      'process',
      fact(({ processId }) => processId),
      hidden('p'),
    ),
    column('ip', 'address of the node', ({ node }) => node.ip, { aliases: 'i' }),
    column('port', 'port for other nodes', ({ node }) => node.transportAddress.split(':').at(-1), hidden('po')),
    column('http_address', 'address of HTTP', ({ node }) => node.httpAddress, hidden('http')),
    column('version', 'version of the API', shownVersion, hidden('v')),
    ...(isOpensearch ? [] : [flavor]),
    column('type', 'what the software is', () => 'quarry', hidden('t')),
    column('build', 'version of the software', ({ node }) => `quarry-${node.version}`, hidden('b')),
    column('jdk', 'there is none', () => undefined, hidden('j')),
    ...DISK_COLUMNS,
    ...HEAP_COLUMNS,
    ...MACHINE_COLUMNS,
    column('node.role', 'a letter for each role', ({ node }) => roleLetters(node), { aliases: 'r,role,nodeRole' }),
    ...leader,
    column('name', 'name of the node', ({ node }) => node.name, { aliases: 'n' }),
    ...statisticColumns<NodeRow>(families, ({ statistics }) => statistics),
  ];
}

export const catNodesEndpoint = defineEndpoint({
  name: 'cat.nodes',
  action: { name: 'cluster:monitor/state', also: ['cluster:monitor/nodes/info', 'cluster:monitor/nodes/stats'] },
  methods: ['GET'],
  paths: ['/_cat/nodes'],
  parameters: {
    ...catParameters,
    full_id: booleanParameter(false),
    include_unloaded_segments: booleanParameter(),
    timeout: timeParameter(30_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { full_id: fullId, timeout } = request.parameters;
    const isOpensearch = context.settings.values['compatibility.distribution'] === 'opensearch';
    const { h, s } = request.parameters;
    return answerTable(nodeColumns(isOpensearch), request.parameters, request.presentation, async () => {
      const { nodes, masterNodeId } = context.clusterState();
      const [{ answers }, statisticsOf] = await Promise.all([
        askNodes(context, [...nodes.values()], 'node-facts', null, timeout),
        h === undefined && s === undefined ? () => undefined : shardStatisticsByNode(context),
      ]);
      const facts = new Map(answers.map(({ node, output }) => [node.id, output]));
      const nowMs = context.clock.nowMs();
      return [...nodes.values()].map((node): NodeRow => {
        const mark = masterNodeId === '' ? 'x' : node.id === masterNodeId ? '*' : '-';
        return { node, mark, facts: facts.get(node.id), statistics: statisticsOf(node.id), fullId, nowMs };
      });
    });
  },
});

async function shardStatisticsByNode(context: ActionContext): Promise<(nodeId: string) => Statistics> {
  const open = [...context.clusterState().indices.values()].filter(({ state }) => state === 'open');
  const { answers } = await broadcast(context, open, 'statistics', null);
  return (nodeId) => {
    const own = answers.filter(({ copy }) => copy.nodeId === nodeId);
    return addStatistics(own.map(({ output }) => sections(output)));
  };
}
