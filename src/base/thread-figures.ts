/** What the threads of a node counted, all together: for those who watch it. See `thread-words.ts`. */
import { CACHES, COUNTS, placeOf, ROW_LENGTH, type Count, type CountedCache } from './cache-counters.js';
import { HEAPS_AT, MICROS_PER_MILLI, wordOf, type Generation } from './garbage-collections.js';
import type { ThreadWords } from './thread-words.js';
import { workFigures, type CountedWork, type WorkFigures } from './work-counters.js';

export interface Collections {
  readonly count: number;
  readonly timeMs: number;
}

/** Since the node started; of threads that crashed too. */
export type CollectionFigures = Readonly<Record<Generation, Collections>>;

export type CacheFigures = Readonly<Record<Count, number>>;

interface HeapFigures {
  readonly collections: CollectionFigures;
  /** What the heaps of all threads held after their last collections. */
  readonly javascriptBytes: number;
}

function heapFigures(words: BigInt64Array): HeapFigures {
  const heaps = Array.from(words.subarray(HEAPS_AT), (_bytes, at) => Number(Atomics.load(words, HEAPS_AT + at)));
  return {
    collections: { young: figuresOf(words, 'young'), old: figuresOf(words, 'old') },
    javascriptBytes: heaps.reduce((sum, bytes) => sum + bytes, 0),
  };
}

function figuresOf(words: BigInt64Array, generation: Generation): Collections {
  const at = wordOf(generation);
  const micros = Number(Atomics.load(words, at + 1));
  return { count: Number(Atomics.load(words, at)), timeMs: Math.round(micros / MICROS_PER_MILLI) };
}

/** Of all threads since the node started. */
export function cacheFigures(words: Float64Array): Readonly<Record<CountedCache, CacheFigures>> {
  const sums = new Float64Array(ROW_LENGTH);
  for (const [at, count] of words.entries()) sums[at % ROW_LENGTH] = (sums[at % ROW_LENGTH] ?? 0) + count;
  const figures = CACHES.map((name) => {
    const counts = COUNTS.map((count, at) => [count, sums[placeOf(name) + at] ?? 0] as const);
    return [name, Object.fromEntries(counts)] as const;
  });
  return Object.fromEntries(figures) as Record<CountedCache, CacheFigures>;
}

export interface ThreadFigures extends HeapFigures {
  readonly caches: Readonly<Record<CountedCache, CacheFigures>>;
  readonly work: Readonly<Record<CountedWork, WorkFigures>>;
}

export function threadFigures({ collections, caches, work }: ThreadWords): ThreadFigures {
  return { ...heapFigures(collections), caches: cacheFigures(caches), work: workFigures(work) };
}
