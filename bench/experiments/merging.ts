/** What the settings of merging and refreshing do: bytes written for each byte that came, segments over time, searches meanwhile. */
import { AS_IS } from './data/variants.js';
import type { Experiment, SweepOptions } from './experiment.js';
import type { FigureName } from './figures.js';
import type { PointSpec } from './point.js';
import { parseDuration } from './quantities.js';
import { curveOf, overTime, pointsOf, tableOf, type Repeated } from './report/sections.js';
import type { Section } from './report/section.js';

const POLICY = 'index.merge.policy';

interface Axis {
  readonly about: string;
  readonly setting: string;
  readonly values: (options: SweepOptions) => readonly (string | number)[];
  /** What else has to follow a value. */
  readonly more?: (value: string | number) => PointSpec['indexSettings'];
}

const AXES = {
  tiers: {
    about: 'segments per tier, and as many merged at once: fewer segments for more bytes written',
    setting: `${POLICY}.segments_per_tier`,
    values: ({ segmentsPerTier }) => segmentsPerTier,
    // Above it a merge would take what the tier may keep.
    more: (value) => ({ [`${POLICY}.max_merge_at_once`]: value }),
  },
  refresh: {
    about: 'the refresh interval: what is searchable sooner is written in smaller segments',
    setting: 'index.refresh_interval',
    values: ({ refresh }) => refresh,
  },
  largest: {
    about: 'the largest segment that merges make: nothing is merged beyond it',
    setting: `${POLICY}.max_merged_segment`,
    values: ({ maxMergedSegment }) => maxMergedSegment,
  },
  floor: {
    about: 'the size below which segments count as small: they are merged together at once',
    setting: `${POLICY}.floor_segment`,
    values: ({ floorSegment }) => floorSegment,
  },
} as const satisfies Readonly<Record<string, Axis>>;

const BUFFER = {
  name: 'buffer',
  about: 'the memory of a node for documents that no refresh has written yet',
  setting: 'indices.memory.index_buffer_size',
};

function points(options: SweepOptions): readonly PointSpec[] {
  const base: Omit<PointSpec, 'sweep' | 'label' | 'x'> = {
    documents: options.documents,
    nodes: 1,
    shards: options.shards[0] ?? 1,
    processors: options.processors.at(-1) ?? 1,
    nodeSettings: {},
    indexSettings: {},
    variant: AS_IS,
    steady: { rate: options.rate, updates: options.updates },
    measures: ['beside'],
  };
  // Of the other sweeps: many segments, so that there is something to merge.
  const soonest = [...options.refresh].sort((left, right) => parseDuration(left) - parseDuration(right))[0] ?? '1s';
  const ofIndex = Object.entries<Axis>(AXES).flatMap(([sweep, { setting, values, more }]) =>
    values(options).map((value, x): PointSpec => {
      const indexSettings = { 'index.refresh_interval': soonest, ...(more?.(value) ?? {}), [setting]: value };
      return { ...base, sweep, label: String(value), x, indexSettings };
    }),
  );
  const ofBuffer = options.buffer.map((value, x): PointSpec => {
    // A refresh would empty it before it is full.
    const settings = { nodeSettings: { [BUFFER.setting]: value }, indexSettings: { 'index.refresh_interval': '-1' } };
    return { ...base, ...settings, sweep: BUFFER.name, label: value, x };
  });
  return [...ofIndex, ...ofBuffer];
}

function lastOf(setting: string): string {
  return setting.slice(setting.lastIndexOf('.') + 1);
}

function sectionOf(title: string, about: string, points: readonly Repeated[]): Section {
  const chart = (name: string, figures: readonly FigureName[]): Section['charts'][number] =>
    curveOf(points, title, name, figures, true);
  return {
    title: `Setting ${title}`,
    about: `${about.slice(0, 1).toUpperCase()}${about.slice(1)}.`,
    charts: [
      chart('write amplification', ['writeAmplification']),
      chart('written', ['flushedBytes', 'mergedBytes']),
      chart('search beside the load, p99', ['quietP99Ms', 'mergingP99Ms']),
      chart('indexing', ['documentsPerSecond']),
      chart('search afterwards', ['searchMedianMs', 'searchP99Ms']),
      overTime(points, 'segments', 'segments over time', 'count'),
      overTime(points, 'mergedBytes', 'bytes that merges wrote, over time', 'bytes'),
    ],
    bars: [],
    tables: [tableOf(points, title)],
  };
}

const merging: Experiment = {
  sweeps: {
    ...Object.fromEntries(Object.entries<Axis>(AXES).map(([name, { about }]) => [name, about])),
    [BUFFER.name]: BUFFER.about,
  },
  points,
  sections: (measured) => [
    ...Object.entries<Axis>(AXES).map(([sweep, { setting, about }]) =>
      sectionOf(lastOf(setting), about, pointsOf(measured, sweep)),
    ),
    sectionOf(lastOf(BUFFER.setting), BUFFER.about, pointsOf(measured, BUFFER.name)),
  ],
};

export default merging;
