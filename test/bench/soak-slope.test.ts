import { describe, expect, it } from 'vitest';
import { slopeOf, type Point } from '../../bench/soak/slope.js';
import { seededRandom } from '../../src/base/random.js';

const TOLERATED = 0.01;
const LEVEL = 200;
const SECONDS = 3_000;

/** Samples of every 10 s: what is collected now and then, and `perHour` of it that is not. */
function samples(perHour: number, seed: number): readonly Point[] {
  const random = seededRandom(seed);
  return Array.from({ length: SECONDS / 10 }, (_, at) => {
    const seconds = at * 10;
    return { seconds, value: LEVEL + (perHour * seconds) / 3_600 + (seconds % 170) / 10 + random.below(1_000) / 100 };
  });
}

describe('a figure over time', () => {
  it('is flat where it only goes up and down', () => {
    for (let seed = 0; seed < 50; seed++) expect(slopeOf(samples(0, seed), TOLERATED).grows).toBe(false);
  });

  it('grows where some of it stays', () => {
    for (let seed = 0; seed < 50; seed++) {
      const { perHour, grows } = slopeOf(samples(10, seed), TOLERATED);
      expect([grows, perHour > 5 && perHour < 15]).toEqual([true, true]);
    }
  });

  it('may grow by what is no leak', () => {
    expect(slopeOf(samples(LEVEL * TOLERATED * 0.5, 1), TOLERATED).grows).toBe(false);
  });

  it('is not moved by a few odd samples', () => {
    const points = samples(0, 3).map((point, at) => (at % 60 === 59 ? { ...point, value: 10 * LEVEL } : point));
    expect(slopeOf(points, TOLERATED).grows).toBe(false);
  });

  it('is nothing that few samples tell', () => {
    const few = samples(1_000, 1).slice(0, 5);
    expect(slopeOf(few, TOLERATED).grows).toBe(false);
    expect(slopeOf(few.slice(0, 1), TOLERATED).grows).toBe(false);
  });
});
