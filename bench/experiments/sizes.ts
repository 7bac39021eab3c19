/** What a run does where the command line does not say otherwise. */
import { cpus } from 'node:os';
import { doublings } from './quantities.js';
import type { SweepOptions } from './experiment.js';

export type SizeName = 'small' | 'medium' | 'full';

/** Sizes of `bench.config.ts`: plain numbers. */
export type Size = Readonly<Record<string, number>>;

const PROCESSORS_MAX = 64;

/** Of this machine: more workers than processors measure nothing but waiting. */
export function processorsOfMachine(): number {
  return Math.min(PROCESSORS_MAX, cpus().length);
}

export function sweepDefaults(size: Size): SweepOptions {
  const processors = processorsOfMachine();
  const isSmall = size['steps'] === 2;
  const few = <T>(values: readonly T[]): readonly T[] => (isSmall ? values.slice(0, 2) : values);
  return {
    documents: size['documents'] ?? 1_000,
    steps: size['steps'] ?? 2,
    shards: doublings(size['shards'] ?? 2),
    processors: doublings(Math.min(processors, size['processors'] ?? processors)),
    nodes: doublings(size['nodes'] ?? 1),
    rate: size['rate'] ?? 0,
    updates: (size['updatesPercent'] ?? 0) / 100,
    refresh: few(['1s', '200ms', '5s', '30s']),
    segmentsPerTier: few([10, 4, 6, 20]),
    maxMergedSegment: few(['5gb', '8mb', '32mb']),
    floorSegment: few(['2mb', '256kb', '16mb']),
    buffer: few(['10%', '48mb']),
    sweeps: [],
  };
}
