/** `GET _cat/shards/{index}`. */
import type { ActionContext } from '../../actions/context.js';
import { broadcast } from '../../actions/indices/broadcast.js';
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import { sections, type Statistics } from '../../actions/indices/statistics.js';
import type { ShardStatistics } from '../../actions/operations/shard-maintenance.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { copiesWithoutTargets, recoverySourceOf } from '../../cluster/copies/shard-copies.js';
import type { ClusterState, IndexMetadata, NodeRecord, ShardCopy } from '../../cluster/state.js';
import { defineEndpoint } from '../endpoint.js';
import { namedIndices } from '../indices/index-names.js';
import { indicesOptionsParameters } from '../parameters.js';
import { statisticColumns } from './statistic-columns.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly index: IndexMetadata;
  readonly copy: ShardCopy;
  readonly node: NodeRecord | undefined;
  readonly relocatingTo: NodeRecord | undefined;
  readonly output: ShardStatistics | undefined;
  readonly statistics: Statistics | undefined;
  readonly nowMs: number;
  /** Of its node; undefined where no column is asked for by name. */
  readonly dataPath: string | undefined;
}

const hidden = (aliases = ''): { aliases: string; isDefault: false } => ({ aliases, isDefault: false });
const hiddenNumber = (aliases: string): { aliases: string; isDefault: false; align: 'right' } => ({
  aliases,
  isDefault: false,
  align: 'right',
});

const IDENTITY: readonly Column<Row>[] = [
  column('index', 'name of the index', (row) => row.index.name, { aliases: 'i,idx' }),
  column('shard', 'number of the shard', (row) => row.copy.shard, { aliases: 's,sh' }),
  column('prirep', 'p for the primary, r for a replica', (row) => (row.copy.primary ? 'p' : 'r'), {
    aliases: 'p,pr,primaryOrReplica',
  }),
  column('state', 'how far the copy is', (row) => row.copy.state, { aliases: 'st' }),
  column('docs', 'documents', (row) => row.statistics?.['docs']?.['count'], { aliases: 'd,dc', align: 'right' }),
  column('store', 'size on disk', (row) => storeSize(row, 'size_in_bytes'), { aliases: 'sto', align: 'right' }),
];

const DATASET = column<Row>(
  'dataset',
  'size of the data, wherever it is',
  (row) => storeSize(row, 'total_data_set_size_in_bytes'),
  { align: 'right' },
);

const PLACE: readonly Column<Row>[] = [
  column('ip', 'address of its node', (row) => row.node?.ip),
  column('id', 'identifier of its node', (row) => row.node?.id, hidden()),
  column('node', 'name of its node, and where it moves to', nodeName, { aliases: 'n' }),
];

const LIFE: readonly Column<Row>[] = [
  column('sync_id', 'mark of copies with equal contents', () => undefined, hidden()),
  column('unassigned.reason', 'why it is not assigned', (row) => row.copy.unassigned?.reason, hidden('ur')),
  column('unassigned.at', 'since when it is not assigned', (row) => unassignedAt(row.copy), hidden('ua')),
  column('unassigned.for', 'for how long it is not assigned', unassignedFor, hiddenNumber('uf')),
  column('unassigned.details', 'more on why it is not assigned', (row) => row.copy.unassigned?.details, hidden('ud')),
  column('recoverysource.type', 'where it recovers from', recoverySource, hidden('rs')),
];

const PATHS: readonly Column<Row>[] = [
  column(
    'path.data',
    'directory of its data',
    (row) => (row.output === undefined ? undefined : row.dataPath),
    hiddenNumber('pd,dataPath'),
  ),
  column(
    'path.state',
    'directory of its state',
    (row) => (row.output === undefined ? undefined : row.dataPath),
    hiddenNumber('ps,statsPath'),
  ),
];

const DELETED: readonly Column<Row>[] = [
  column(
    'docs.deleted',
    'deleted documents',
    (row) => row.statistics?.['docs']?.['deleted'],
    hiddenNumber('dd,docsDeleted'),
  ),
];

const SEQUENCE: readonly Column<Row>[] = [
  column('seq_no.max', 'highest sequence number', (row) => row.output?.stats.maxSeqNo, hiddenNumber('sqm,maxSeqNo')),
  column(
    'seq_no.local_checkpoint',
    'all sequence numbers up to this one are done',
    (row) => row.output?.stats.localCheckpoint,
    hiddenNumber('sql,localCheckpoint'),
  ),
  column(
    'seq_no.global_checkpoint',
    'all copies have done the sequence numbers up to this one',
    (row) => row.output?.stats.globalCheckpoint,
    hiddenNumber('sqg,globalCheckpoint'),
  ),
];

const statistics = (families: readonly string[]): readonly Column<Row>[] =>
  statisticColumns<Row>(families, (row) => row.statistics);

const FAMILIES = [
  ...['completion', 'fielddata', 'query_cache.memory_size', 'query_cache.evictions', 'flush', 'get', 'indexing'],
  ...['merges', 'refresh', 'search', 'segments'],
];

/** Tools of one kind expect some columns that those of the other do not know. */
function columnsFor(isOpensearch: boolean): readonly Column<Row>[] {
  return [
    ...IDENTITY,
    ...(isOpensearch ? [] : [DATASET]),
    ...PLACE,
    ...LIFE,
    ...statistics(FAMILIES),
    ...SEQUENCE,
    ...statistics(['warmer']),
    ...PATHS,
    ...(isOpensearch ? DELETED : statistics(['bulk'])),
  ];
}

export const catShardsEndpoint = defineEndpoint({
  name: 'cat.shards',
  action: { name: 'indices:monitor/stats', also: ['cluster:monitor/state'] },
  methods: ['GET'],
  paths: ['/_cat/shards', '/_cat/shards/{index}'],
  parameters: { ...catParameters, ...indicesOptionsParameters },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    const isOpensearch = context.settings.values['compatibility.distribution'] === 'opensearch';
    return answerTable(columnsFor(isOpensearch), parameters, request.presentation, () => {
      const defaults = { ...IndicesDefaults.expandOpenAndClosed, expandHidden: true };
      const indices = namedIndices(context, parts.index, defaults, parameters);
      return readRows(context, indices, parameters.h !== undefined);
    });
  },
});

/** How long nodes are waited for that are asked where their data lies. */
const ASK_MS_MAX = 30_000;

async function readRows(
  context: ActionContext,
  indices: readonly IndexMetadata[],
  withPaths: boolean,
): Promise<readonly Row[]> {
  const state = context.clusterState();
  const open = indices.filter((index) => index.state === 'open');
  const [{ answers }, facts] = await Promise.all([
    broadcast(context, open, 'statistics', null),
    askNodes(context, withPaths ? [...state.nodes.values()] : [], 'node-facts', null, ASK_MS_MAX),
  ]);
  const paths = new Map(facts.answers.map(({ node, output }) => [node.id, output.dataPath]));
  return copiesOf(state, indices).map(({ index, copy }) => {
    const output = answers.find((answer) => answer.copy === copy)?.output;
    return {
      index,
      copy,
      node: copy.nodeId === null ? undefined : state.nodes.get(copy.nodeId),
      relocatingTo: copy.relocatingNodeId === null ? undefined : state.nodes.get(copy.relocatingNodeId),
      output,
      statistics: output === undefined ? undefined : sections(output),
      nowMs: context.clock.nowMs(),
      dataPath: copy.nodeId === null ? undefined : paths.get(copy.nodeId),
    };
  });
}

export function copiesOf(
  state: ClusterState,
  indices: readonly IndexMetadata[],
): readonly { readonly index: IndexMetadata; readonly copy: ShardCopy }[] {
  return indices.flatMap((index) =>
    (state.routing.get(index.name)?.shards ?? []).flatMap(copiesWithoutTargets).map((copy) => ({ index, copy })),
  );
}

function storeSize(
  { statistics }: Row,
  counter: 'size_in_bytes' | 'total_data_set_size_in_bytes',
): { readonly bytes: number } | undefined {
  return statistics === undefined ? undefined : { bytes: statistics['store']?.[counter] ?? 0 };
}

/** `source -> address id name` of a copy that moves. */
function nodeName({ copy, node, relocatingTo }: Row): string | undefined {
  if (copy.state !== 'RELOCATING' || relocatingTo === undefined) return node?.name;
  return `${node?.name ?? ''} -> ${relocatingTo.ip} ${relocatingTo.id} ${relocatingTo.name}`;
}

function unassignedAt(copy: ShardCopy): string | undefined {
  return copy.unassigned === null ? undefined : new Date(copy.unassigned.atMs).toISOString();
}

function unassignedFor({ copy, nowMs }: Row): { readonly millis: number } | undefined {
  return copy.unassigned === null ? undefined : { millis: nowMs - copy.unassigned.atMs };
}

function recoverySource({ index, copy }: Row): string | undefined {
  return copy.unassigned === null ? undefined : recoverySourceOf(index, copy).toLowerCase();
}
