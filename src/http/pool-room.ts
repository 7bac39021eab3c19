/**
 * The room of one pool, in words that all fronts of a node share, so that no request waits for a message to be let in. Limits hold for the fronts
 * together. What is free goes to whom waits longest, but that a front takes its part of
 * the pool's size before others.
 */
import type { PoolName } from '../rest/endpoint.js';

export interface PoolLimits {
  /** Requests that run at once. */
  readonly size: number;
  /** Requests that wait. */
  readonly queueSize: number;
}

/** Which front of a node, from 0, and of how many. */
export interface FrontPlace {
  readonly place: number;
  readonly count: number;
}

/** By what a request that waits is told from those that came before it. Odd: 0 says that none waits. Numbers begin again after all 32 bits. */
export type Ticket = number;
export const NO_TICKET: Ticket = 0;
const TICKET_STEP = 2;

const POOLS: readonly PoolName[] = ['search', 'write', 'management'];

/** A cache line has 64 bytes. */
const WORDS_OF_LINE = 16;

/** Words of a pool; behind them the ticket of the request that waits longest in each front. */
const WORD = {
  /** Requests that run or wait for a place. */
  pending: 0,
  /** Those that run and are not known to take long. */
  placed: 1,
  running: 2,
  /** Requests that fronts answer themselves, when they have time. */
  postponed: 3,
  newestTicket: 4,
  waiting: 5,
} as const;

/** Shared memory for the pools of a node with so many fronts. */
export function poolWords(fronts: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(POOLS.length * wordsOfPool(fronts) * Int32Array.BYTES_PER_ELEMENT));
}

/** Each pool has cache lines of its own. */
function wordsOfPool(fronts: number): number {
  return Math.ceil((WORD.waiting + fronts) / WORDS_OF_LINE) * WORDS_OF_LINE;
}

export class PoolRoom {
  readonly limits: PoolLimits;
  private readonly words: Int32Array;
  private readonly place: number;
  /** Places that are this front's, whoever waits. */
  private readonly part: number;
  /** Running, waiting and postponed. */
  private readonly pendingMax: number;

  /** `words` are of {@link poolWords}. */
  constructor(pool: PoolName, limits: PoolLimits, words: Int32Array, { place, count }: FrontPlace) {
    const from = POOLS.indexOf(pool) * wordsOfPool(count);
    this.limits = limits;
    this.words = words.subarray(from, from + WORD.waiting + count);
    this.place = place;
    this.part = Math.floor(limits.size / count);
    this.pendingMax = limits.size + limits.queueSize;
  }

  /** In all fronts. */
  get running(): number {
    return Atomics.load(this.words, WORD.running);
  }

  /** Whether a request that waits for a place is one too many, beside those that fronts have postponed. Of two fronts that ask at once both may have room for one. */
  get isOverfull(): boolean {
    return Atomics.load(this.words, WORD.pending) + Atomics.load(this.words, WORD.postponed) > this.pendingMax;
  }

  /** One request more runs or waits. False: there are as many as there may be. */
  enter(): boolean {
    return this.addBelow(WORD.pending, this.pendingMax);
  }

  leave(): void {
    Atomics.sub(this.words, WORD.pending, 1);
  }

  postpone(): boolean {
    return this.addBelow(WORD.postponed, this.pendingMax - Atomics.load(this.words, WORD.pending));
  }

  resume(): void {
    Atomics.sub(this.words, WORD.postponed, 1);
  }

  /** A place to run, for a request of a front that has `own` places already. False: others are before it. */
  take(own: number, ticket: Ticket): boolean {
    if (own >= this.part && this.isPreceded(ticket)) return false;
    return this.addBelow(WORD.placed, this.limits.size);
  }

  giveBack(): void {
    Atomics.sub(this.words, WORD.placed, 1);
  }

  begin(): void {
    Atomics.add(this.words, WORD.running, 1);
  }

  end(): void {
    Atomics.sub(this.words, WORD.running, 1);
  }

  nextTicket(): Ticket {
    return Atomics.add(this.words, WORD.newestTicket, TICKET_STEP) | 1;
  }

  /** Of the request that waits longest in this front. */
  announce(ticket: Ticket): void {
    Atomics.store(this.words, WORD.waiting + this.place, ticket);
  }

  /** Whether a request waits in another front, for longer than the one of this ticket; one without a ticket has only come now. */
  isPreceded(ticket: Ticket): boolean {
    for (let at: number = WORD.waiting; at < this.words.length; at++) {
      if (at === WORD.waiting + this.place) continue;
      const other = Atomics.load(this.words, at);
      if (other !== NO_TICKET && (ticket === NO_TICKET || ((other - ticket) | 0) < 0)) return true;
    }
    return false;
  }

  private addBelow(word: number, limit: number): boolean {
    let found = Atomics.load(this.words, word);
    while (found < limit) {
      const before = Atomics.compareExchange(this.words, word, found, found + 1);
      if (before === found) return true;
      found = before;
    }
    return false;
  }
}
