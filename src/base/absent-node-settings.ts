/** Settings of the references' nodes that set nothing here, each with what there is instead. A value that says what is the case anyway is taken. */
import { QuarryError } from './errors.js';
import type { RawSetting } from './node-setting-kinds.js';

interface AbsentSetting {
  readonly why: string;
  readonly holds?: string;
}

const NO_WAITING =
  'a cluster begins when enough of its masters have met; [cluster.routing.allocation.enable] and ' +
  '[index.unassigned.node_left.delayed_timeout] hold back copies of shards while nodes return';
const FEW_WARNINGS = 'an answer has two warnings at most, in one header';
const NO_FILTER_CACHE =
  'results of single filters are not kept; [indices.requests.cache.size] bounds what is kept of searches';

export const ABSENT_SETTINGS: ReadonlyMap<string, AbsentSetting> = new Map<string, AbsentSetting>([
  [
    'bootstrap.memory_lock',
    {
      why: 'memory is not locked; turn swapping off for the machine, or for its service ([MemorySwapMax=0] of systemd)',
      holds: 'false',
    },
  ],
  ['gateway.expected_data_nodes', { why: NO_WAITING, holds: '-1' }],
  ['gateway.recover_after_data_nodes', { why: NO_WAITING, holds: '-1' }],
  ['gateway.recover_after_time', { why: NO_WAITING }],
  [
    'http.max_initial_line_length',
    { why: '[http.max_header_size] bounds the request line and the headers of a request together' },
  ],
  ['http.max_warning_header_count', { why: FEW_WARNINGS, holds: '-1' }],
  ['http.max_warning_header_size', { why: FEW_WARNINGS, holds: '-1' }],
  [
    'indices.breaker.type',
    {
      why: 'the breakers are always on; [indices.breaker.total.limit] and the limits of the others can be raised',
      holds: 'hierarchy',
    },
  ],
  [
    'indices.fielddata.cache.size',
    {
      why: '[indices.breaker.fielddata.limit] bounds what is kept of fields, and the least recently used goes first',
      holds: '-1',
    },
  ],
  ['indices.queries.cache.all_segments', { why: NO_FILTER_CACHE }],
  ['indices.queries.cache.count', { why: NO_FILTER_CACHE }],
  ['indices.queries.cache.size', { why: NO_FILTER_CACHE }],
]);

const OWN_SHARDS =
  'each worker does that for the shards that it owns; [node.processors] says how many workers there are';

/** Pools that have other settings here, or the work without the pool. */
const POOLS: ReadonlyMap<string, string> = new Map([
  ['analyze', 'such requests are admitted by [thread_pool.management.size] and [thread_pool.management.queue_size]'],
  ['flush', OWN_SHARDS],
  ['force_merge', 'forced merges are carried out as others are, [thread_pool.merge.max] at once'],
  ['get', 'such requests are admitted by [thread_pool.search.size] and [thread_pool.search.queue_size]'],
  ['management', 'its settings are [thread_pool.management.size] and [thread_pool.management.queue_size]'],
  ['merge', 'its setting is [thread_pool.merge.max]'],
  ['refresh', OWN_SHARDS],
  ['search', 'its settings are [thread_pool.search.size] and [thread_pool.search.queue_size]'],
  [
    'snapshot',
    'each worker copies two shards at once; [node.processors] says how many workers there are, and ' +
      '[max_snapshot_bytes_per_sec] of a repository how much they copy',
  ],
  ['write', 'its settings are [thread_pool.write.size] and [thread_pool.write.queue_size]'],
]);

const OTHER_POOLS: ReadonlySet<string> = new Set([
  ...['auto_complete', 'bulk', 'ccr', 'cluster_coordination', 'fetch_shard_started', 'fetch_shard_store', 'generic'],
  ...['index', 'index_searcher', 'listener', 'remote_purge', 'remote_recovery', 'remote_refresh_retry'],
  ...['remote_state_read', 'search_coordination', 'search_throttled', 'search_worker', 'snapshot_deletion'],
  ...['snapshot_meta', 'system_critical_read', 'system_critical_write', 'system_read', 'system_write', 'translog_sync'],
  ...['translog_transfer', 'warmer', 'watcher', 'write_coordination'],
]);

const NO_POOL = 'there is no such pool: requests are admitted by those of [search], [write] and [management]';

const POOL_MEMBERS = ['core', 'keep_alive', 'max', 'queue_size', 'size'];

/** Whether the key is one of them. Refuses a value that does not hold here. */
export function isAbsentSetting(key: string, value: RawSetting): boolean {
  const setting = ABSENT_SETTINGS.get(key);
  const why = setting?.why ?? whyNoPool(key);
  if (why === undefined) return false;
  if (setting?.holds !== undefined && setting.holds === String(value)) return true;
  const offered = setting?.holds === undefined ? '' : ` but as [${setting.holds}]`;
  throw new QuarryError('settings_exception', `setting [${key}] is not supported${offered}: ${why}`);
}

function whyNoPool(key: string): string | undefined {
  const [, pool = '', member = ''] = /^thread_pool\.([^.]+)\.(\w+)$/.exec(key) ?? [];
  if (!POOL_MEMBERS.includes(member)) return undefined;
  return POOLS.get(pool) ?? (OTHER_POOLS.has(pool) ? NO_POOL : undefined);
}
