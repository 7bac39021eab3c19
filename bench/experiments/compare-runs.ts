/** What changed between two runs, point by point and figure by figure, and whether it is noise. */
import { FIGURES, type FigureName } from './figures.js';
import type { PointSpec } from './point.js';
import { fingerprint } from './point.js';
import { pointsOf, valuesOf, type Repeated } from './report/sections.js';
import type { Run } from './results.js';
import { adjusted, comparePoints, compareRuns, RUNS_MIN, SIGNIFICANT, type Comparison } from './statistics.js';

export type Judgement = 'better' | 'worse' | 'different' | 'noise' | 'too few runs';

export interface Difference extends Comparison {
  readonly sweep: string;
  readonly label: string;
  readonly figure: FigureName;
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** After it was adjusted for all comparisons of the two runs. */
  readonly adjustedP: number | undefined;
  readonly judgement: Judgement;
}

export interface RunComparison {
  readonly differences: readonly Difference[];
  /** Of all points together: the same figure, each point by its ratio. */
  readonly overall: readonly Difference[];
  /** Points that only one of the runs has. */
  readonly unmatched: number;
  /** Why figures may differ for other reasons than the program. */
  readonly warnings: readonly string[];
}

interface Pair {
  readonly spec: PointSpec;
  readonly before: Repeated;
  readonly after: Repeated;
}

const OVERALL = 'all points';

export function compareTwoRuns(before: Run, after: Run): RunComparison {
  const [left, right] = [byPoint(before), byPoint(after)];
  const pairs = [...left].flatMap(([key, point]): Pair[] => {
    const other = right.get(key);
    return other === undefined ? [] : [{ spec: point.spec, before: point, after: other }];
  });
  const figures = Object.keys(FIGURES) as FigureName[];
  const each = figures.flatMap((figure) => pairs.flatMap((pair) => differenceOf(pair, figure)));
  const overall = figures.flatMap((figure) => overallOf(each.filter((difference) => difference.figure === figure)));
  return {
    differences: judged(each),
    overall: judged(overall),
    unmatched: left.size + right.size - 2 * pairs.length,
    warnings: warningsOf(before, after),
  };
}

function byPoint({ points }: Run): ReadonlyMap<string, Repeated> {
  const sweeps = new Set(points.map(({ spec }) => spec.sweep));
  const all = [...sweeps].flatMap((sweep) => pointsOf(points, sweep));
  return new Map(all.map((repeated) => [fingerprint(repeated.spec), repeated]));
}

type Unjudged = Omit<Difference, 'adjustedP' | 'judgement'>;

function differenceOf({ spec, before, after }: Pair, figure: FigureName): readonly Unjudged[] {
  const [left, right] = [valuesOf(before, figure), valuesOf(after, figure)].map((values) =>
    values.filter((value) => value > 0),
  );
  if (left === undefined || right === undefined || left.length === 0 || right.length === 0) return [];
  return [{ ...compareRuns(left, right), sweep: spec.sweep, label: spec.label, figure, before: left, after: right }];
}

/** Each point by its ratio, so that points of all sizes count alike; runs of one point are no points of their own. */
function overallOf(each: readonly Unjudged[]): readonly Unjudged[] {
  const [first] = each;
  if (first === undefined || each.length < 2) return [];
  const [before, after] = [each.map(() => 1), each.map(({ ratio }) => ratio)];
  return [{ ...comparePoints(each), sweep: OVERALL, label: OVERALL, figure: first.figure, before, after }];
}

function judged(differences: readonly Unjudged[]): readonly Difference[] {
  const tested = differences.filter(({ p }) => p !== undefined);
  const ps = new Map(adjusted(tested.map(({ p = 1 }) => p)).map((p, at) => [tested[at], p]));
  return differences.map((difference) => {
    const adjustedP = ps.get(difference);
    return { ...difference, adjustedP, judgement: judge(difference, adjustedP) };
  });
}

function judge({ figure, ratio, before, after }: Unjudged, p: number | undefined): Judgement {
  if (isSame(before, after)) return 'noise';
  if (p === undefined) return 'too few runs';
  if (p >= SIGNIFICANT) return 'noise';
  const { better } = FIGURES[figure];
  if (better === 'neither') return 'different';
  return ratio < 1 === (better === 'lower') ? 'better' : 'worse';
}

function isSame(before: readonly number[], after: readonly number[]): boolean {
  return [...before, ...after].every((value) => value === before[0]);
}

function warningsOf(before: Run, after: Run): readonly string[] {
  const [left, right] = [before.header, after.header];
  const runs = Math.min(...[before, after].map(({ points }) => new Set(points.map(({ repeat }) => repeat)).size));
  const told: [boolean, string][] = [
    [left.experiment !== right.experiment, `the experiments differ: ${left.experiment} and ${right.experiment}`],
    [
      left.dataset.fingerprint !== right.dataset.fingerprint,
      'documents, mapping or queries differ: what changed may be the data',
    ],
    [
      JSON.stringify(left.machine) !== JSON.stringify(right.machine),
      'the machines differ: what changed may be the machine',
    ],
    [
      runs < RUNS_MIN,
      `less than ${RUNS_MIN} runs of each point: too few to tell a change from noise (--repeats ${RUNS_MIN} or more)`,
    ],
  ];
  return told.flatMap(([isTold, text]) => (isTold ? [text] : []));
}
