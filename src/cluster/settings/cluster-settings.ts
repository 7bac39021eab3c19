/** Every setting of the cluster that `PUT _cluster/settings` knows. */
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument } from '../../base/errors.js';
import { loggerOfSetting } from '../../base/logger.js';
import { parseCron } from '../slm/cron.js';
import { checkAllocationFilter } from './allocation-filter.js';
import { AllocationSettingDefinitions, checkAllocationSettingsTogether } from './allocation-settings.js';
import { AUDIT_FILTER_GROUP, AuditSettingDefinitions } from './audit-settings.js';
import { BreakerSettingDefinitions, FIXED_BREAKER_SETTINGS } from './breaker-settings.js';
import { DEFAULT_CLUSTER_SETTINGS } from './default-cluster-settings.js';
import type { FlatSettings, SettingValue } from './flat-settings.js';
import { RecoverySettingDefinitions } from './recovery-settings.js';
import { registryOf, setting, valueOf, type SettingGroup } from './registry.js';
import {
  booleanKind,
  bytesKind,
  enumKind,
  integerKind,
  listKind,
  logLevelKind,
  longKind,
  rateKind,
  textKind,
  timeKind,
  type SettingKind,
} from './setting-kinds.js';

/** A cron expression, or nothing. */
const cronKind: SettingKind<string> = {
  parse(value, key) {
    const text = textKind.parse(value, key);
    if (text === '') return text;
    try {
      parseCron(text);
    } catch (cause) {
      throw illegalArgument(`invalid cron expression [${text}] for setting [${key}]: ${asQuarryError(cause).message}`);
    }
    return text;
  },
};

/** The definitions that other rooms read values by. */
export const ClusterSettingDefinitions = {
  maxShardsPerNode: setting('cluster.max_shards_per_node', integerKind(1), '1000', 'dynamic'),
  autoCreateIndex: setting('action.auto_create_index', textKind, 'true', 'dynamic'),
  destructiveRequiresName: setting('action.destructive_requires_name', booleanKind, 'false', 'dynamic'),
  ...BreakerSettingDefinitions,
  maxBuckets: setting('search.max_buckets', integerKind(0), '65535', 'dynamic'),
  allowExpensiveQueries: setting('search.allow_expensive_queries', booleanKind, 'true', 'dynamic'),
  defaultAllowPartialResults: setting('search.default_allow_partial_results', booleanKind, 'true', 'dynamic'),
  defaultSearchTimeout: setting('search.default_search_timeout', timeKind('-1ms'), '-1', 'dynamic'),
  /** Of an answer that is kept until somebody asks for it. */
  maxAsyncSearchResponseSize: setting('search.max_async_search_response_size', bytesKind(1), '10mb', 'dynamic'),
  maxKeepAlive: setting('search.max_keep_alive', timeKind('0s'), '24h', 'dynamic'),
  defaultKeepAlive: setting('search.default_keep_alive', timeKind('0s'), '5m', 'dynamic'),
  maxOpenScrolls: setting('search.max_open_scroll_context', integerKind(0), '500', 'dynamic'),
  maxPitKeepAlive: setting('point_in_time.max_keep_alive', timeKind('0s'), '24h', 'dynamic'),
  maxOpenPits: setting('search.max_open_pit_context', integerKind(0), '300', 'dynamic'),
  maxClauseCount: setting('indices.query.bool.max_clause_count', integerKind(1), '1024', 'dynamic'),
  maxNestedDepth: setting('indices.query.bool.max_nested_depth', integerKind(1), '30', 'dynamic'),
  lifecyclePollInterval: setting('data_streams.lifecycle.poll_interval', timeKind('1s'), '5m', 'dynamic'),
  policyPollInterval: setting('indices.lifecycle.poll_interval', timeKind('1s'), '10m', 'dynamic'),
  /** Empty: retention runs when it is asked for. */
  slmRetentionSchedule: setting('slm.retention_schedule', cronKind, '0 30 1 * * ?', 'dynamic'),
  /** How long one run of retention goes on deleting. */
  slmRetentionDuration: setting('slm.retention_duration', timeKind('500ms'), '1h', 'dynamic'),
  slmHistoryEnabled: setting('slm.history_index_enabled', booleanKind, 'true', 'dynamic'),
  /** Failures of a policy since its last success that the health report tells of. */
  slmFailuresMin: setting('slm.health.failed_snapshot_warn_threshold', longKind(1), '5', 'dynamic'),
  /** Of two times of a schedule. */
  slmMinimumInterval: setting('slm.minimum_interval', timeKind('0s'), '15m', 'dynamic'),
  closeEnable: setting('cluster.indices.close.enable', booleanKind, 'true', 'dynamic'),
  blocksReadOnly: setting('cluster.blocks.read_only', booleanKind, 'false', 'dynamic', 'fixed'),
  /** Nodes that shall not vote are about to go: more of them are a mistake. */
  maxVotingConfigExclusions: setting('cluster.max_voting_config_exclusions', integerKind(1), '10', 'dynamic'),
  useAdaptiveReplicaSelection: setting(
    'cluster.routing.use_adaptive_replica_selection',
    booleanKind,
    'true',
    'dynamic',
  ),
  maxPipelines: setting('ingest.pipeline.max_pipelines', integerKind(1), '5000', 'dynamic'),
  maxPipelineSize: setting('ingest.pipeline.max_pipeline_size', bytesKind(1), '5mb', 'dynamic'),
  maxPipelineMetadata: setting('ingest.pipeline.max_total_metadata_size', bytesKind(1), '50mb', 'dynamic'),
  /** Whether what comes with a cluster of the one product is put where it is missing. */
  stackTemplatesEnabled: setting('stack.templates.enabled', booleanKind, 'true', 'dynamic'),
  noMasterBlock: setting('cluster.no_master_block', enumKind(['all', 'write', 'metadata_write']), 'write', 'dynamic'),
  /** Of all nodes; unset: what each was configured with. */
  logLevel: setting('logger._root', logLevelKind, undefined, 'dynamic'),
  ...RecoverySettingDefinitions,
  snapshotMaxConcurrent: setting('snapshot.max_concurrent_operations', integerKind(1), '1000', 'dynamic'),
  scriptMaxSize: setting('script.max_size_in_bytes', integerKind(0), '65535', 'dynamic'),
  scriptCacheSize: setting('script.cache.max_size', integerKind(0), '3000', 'dynamic'),
  scriptCacheExpire: setting('script.cache.expire', timeKind('0ms'), '0ms', 'dynamic'),
  scriptCompilationRate: setting('script.max_compilations_rate', rateKind, '150/5m', 'dynamic'),
  /** API keys that expired or were invalidated are kept for so long, for those who look what they were. */
  deadApiKeyRetention: setting(
    'xpack.security.authc.api_key.delete.retention_period',
    timeKind('0ms'),
    '7d',
    'dynamic',
  ),
  ...AllocationSettingDefinitions,
  ...AuditSettingDefinitions,
} as const;

/** Known by name, offered at their default only: another value would promise what is not done. */
const FIXED = [...FIXED_BREAKER_SETTINGS, ...DEFAULT_CLUSTER_SETTINGS] as const;

const GROUPS: readonly SettingGroup[] = [
  ...['include', 'exclude', 'require'].map((kind): SettingGroup => ({
    prefix: `cluster.routing.allocation.${kind}.`,
    scope: 'dynamic',
    check: checkAllocationFilter,
  })),
  { prefix: 'cluster.routing.allocation.awareness.force.', scope: 'dynamic', check: forcedValues },
  { prefix: 'logger.', scope: 'dynamic', check: levelOfLogger },
  AUDIT_FILTER_GROUP,
  { prefix: 'cluster.remote.', scope: 'dynamic', check: noRemoteClusters },
  { prefix: 'cluster.metadata.', scope: 'dynamic', check: (key, value) => void textKind.parse(value, key) },
];

/** `<attribute>.values`: a list of the values that nodes shall have, whether there are such nodes or not. */
function forcedValues(key: string, value: SettingValue): void {
  if (!key.endsWith('.values')) throw illegalArgument(`unknown setting [${key}]: did you mean [${key}.values]?`);
  listKind.parse(value, key);
}

function noRemoteClusters(key: string): never {
  throw illegalArgument(`setting [${key}] names a remote cluster: searches across clusters are not offered`);
}

function levelOfLogger(key: string, value: SettingValue): void {
  loggerOfSetting(key);
  logLevelKind.parse(value, key);
}

export const CLUSTER_SETTINGS = registryOf([...Object.values(ClusterSettingDefinitions), ...FIXED], GROUPS);

/** Rules that need more than one setting; `settings` are those that would hold. */
export function checkClusterSettingsTogether(settings: FlatSettings): void {
  checkAllocationSettingsTogether(settings);
  checkKeepAlives(settings);
}

/** As in the reference, whichever of them is set: a default beyond the limit contradicts it. */
function checkKeepAlives(settings: FlatSettings): void {
  const { defaultKeepAlive: usual, maxKeepAlive: most } = ClusterSettingDefinitions;
  if ((valueOf(usual, settings) ?? 0) <= (valueOf(most, settings) ?? Infinity)) return;
  const textOf = ({ key, fallback }: typeof usual): string => String(settings.get(key) ?? fallback);
  throw illegalArgument(
    `Default keep alive setting for request [${usual.key}] should be smaller than max keep alive [${most.key}], ` +
      `was (${textOf(usual)} > ${textOf(most)})`,
  );
}
