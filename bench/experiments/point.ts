/** Points of a sweep: what is started, filled and measured, and what came of it. */
import { createHash } from 'node:crypto';

/** Documents that come at a steady rate while searches run; without it they are loaded as fast as they go. */
export interface Steady {
  /** Documents a second; 0: as fast as they go. */
  readonly rate: number;
  /** Share of documents that replace earlier ones. */
  readonly updates: number;
}

export interface PointSpec {
  /** The sweep that it belongs to: one axis of one experiment. */
  readonly sweep: string;
  /** What makes it different within its sweep. */
  readonly label: string;
  /** Its place on the axis: the value, or the place in the list where there is no number. */
  readonly x: number;
  readonly documents: number;
  readonly nodes: number;
  readonly shards: number;
  /** Of each node. */
  readonly processors: number;
  readonly nodeSettings: Readonly<Record<string, string>>;
  readonly indexSettings: Readonly<Record<string, string | number>>;
  /** What is done to mapping and documents; see `data/variants.ts`. */
  readonly variant: string;
  readonly steady?: Steady;
  readonly measures: readonly Measure[];
}

/**
 * What is measured beyond loading, size and searches over one connection: each kind of query alone; how long a restart takes; the
 * highest rate over many connections; searches beside the load.
 */
export type Measure = 'kinds' | 'restart' | 'rate' | 'beside';

export interface Point {
  readonly id: string;
  readonly spec: PointSpec;
  /** From 1 on: the same once more, on a fresh node. */
  readonly repeat: number;
}

/** Seconds since the load began, and values. */
export type Curve = readonly (readonly [number, number])[];

/** Curves of one point over its time, by the name of the figure. */
export type Curves = Readonly<Record<string, Curve>>;

/** What one point was measured to be. */
export interface Measurement {
  readonly figures: Readonly<Record<string, number>>;
  /** Milliseconds by kind of query. */
  readonly kinds: Readonly<Record<string, { readonly median: number; readonly p99: number }>>;
  readonly curves: Curves;
  /** By kind of query. Of the same documents they must be the same at every point. */
  readonly answers: Readonly<Record<string, string>>;
}

const HEX_LENGTH = 12;

/** A short fingerprint of plain data; the order of members counts. */
export function fingerprint(data: unknown): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('hex').slice(0, HEX_LENGTH);
}

/** The same point in every run: repeats have different ids. */
export function pointOf(spec: PointSpec, repeat: number): Point {
  return { id: `${spec.sweep}-${fingerprint(spec)}-${repeat}`, spec, repeat };
}
