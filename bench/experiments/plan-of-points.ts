/** The order in which points are measured. */
import type { Random } from '../../src/base/random.js';
import { pointOf, type Point, type PointSpec } from './point.js';

/**
 * Every point once, in an order of chance, then every point again: what else the machine does for a while falls on all points alike,
 * and a run that is cut short has all points a few times rather than some of them often.
 */
export function planOfPoints(specs: readonly PointSpec[], repeats: number, random: Random): readonly Point[] {
  const points: Point[] = [];
  for (let repeat = 1; repeat <= repeats; repeat++) {
    points.push(...shuffled(specs, random).map((spec) => pointOf(spec, repeat)));
  }
  return points;
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)).flat();
}
