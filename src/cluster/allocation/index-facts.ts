/** What allocation reads from the settings of an index and of the cluster, parsed once for each version of them. */
import { must } from '../../base/assert.js';
import { AllocationSettingDefinitions } from '../settings/allocation-settings.js';
import { watermark, type Watermark } from '../settings/disk-settings.js';
import type { FlatSettings, SettingValue } from '../settings/flat-settings.js';
import { indexSetting, numberSetting } from '../settings/index-values.js';
import { valueOf, type SettingDefinition } from '../settings/registry.js';
import { isPartial } from '../snapshots/partial.js';
import type { IndexMetadata } from '../state.js';

export type AllocationEnable = 'all' | 'primaries' | 'new_primaries' | 'none';
export type RebalanceEnable = 'all' | 'primaries' | 'replicas' | 'none';
export type FilterKind = 'require' | 'include' | 'exclude';

/** One attribute and the patterns that its value is compared with. */
export interface NodeFilter {
  readonly attribute: string;
  readonly patterns: readonly string[];
}

export type NodeFilters = Readonly<Record<FilterKind, readonly NodeFilter[]>>;

export interface IndexFacts {
  readonly maxRetries: number;
  readonly priority: number;
  /** Undefined where the cluster's holds. */
  readonly allocationEnable: AllocationEnable | undefined;
  readonly rebalanceEnable: RebalanceEnable | undefined;
  /** 0 or less: no limit. */
  readonly totalShardsPerNode: number;
  readonly filters: NodeFilters;
  readonly tierPreference: readonly string[];
  readonly expandsToAllNodes: boolean;
  /** It is partially mounted: nodes of the frozen tier alone hold it, and it takes no room of theirs. */
  readonly isPartial: boolean;
  /** Equal for indices to which the same nodes are open, as far as filters and tiers say. */
  readonly placementKey: string;
}

export interface ClusterFacts {
  readonly allocationEnable: AllocationEnable;
  readonly rebalanceEnable: RebalanceEnable;
  readonly allowRebalance: 'always' | 'indices_primaries_active' | 'indices_all_active';
  readonly concurrentRebalance: number;
  readonly incomingRecoveries: number;
  readonly outgoingRecoveries: number;
  readonly initialPrimaries: number;
  readonly sameShardHost: boolean;
  readonly totalShardsPerNode: number;
  readonly filters: NodeFilters;
  readonly awarenessAttributes: readonly string[];
  /** By attribute: values that count even where no node has them. */
  readonly forcedValues: ReadonlyMap<string, readonly string[]>;
  readonly diskThresholdEnabled: boolean;
  readonly diskThresholdForSingleDataNode: boolean;
  readonly low: Watermark;
  readonly high: Watermark;
  readonly floodStage: Watermark;
  /** Of nodes that hold nothing but the frozen tier. */
  readonly frozenFloodStage: Watermark;
  /** Weight of one shard on the node, of one shard of the index on the node, of one byte, of one busy processor; the first two sum to 1. */
  readonly balance: {
    readonly shard: number;
    readonly index: number;
    readonly byte: number;
    readonly write: number;
    readonly threshold: number;
  };
}

const knownIndices = new WeakMap<FlatSettings, IndexFacts>();
const knownClusters = new WeakMap<FlatSettings, ClusterFacts>();

export function indexFacts(index: Pick<IndexMetadata, 'settings'>): IndexFacts {
  let facts = knownIndices.get(index.settings);
  if (facts === undefined) {
    facts = readIndexFacts(index);
    knownIndices.set(index.settings, facts);
  }
  return facts;
}

/** `settings` are persistent ones overlaid by transient ones. */
export function clusterFacts(settings: FlatSettings): ClusterFacts {
  let facts = knownClusters.get(settings);
  if (facts === undefined) {
    facts = readClusterFacts(settings);
    knownClusters.set(settings, facts);
  }
  return facts;
}

const INDEX_PREFIX = 'index.routing.allocation.';
const CLUSTER_PREFIX = 'cluster.routing.allocation.';
const TIER_PREFERENCE = `${INDEX_PREFIX}include._tier_preference`;

function readIndexFacts(index: Pick<IndexMetadata, 'settings'>): IndexFacts {
  const { settings } = index;
  const filters = readFilters(settings, INDEX_PREFIX);
  const tierPreference = readTierPreference(settings);
  const expand = indexSetting(index, 'autoExpandReplicas');
  return {
    maxRetries: numberSetting(index, 'allocationMaxRetries'),
    priority: numberSetting(index, 'priority'),
    allocationEnable: settings.has('index.routing.allocation.enable')
      ? indexSetting(index, 'allocationEnable')
      : undefined,
    rebalanceEnable: settings.has('index.routing.rebalance.enable')
      ? indexSetting(index, 'rebalanceEnable')
      : undefined,
    totalShardsPerNode: numberSetting(index, 'totalShardsPerNode'),
    filters,
    tierPreference,
    expandsToAllNodes: expand !== undefined && expand !== false && expand.maximum === Infinity,
    isPartial: isPartial(index),
    placementKey: JSON.stringify([filters, tierPreference, isPartial(index)]),
  };
}

function readClusterFacts(settings: FlatSettings): ClusterFacts {
  const definitions = AllocationSettingDefinitions;
  const read = <T>(definition: SettingDefinition<T>): T => must(valueOf(definition, settings), definition.key);
  const recoveries = (definition: SettingDefinition<number>): number =>
    read(settings.has(definition.key) ? definition : definitions.concurrentRecoveries);
  const [shard, index] = [read(definitions.balanceShard), read(definitions.balanceIndex)];
  return {
    allocationEnable: read(definitions.allocationEnable),
    rebalanceEnable: read(definitions.rebalanceEnable),
    allowRebalance: read(definitions.allowRebalance),
    concurrentRebalance: read(definitions.concurrentRebalance),
    incomingRecoveries: recoveries(definitions.incomingRecoveries),
    outgoingRecoveries: recoveries(definitions.outgoingRecoveries),
    initialPrimaries: read(definitions.initialPrimaries),
    sameShardHost: read(definitions.sameShardHost),
    totalShardsPerNode: read(definitions.totalShardsPerNode),
    filters: readFilters(settings, CLUSTER_PREFIX),
    awarenessAttributes: read(definitions.awarenessAttributes),
    forcedValues: readForcedValues(settings),
    diskThresholdEnabled: read(definitions.diskThresholdEnabled),
    diskThresholdForSingleDataNode: read(definitions.diskThresholdForSingleDataNode),
    low: watermark('low', settings),
    high: watermark('high', settings),
    floodStage: watermark('floodStage', settings),
    frozenFloodStage: watermark('frozenFloodStage', settings),
    balance: {
      shard: shard / (shard + index),
      index: index / (shard + index),
      byte: read(definitions.balanceDiskUsage) / (shard + index),
      write: read(definitions.balanceWriteLoad) / (shard + index),
      threshold: read(definitions.balanceThreshold),
    },
  };
}

export function readTierPreference(settings: FlatSettings): readonly string[] {
  return listOf(settings.get(TIER_PREFERENCE) ?? []);
}

/** `prefix` ends in a dot; the tier preference is no filter. */
export function readFilters(settings: FlatSettings, prefix: string): NodeFilters {
  const filters = { require: [] as NodeFilter[], include: [] as NodeFilter[], exclude: [] as NodeFilter[] };
  for (const [key, value] of settings) {
    if (!key.startsWith(prefix) || key === TIER_PREFERENCE) continue;
    const kind = (['require', 'include', 'exclude'] as const).find((each) => key.startsWith(`${prefix}${each}.`));
    const patterns = listOf(value);
    if (kind === undefined || patterns.length === 0) continue;
    filters[kind].push({ attribute: key.slice(prefix.length + kind.length + 1), patterns });
  }
  return filters;
}

function readForcedValues(settings: FlatSettings): ReadonlyMap<string, readonly string[]> {
  const prefix = `${CLUSTER_PREFIX}awareness.force.`;
  const forced = new Map<string, readonly string[]>();
  for (const [key, value] of settings) {
    if (!key.startsWith(prefix) || !key.endsWith('.values')) continue;
    const values = listOf(value);
    if (values.length > 0) forced.set(key.slice(prefix.length, -'.values'.length), values);
  }
  return forced;
}

function listOf(value: SettingValue): readonly string[] {
  const items = typeof value === 'string' ? value.split(',') : value;
  return items.map((item) => item.trim()).filter((item) => item !== '');
}
