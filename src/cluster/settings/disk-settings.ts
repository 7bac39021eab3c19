/** Settings of how full disks may be: as shares that may be used, with bounds on what that keeps free, or as free bytes. */
import { illegalArgument } from '../../base/errors.js';
import { parseBytes } from '../../base/units.js';
import type { FlatSettings } from './flat-settings.js';
import { setting, valueOf } from './registry.js';
import { booleanKind, headroomKind, timeKind, watermarkKind } from './setting-kinds.js';

const DISK = 'cluster.routing.allocation.disk';
const MARK = `${DISK}.watermark`;

export const DiskSettingDefinitions = {
  diskThresholdEnabled: setting(`${DISK}.threshold_enabled`, booleanKind, 'true', 'dynamic'),
  diskThresholdForSingleDataNode: setting(`${MARK}.enable_for_single_data_node`, booleanKind, 'true', 'dynamic'),
  lowWatermark: setting(`${MARK}.low`, watermarkKind, '85%', 'dynamic'),
  lowHeadroom: setting(`${MARK}.low.max_headroom`, headroomKind, '200GB', 'dynamic'),
  highWatermark: setting(`${MARK}.high`, watermarkKind, '90%', 'dynamic'),
  highHeadroom: setting(`${MARK}.high.max_headroom`, headroomKind, '150GB', 'dynamic'),
  floodStageWatermark: setting(`${MARK}.flood_stage`, watermarkKind, '95%', 'dynamic'),
  floodStageHeadroom: setting(`${MARK}.flood_stage.max_headroom`, headroomKind, '100GB', 'dynamic'),
  frozenFloodStageWatermark: setting(`${MARK}.flood_stage.frozen`, watermarkKind, '95%', 'dynamic'),
  frozenFloodStageHeadroom: setting(`${MARK}.flood_stage.frozen.max_headroom`, headroomKind, '20GB', 'dynamic'),
  /** Copies are moved because of what disks tell so often at most, but at once when a disk passes a watermark. */
  rerouteInterval: setting(`${DISK}.reroute_interval`, timeKind('0s'), '60s', 'dynamic'),
  clusterInfoInterval: setting('cluster.info.update.interval', timeKind('10s'), '30s', 'dynamic'),
  clusterInfoTimeout: setting('cluster.info.update.timeout', timeKind('1ms'), '15s', 'dynamic'),
} as const;

type DiskSettingName = keyof typeof DiskSettingDefinitions;

/** A bound of disk use: as the share that may be used, or as the bytes that must stay free. */
export interface Watermark {
  readonly key: string;
  readonly text: string;
  readonly usedShareMax: number | undefined;
  readonly freeBytesMin: number | undefined;
  /** Bounds what a share keeps free on a large disk. */
  readonly headroom: { readonly key: string; readonly text: string; readonly bytes: number } | undefined;
}

export type WatermarkName = 'low' | 'high' | 'floodStage' | 'frozenFloodStage';

export function watermark(name: WatermarkName, settings: FlatSettings): Watermark {
  const definition = DiskSettingDefinitions[`${name}Watermark`];
  const { key } = definition;
  const text = valueOf(definition, settings) ?? '100%';
  if (!text.endsWith('%')) {
    return { key, text, usedShareMax: undefined, freeBytesMin: parseBytes(text, key), headroom: undefined };
  }
  return {
    key,
    text,
    usedShareMax: Number(text.slice(0, -1)) / 100,
    freeBytesMin: undefined,
    headroom: headroomOf(name, settings),
  };
}

/** Who sets a watermark means it as it is: the defaults of headrooms go with those of the watermarks. */
const SET_TOGETHER: Readonly<Record<WatermarkName, readonly DiskSettingName[]>> = {
  low: ['lowWatermark', 'highWatermark', 'floodStageWatermark'],
  high: ['lowWatermark', 'highWatermark', 'floodStageWatermark'],
  floodStage: ['lowWatermark', 'highWatermark', 'floodStageWatermark'],
  frozenFloodStage: ['frozenFloodStageWatermark'],
};

function headroomOf(name: WatermarkName, settings: FlatSettings): Watermark['headroom'] {
  const definition = DiskSettingDefinitions[`${name}Headroom`];
  const { key } = definition;
  if (!settings.has(key) && SET_TOGETHER[name].some((each) => settings.has(DiskSettingDefinitions[each].key))) {
    return undefined;
  }
  const text = valueOf(definition, settings);
  return text === undefined ? undefined : { key, text, bytes: parseBytes(text, key) };
}

/** How many bytes must be free on a disk of this size. */
export function freeBytesRequired({ usedShareMax, freeBytesMin, headroom }: Watermark, totalBytes: number): number {
  if (freeBytesMin !== undefined) return freeBytesMin;
  const ofShare = Math.round(totalBytes - totalBytes * (usedShareMax ?? 1));
  return headroom === undefined ? ofShare : Math.min(ofShare, headroom.bytes);
}

/** The setting that is responsible on a disk of this size: `key=value`. */
export function describeWatermark(mark: Watermark, totalBytes: number): string {
  const { headroom } = mark;
  const isBounded =
    headroom !== undefined && freeBytesRequired({ ...mark, headroom: undefined }, totalBytes) > headroom.bytes;
  return isBounded ? `${headroom.key}=${headroom.text}` : `${mark.key}=${mark.text}`;
}

/** Rules that need more than one setting; `settings` are those that would hold. */
export function checkDiskSettingsTogether(settings: FlatSettings): void {
  const low = watermark('low', settings);
  const high = watermark('high', settings);
  const flood = watermark('floodStage', settings);
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
  checkHeadrooms(settings, low);
}

function checkHeadrooms(settings: FlatSettings, lowMark: Watermark): void {
  const [low, high, flood] = (['low', 'high', 'floodStage'] as const).map((name) => headroomOf(name, settings));
  const textOf = (headroom: Watermark['headroom']): string => headroom?.text ?? '-1';
  if (lowMark.usedShareMax === undefined && [low, high, flood].some((headroom) => headroom !== undefined)) {
    throw illegalArgument(
      `At least one of the disk max headroom settings is set [low=${textOf(low)}, high=${textOf(high)}, ` +
        `flood=${textOf(flood)}], while the disk watermark values are set to absolute values instead of ` +
        `ratios/percentages, e.g., the low watermark is [${lowMark.text}]`,
    );
  }
  checkFrozenHeadroom(settings);
  checkPair('low', low, 'high', high);
  checkPair('high', high, 'flood', flood);
}

function checkFrozenHeadroom(settings: FlatSettings): void {
  const { usedShareMax, text } = watermark('frozenFloodStage', settings);
  const headroom = headroomOf('frozenFloodStage', settings);
  if (usedShareMax !== undefined || headroom === undefined) return;
  throw illegalArgument(
    `The frozen flood stage disk max headroom setting is set [${headroom.text}], while the frozen flood stage disk ` +
      `watermark setting is set to an absolute value instead of a ratio/percentage [${text}]`,
  );
}

/** Of two marks, the stricter one first. */
function checkPair(name: string, headroom: Watermark['headroom'], nextName: string, next: Watermark['headroom']): void {
  if (headroom === undefined) return;
  if (next === undefined) {
    throw illegalArgument(
      `${nextName} disk max headroom [-1] is not set, while the ${name} disk max headroom is set [${headroom.text}]`,
    );
  }
  if (next.bytes > headroom.bytes) {
    throw illegalArgument(
      `${nextName} disk max headroom [${next.text}] more than ${name} disk max headroom [${headroom.text}]`,
    );
  }
}
