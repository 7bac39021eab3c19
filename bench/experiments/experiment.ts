/** An experiment: which points it has, and what its report shows of them. */
import type { JsonObject } from '../json.js';
import type { MeasuredPoint } from './results.js';
import type { PointSpec } from './point.js';
import type { Section } from './report/section.js';

/** What the command line and the size of a run say. */
export interface SweepOptions {
  /** Of the largest point. */
  readonly documents: number;
  /** Points of a sweep over sizes. */
  readonly steps: number;
  readonly shards: readonly number[];
  readonly processors: readonly number[];
  readonly nodes: readonly number[];
  /** Documents a second of a steady load; 0: as fast as they go. */
  readonly rate: number;
  readonly updates: number;
  readonly refresh: readonly string[];
  readonly segmentsPerTier: readonly number[];
  readonly maxMergedSegment: readonly string[];
  readonly floorSegment: readonly string[];
  readonly buffer: readonly string[];
  /** Names of sweeps to run; empty: all. */
  readonly sweeps: readonly string[];
}

export interface Experiment {
  /** Sweeps by name, each with what it asks. */
  readonly sweeps: Readonly<Record<string, string>>;
  points(options: SweepOptions, mappings: JsonObject): readonly PointSpec[];
  /** Sentences that come first. */
  findings?(points: readonly MeasuredPoint[]): readonly string[];
  sections(points: readonly MeasuredPoint[]): readonly Section[];
}
