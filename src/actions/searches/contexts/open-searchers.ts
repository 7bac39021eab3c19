/** Views of shards that this worker holds for searches that come back: between two phases, scrolls, points in time. */
import type { Clock } from '../../../base/clock.js';
import { QuarryError } from '../../../base/errors.js';
import { newId, type Random } from '../../../base/random.js';
import { differenceOf } from '../../../base/shared-map.js';
import type { ClusterState } from '../../../cluster/state.js';
import type { Searcher } from '../../../native/searcher.js';
import type { ContextCounters, CountedContext } from './context-counters.js';
import { isSameSeal, type Seal } from './seal.js';

/**
 * Views held between two phases at once by one worker, one for each shard of its searches: of all shards that a node may have, several times. More
 * are refused until some end.
 */
const OPEN_MAX = 100_000;
/** A search that does not come back for its hits by then has failed. */
const KEPT_MS = 60_000;

/** Names what is held. The token is random, so that nobody reaches what was not given to him. */
export interface HeldName {
  readonly id: number;
  readonly token: string;
  /** Of what is held between requests: who asks says what it must be. */
  readonly seal?: Seal;
}

/** What a scroll needs for its next page. */
export interface ScrollPlace {
  readonly plan: Uint8Array;
  readonly groups: readonly string[];
  /** Of the page before; absent before the first is shown. */
  cursor?: Uint8Array;
  /** The query phase of the page that is being made. */
  result: Uint8Array;
}

export interface HeldPit {
  /** The id that the client has; told once all shards are open. */
  pitId: string;
  readonly createdMs: number;
}

export interface Keep {
  readonly kind: CountedContext;
  readonly keepAliveMs: number;
  /** Of this kind on the node. */
  readonly openMax: number;
  readonly seal: Seal;
}

export interface Held {
  readonly searcher: Searcher;
  readonly scroll?: ScrollPlace;
  readonly pit?: HeldPit;
}

interface Entry extends Held, HeldName {
  readonly kind: CountedContext | 'search';
  readonly shard: string;
  readonly openedMs: number;
  keepAliveMs: number;
  cancelExpiry: () => void;
}

/** Of one shard since its worker began. Times are milliseconds. */
export interface ContextFigures {
  readonly open: number;
  readonly scrollCurrent: number;
  readonly scrollTotal: number;
  readonly scrollTimeMs: number;
  readonly pitCurrent: number;
  readonly pitTotal: number;
  readonly pitTimeMs: number;
}

export const NO_CONTEXTS: ContextFigures = {
  open: 0,
  scrollCurrent: 0,
  scrollTotal: 0,
  scrollTimeMs: 0,
  pitCurrent: 0,
  pitTotal: 0,
  pitTimeMs: 0,
};

interface Ended {
  scrollTotal: number;
  scrollTimeMs: number;
  pitTotal: number;
  pitTimeMs: number;
}

export class OpenSearchers {
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly counters: ContextCounters;
  private readonly held = new Map<number, Entry>();
  /** Of the newest state; and the UUIDs of those among them that are open. */
  private followed: ClusterState['indices'] = new Map();
  private readonly openIndices = new Set<string>();
  private readonly ended = new Map<string, Ended>();
  private searches = 0;
  private nextId = 1;

  constructor(clock: Clock, random: Random, counters: ContextCounters) {
    this.clock = clock;
    this.random = random;
    this.counters = counters;
  }

  /** Keeps a view of the shard between the phases of a search. */
  keep(shard: string, searcher: Searcher): HeldName {
    if (this.searches >= OPEN_MAX) {
      const reason = `Trying to create too many search contexts. Must be less than or equal to: [${OPEN_MAX}].`;
      throw new QuarryError('rejected_execution_exception', reason);
    }
    return this.add(shard, 'search', KEPT_MS, { searcher });
  }

  keepScroll(shard: string, keep: Keep, searcher: Searcher, scroll: ScrollPlace): HeldName {
    this.checkRoom(keep);
    return this.add(shard, 'scroll', keep.keepAliveMs, { searcher, scroll }, keep.seal);
  }

  keepPit(shard: string, keep: Keep, searcher: Searcher): HeldName {
    this.checkRoom(keep);
    const pit = { pitId: '', createdMs: this.clock.nowMs() };
    return this.add(shard, 'pit', keep.keepAliveMs, { searcher, pit }, keep.seal);
  }

  /** What is held of that shard: what may be read of a shard is decided by the name that a request gives it. */
  get(shard: string, name: HeldName): Held {
    return this.find(shard, name);
  }

  /** As {@link get}. Its time begins anew; of two times the longer holds. */
  touch(shard: string, name: HeldName, keepAliveMs: number | undefined): Held {
    const entry = this.find(shard, name);
    entry.keepAliveMs = Math.max(entry.keepAliveMs, keepAliveMs ?? 0);
    this.schedule(entry);
    return entry;
  }

  /** False when it was not held, or not of that shard. */
  release(shard: string, name: HeldName): boolean {
    const entry = this.named(shard, name);
    if (entry === undefined) return false;
    this.end(entry);
    return true;
  }

  /** Of one shard and kind. */
  list(shard: string, kind: CountedContext): readonly (Held & HeldName & { readonly keepAliveMs: number })[] {
    return [...this.held.values()].filter((entry) => entry.kind === kind && entry.shard === shard);
  }

  /** Whether it is held, and of that shard. */
  holds(name: HeldName, shard: string): boolean {
    return this.named(shard, name) !== undefined;
  }

  /** Views end with their index, and when it is closed; not with the copy that they are of, which may go elsewhere. */
  follow({ indices }: Pick<ClusterState, 'indices'>): void {
    this.noteOpen(indices);
    for (const shard of new Set([...this.held.values()].map((entry) => entry.shard))) {
      if (!this.openIndices.has(shard.slice(0, shard.lastIndexOf('/')))) this.forget(shard);
    }
  }

  private noteOpen(indices: ClusterState['indices']): void {
    const before = this.followed;
    this.followed = indices;
    const { put, removed } = differenceOf(before, indices);
    for (const name of [...removed, ...put.map(([each]) => each)])
      this.openIndices.delete(before.get(name)?.uuid ?? '');
    for (const [, { uuid, state }] of put) if (state === 'open') this.openIndices.add(uuid);
  }

  /** The shard is gone for good. */
  forget(shard: string): void {
    for (const entry of [...this.held.values()]) if (entry.shard === shard) this.end(entry);
    this.ended.delete(shard);
  }

  figures(shard: string): ContextFigures {
    const own = [...this.held.values()].filter((entry) => entry.shard === shard);
    const count = (kind: CountedContext): number => own.filter((entry) => entry.kind === kind).length;
    const ended = this.ended.get(shard) ?? { scrollTotal: 0, scrollTimeMs: 0, pitTotal: 0, pitTimeMs: 0 };
    return { open: own.length, scrollCurrent: count('scroll'), pitCurrent: count('pit'), ...ended };
  }

  private checkRoom({ kind, openMax }: Keep): void {
    if (this.counters.open(kind) < openMax) return;
    const [what, setting] =
      kind === 'scroll'
        ? (['scroll', 'search.max_open_scroll_context'] as const)
        : (['Point In Time', 'search.max_open_pit_context'] as const);
    throw new QuarryError(
      kind === 'scroll' ? 'too_many_scroll_contexts_exception' : 'rejected_execution_exception',
      `Trying to create too many ${what} contexts. Must be less than or equal to: [${openMax}]. This limit can be set by ` +
        `changing the [${setting}] setting.`,
    );
  }

  private add(shard: string, kind: Entry['kind'], keepAliveMs: number, held: Held, seal?: Seal): HeldName {
    const sealed = seal === undefined ? {} : { seal };
    const name: HeldName = { id: this.nextId++, token: newId(this.random), ...sealed };
    const openedMs = this.clock.monotonicMs();
    const entry: Entry = { ...held, ...name, kind, shard, keepAliveMs, openedMs, cancelExpiry: () => undefined };
    this.held.set(name.id, entry);
    if (kind === 'search') this.searches++;
    else this.counters.add(kind, 1);
    this.schedule(entry);
    return name;
  }

  private schedule(entry: Entry): void {
    entry.cancelExpiry();
    entry.cancelExpiry = this.clock.schedule(entry.keepAliveMs, () => {
      this.end(entry);
    });
  }

  private end(entry: Entry): void {
    entry.cancelExpiry();
    entry.searcher.release();
    this.held.delete(entry.id);
    if (entry.kind === 'search') this.searches--;
    else this.counters.add(entry.kind, -1);
    this.noteEnd(entry);
  }

  private find(shard: string, name: HeldName): Entry {
    return this.named(shard, name) ?? this.missing(name);
  }

  private named(shard: string, { id, token, seal }: HeldName): Entry | undefined {
    const entry = this.held.get(id);
    const isMeant = entry?.token === token && entry.shard === shard && isSameSeal(entry.seal, seal);
    return isMeant ? entry : undefined;
  }

  missing({ id }: HeldName): never {
    throw new QuarryError('search_context_missing_exception', `No search context found for id [${id}]`);
  }

  private noteEnd({ kind, shard, openedMs }: Entry): void {
    if (kind === 'search') return;
    const ended = this.ended.get(shard) ?? { scrollTotal: 0, scrollTimeMs: 0, pitTotal: 0, pitTimeMs: 0 };
    const timeMs = Math.round(this.clock.monotonicMs() - openedMs);
    if (kind === 'scroll') this.ended.set(shard, add(ended, { scrollTotal: 1, scrollTimeMs: timeMs }));
    else this.ended.set(shard, add(ended, { pitTotal: 1, pitTimeMs: timeMs }));
  }
}

function add(ended: Ended, more: Partial<Ended>): Ended {
  return {
    scrollTotal: ended.scrollTotal + (more.scrollTotal ?? 0),
    scrollTimeMs: ended.scrollTimeMs + (more.scrollTimeMs ?? 0),
    pitTotal: ended.pitTotal + (more.pitTotal ?? 0),
    pitTimeMs: ended.pitTimeMs + (more.pitTimeMs ?? 0),
  };
}
