/** From measured points to what a report shows of them. */
import { max, median, min } from 'simple-statistics';
import { FIGURES, type FigureName } from '../figures.js';
import type { Curve, PointSpec } from '../point.js';
import type { MeasuredPoint } from '../results.js';
import { verdictOf } from '../statistics.js';
import { formatChange, formatValue } from './format.js';
import type { AxisUnit, Bars, Chart, ChartLine, Table } from './section.js';

/** All repeats of one point. */
export interface Repeated {
  readonly spec: PointSpec;
  readonly points: readonly MeasuredPoint[];
}

/** Of one sweep, by place on its axis. */
export function pointsOf(points: readonly MeasuredPoint[], sweep: string): readonly Repeated[] {
  const byLabel = new Map<string, MeasuredPoint[]>();
  for (const point of points.filter(({ spec }) => spec.sweep === sweep)) {
    byLabel.set(point.spec.label, [...(byLabel.get(point.spec.label) ?? []), point]);
  }
  return [...byLabel.values()]
    .flatMap((repeats): Repeated[] => {
      const [first] = repeats;
      return first === undefined ? [] : [{ spec: first.spec, points: repeats }];
    })
    .sort((left, right) => left.spec.x - right.spec.x);
}

export function valuesOf({ points }: Repeated, figure: string): readonly number[] {
  return points.flatMap(({ figures }) => {
    const value = figures[figure];
    return value === undefined || !Number.isFinite(value) ? [] : [value];
  });
}

/** Figures of one unit over the axis of the sweep. */
export function curveOf(
  points: readonly Repeated[],
  axis: string,
  title: string,
  figures: readonly FigureName[],
  hasNames = false,
): Chart {
  const lines = figures.map((figure) => lineOf(FIGURES[figure].title, points, (each) => valuesOf(each, figure)));
  return { title, x: axisOf(points, axis, hasNames), unit: FIGURES[figures[0] ?? 'searchMedianMs'].unit, lines };
}

/** The median of each kind of query over the axis of the sweep. */
export function kindsOf(points: readonly Repeated[], axis: string): Chart {
  const kinds = new Set(points.flatMap((each) => each.points.flatMap((point) => Object.keys(point.kinds))));
  const lines = [...kinds].map((kind) => {
    return lineOf(kind, points, (each) => each.points.flatMap((point) => point.kinds[kind]?.median ?? []));
  });
  return { title: 'each kind of search, median', x: axisOf(points, axis, false), unit: 'ms', lines };
}

function lineOf(label: string, points: readonly Repeated[], values: (point: Repeated) => readonly number[]): ChartLine {
  const all = points.map(values);
  const of = (share: (values: number[]) => number): (number | null)[] =>
    all.map((each) => (each.length === 0 ? null : share([...each])));
  const isRepeated = all.some((each) => each.length > 1);
  return { label, values: of(median), ...(isRepeated ? { lows: of(min), highs: of(max) } : {}) };
}

function axisOf(points: readonly Repeated[], label: string, hasNames: boolean): Chart['x'] {
  const values = points.map(({ spec }, at) => (hasNames ? at : spec.x));
  const isWide = !hasNames && (values.at(-1) ?? 1) > 4 * (values[0] ?? 1) && (values[0] ?? 0) > 0;
  return {
    label,
    unit: 'count',
    isLogarithmic: isWide,
    values,
    ...(hasNames ? { names: points.map(({ spec }) => spec.label) } : {}),
  };
}

/** Of a curve in a report; more places on the axis show no more. */
const TIMES = 120;

/** A figure over the time of each point, of the first run of each. */
export function overTime(points: readonly Repeated[], name: string, title: string, unit: AxisUnit): Chart {
  const curves = points.map(({ spec, points: [first] }) => ({ label: spec.label, curve: first?.curves[name] ?? [] }));
  const end = Math.max(0, ...curves.map(({ curve }) => curve.at(-1)?.[0] ?? 0));
  const values = end === 0 ? [] : Array.from({ length: TIMES + 1 }, (_, at) => (at * end) / TIMES);
  const lines = curves.map(({ label, curve }): ChartLine => ({
    label,
    values: values.map((at) => valueAt(curve, at)),
  }));
  return { title, x: { label: 'time', unit: 's', isLogarithmic: false, values }, unit, lines };
}

/** What was seen last at that time; null before the first look and after the last. */
function valueAt(curve: Curve, seconds: number): number | null {
  const last = curve.findLast(([at]) => at <= seconds);
  return last === undefined || seconds > (curve.at(-1)?.[0] ?? 0) ? null : last[1];
}

/** Differences of one figure to the point named `base`. */
export function barsOf(points: readonly Repeated[], base: string, figure: FigureName, title: string): Bars {
  const origin = points.find(({ spec }) => spec.label === base);
  const before = origin === undefined ? [] : valuesOf(origin, figure);
  const { better, unit } = FIGURES[figure];
  const rows = points.flatMap((each): Bars['rows'] => {
    const values = valuesOf(each, figure);
    if (each === origin || values.length === 0 || before.length === 0) return [];
    const { ratio, verdict } = verdictOf(before, values, better);
    return [{ label: each.spec.label, change: ratio - 1, value: formatValue(median(values), unit), verdict }];
  });
  return { title, rows };
}

/** Every figure of every point: the median, and behind ± half of the range of the repeats. */
export function tableOf(points: readonly Repeated[], axis: string): Table {
  const figures = (Object.keys(FIGURES) as FigureName[]).filter((figure) =>
    points.some((point) => valuesOf(point, figure).length > 0),
  );
  return {
    title: 'All figures',
    head: [axis, 'runs', ...figures.map((figure) => FIGURES[figure].title)],
    rows: points.map((point) => [
      point.spec.label,
      String(point.points.length),
      ...figures.map((figure) => cellOf(valuesOf(point, figure), figure)),
    ]),
  };
}

function cellOf(values: readonly number[], figure: FigureName): string {
  if (values.length === 0) return '–';
  const middle = median(values);
  const text = formatValue(middle, FIGURES[figure].unit);
  const spread = (Math.max(...values) - Math.min(...values)) / 2;
  return values.length < 2 || spread === 0 || middle === 0
    ? text
    : `${text} ±${formatChange(spread / middle).slice(1)}`;
}
