/** What the lifecycle of data streams asks to be done now. Pure: the clock is an argument. */
import { backingIndices, writeIndexOf } from './data-streams.js';
import { retentionMs } from './data-stream-lifecycle.js';
import { originationDateMs, policyOf } from '../lifecycle/progress.js';
import { rolledOverAtMs } from '../lifecycle/rollover-target.js';
import type { RolloverCondition } from './rollover-conditions.js';
import type { ClusterState, DataStream, DataStreamLifecycle, IndexMetadata } from '../state.js';

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
  /** When its write index is to hand over, if at all; whether it is so full is not known here. */
  readonly conditions?: readonly RolloverCondition[];
  /** Small segments of these are to be merged. */
  readonly merge: readonly IndexMetadata[];
  /** Documents of these are older than they shall become. */
  readonly delete: readonly IndexMetadata[];
}

/** Of the stream of this name; undefined where it has no lifecycle, or is gone. */
export function streamDuties(state: ClusterState, name: string, nowMs: number): StreamDuties | undefined {
  const stream = state.dataStreams.get(name);
  if (stream?.lifecycle?.enabled !== true) return undefined;
  const write = writeIndexOf(state, stream);
  const former = backingIndices(state, stream).filter((index) => index !== write && !hasPolicy(index));
  const doomed = former.filter((index) => isOutdated(index, stream, nowMs));
  const merge = former.filter((index) => !doomed.includes(index) && index.state === 'open' && !wasMerged(index));
  const conditions = hasPolicy(write) ? {} : { conditions: rolloverConditions(stream.lifecycle) };
  return { ...conditions, merge, delete: doomed };
}

/** A policy wins, for each index that has one: `index.lifecycle.prefer_ilm`. */
function hasPolicy(index: IndexMetadata): boolean {
  return policyOf(index) !== undefined;
}

/** When its last document may have come. */
export function generationTimeMs(index: IndexMetadata, stream: string): number {
  return originationDateMs(index) ?? rolledOverAtMs(index, stream) ?? index.creationDateMs;
}

function isOutdated(index: IndexMetadata, { name, lifecycle }: DataStream, nowMs: number): boolean {
  const kept = lifecycle === undefined ? undefined : retentionMs(lifecycle);
  return kept !== undefined && generationTimeMs(index, name) + kept <= nowMs;
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
