/**
 * Circuit breakers: limits on what a node holds in memory, each with a name that refusals and statistics give. What several threads need of
 * them lies in words that they share: how often each refused, and what the shards of each worker hold.
 */
import { QuarryError } from './errors.js';
import { formatBytes } from './units.js';

/** `inflight_requests` is printed as the announced product calls it; see {@link printedBreakerName}. */
export const BREAKERS = ['request', 'fielddata', 'inflight_requests', 'accounting', 'parent'] as const;
export type BreakerName = (typeof BREAKERS)[number];

/** Whether what was refused fits later without anybody doing something: what requests hold is given back, what shards hold is not. */
export type BreakerDurability = 'TRANSIENT' | 'PERMANENT';

export const DURABILITY: Readonly<Record<Exclude<BreakerName, 'parent'>, BreakerDurability>> = {
  request: 'TRANSIENT',
  fielddata: 'PERMANENT',
  inflight_requests: 'TRANSIENT',
  accounting: 'PERMANENT',
};

/** A limit on memory that requests hold, and how often it refused one. */
export interface BreakerFigures {
  readonly limitBytes: number;
  readonly usedBytes: number;
  readonly refused: number;
  /** All that was ever taken; nobody counts it of answers, and a node of an earlier version does not tell. */
  readonly takenBytes?: number;
}

export interface Excess {
  readonly wantedBytes: number;
  readonly limitBytes: number;
  readonly durability: BreakerDurability;
  /** Behind the sentence. */
  readonly more?: string;
}

/** The refusal of a breaker: with the data named `what` it would hold more than its limit. */
export function tooMuchData(breaker: string, what: string, excess: Excess): QuarryError {
  const { wantedBytes, limitBytes, durability, more = '' } = excess;
  const reason =
    `[${breaker}] Data too large, data for [${what}] would be [${sizeForPeople(wantedBytes)}], ` +
    `which is larger than the limit of [${sizeForPeople(limitBytes)}]${more}`;
  const details = { bytes_wanted: wantedBytes, bytes_limit: limitBytes, durability };
  return new QuarryError('circuit_breaking_exception', reason, { details });
}

/** `16384/16kb` */
export function sizeForPeople(bytes: number): string {
  return `${bytes}/${formatBytes(bytes)}`;
}

/** The one product renamed it with its version 8. */
export function printedBreakerName(name: string, isElasticsearch: boolean): string {
  return name === 'inflight_requests' && !isElasticsearch ? 'in_flight_requests' : name;
}

/** What the threads of a node tell each other of its breakers. */
export class BreakerWords {
  private readonly words: BigInt64Array;

  /** `words`: of {@link breakerWords}. */
  constructor(words: BigInt64Array) {
    this.words = words;
  }

  /** The breaker refused something. */
  trip(name: BreakerName): void {
    Atomics.add(this.words, BREAKERS.indexOf(name), 1n);
  }

  trips(name: BreakerName): number {
    return Number(Atomics.load(this.words, BREAKERS.indexOf(name)));
  }

  /** What the shards of the worker in this slot hold outside the page cache. */
  setAccounted(slot: number, bytes: number): void {
    Atomics.store(this.words, BREAKERS.length + slot, BigInt(bytes));
  }

  /** Of all workers. */
  accountedBytes(): number {
    let sum = 0;
    for (let at = BREAKERS.length; at < this.words.length; at++) sum += Number(Atomics.load(this.words, at));
    return sum;
  }
}

export function breakerWords(workerCount: number): BigInt64Array {
  const words = BREAKERS.length + workerCount;
  return new BigInt64Array(new SharedArrayBuffer(words * BigInt64Array.BYTES_PER_ELEMENT));
}
