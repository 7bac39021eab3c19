/** What is measured for a plan: growth of one shard, what a shard costs by itself, and merges of documents that come steadily. */
import { AS_IS } from '../data/variants.js';
import type { PointSpec } from '../point.js';
import { geometricSizes } from '../quantities.js';

export interface PlanPoints {
  /** Of the largest size, which the fits do not see before they were checked against it. */
  readonly documents: number;
  readonly steps: number;
  readonly processors: number;
  /** Documents a second of the steady load; 0: as fast as they go. */
  readonly rate: number;
  readonly updates: number;
  readonly refreshMs: number;
  readonly indexSettings: PointSpec['indexSettings'];
}

export const GROWTH = 'documents';
export const SHARDS = 'shards';
export const STREAM = 'stream';

/** Of the point that says what a shard costs by being there. */
export const MANY_SHARDS = 8;
/** Sizes of streams: the largest is held out, too. */
const STREAMS = 3;

export function planPoints(options: PlanPoints): readonly PointSpec[] {
  const { documents, steps, processors, rate, updates, refreshMs, indexSettings } = options;
  const base = { nodes: 1, shards: 1, processors, nodeSettings: {}, indexSettings, variant: AS_IS };
  const sizes = geometricSizes(documents, steps);
  const growth = sizes.map((size): PointSpec => {
    return { ...base, sweep: GROWTH, label: `${size} documents`, x: size, documents: size, measures: ['restart'] };
  });
  const smallest = sizes[0] ?? documents;
  const many: PointSpec = {
    ...base,
    sweep: SHARDS,
    label: `${smallest} documents in ${MANY_SHARDS} shards`,
    x: MANY_SHARDS,
    documents: smallest,
    shards: MANY_SHARDS,
    measures: ['restart'],
  };
  const streams = geometricSizes(documents, STREAMS).map((size): PointSpec => {
    const settings = { ...indexSettings, 'index.refresh_interval': `${refreshMs}ms` };
    const steady = { rate, updates };
    const label = `${size} documents, steadily`;
    return {
      ...base,
      sweep: STREAM,
      label,
      x: size,
      documents: size,
      indexSettings: settings,
      steady,
      measures: ['beside'],
    };
  });
  return [...growth, many, ...streams];
}
