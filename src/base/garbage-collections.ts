/** The garbage collections of all threads of a node, counted in words that they share. */
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';

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

export function collectionWords(): BigInt64Array {
  const words = GENERATIONS.length * WORDS_PER_GENERATION;
  return new BigInt64Array(new SharedArrayBuffer(words * BigInt64Array.BYTES_PER_ELEMENT));
}

/** Counts those of this thread from now on. */
export function countCollections(words: BigInt64Array): void {
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) count(words, entry);
  });
  observer.observe({ entryTypes: ['gc'] });
}

export function collectionFigures(words: BigInt64Array): CollectionFigures {
  return { young: figuresOf(words, 'young'), old: figuresOf(words, 'old') };
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
