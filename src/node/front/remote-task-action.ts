/** What the list of tasks calls the requests of other nodes, in the words of the API's reference. */
import type { ShardOperationName } from '../../actions/shard-operations.js';
import type { Route } from '../../transport/protocol.js';

const SHARD_ACTIONS: Readonly<Partial<Record<ShardOperationName, string>>> = {
  'can-match': 'indices:data/read/search[can_match]',
  'statistics-phase': 'indices:data/read/search[phase/dfs]',
  count: 'indices:data/read/search[phase/query]',
  'describe-query': 'indices:admin/validate/query[s]',
  'explain-document': 'indices:data/read/explain[s]',
  'fetch-phase': 'indices:data/read/search[phase/fetch/id]',
  flush: 'indices:admin/flush[s]',
  'force-merge': 'indices:admin/forcemerge[n]',
  'get-documents': 'indices:data/read/mget[shard][s]',
  'open-pit': 'indices:data/read/open_reader_context',
  'query-phase': 'indices:data/read/search[phase/query]',
  refresh: 'indices:admin/refresh[s]',
  'release-scrolls': 'indices:data/read/search[clear_scroll_contexts]',
  'release-searcher': 'indices:data/read/search[free_context]',
  'replica-align': 'internal:index/shard/recovery/prepare_translog',
  'replica-append': 'indices:data/write/bulk[s][r]',
  'replica-files': 'internal:index/shard/recovery/filesInfo',
  'replica-finalize': 'internal:index/shard/recovery/finalize',
  'replica-install': 'internal:index/shard/recovery/clean_files',
  'replica-retain': 'indices:admin/seq_no/retention_lease_background_sync[r]',
  'replica-write-file': 'internal:index/shard/recovery/file_chunk',
  'scroll-page': 'indices:data/read/search[phase/query/scroll]',
  search: 'indices:data/read/search[phase/query]',
  statistics: 'indices:monitor/stats[n]',
  'term-vectors': 'indices:data/read/mtv[shard][s]',
  'write-items': 'indices:data/write/bulk[s]',
};

/** `operation` comes from the other node: what is not known is named by the kind of the request alone. */
export function remoteTaskAction({ target, action }: Route, operation: string): string {
  const named = Object.hasOwn(SHARD_ACTIONS, operation) ? SHARD_ACTIONS[operation as ShardOperationName] : undefined;
  if (action === 'shard' && named !== undefined) return named;
  if (target === 'coordinator') return `internal:cluster/coordination/${action}`;
  if (target === 'front' && action === 'tasks') return 'cluster:monitor/tasks/lists[n]';
  return `internal:${action}`;
}
