/**
 * How a figure grows with documents, from a few sizes to larger ones.
 *
 * Two laws are fitted, each with relative errors: `a * x^b`, and `a + b * x`. The one that foretells the largest measured size best from
 * the smaller ones is taken. The interval holds what both laws say, over resampled runs and with each of the sizes left out: the further
 * away, the more they disagree. To that comes by how much single runs lie beside the fit.
 */
import { linearRegression, quantileSorted, sampleWithReplacement, weightedLinearRegression } from 'simple-statistics';
import { seededRandom } from '../../../src/base/random.js';

/** Documents, and what was measured with them. */
export type Sample = readonly [x: number, y: number];

export interface Estimate {
  readonly value: number;
  /** Of 95 %. */
  readonly low: number;
  readonly high: number;
}

export interface Fit {
  readonly law: LawName;
  at(x: number): Estimate;
  /** As `at`, without the interval: for those who ask often. */
  value(x: number): number;
}

type Law = (x: number) => number;
type LawName = 'power' | 'line';

const RESAMPLES = 300;
const LOW = 0.025;
const HIGH = 0.975;
/** Of a single run, where there are too few to know. */
const UNKNOWN_DEVIATION = 0.2;
/** Nothing that is measured falls to nothing. */
const BESIDE_MAX = 0.95;

/** Samples of at least two sizes, all above 0; the same samples give the same fit. `given`: where it is known how it grows. */
export function fitGrowth(samples: readonly Sample[], given?: LawName): Fit {
  const sizes = new Set(samples.map(([x]) => x));
  if (sizes.size < 2) throw new Error('growth needs at least two sizes that were measured');
  const law = given ?? (isLine(samples, sizes) ? 'line' : 'power');
  const best = law === 'line' ? fitLine(samples) : fitPower(samples);
  const laws = given === undefined ? [fitLine, fitPower] : [given === 'line' ? fitLine : fitPower];
  const fitted = (all: readonly (readonly Sample[])[]): readonly Law[] =>
    all.flatMap((each) => laws.map((oneOf) => oneOf(each)));
  const ofChance = fitted(resampled(samples));
  const ofFewer = fitted(sizes.size < 3 ? [] : [...sizes].map((size) => samples.filter(([x]) => x !== size)));
  const beside = Math.min(BESIDE_MAX, 2 * deviationOf(best, samples));
  return {
    law,
    value: best,
    at(x) {
      const values = ofChance.map((other) => other(x)).sort((left, right) => left - right);
      const value = best(x);
      const all = [
        value,
        quantileSorted(values, LOW),
        quantileSorted(values, HIGH),
        ...ofFewer.map((other) => other(x)),
      ];
      return { value, low: Math.min(...all) * (1 - beside), high: Math.max(...all) * (1 + beside) };
    },
  };
}

/** Of single runs from the fit, as a share; two parameters of a law follow two runs wherever they are. */
function deviationOf(law: Law, samples: readonly Sample[]): number {
  if (samples.length <= 2) return UNKNOWN_DEVIATION;
  const squares = samples.reduce((sum, [x, y]) => sum + (y / law(x) - 1) ** 2, 0);
  return Math.sqrt(squares / (samples.length - 2));
}

/** By the largest size, which was left out; with only two sizes a line is the more careful. */
function isLine(samples: readonly Sample[], sizes: ReadonlySet<number>): boolean {
  if (sizes.size < 3) return true;
  const largest = Math.max(...sizes);
  const known = samples.filter(([x]) => x < largest);
  const asked = samples.filter(([x]) => x === largest);
  return errorOf(fitLine(known), asked) <= errorOf(fitPower(known), asked);
}

/** Mean relative error. */
function errorOf(law: Law, samples: readonly Sample[]): number {
  return samples.reduce((sum, [x, y]) => sum + Math.abs(law(x) / y - 1), 0) / samples.length;
}

function fitPower(samples: readonly Sample[]): Law {
  const { m, b } = linearRegression(samples.map(([x, y]) => [Math.log(x), Math.log(y)]));
  return (x) => Math.exp(b + m * Math.log(x));
}

/** Errors count by their share, and what is measured never falls below 0. */
function fitLine(samples: readonly Sample[]): Law {
  const { m, b } = weightedLinearRegression(
    samples.map(([x, y]) => [x, y]),
    samples.map(([, y]) => 1 / y ** 2),
  );
  return (x) => Math.max(Number.MIN_VALUE, b + m * x);
}

/** Samples drawn anew, of each size as many as it has, so that every size stays. */
function resampled(samples: readonly Sample[]): readonly (readonly Sample[])[] {
  const random = seededRandom(31);
  const fraction = (): number => random.below(2 ** 32) / 2 ** 32;
  const bySize = [...new Set(samples.map(([x]) => x))].map((size) => samples.filter(([x]) => x === size));
  return Array.from({ length: RESAMPLES }, () =>
    bySize.flatMap((group) => sampleWithReplacement([...group], group.length, fraction)),
  );
}

/** The largest size up to `most` at which `grows` says at most `limit`: it is asked for the upper end of its interval. */
export function largestWithin(fit: Fit, limit: number, most: number, end: keyof Estimate = 'high'): number {
  let [low, high] = [0, most];
  if (fit.at(most)[end] <= limit) return most;
  while (high - low > 1 && high / Math.max(1, low) > 1.001) {
    const middle = low === 0 ? high / 2 : Math.sqrt(low * high);
    if (fit.at(Math.max(1, middle))[end] <= limit) low = middle;
    else high = middle;
  }
  return Math.floor(low);
}
