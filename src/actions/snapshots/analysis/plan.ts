/** What an analysis does to which blob: everything follows from its seed. */
import { seededRandom, type Random } from '../../../base/random.js';

export interface AnalysisOptions {
  readonly blobCount: number;
  readonly concurrency: number;
  readonly readNodeCount: number;
  readonly earlyReadNodeCount: number;
  readonly seed: number;
  readonly rareActionProbability: number;
  readonly maxBlobBytes: number;
  readonly maxTotalBytes: number;
  readonly rarelyAbortsWrites: boolean;
  readonly registerOperationCount: number;
}

export interface BlobPlan {
  readonly name: string;
  readonly seed: number;
  readonly length: number;
  /** Positions among the nodes. */
  readonly writer: number;
  readonly earlyReaders: readonly number[];
  readonly readers: readonly number[];
  /** Read a part only, which need not begin at the beginning. */
  readonly from: number;
  readonly count: number;
  readonly isAbandoned: boolean;
}

/** Fractions are cut to so many steps. */
const STEPS = 1 << 24;
const SEED_BOUND = 2 ** 32;

export function planBlobs(options: AnalysisOptions, nodeCount: number): readonly BlobPlan[] {
  const random = seededRandom(options.seed);
  const isRare = (): boolean => random.below(STEPS) / STEPS < options.rareActionProbability;
  let left = options.maxTotalBytes;
  return Array.from({ length: options.blobCount }, (_, at) => {
    const remaining = options.blobCount - at - 1;
    const length = Math.min(lengthOf(options, at, random), Math.max(1, left - remaining));
    left -= length;
    // The longest is always read.
    const isAbandoned = at > 0 && options.rarelyAbortsWrites && length > 1 && isRare();
    const isWhole = !isRare() || length < 2;
    const from = isWhole ? 0 : random.below(Math.min(length - 1, SEED_BOUND));
    const count = isWhole ? length : 1 + random.below(Math.min(length - from, SEED_BOUND));
    return {
      name: `test-blob-${at}`,
      seed: random.below(SEED_BOUND),
      length,
      writer: random.below(nodeCount),
      earlyReaders: chosen(options.earlyReadNodeCount, nodeCount, random),
      readers: chosen(options.readNodeCount, nodeCount, random),
      from,
      count,
      isAbandoned,
    };
  });
}

/** One has the greatest length that is allowed; of the others as many are short as are long. */
function lengthOf({ maxBlobBytes }: AnalysisOptions, at: number, random: Random): number {
  if (at === 0) return maxBlobBytes;
  return Math.max(1, Math.floor(maxBlobBytes ** (random.below(STEPS) / STEPS)));
}

function chosen(count: number, nodeCount: number, random: Random): readonly number[] {
  const nodes = Array.from({ length: nodeCount }, (_, at) => at);
  return Array.from({ length: Math.min(count, nodeCount) }, () => nodes.splice(random.below(nodes.length), 1)[0] ?? 0);
}
