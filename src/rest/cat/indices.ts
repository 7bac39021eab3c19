/** `GET _cat/indices/{index}`. */
import { broadcast } from '../../actions/indices/broadcast.js';
import { addStatistics, sections, type Statistics } from '../../actions/indices/statistics.js';
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument } from '../../base/errors.js';
import { indexHealth, type HealthStatus } from '../../cluster/health.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { defineEndpoint } from '../endpoint.js';
import { namedIndices } from '../indices/index-names.js';
import { booleanParameter, enumParameter, indicesOptionsParameters } from '../parameters.js';
import { statisticColumns } from './statistic-columns.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly index: IndexMetadata;
  readonly health: HealthStatus;
  /** Of all copies; undefined while the index is closed, and where none tells them, as while it is restored. */
  readonly statistics: Statistics | undefined;
  readonly primaries: Statistics | undefined;
}

const FAMILIES = [
  ...['completion', 'fielddata', 'query_cache.memory_size', 'query_cache.evictions', 'request_cache', 'flush', 'get'],
  ...['indexing', 'merges', 'refresh', 'search', 'segments', 'warmer', 'suggest', 'memory'],
];

/** Every document once, however many copies there are. */
const documents = (row: Row, counter: string): number | undefined => row.primaries?.['docs']?.[counter];

function storeSize(
  statistics: Row['statistics'],
  counter: 'size_in_bytes' | 'total_data_set_size_in_bytes' = 'size_in_bytes',
): { readonly bytes: number } | undefined {
  return statistics === undefined ? undefined : { bytes: statistics['store']?.[counter] ?? 0 };
}

/** Each with its twin behind it, which counts primaries alone. */
function withPrimaries(families: readonly string[]): readonly Column<Row>[] {
  const primaries = statisticColumns<Row>(families, (row) => row.primaries);
  return statisticColumns<Row>(families, (row) => row.statistics).flatMap((each, at) => [
    { ...each, hasTwin: true },
    ...primaries.slice(at, at + 1).map((twin) => ({
      ...twin,
      name: `pri.${twin.name}`,
      aliases: [],
      description: `${twin.description}, primaries alone`,
    })),
  ]);
}

const IDENTITY: readonly Column<Row>[] = [
  column('health', 'green, yellow or red', (row) => row.health, { aliases: 'h' }),
  column('status', 'open or close', (row) => row.index.state, { aliases: 's' }),
  column('index', 'name of the index', (row) => row.index.name, { aliases: 'i,idx' }),
  column('uuid', 'identifier of the index', (row) => row.index.uuid, { aliases: 'id,uuid' }),
  column('pri', 'number of primary shards', (row) => row.index.numberOfShards, {
    aliases: 'p,shards.primary,shardsPrimary',
    align: 'right',
  }),
  column('rep', 'replicas of each shard', (row) => row.index.numberOfReplicas, {
    aliases: 'r,shards.replica,shardsReplica',
    align: 'right',
  }),
  column('docs.count', 'documents', (row) => documents(row, 'count'), { aliases: 'dc,docsCount', align: 'right' }),
  column('docs.deleted', 'deleted documents that still take space', (row) => documents(row, 'deleted'), {
    aliases: 'dd,docsDeleted',
    align: 'right',
  }),
  column('creation.date', 'when the index was made, in milliseconds since 1970', (row) => row.index.creationDateMs, {
    aliases: 'cd',
    isDefault: false,
  }),
  column('creation.date.string', 'when the index was made', (row) => isoTime(row.index.creationDateMs), {
    aliases: 'cds',
    isDefault: false,
  }),
  column('store.size', 'size on disk', (row) => storeSize(row.statistics), {
    aliases: 'ss,storeSize',
    align: 'right',
    hasTwin: true,
  }),
  column('pri.store.size', 'size on disk of the primaries', (row) => storeSize(row.primaries), { align: 'right' }),
];

const DATASET = column<Row>(
  'dataset.size',
  'size of the data of the primaries, wherever it is',
  (row) => storeSize(row.primaries, 'total_data_set_size_in_bytes'),
  { align: 'right' },
);

const THROTTLED = column<Row>('search.throttled', 'whether searches are held back', () => false, {
  aliases: 'sth',
  isDefault: false,
});

/** Tools of one kind expect some columns that those of the other do not know. */
const COLUMNS = {
  opensearch: [...IDENTITY, ...withPrimaries(FAMILIES), THROTTLED],
  elasticsearch: [...IDENTITY, DATASET, ...withPrimaries(FAMILIES), THROTTLED, ...withPrimaries(['bulk'])],
} as const;

export const catIndicesEndpoint = defineEndpoint({
  name: 'cat.indices',
  action: { name: 'indices:monitor/stats', also: ['cluster:monitor/state', 'cluster:monitor/health'] },
  methods: ['GET'],
  paths: ['/_cat/indices', '/_cat/indices/{index}'],
  parameters: {
    ...catParameters,
    ...indicesOptionsParameters,
    health: enumParameter(['green', 'yellow', 'red', 'GREEN', 'YELLOW', 'RED'], (text) =>
      illegalArgument(`unknown cluster health status [${text}]`),
    ),
    include_unloaded_segments: booleanParameter(),
    pri: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    const columns = COLUMNS[context.settings.values['compatibility.distribution']];
    return answerTable(columns, parameters, request.presentation, async () => {
      const indices = namedIndices(context, parts.index, IndicesDefaults.expandOpenAndClosed, parameters);
      const wanted = parameters.health?.toLowerCase();
      const rows = await readRows(context, indices);
      return wanted === undefined ? rows : rows.filter(({ health }) => health === wanted);
    });
  },
});

async function readRows(context: ActionContext, indices: readonly IndexMetadata[]): Promise<readonly Row[]> {
  const state = context.clusterState();
  const open = indices.filter((index) => index.state === 'open');
  const { answers } = await broadcast(context, open, 'statistics', null);
  return indices.map((index) => {
    const own = answers.filter((answer) => answer.index.uuid === index.uuid);
    const sum = (some: typeof own): Row['statistics'] =>
      some.length === 0 ? undefined : addStatistics(some.map(({ output }) => sections(output)));
    const primaries = sum(own.filter(({ copy }) => copy.primary));
    return { index, health: indexHealth(state, index).status, statistics: sum(own), primaries };
  });
}

function isoTime(millis: number): string {
  return new Date(millis).toISOString();
}
