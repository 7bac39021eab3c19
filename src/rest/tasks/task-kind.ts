/** What the list of tasks calls the requests of an endpoint, in the words of the API's reference. */
import type { PoolName } from '../endpoint.js';

export interface TaskKind {
  readonly action: string;
  /** Requests end early when somebody cancels them. */
  readonly isCancellable: boolean;
  /** They go on when the client went away. */
  readonly outlivesClient: boolean;
}

const READ = 'indices:data/read/';
const WRITE = 'indices:data/write/';
const ADMIN = 'indices:admin/';
const MONITOR = 'cluster:monitor/';

const ACTIONS: Readonly<Record<string, string>> = {
  bulk: `${WRITE}bulk`,
  clear_scroll: `${READ}scroll/clear`,
  close_point_in_time: `${READ}close_point_in_time`,
  count: `${READ}search`,
  create: `${WRITE}bulk`,
  create_pit: `${READ}point_in_time/create`,
  delete: `${WRITE}bulk`,
  delete_all_pits: `${READ}point_in_time/delete`,
  delete_by_query: `${WRITE}delete/byquery`,
  delete_pit: `${READ}point_in_time/delete`,
  get_all_pits: `${READ}point_in_time/readall`,
  get_source: `${READ}get`,
  index: `${WRITE}bulk`,
  info: `${MONITOR}main`,
  mtermvectors: `${READ}mtv`,
  open_point_in_time: `${READ}open_point_in_time`,
  reindex: `${WRITE}reindex`,
  search_shards: `${ADMIN}shards/search_shards`,
  termvectors: `${READ}tv`,
  update: `${WRITE}update`,
  update_by_query: `${WRITE}update/byquery`,
  'cat.aliases': `${ADMIN}aliases/get`,
  'cat.count': `${READ}search`,
  'cat.indices': `${MONITOR}state`,
  'cat.recovery': `indices:monitor/recovery`,
  'cat.segments': `indices:monitor/segments`,
  'cat.shards': `indices:monitor/stats`,
  'cat.tasks': `${MONITOR}tasks/lists`,
  'cluster.pending_tasks': `${MONITOR}task`,
  'cluster.put_settings': 'cluster:admin/settings/update',
  'cluster.reroute': 'cluster:admin/reroute',
  'indices.put_mapping': `${ADMIN}mapping/put`,
  'indices.get_mapping': `${ADMIN}mappings/get`,
  'indices.get_field_mapping': `${ADMIN}mappings/fields/get`,
  'indices.put_settings': `${ADMIN}settings/update`,
  'indices.get_settings': 'indices:monitor/settings/get',
  'indices.recovery': 'indices:monitor/recovery',
  'indices.segments': 'indices:monitor/segments',
  'indices.shard_stores': 'indices:monitor/shard_stores',
  'indices.stats': 'indices:monitor/stats',
  'indices.update_aliases': `${ADMIN}aliases`,
  'indices.validate_query': `${ADMIN}validate/query`,
  'nodes.hot_threads': `${MONITOR}nodes/hot_threads`,
  'nodes.info': `${MONITOR}nodes/info`,
  'nodes.stats': `${MONITOR}nodes/stats`,
  'tasks.cancel': 'cluster:admin/tasks/cancel',
  'tasks.get': `${MONITOR}task/get`,
  'tasks.list': `${MONITOR}tasks/lists`,
};

/** Who went away would not learn how far they came: they are done as a whole, or cancelled by somebody. */
const LASTING: ReadonlySet<string> = new Set(['delete_by_query', 'update_by_query', 'reindex']);

const CANCELLABLE: ReadonlySet<string> = new Set([
  ...['search', 'msearch', 'scroll', 'count', 'explain', 'indices.forcemerge'],
  ...LASTING,
]);

const FAMILIES: readonly (readonly [string, string])[] = [
  ['indices.', ADMIN],
  ['cat.', MONITOR],
  ['cluster.', MONITOR],
  ['nodes.', MONITOR],
];

export function taskKind(endpoint: string, pool: PoolName): TaskKind {
  return {
    action: ACTIONS[endpoint] ?? usualAction(endpoint, pool),
    isCancellable: CANCELLABLE.has(endpoint),
    outlivesClient: LASTING.has(endpoint),
  };
}

/** Most actions are called like their endpoint. */
function usualAction(endpoint: string, pool: PoolName): string {
  for (const [family, prefix] of FAMILIES) {
    if (endpoint.startsWith(family)) return prefix + endpoint.slice(family.length);
  }
  if (pool === 'management') return `cluster:admin/${endpoint.replaceAll('.', '/')}`;
  return (pool === 'write' ? WRITE : READ) + endpoint;
}
