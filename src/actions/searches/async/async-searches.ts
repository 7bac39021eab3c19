/** Searches of one worker that go on without their requests, and what they came to: in memory, each for its keep-alive. */
import type { BreakerFigures } from '../../../base/breakers.js';
import type { Clock } from '../../../base/clock.js';
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { newId, type Random } from '../../../base/random.js';
import { ASYNC_ANSWER_BYTES_MAX, type ContextCounters } from '../contexts/context-counters.js';

/** Of one worker: running ones and outcomes that wait to be asked for. */
const SEARCHES_MAX = 1_000;

/** A day. */
const WATCH_MS_MAX = 86_400_000;

/** The body of a search's answer as JSON. */
export interface AsyncAnswer {
  readonly bytes: Uint8Array;
  /** Some shard failed. */
  readonly isPartial: boolean;
}

export interface AsyncSearchStart {
  /** Number of its task. */
  readonly task: number;
  /** See `ownerOf`: nobody else gets what it finds. */
  readonly owner: string;
  readonly keepAliveMs: number;
  /** Of an answer that is kept. */
  readonly answerBytesMax: number;
  /** What shards have answered so far. */
  readonly soFar: () => AsyncAnswer;
  readonly cancel: () => void;
}

type Outcome = { readonly answer: AsyncAnswer } | { readonly error: unknown };

export class AsyncSearch {
  readonly token: string;
  readonly startedMs: number;
  readonly start: AsyncSearchStart;
  readonly done: Promise<void>;
  keepAliveMs: number;
  expiresMs = 0;
  completedMs: number | undefined;
  outcome: Outcome | undefined;
  /** Its id was given away. */
  isKept = false;
  cancelExpiry: () => void = () => undefined;
  private tellDone: () => void = () => undefined;

  constructor(token: string, startedMs: number, start: AsyncSearchStart) {
    this.token = token;
    this.startedMs = startedMs;
    this.start = start;
    this.keepAliveMs = start.keepAliveMs;
    this.done = new Promise((resolve) => {
      this.tellDone = resolve;
    });
  }

  get keptBytes(): number {
    return this.isKept && this.outcome !== undefined && 'answer' in this.outcome ? this.outcome.answer.bytes.length : 0;
  }

  complete(outcome: Outcome, completedMs: number): void {
    this.outcome = outcome;
    this.completedMs = completedMs;
    this.tellDone();
  }
}

export class AsyncSearches {
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly counters: ContextCounters;
  private readonly searches = new Map<string, AsyncSearch>();

  constructor(clock: Clock, random: Random, counters: ContextCounters) {
    this.clock = clock;
    this.random = random;
    this.counters = counters;
  }

  /** Throws `rejected_execution_exception` when there are too many. */
  begin(start: AsyncSearchStart): AsyncSearch {
    if (this.searches.size >= SEARCHES_MAX) {
      this.counters.refuseAsync();
      const reason = `Trying to create too many async searches. Must be less than or equal to: [${SEARCHES_MAX}].`;
      throw new QuarryError('rejected_execution_exception', reason);
    }
    const search = new AsyncSearch(newId(this.random), this.clock.nowMs(), start);
    this.searches.set(search.token, search);
    this.prolong(search, start.keepAliveMs);
    return search;
  }

  /** Of the whole node. */
  figures(): BreakerFigures {
    return this.counters.asyncFigures();
  }

  find(token: string): AsyncSearch | undefined {
    return this.searches.get(token);
  }

  /** From now on; its time begins when the search did. */
  prolong(search: AsyncSearch, keepAliveMs: number): void {
    search.keepAliveMs = keepAliveMs;
    search.expiresMs = Math.max(search.expiresMs, search.startedMs + keepAliveMs);
    this.watch(search);
  }

  private watch(search: AsyncSearch): void {
    search.cancelExpiry();
    const leftMs = search.expiresMs - this.clock.nowMs();
    // A timer cannot wait for longer than some weeks.
    search.cancelExpiry = this.clock.schedule(Math.min(Math.max(leftMs, 0), WATCH_MS_MAX), () => {
      if (leftMs <= WATCH_MS_MAX) this.remove(search);
      else this.watch(search);
    });
  }

  /** Cancels one that runs. */
  remove(search: AsyncSearch): void {
    search.cancelExpiry();
    this.searches.delete(search.token);
    if (search.outcome === undefined) search.start.cancel();
    this.count();
  }

  complete(search: AsyncSearch, outcome: Outcome): void {
    search.complete(outcome, this.clock.nowMs());
    if (search.isKept) this.checkRoom(search);
  }

  /** Its id is given away: what it comes to is kept, if it is not too large. */
  keep(search: AsyncSearch): void {
    search.isKept = true;
    if (search.outcome !== undefined) this.checkRoom(search);
  }

  private checkRoom(search: AsyncSearch): void {
    const error = this.excess(search);
    if (error !== undefined) {
      search.outcome = { error };
      this.counters.refuseAsync();
    }
    this.count();
  }

  private excess(search: AsyncSearch): QuarryError | undefined {
    const { answerBytesMax } = search.start;
    if (search.keptBytes > answerBytesMax) {
      const reason = `Can't store an async search response larger than [${answerBytesMax}] bytes. This limit can be set by`;
      return illegalArgument(`${reason} changing the [search.max_async_search_response_size] setting.`);
    }
    if (this.keptBytes <= ASYNC_ANSWER_BYTES_MAX) return undefined;
    const reason =
      `the answers of async searches take more than [${ASYNC_ANSWER_BYTES_MAX}] bytes: ` +
      'delete some that are not needed';
    return new QuarryError('rejected_execution_exception', reason);
  }

  private get keptBytes(): number {
    let kept = 0;
    for (const { keptBytes } of this.searches.values()) kept += keptBytes;
    return kept;
  }

  private count(): void {
    this.counters.setAsyncBytes(this.keptBytes);
  }
}
