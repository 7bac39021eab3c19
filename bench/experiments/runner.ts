/** Measures the points of a run that are not there yet, and says how far it is. */
import { millisecondsLeft, formatLeft, type Done } from './progress.js';
import type { Measurement, Point } from './point.js';
import { formatValue } from './report/format.js';
import type { MeasuredPoint, ResultsFile } from './results.js';

export interface RunnerOptions {
  readonly points: readonly Point[];
  readonly results: ResultsFile;
  /** How long a point takes, in any unit, before any of its kind was measured. */
  readonly weigh: (point: Point) => number;
  readonly measure: (point: Point) => Promise<Measurement>;
  /** Stops after so many. */
  readonly pointsMax: number;
  readonly say: (line: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** All points of the run that are measured in the end. Throws where answers differ between points with the same documents. */
export async function runPoints(options: RunnerOptions): Promise<readonly MeasuredPoint[]> {
  const { points, results, weigh, measure, say, now } = options;
  const measured = new Map(results.earlier.map((point) => [point.id, point]));
  const left = points.filter(({ id }) => !measured.has(id));
  const done: Done[] = results.earlier.map((point) => ({ weight: weigh(point), tookMs: point.tookMs }));
  if (measured.size > 0) say(`${points.length - left.length} of ${points.length} points are measured already`);
  for (const [at, point] of left.slice(0, options.pointsMax).entries()) {
    const startMs = now();
    const measurement = await measure(point);
    checkAnswers(point, measurement, measured.values());
    const tookMs = now() - startMs;
    const whole = { ...point, ...measurement, startedAt: new Date(startMs).toISOString(), tookMs };
    results.add(whole);
    measured.set(point.id, whole);
    done.push({ weight: weigh(point), tookMs });
    const rest = left.slice(at + 1).map((each) => ({ weight: weigh(each) }));
    const place = `[${points.length - rest.length}/${points.length}]`;
    const end = rest.length === 0 ? 'the last one' : `about ${formatLeft(millisecondsLeft(done, rest))} left`;
    say(`${place} ${nameOf(point)}: ${summaryOf(measurement)} (${(tookMs / 1_000).toFixed(1)} s; ${end})`);
  }
  return points.flatMap(({ id }) => measured.get(id) ?? []);
}

function nameOf({ spec, repeat }: Point): string {
  return `${spec.sweep}: ${spec.label}, run ${repeat}`;
}

function summaryOf({ figures }: Measurement): string {
  const told: [string, string | undefined][] = [
    ['indexed', formatValue(figures['documentsPerSecond'], 'perSecond')],
    ['disk', formatValue(figures['storeBytes'], 'bytes')],
    ['p99', figures['searchP99Ms'] === undefined ? undefined : formatValue(figures['searchP99Ms'], 'ms')],
    ['write amplification', formatValue(figures['writeAmplification'], 'ratio')],
  ];
  return told.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`])).join(', ');
}

/** Whatever shards, nodes and settings there are, the same documents give the same answers. */
function checkAnswers({ spec, id }: Point, { answers }: Measurement, others: Iterable<MeasuredPoint>): void {
  for (const other of others) {
    const isSame = other.spec.documents === spec.documents && other.spec.steady?.updates === spec.steady?.updates;
    if (!isSame) continue;
    for (const [kind, answer] of Object.entries(answers)) {
      const known = other.answers[kind];
      if (known !== undefined && known !== answer) {
        throw new Error(`[${kind}] finds other documents at ${id} than at ${other.id}, though both have the same`);
      }
    }
  }
}
