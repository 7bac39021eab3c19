/** Rates that hold for all threads of a node together, each by a word of memory that they share. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { PaidUntil, pacer } from './pacer.js';
import type { Pace } from './push-segments.js';

/** Rates of different names that a node knows while it runs. More share the words of others: they are kept, and slower. */
const RATES_MAX = 1_024;
const MICROS_PER_MILLI = 1_000;

/** Behind the names of all rates there is, in the same order, what was taken, then for how long it was waited. */
export function paceWords(): BigInt64Array {
  return new BigInt64Array(new SharedArrayBuffer(3 * RATES_MAX * BigInt64Array.BYTES_PER_ELEMENT));
}

export class NodePaces {
  private readonly clock: Clock;
  private readonly words: BigInt64Array;

  /** The clock is the same for all threads that have these words. */
  constructor(clock: Clock, words: BigInt64Array) {
    this.clock = clock;
    this.words = words;
  }

  /** `bytesPerSecond` is asked each time; 0: no limit. */
  pace(name: string, bytesPerSecond: () => number): Pace {
    const place = this.placeOf(name);
    const pace = pacer(this.clock, bytesPerSecond, new PaidUntil(this.words, RATES_MAX + place));
    return async (bytes, isWanted) => {
      const waitedMs = await pace(bytes, isWanted);
      if (waitedMs > 0) Atomics.add(this.words, 2 * RATES_MAX + place, BigInt(Math.round(waitedMs * MICROS_PER_MILLI)));
      return waitedMs;
    };
  }

  /** Of all threads since the node started; of those that wait now not what they have waited for. */
  waitedMs(name: string): number {
    const place = this.probe(name, (each) => Atomics.load(this.words, each));
    // Nobody has waited at a place that is free.
    return place === undefined ? 0 : Number(Atomics.load(this.words, 2 * RATES_MAX + place)) / MICROS_PER_MILLI;
  }

  /** The first thread that needs one takes it. */
  private placeOf(name: string): number {
    const taking = (place: number, key: bigint): bigint => Atomics.compareExchange(this.words, place, 0n, key);
    return this.probe(name, taking) ?? hashOf(name).first;
  }

  /** The place of the name, or the free one where it would be. `wordAt`: the key that a place has, 0 where it is free. */
  private probe(name: string, wordAt: (place: number, key: bigint) => bigint): number | undefined {
    const { first, key } = hashOf(name);
    for (let tries = 0; tries < RATES_MAX; tries++) {
      const place = (first + tries) % RATES_MAX;
      const word = wordAt(place, key);
      if (word === 0n || word === key) return place;
    }
    return undefined;
  }
}

/** Where a name is looked for first, and what it is known by. */
function hashOf(name: string): { readonly first: number; readonly key: bigint } {
  const digest = createHash('sha256').update(name).digest();
  // 0 is a place that nobody has.
  return { first: digest.readUInt32LE(8) % RATES_MAX, key: digest.readBigInt64LE() || 1n };
}
