/** What the threads of a node count in memory that they share: garbage collections, heaps, caches, work. */
import { cacheWords, shareCacheCounts } from './cache-counters.js';
import { collectionWords, countCollections, tellHeap } from './garbage-collections.js';
import { shareWorkCounts, workWords } from './work-counters.js';

/** Threads are numbered: the front, the coordinator, the workers by their slots, the side fronts. */
export const FRONT_THREAD = 0;
export const COORDINATOR_THREAD = 1;
export const FIRST_WORKER_THREAD = 2;

export interface ThreadWords {
  readonly collections: BigInt64Array;
  readonly caches: Float64Array;
  readonly work: Float64Array;
}

/** `others`: workers and side fronts. */
export function threadWords(others: number): ThreadWords {
  const threads = FIRST_WORKER_THREAD + others;
  return { collections: collectionWords(threads), caches: cacheWords(threads), work: workWords(threads) };
}

/** Called once by each thread. One that does not know its number yet tells it later, see {@link numberThread}. Gives the words. */
export function countOfThread(words: ThreadWords, thread?: number): ThreadWords {
  countCollections(words.collections);
  if (thread !== undefined) numberThread(words, thread);
  return words;
}

export function numberThread({ collections, caches, work }: ThreadWords, thread: number): void {
  tellHeap(collections, thread);
  shareCacheCounts(caches, thread);
  shareWorkCounts(work, thread);
}
