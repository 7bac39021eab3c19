/** What the lifecycle of data streams asks to be done now. Pure: the clock is an argument. */
import { backingIndices, writeIndexOf } from './data-streams.js';
import { retentionMs } from './data-stream-lifecycle.js';
import { policyOf } from './lifecycle/progress.js';
import type { RolloverCondition } from './rollover-conditions.js';
import type { ClusterState, DataStreamLifecycle, IndexMetadata } from './state.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GB = 1024 ** 3;

/** An index that takes no more writes is merged by this policy once, and has it from then on: that it has it tells that it was. */
export const TAIL_POLICY = {
  'index.merge.policy.floor_segment': '100mb',
  'index.merge.policy.segments_per_tier': '16.0',
  'index.merge.policy.max_merge_at_once': '16',
} as const;

export interface StreamDuties {
  readonly stream: string;
  /** When its write index is to hand over; whether it is so full is not known here. */
  readonly conditions: readonly RolloverCondition[];
  /** Small segments of these are to be merged. */
  readonly merge: readonly IndexMetadata[];
  /** Documents of these are older than they shall become. */
  readonly delete: readonly IndexMetadata[];
}

export function streamDuties(state: ClusterState, nowMs: number): readonly StreamDuties[] {
  return [...state.dataStreams.values()].flatMap((stream) => {
    const { lifecycle } = stream;
    if (lifecycle?.enabled !== true) return [];
    const write = writeIndexOf(state, stream);
    // A policy wins: `index.lifecycle.prefer_ilm`.
    if (policyOf(write) !== undefined) return [];
    const former = backingIndices(state, stream).filter((index) => index !== write);
    const doomed = former.filter((index) => isOutdated(index, lifecycle, nowMs));
    const merge = former.filter((index) => !doomed.includes(index) && index.state === 'open' && !wasMerged(index));
    return [{ stream: stream.name, conditions: rolloverConditions(lifecycle), merge, delete: doomed }];
  });
}

/** When its last document may have come. */
export function generationTimeMs(index: IndexMetadata): number {
  return index.rolledOver?.atMs ?? index.creationDateMs;
}

function isOutdated(index: IndexMetadata, lifecycle: DataStreamLifecycle, nowMs: number): boolean {
  const kept = retentionMs(lifecycle);
  return kept !== undefined && generationTimeMs(index) + kept <= nowMs;
}

function wasMerged({ settings }: IndexMetadata): boolean {
  return Object.entries(TAIL_POLICY).every(([key, value]) => settings.get(key) === value);
}

/** The shorter documents are kept, the shorter an index takes them: retention removes whole indices. */
export function rolloverConditions(lifecycle: DataStreamLifecycle): readonly RolloverCondition[] {
  const kept = retentionMs(lifecycle) ?? Infinity;
  const maxAgeMs =
    kept <= DAY_MS ? HOUR_MS : kept <= 14 * DAY_MS ? DAY_MS : kept <= 90 * DAY_MS ? 7 * DAY_MS : 30 * DAY_MS;
  return [
    { name: 'max_age', bound: maxAgeMs },
    { name: 'max_primary_shard_size', bound: 50 * GB },
    { name: 'max_primary_shard_docs', bound: 200_000_000 },
    { name: 'min_docs', bound: 1 },
  ];
}
