/**
 * Whether a figure that was sampled over time grows.
 *
 * What a node holds goes up and down as garbage is collected and segments are merged: of each of some blocks of time the least value
 * counts. Their slope is the median of the slopes of all pairs (Theil and Sen), which a few odd blocks do not move; its interval of
 * confidence comes from the ranks of those slopes (Kendall).
 */
import { median, quantileSorted } from 'simple-statistics';

export interface Point {
  readonly seconds: number;
  readonly value: number;
}

export interface Slope {
  /** Of the blocks' least values. */
  readonly level: number;
  readonly perHour: number;
  /** Of 95%. */
  readonly low: number;
  readonly high: number;
  /** It grows by more than may be, and that is not chance. */
  readonly grows: boolean;
}

const BLOCKS = 40;
const SECONDS_PER_HOUR = 3_600;
/** Of the standard normal distribution, for an interval of 95%. */
const NORMAL_95 = 1.96;
/** A slope is told from none by more blocks than this. */
const BLOCKS_MIN = 10;

/** `tolerated`: growth in an hour that is no leak, as a share of the level. */
export function slopeOf(points: readonly Point[], tolerated: number): Slope {
  const least = blocksOf(points);
  const slopes = pairSlopes(least).sort((left, right) => left - right);
  const level = median(least.map(({ value }) => value));
  if (slopes.length === 0) return { level, perHour: NaN, low: NaN, high: NaN, grows: false };
  const count = least.length;
  // The standard deviation of the number of pairs that rise, were there no trend.
  const spread = NORMAL_95 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
  const share = Math.min(0.5, spread / (2 * slopes.length));
  const [low, high] = [quantileSorted(slopes, 0.5 - share), quantileSorted(slopes, 0.5 + share)];
  const grows = count >= BLOCKS_MIN && low > tolerated * Math.abs(level);
  return { level, perHour: quantileSorted(slopes, 0.5), low, high, grows };
}

function blocksOf(points: readonly Point[]): readonly Point[] {
  const size = Math.max(1, Math.ceil(points.length / BLOCKS));
  const blocks: Point[] = [];
  for (let from = 0; from < points.length; from += size) {
    const block = points.slice(from, from + size);
    blocks.push(block.reduce((least, point) => (point.value < least.value ? point : least)));
  }
  return blocks;
}

/** In an hour. */
function pairSlopes(points: readonly Point[]): number[] {
  return points.flatMap((first, at) =>
    points
      .slice(at + 1)
      .filter(({ seconds }) => seconds > first.seconds)
      .map(({ seconds, value }) => ((value - first.value) * SECONDS_PER_HOUR) / (seconds - first.seconds)),
  );
}
