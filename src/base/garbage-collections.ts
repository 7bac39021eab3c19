/** The garbage collections of all threads of a node, counted in words that they share, and what these left of their heaps. */
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** `young`: of what was just made; `old`: of the whole heap, and the steps of such a one. */
const GENERATIONS = ['young', 'old'] as const;
export type Generation = (typeof GENERATIONS)[number];

/** For each generation how many, and how many microseconds. */
const WORDS_PER_GENERATION = 2;
export const MICROS_PER_MILLI = 1_000;

/** Behind the collections: the heap of each thread, in bytes. */
export const HEAPS_AT = GENERATIONS.length * WORDS_PER_GENERATION;

export function collectionWords(threads: number): BigInt64Array {
  return new BigInt64Array(new SharedArrayBuffer((HEAPS_AT + threads) * BigInt64Array.BYTES_PER_ELEMENT));
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

/** Counts those of this thread from now on, and tells of its heap once it has a number. */
export function countCollections(words: BigInt64Array): void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) count(words, entry);
    storeHeap(words);
  });
  observer.observe({ entryTypes: ['gc'] });
}

function count(words: BigInt64Array, entry: PerformanceEntry): void {
  const { detail, duration } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
  const kind = detail?.kind;
  const isYoung = kind === constants.NODE_PERFORMANCE_GC_MINOR;
  const at = wordOf(isYoung ? 'young' : 'old');
  Atomics.add(words, at, 1n);
  Atomics.add(words, at + 1, BigInt(Math.round(duration * MICROS_PER_MILLI)));
}

/** Of their number; behind it stands their time. */
export function wordOf(generation: Generation): number {
  return GENERATIONS.indexOf(generation) * WORDS_PER_GENERATION;
}
