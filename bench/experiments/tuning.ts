/** Tries merge settings on the documents as they would come, and recommends, with the evidence. */
import { AS_IS } from './data/variants.js';
import type { Experiment, SweepOptions } from './experiment.js';
import { FIGURES, type FigureName } from './figures.js';
import type { PointSpec } from './point.js';
import { parseDuration } from './quantities.js';
import { formatChange } from './report/format.js';
import { barsOf, curveOf, pointsOf, tableOf, valuesOf, type Repeated } from './report/sections.js';
import type { MeasuredPoint } from './results.js';
import { compareRuns, RUNS_MIN, SIGNIFICANT, type Comparison } from './statistics.js';

const SWEEP = 'candidates';
const POLICY = 'index.merge.policy';
const DEFAULT_TIER = 10;
const DEFAULT_FLOOR = '2mb';

/** What somebody may want most; of several figures the geometric mean counts. All are better when they are lower. */
const AIMS: Readonly<Record<string, readonly FigureName[]>> = {
  'fewest bytes written': ['writeAmplification'],
  'quickest searches': ['searchMedianMs', 'besideP99Ms'],
  'cheapest indexing': ['processorMsPerDocument'],
  'all of it alike': ['writeAmplification', 'searchMedianMs', 'besideP99Ms', 'processorMsPerDocument'],
};

function labelOf(tier: number, floor: string): string {
  return `segments_per_tier ${tier}, floor_segment ${floor}`;
}

const DEFAULT_LABEL = labelOf(DEFAULT_TIER, DEFAULT_FLOOR);

function points(options: SweepOptions): readonly PointSpec[] {
  const soonest = [...options.refresh].sort((left, right) => parseDuration(left) - parseDuration(right))[0] ?? '1s';
  const tiers = new Set([DEFAULT_TIER, ...options.segmentsPerTier]);
  const floors = new Set([DEFAULT_FLOOR, ...options.floorSegment]);
  const candidates = [...tiers].flatMap((tier) => [...floors].map((floor) => ({ tier, floor })));
  return candidates.map(({ tier, floor }, x): PointSpec => ({
    sweep: SWEEP,
    label: labelOf(tier, floor),
    x,
    documents: options.documents,
    nodes: 1,
    shards: options.shards[0] ?? 1,
    processors: options.processors.at(-1) ?? 1,
    nodeSettings: {},
    indexSettings: {
      'index.refresh_interval': soonest,
      [`${POLICY}.segments_per_tier`]: tier,
      [`${POLICY}.max_merge_at_once`]: tier,
      [`${POLICY}.floor_segment`]: floor,
    },
    variant: AS_IS,
    steady: { rate: options.rate, updates: options.updates },
    measures: ['beside'],
  }));
}

export interface Recommendation extends Comparison {
  readonly aim: string;
  /** Undefined: nothing is better than the default by more than noise. */
  readonly spec: PointSpec | undefined;
}

/** For each aim the candidate that is best beside the default, if that is no noise. */
export function recommend(measured: readonly MeasuredPoint[]): readonly Recommendation[] {
  const candidates = pointsOf(measured, SWEEP);
  const origin = candidates.find(({ spec }) => spec.label === DEFAULT_LABEL);
  if (origin === undefined) return [];
  return Object.entries(AIMS).flatMap(([aim, figures]): Recommendation[] => {
    const before = scoresOf(origin, figures);
    const others = candidates
      .filter((each) => each !== origin)
      .map((each) => ({ spec: each.spec, scores: scoresOf(each, figures) }))
      .filter(({ scores }) => scores.length > 0);
    if (before.length === 0 || others.length === 0) return [];
    const compared = others.map(({ spec, scores }) => ({ spec, ...compareRuns(before, scores) }));
    const best = compared.reduce((left, right) => (right.ratio < left.ratio ? right : left));
    // The best of many is tested: each of them had its chance.
    const p = best.p === undefined ? undefined : Math.min(1, best.p * compared.length);
    const isBetter = best.ratio < 1 && p !== undefined && p < SIGNIFICANT;
    return [{ aim, ...best, p, spec: isBetter ? best.spec : undefined }];
  });
}

/** One for each run that has all figures. */
function scoresOf({ points: runs }: Repeated, figures: readonly FigureName[]): readonly number[] {
  return runs.flatMap((run) => {
    const values = figures.map((figure) => run.figures[figure] ?? NaN);
    if (!values.every((value) => value > 0)) return [];
    return [Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)];
  });
}

function findings(measured: readonly MeasuredPoint[]): readonly string[] {
  const runs = new Set(measured.map(({ repeat }) => repeat)).size;
  const few = `only ${runs} ${runs === 1 ? 'run' : 'runs'} of each candidate: ${RUNS_MIN} or more tell a difference from noise (--repeats)`;
  return [...recommend(measured).map(sentenceOf), ...(runs < RUNS_MIN ? [few] : [])];
}

function sentenceOf({ aim, spec, ratio, low, high, p }: Recommendation): string {
  const change = `${formatChange(ratio - 1)} (${formatChange(low - 1)} to ${formatChange(high - 1)})`;
  if (spec === undefined) return `${aim}: keep the default; the best candidate has ${change}, which may be noise`;
  const settings = Object.entries(spec.indexSettings).filter(([key]) => key.startsWith(POLICY));
  return `${aim}: ${change}, p ${(p ?? 1).toFixed(3)}, with PUT /my-index/_settings ${JSON.stringify(Object.fromEntries(settings))}`;
}

const SHOWN: readonly FigureName[] = [
  ...(['writeAmplification', 'searchMedianMs', 'besideP99Ms', 'processorMsPerDocument', 'segments'] as const),
];

const tuning: Experiment = {
  sweeps: { [SWEEP]: 'merge settings, in all combinations' },
  points,
  findings,
  sections: (measured) => {
    const candidates = pointsOf(measured, SWEEP);
    const bars = SHOWN.filter((figure) => candidates.some((each) => valuesOf(each, figure).length > 0));
    return [
      {
        title: 'Candidates beside the default',
        about: `Each bar is the difference to ${DEFAULT_LABEL}.`,
        charts: [curveOf(candidates, 'candidate', 'segments in the end', ['segments'], true)],
        bars: bars.map((figure) => barsOf(candidates, DEFAULT_LABEL, figure, FIGURES[figure].title)),
        tables: [tableOf(candidates, 'candidate')],
      },
    ];
  },
};

export default tuning;
