/**
 * `GET _cat/segment_replication/{index}`: copies of indices whose `index.replication.type` is `SEGMENT`. Those of this engine have
 * `DOCUMENT` (their segments are told of by `_cat/recovery`), so that the table has no lines.
 */
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { defineEndpoint } from '../endpoint.js';
import { indexNames, namedIndices } from '../indices/index-names.js';
import { booleanParameter, indicesOptionsParameters, listParameter } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

function told(name: string, aliases: string, description: string, isDefault = true): Column<never> {
  return column(name, description, () => undefined, { aliases, isDefault });
}

function columnsOf(detailed: boolean): readonly Column<never>[] {
  return [
    told('shardId', 's', 'index and number of the shard'),
    told('target_node', 'tnode', 'node of the copy'),
    told('target_host', 'thost', 'host of the copy'),
    told('checkpoints_behind', 'cpb', 'refreshes that the copy lacks'),
    told('bytes_behind', 'bb', 'bytes that the copy lacks'),
    told('current_lag', 'clag', 'for how long it lacks them'),
    told('last_completed_lag', 'lcl', 'how long the last one took to come'),
    told('rejected_requests', 'rr', 'writes that were refused because of it'),
    told('stage', 'st', 'how far it is', detailed),
    told('time', 't,ti', 'how long it took', detailed),
    told('files_fetched', 'ff', 'files that came', detailed),
    told('files_percent', 'fp', 'share of the files that came', detailed),
    told('bytes_fetched', 'bf', 'bytes that came', detailed),
    told('bytes_percent', 'bp', 'share of the bytes that came', detailed),
    told('start_time', 'start', 'when it began', detailed),
    told('stop_time', 'stop', 'when it ended', detailed),
    told('files', 'f', 'files that have to come', detailed),
    told('files_total', 'tf', 'files of the copy', detailed),
    told('bytes', 'b', 'bytes that have to come', detailed),
    told('bytes_total', 'tb', 'bytes of the copy', detailed),
    told('replicating_stage_time_taken', 'rstt', 'time of the stage before', detailed),
    told('get_checkpoint_info_stage_time_taken', 'gcistt', 'time to hear what there is', detailed),
    told('file_diff_stage_time_taken', 'fdstt', 'time to find what lacks', detailed),
    told('get_files_stage_time_taken', 'gfstt', 'time for the files to come', detailed),
    told('finalize_replication_stage_time_taken', 'frstt', 'time to show them', detailed),
  ];
}

export const catSegmentReplicationEndpoint = defineEndpoint({
  name: 'cat.segment_replication',
  action: 'indices:monitor/segment_replication',
  methods: ['GET'],
  paths: ['/_cat/segment_replication', '/_cat/segment_replication/{index}'],
  parameters: {
    ...catParameters,
    ...indicesOptionsParameters,
    index: listParameter(),
    shards: listParameter(),
    active_only: booleanParameter(false),
    completed_only: booleanParameter(false),
    detailed: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parameters, parts, presentation }, context) {
    return answerTable(columnsOf(parameters.detailed), parameters, presentation, () => {
      const named = [...indexNames(parts.index), ...(parameters.index ?? [])].join(',');
      // Only to refuse names of indices that are not there.
      namedIndices(context, named === '' ? undefined : named, IndicesDefaults.expandOpenAndClosed, parameters);
      return [];
    });
  },
});
