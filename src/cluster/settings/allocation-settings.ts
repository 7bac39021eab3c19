/** Settings of the cluster that say where copies of shards may be, and how fast they may move. */
import { illegalArgument } from '../../base/errors.js';
import { parseBytes } from '../../base/units.js';
import type { FlatSettings } from './flat-settings.js';
import { setting, valueOf } from './registry.js';
import { booleanKind, enumKind, floatKind, integerKind, listKind, timeKind, watermarkKind } from './setting-kinds.js';

const ALLOCATION = 'cluster.routing.allocation';

export const AllocationSettingDefinitions = {
  allocationEnable: setting(
    `${ALLOCATION}.enable`,
    enumKind(['all', 'primaries', 'new_primaries', 'none']),
    'all',
    'dynamic',
  ),
  rebalanceEnable: setting(
    'cluster.routing.rebalance.enable',
    enumKind(['all', 'primaries', 'replicas', 'none']),
    'all',
    'dynamic',
  ),
  allowRebalance: setting(
    `${ALLOCATION}.allow_rebalance`,
    enumKind(['always', 'indices_primaries_active', 'indices_all_active']),
    'indices_all_active',
    'dynamic',
  ),
  concurrentRebalance: setting(`${ALLOCATION}.cluster_concurrent_rebalance`, integerKind(-1), '2', 'dynamic'),
  concurrentRecoveries: setting(`${ALLOCATION}.node_concurrent_recoveries`, integerKind(0), '2', 'dynamic'),
  incomingRecoveries: setting(`${ALLOCATION}.node_concurrent_incoming_recoveries`, integerKind(0), '2', 'dynamic'),
  outgoingRecoveries: setting(`${ALLOCATION}.node_concurrent_outgoing_recoveries`, integerKind(0), '2', 'dynamic'),
  initialPrimaries: setting(`${ALLOCATION}.node_initial_primaries_recoveries`, integerKind(0), '4', 'dynamic'),
  sameShardHost: setting(`${ALLOCATION}.same_shard.host`, booleanKind, 'false', 'dynamic'),
  awarenessAttributes: setting(`${ALLOCATION}.awareness.attributes`, listKind, [], 'dynamic'),
  totalShardsPerNode: setting(`${ALLOCATION}.total_shards_per_node`, integerKind(-1), '-1', 'dynamic'),
  diskThresholdEnabled: setting(`${ALLOCATION}.disk.threshold_enabled`, booleanKind, 'true', 'dynamic'),
  lowWatermark: setting(`${ALLOCATION}.disk.watermark.low`, watermarkKind, '85%', 'dynamic'),
  highWatermark: setting(`${ALLOCATION}.disk.watermark.high`, watermarkKind, '90%', 'dynamic'),
  floodStageWatermark: setting(`${ALLOCATION}.disk.watermark.flood_stage`, watermarkKind, '95%', 'dynamic'),
  clusterInfoInterval: setting('cluster.info.update.interval', timeKind('10s'), '30s', 'dynamic'),
  balanceShard: setting(`${ALLOCATION}.balance.shard`, floatKind(0), '0.45', 'dynamic'),
  balanceIndex: setting(`${ALLOCATION}.balance.index`, floatKind(0), '0.55', 'dynamic'),
  /** Per byte. */
  balanceDiskUsage: setting(`${ALLOCATION}.balance.disk_usage`, floatKind(0), '2.0E-11', 'dynamic'),
  balanceThreshold: setting(`${ALLOCATION}.balance.threshold`, floatKind(0), '1.0', 'dynamic'),
} as const;

/** A bound of disk use: as the share that may be used, or as the bytes that must stay free. */
export interface Watermark {
  readonly key: string;
  readonly text: string;
  readonly usedShareMax: number | undefined;
  readonly freeBytesMin: number | undefined;
}

export function watermark(
  name: 'lowWatermark' | 'highWatermark' | 'floodStageWatermark',
  settings: FlatSettings,
): Watermark {
  const definition = AllocationSettingDefinitions[name];
  const { key } = definition;
  const text = valueOf(definition, settings) ?? '100%';
  if (text.endsWith('%')) return { key, text, usedShareMax: Number(text.slice(0, -1)) / 100, freeBytesMin: undefined };
  return { key, text, usedShareMax: undefined, freeBytesMin: parseBytes(text, key) };
}

/** How many bytes must be free on a disk of this size. */
export function freeBytesRequired({ usedShareMax, freeBytesMin }: Watermark, totalBytes: number): number {
  return freeBytesMin ?? Math.round(totalBytes - totalBytes * (usedShareMax ?? 1));
}

/** Rules that need more than one setting; `settings` are those that would hold. */
export function checkAllocationSettingsTogether(settings: FlatSettings): void {
  const low = watermark('lowWatermark', settings);
  const high = watermark('highWatermark', settings);
  const flood = watermark('floodStageWatermark', settings);
  const inShares = [low, high, flood].filter(({ usedShareMax }) => usedShareMax !== undefined).length;
  if (inShares % 3 !== 0) {
    throw illegalArgument(
      `unable to consistently parse [${low.key}=${low.text}], [${high.key}=${high.text}], and [${flood.key}=${flood.text}] ` +
        'as percentage or bytes',
    );
  }
  // The percentages and the sizes grow in opposite directions.
  const strictness = (mark: Watermark): number => mark.usedShareMax ?? -(mark.freeBytesMin ?? 0);
  const than = inShares === 3 ? 'more' : 'less';
  if (strictness(low) > strictness(high)) {
    throw illegalArgument(`low disk watermark [${low.text}] ${than} than high disk watermark [${high.text}]`);
  }
  if (strictness(high) > strictness(flood)) {
    throw illegalArgument(`high disk watermark [${high.text}] ${than} than flood stage disk watermark [${flood.text}]`);
  }
  const factors = [AllocationSettingDefinitions.balanceShard, AllocationSettingDefinitions.balanceIndex];
  const sum = factors.reduce((total, factor) => total + (valueOf(factor, settings) ?? 0), 0);
  if (sum <= 0) throw illegalArgument(`Balance factors must sum to a value > 0 but was: ${sum}`);
}
