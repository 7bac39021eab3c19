/**
 * Whether two sets of repeated runs differ, and by how much.
 *
 * Times have long tails, so nothing is assumed of how they are distributed: whether there is a difference is a permutation test of the
 * logarithms, how large it is comes with a bootstrapped interval of the ratio of the geometric means.
 */
import { mean, permutationTest, quantileSorted, sampleWithReplacement } from 'simple-statistics';
import { seededRandom } from '../../src/base/random.js';

export interface Comparison {
  /** The second by the first. */
  readonly ratio: number;
  /** Of 95 %; of a single run the ratio itself. */
  readonly low: number;
  readonly high: number;
  /** How often chance alone would make a difference of this size; undefined where there are too few runs to tell. */
  readonly p: number | undefined;
}

/** So few runs on both sides that even the clearest difference may be chance (p of 0.05 or more). */
export const RUNS_MIN = 4;
export const SIGNIFICANT = 0.05;
/** So few points that even if all of them change in one way, that may be chance. */
const POINTS_MIN = 6;
const PERMUTATIONS = 4_000;
const RESAMPLES = 2_000;

/** The same values give the same answer: its chance is seeded. Values are above 0. */
export function compareRuns(before: readonly number[], after: readonly number[]): Comparison {
  const [left, right] = [logarithms(before), logarithms(after)];
  const ratio = Math.exp(mean(right) - mean(left));
  const random = randomFraction();
  const ratios = Array.from({ length: RESAMPLES }, () => {
    const resampled = (values: number[]): number => mean(sampleWithReplacement(values, values.length, random));
    return Math.exp(resampled(right) - resampled(left));
  }).sort((one, other) => one - other);
  const isEnough = Math.min(left.length, right.length) >= RUNS_MIN;
  return {
    ratio,
    low: quantileSorted(ratios, 0.025),
    high: quantileSorted(ratios, 0.975),
    p: isEnough ? permutationTest(left, right, 'two_side', PERMUTATIONS, random) : undefined,
  };
}

/** Runs of one point, before and after. */
export interface PointRuns {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * All points together, each by the ratio of its geometric means. Whether there is a change is a test of signs: were it chance, each point
 * would as well have changed the other way.
 */
export function comparePoints(points: readonly PointRuns[]): Comparison {
  const changes = points.map(({ before, after }) => mean(logarithms(after)) - mean(logarithms(before)));
  const random = randomFraction();
  const resampled = Array.from({ length: RESAMPLES }, () =>
    Math.exp(mean(sampleWithReplacement(changes, changes.length, random))),
  ).sort((one, other) => one - other);
  const isEnough =
    points.length >= POINTS_MIN &&
    points.every(({ before, after }) => Math.min(before.length, after.length) >= RUNS_MIN);
  return {
    ratio: Math.exp(mean(changes)),
    low: quantileSorted(resampled, 0.025),
    high: quantileSorted(resampled, 0.975),
    p: isEnough ? chanceOfSigns(changes, random) : undefined,
  };
}

function chanceOfSigns(changes: readonly number[], random: () => number): number {
  const seen = Math.abs(mean([...changes]));
  const flipped = Array.from({ length: PERMUTATIONS }, () =>
    Math.abs(mean(changes.map((change) => (random() < 0.5 ? change : -change)))),
  );
  return (flipped.filter((change) => change >= seen).length + 1) / (PERMUTATIONS + 1);
}

function logarithms(values: readonly number[]): number[] {
  return values.map((value) => Math.log(Math.max(value, Number.MIN_VALUE)));
}

function randomFraction(): () => number {
  const random = seededRandom(99);
  return () => random.below(2 ** 32) / 2 ** 32;
}

export type Verdict = 'better' | 'worse' | 'neither';

/** What a figure did, from a few runs before to a few after. Two or three runs have to agree all; one tells nothing. */
export function verdictOf(
  before: readonly number[],
  after: readonly number[],
  better: 'lower' | 'higher' | 'neither',
): Comparison & { readonly verdict: Verdict } {
  const comparison = compareRuns(before, after);
  const { p, ratio } = comparison;
  const areApart = Math.max(...before) < Math.min(...after) || Math.max(...after) < Math.min(...before);
  const areSome = Math.min(before.length, after.length) > 1;
  const isDifferent = p === undefined ? areSome && areApart : p < SIGNIFICANT;
  if (!isDifferent || better === 'neither') return { ...comparison, verdict: 'neither' };
  return { ...comparison, verdict: ratio < 1 === (better === 'lower') ? 'better' : 'worse' };
}

/** P values of many comparisons at once, so that one in twenty is not a finding by chance (Benjamini and Hochberg). */
export function adjusted(values: readonly number[]): readonly number[] {
  const order = values.map((p, at) => ({ p, at })).sort((left, right) => right.p - left.p);
  const result = new Array<number>(values.length).fill(1);
  let least = 1;
  order.forEach(({ p, at }, place) => {
    least = Math.min(least, (p * values.length) / (values.length - place));
    result[at] = least;
  });
  return result;
}
