/**
 * How much of each kind of work the threads of a node have under way, and have done. Each thread has a row of a table that all of them share: it alone
 * writes there, so that counting is a few additions.
 */

/** By the API's names of the pools that such work has in the references. */
export const WORKS = ['analyze', 'flush', 'force_merge', 'get', 'merge', 'refresh', 'snapshot'] as const;
export type CountedWork = (typeof WORKS)[number];

const ACTIVE = 0;
const QUEUE = 1;
const COMPLETED = 2;
const LARGEST = 3;
const COUNTS = 4;

/** Rows begin at lines of the processor's cache, of 64 bytes. */
const ROW_LENGTH = Math.ceil((WORKS.length * COUNTS) / 8) * 8;

/** A thread that has done so much of a kind looks at the others once in so many times only: reads by id are that frequent. */
const LOOKS_ALWAYS = 1_024;
const LOOKS_EVERY = 64;

export interface WorkFigures {
  readonly active: number;
  readonly queue: number;
  readonly completed: number;
  /** The most that was seen under way at once. */
  readonly largest: number;
}

/** A row for each thread. Whole numbers as doubles are exact up to 2^53. */
export function workWords(threads: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(threads * ROW_LENGTH * Float64Array.BYTES_PER_ELEMENT));
}

let table: Float64Array = new Float64Array(ROW_LENGTH);
/** Of this thread. */
let row = table;

/** From now on this thread counts in its row of the table. What a crashed thread had under way in that row is over. */
export function shareWorkCounts(words: Float64Array, thread: number): void {
  const shared = words.subarray(thread * ROW_LENGTH, (thread + 1) * ROW_LENGTH);
  if (shared.length < ROW_LENGTH) throw new Error(`there is no row [${thread}]`);
  if (row.buffer === shared.buffer) return;
  for (const [at, count] of row.entries()) {
    const former = shared[at] ?? 0;
    const kind = at % COUNTS;
    if (kind === COMPLETED) shared[at] = former + count;
    else shared[at] = kind === LARGEST ? Math.max(former, count) : count;
  }
  table = words;
  row = shared;
}

/** The hand of one kind of work on the row of this thread. */
export class WorkCounter {
  private readonly place: number;

  constructor(name: CountedWork) {
    this.place = placeOf(name);
  }

  /** Counts work that ends within the call. What gives undefined was left to another thread. */
  within<Result>(work: () => Result): Result {
    this.begin();
    let isDone = true;
    try {
      const result = work();
      isDone = result !== undefined;
      return result;
    } finally {
      this.end(isDone);
    }
  }

  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.begin();
    try {
      return await work();
    } finally {
      this.end(true);
    }
  }

  /** So many more wait; negative: fewer. */
  wait(more: number): void {
    add(this.place + QUEUE, more);
  }

  private begin(): void {
    add(this.place + ACTIVE, 1);
    const completed = row[this.place + COMPLETED] ?? 0;
    if (completed < LOOKS_ALWAYS || completed % LOOKS_EVERY === 0) this.look();
  }

  private look(): void {
    const active = sumOf(table, this.place + ACTIVE);
    if (active > (row[this.place + LARGEST] ?? 0)) row[this.place + LARGEST] = active;
  }

  private end(isDone: boolean): void {
    add(this.place + ACTIVE, -1);
    if (isDone) add(this.place + COMPLETED, 1);
  }
}

/** Of all threads since the node started. */
export function workFigures(words: Float64Array): Readonly<Record<CountedWork, WorkFigures>> {
  const figures = WORKS.map((name) => {
    const place = placeOf(name);
    const sum = (count: number): number => sumOf(words, place + count);
    const sums = { active: sum(ACTIVE), queue: sum(QUEUE), completed: sum(COMPLETED) };
    return [name, { ...sums, largest: largestOf(words, place + LARGEST) }] as const;
  });
  return Object.fromEntries(figures) as Record<CountedWork, WorkFigures>;
}

function placeOf(name: CountedWork): number {
  return WORKS.indexOf(name) * COUNTS;
}

function sumOf(words: Float64Array, place: number): number {
  let sum = 0;
  for (let at = place; at < words.length; at += ROW_LENGTH) sum += words[at] ?? 0;
  return sum;
}

function largestOf(words: Float64Array, place: number): number {
  let largest = 0;
  for (let at = place; at < words.length; at += ROW_LENGTH) largest = Math.max(largest, words[at] ?? 0);
  return largest;
}

function add(place: number, more: number): void {
  row[place] = (row[place] ?? 0) + more;
}
