/** `GET _cat/recovery/{index}`. */
import {
  byteCounts,
  fileCounts,
  operationsPercent,
  recoveries,
  type ShardRecovery,
} from '../../actions/indices/recoveries.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import type { RestoreSource } from '../../cluster/snapshots/types.js';
import { defineEndpoint } from '../endpoint.js';
import { indexNames, namedIndices } from '../indices/index-names.js';
import { booleanParameter, indicesOptionsParameters, listParameter } from '../parameters.js';
import { answerTable, catParameters, column, type Column, type ColumnOptions } from './table.js';

const NOT_THERE = 'n/a';

const number = (aliases: string): ColumnOptions => ({ aliases, align: 'right' });
const hidden = (aliases: string): ColumnOptions => ({ aliases, isDefault: false });

const COLUMNS: readonly Column<ShardRecovery>[] = [
  column('index', 'name of the index', ({ index }) => index.name, { aliases: 'i,idx' }),
  column('shard', 'number of the shard', ({ shard }) => shard, { aliases: 's,sh' }),
  column('start_time', 'when it began', ({ report }) => date(report.startedAtMs), hidden('start')),
  column('start_time_millis', 'when it began, milliseconds since 1970', ({ report }) => report.startedAtMs, {
    ...hidden('start_millis'),
    align: 'right',
  }),
  column('stop_time', 'when it ended', ({ report }) => date(report.stoppedAtMs), hidden('stop')),
  column('stop_time_millis', 'when it ended, milliseconds since 1970', ({ report }) => report.stoppedAtMs, {
    ...hidden('stop_millis'),
    align: 'right',
  }),
  column('time', 'how long it took', ({ report }) => ({ millis: report.totalMs }), { aliases: 't,ti' }),
  column('type', 'what the copy recovers from', ({ report }) => report.type.toLowerCase(), { aliases: 'ty' }),
  column('stage', 'how far it is', ({ report }) => report.stage.toLowerCase(), { aliases: 'st' }),
  column('source_host', 'host that it comes from', ({ report }) => report.source?.host ?? NOT_THERE, {
    aliases: 'shost',
  }),
  column('source_node', 'node that it comes from', ({ report }) => report.source?.name ?? NOT_THERE, {
    aliases: 'snode',
  }),
  column('target_host', 'host of the copy', ({ report }) => report.target?.host ?? NOT_THERE, { aliases: 'thost' }),
  column('target_node', 'node of the copy', ({ report }) => report.target?.name ?? NOT_THERE, { aliases: 'tnode' }),
  column('repository', 'repository of the snapshot', (row) => snapshotOf(row)?.repository ?? NOT_THERE, {
    aliases: 'rep',
  }),
  column('snapshot', 'snapshot that it comes from', (row) => snapshotOf(row)?.snapshot ?? NOT_THERE, {
    aliases: 'snap',
  }),
  column('files', 'files that have to come', ({ report }) => wanted(fileCounts(report)), number('f')),
  column('files_recovered', 'files that came', ({ report }) => fileCounts(report).recovered, number('fr')),
  column('files_percent', 'share of the files that came', ({ report }) => fileCounts(report).percent, number('fp')),
  column('files_total', 'files of the copy', ({ report }) => fileCounts(report).total, number('tf')),
  column('bytes', 'bytes that have to come', ({ report }) => ({ bytes: wanted(byteCounts(report)) }), number('b')),
  column('bytes_recovered', 'bytes that came', ({ report }) => ({ bytes: byteCounts(report).recovered }), number('br')),
  column('bytes_percent', 'share of the bytes that came', ({ report }) => byteCounts(report).percent, number('bp')),
  column('bytes_total', 'bytes of the copy', ({ report }) => ({ bytes: byteCounts(report).total }), number('tb')),
  column('translog_ops', 'operations that have to come', ({ report }) => report.operations.total, number('to')),
  column('translog_ops_recovered', 'operations that came', ({ report }) => report.operations.recovered, number('tor')),
  column('translog_ops_percent', 'share of the operations that came', ({ report }) => operationsPercent(report), {
    ...number('top'),
  }),
];

export const catRecoveryEndpoint = defineEndpoint({
  name: 'cat.recovery',
  action: 'indices:monitor/recovery',
  methods: ['GET'],
  paths: ['/_cat/recovery', '/_cat/recovery/{index}'],
  parameters: {
    ...catParameters,
    ...indicesOptionsParameters,
    index: listParameter(),
    active_only: booleanParameter(false),
    // Every column is there for the asking.
    detailed: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    return answerTable(COLUMNS, parameters, request.presentation, () => {
      const named = [...indexNames(parts.index), ...(parameters.index ?? [])].join(',');
      const part = named === '' ? undefined : named;
      const indices = namedIndices(context, part, IndicesDefaults.expandOpenAndClosed, parameters);
      return recoveries(context, indices, parameters.active_only);
    });
  },
});

function snapshotOf({ index, report }: ShardRecovery): RestoreSource | undefined {
  return report.type === 'SNAPSHOT' ? index.restoredFrom : undefined;
}

function wanted({ total, reused }: { readonly total: number; readonly reused: number }): number {
  return total - reused;
}

function date(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}
