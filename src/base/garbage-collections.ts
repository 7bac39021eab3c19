/** The garbage collections of all threads of a node, counted in words that they share, and what these left of their heaps. */
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** `young`: of what was just made; `old`: of the whole heap, and the steps of such a one. */
const GENERATIONS = ['young', 'old'] as const;
type Generation = (typeof GENERATIONS)[number];

/** For each generation how many, and how many microseconds. */
const WORDS_PER_GENERATION = 2;
const MICROS_PER_MILLI = 1_000;

export interface Collections {
  readonly count: number;
  readonly timeMs: number;
}

/** Since the node started; of threads that crashed too. */
export type CollectionFigures = Readonly<Record<Generation, Collections>>;

/** Threads are numbered: the front, the coordinator, the workers by their slots, the side fronts. */
export const HEAP_OF_FRONT = 0;
export const HEAP_OF_COORDINATOR = 1;
export const HEAP_OF_FIRST_WORKER = 2;

const HEAPS_AT = GENERATIONS.length * WORDS_PER_GENERATION;

/** `others`: workers and side fronts. */
export function collectionWords(others: number): BigInt64Array {
  const words = HEAPS_AT + HEAP_OF_FIRST_WORKER + others;
  return new BigInt64Array(new SharedArrayBuffer(words * BigInt64Array.BYTES_PER_ELEMENT));
}

/** Where this thread tells of its heap. */
let heapWord: number | undefined;

/** From now on the heap of this thread is told: as it is, and as each collection leaves it. */
export function tellHeap(words: BigInt64Array, thread: number): void {
  heapWord = HEAPS_AT + thread;
  storeHeap(words);
}

function storeHeap(words: BigInt64Array): void {
  if (heapWord !== undefined) Atomics.store(words, heapWord, BigInt(getHeapStatistics().used_heap_size));
}

/** Counts those of this thread from now on, and tells of its heap where it has a number already. Gives the words. */
export function countCollections(words: BigInt64Array, thread?: number): BigInt64Array {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) count(words, entry);
    storeHeap(words);
  });
  observer.observe({ entryTypes: ['gc'] });
  if (thread !== undefined) tellHeap(words, thread);
  return words;
}

export interface HeapFigures {
  readonly collections: CollectionFigures;
  /** What the heaps of all threads held after their last collections. */
  readonly javascriptBytes: number;
}

export function heapFigures(words: BigInt64Array): HeapFigures {
  const heaps = Array.from(words.subarray(HEAPS_AT), (_bytes, at) => Number(Atomics.load(words, HEAPS_AT + at)));
  return {
    collections: { young: figuresOf(words, 'young'), old: figuresOf(words, 'old') },
    javascriptBytes: heaps.reduce((sum, bytes) => sum + bytes, 0),
  };
}

function count(words: BigInt64Array, entry: PerformanceEntry): void {
  const { detail, duration } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  const kind = detail?.kind;
  const isYoung = kind === constants.NODE_PERFORMANCE_GC_MINOR;
  const at = wordOf(isYoung ? 'young' : 'old');
  Atomics.add(words, at, 1n);
  Atomics.add(words, at + 1, BigInt(Math.round(duration * MICROS_PER_MILLI)));
}

function figuresOf(words: BigInt64Array, generation: Generation): Collections {
  const at = wordOf(generation);
  const micros = Number(Atomics.load(words, at + 1));
  return { count: Number(Atomics.load(words, at)), timeMs: Math.round(micros / MICROS_PER_MILLI) };
}

function wordOf(generation: Generation): number {
  return GENERATIONS.indexOf(generation) * WORDS_PER_GENERATION;
}
