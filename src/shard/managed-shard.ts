/**
 * An open shard with its clockwork: refreshes on schedule, flushes when the translog has grown, syncs an asynchronous
 * translog, merges what the policy finds. Knows neither REST nor cluster.
 */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { WorkCounter } from '../base/work-counters.js';
import type { NativeShard } from '../native/shard.js';
import type { ShardSettings } from '../native/shard-options.js';
import type { SegmentStats } from '../native/shard-statistics.js';
import type { Searcher } from '../native/searcher.js';
import { FlushCounter, flushes, WriteCounter } from './activity.js';
import type { FileCopying } from './file-copying.js';
import type { BufferHolder, IndexingMemory } from './indexing-memory.js';
import { ReplicationGroup, type ReplicationServices } from './replication/replication-group.js';

export interface ManagedShardSettings {
  readonly native: ShardSettings;
  /** Milliseconds; -1: only when asked. */
  readonly refreshIntervalMs: number;
  /** A shard that was not searched for so long is not refreshed on schedule; undefined: it always is. */
  readonly searchIdleAfterMs: number | undefined;
  readonly syncIntervalMs: number;
  /** Writes that wait for a refresh; one more brings it about. */
  readonly refreshListenersMax: number;
}

/** Merging as the shard needs it: a choice, and somebody who carries it out on a native thread. */
export interface ShardMerges {
  /** Segments to merge, each list into one. */
  choose(segments: readonly SegmentStats[]): readonly (readonly string[])[];
  /** From the job of `beginMerge` to what `finishMerge` takes. */
  start(job: Uint8Array): RunningMerge;
}

/** `done` fails soon after `cancel`, and what was written is removed then. */
export interface RunningMerge {
  readonly done: Promise<Uint8Array>;
  cancel(): void;
}

/** Names the shard, see `actions/shard-client.ts`. */
export interface ManagedShardKey {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
}

export interface ManagedShardServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly merges: ShardMerges;
  /** Is told what this shard's indexing buffer holds. */
  readonly memory: Pick<IndexingMemory, 'changed'>;
  readonly replication: ReplicationServices;
  /** Works with the shard until it is closed. */
  readonly copying?: Pick<FileCopying, 'close'> | undefined;
  /** Is told once when the shard cannot go on and has to be opened anew. */
  onFailure(reason: string): void;
}

const refreshes = new WorkCounter('refresh');

/** A buffer without writes for so long gives its memory back. */
const BUFFER_KEPT_MS = 30_000;

export interface FlushOptions {
  readonly force?: boolean;
  /** The shard itself found that it is time. */
  readonly isPeriodic?: boolean;
}

export class ManagedShard implements BufferHolder {
  readonly office = 'primary';
  readonly key: ManagedShardKey;
  readonly native: NativeShard;
  readonly flushes = new FlushCounter();
  readonly writes = new WriteCounter();
  /** By the clock that only goes forward. */
  readonly openedAtMs: number;
  readonly copies: ReplicationGroup;
  private readonly services: ManagedShardServices;
  private settings: ManagedShardSettings;
  private refreshListeners: (() => void)[] = [];
  private lastSearchMs: number;
  /** What other threads were told: they ask here, and may not be shown what is there yet. */
  private isToldIdle = false;
  private flushing: Promise<unknown> | undefined;
  private refreshing: Promise<boolean> | undefined;
  private isMerging = false;
  private readonly runningMerges = new Map<RunningMerge, Promise<void>>();
  private isClosed = false;
  private failure: string | undefined;
  /** Undefined: the buffer keeps no memory. */
  private lastWriteMs: number | undefined;
  private cancelRefresh: () => void = () => undefined;
  private cancelSync: () => void = () => undefined;
  private cancelRelease: () => void = () => undefined;

  constructor(
    key: ManagedShardKey,
    native: NativeShard,
    settings: ManagedShardSettings,
    services: ManagedShardServices,
  ) {
    this.key = key;
    this.native = native;
    this.settings = settings;
    this.services = services;
    this.copies = new ReplicationGroup(native, services.replication, (reason) => {
      this.fail(reason);
    });
    this.openedAtMs = services.clock.monotonicMs();
    this.lastSearchMs = this.openedAtMs;
    this.tellIdleness();
    this.schedule();
    this.cancelRelease = this.every(BUFFER_KEPT_MS, () => {
      this.releaseIdleMemory();
    });
  }

  /** Makes everything indexed so far searchable before it returns; false when there was nothing new. */
  refresh(): boolean {
    const refreshed = refreshes.within(() => this.native.refresh(this.services.clock.nowMs()));
    const listeners = this.refreshListeners;
    this.refreshListeners = [];
    this.refreshed(refreshed, listeners);
    return refreshed;
  }

  /** As `refresh`, with large segments written on another thread: the worker serves others meanwhile. */
  async refreshInBackground(): Promise<boolean> {
    // One that runs may have begun before the newest write.
    while (this.refreshing !== undefined) await this.refreshing.catch(() => undefined);
    this.refreshing = this.runRefresh().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  private async runRefresh(): Promise<boolean> {
    const listeners = this.refreshListeners;
    this.refreshListeners = [];
    try {
      const refreshed = await refreshes.during(() => this.native.refreshInBackground(this.services.clock.nowMs()));
      this.refreshed(refreshed, listeners);
      return refreshed;
    } catch (error) {
      this.refreshListeners.unshift(...listeners);
      throw error;
    }
  }

  private refreshed(somethingNew: boolean, listeners: readonly (() => void)[]): void {
    for (const listener of listeners) listener();
    this.reportMemory();
    if (this.isToldIdle && !this.isShut()) this.tellIdleness();
    if (!somethingNew) return;
    this.copies.wake();
    void this.mergeIfDue();
  }

  /** Everything indexed so far is searchable on all copies that are waited for when this resolves. */
  async refreshCopies(): Promise<boolean> {
    const refreshed = await this.refreshInBackground();
    await this.copies.published();
    return refreshed;
  }

  /** Resolves when what was written up to there is on the disks of all copies that may become the primary. */
  async acknowledged(location: number, maxSeqNo: number): Promise<void> {
    if (location === 0) return;
    await Promise.all([this.native.synced(location), this.copies.replicated(maxSeqNo)]);
  }

  /** Makes a segment of the buffer because the node needs its memory. */
  relieve(): number {
    try {
      this.refresh();
      this.native.releaseMemory();
      this.lastWriteMs = undefined;
      return this.native.indexingBytes();
    } catch (error) {
      this.warn('refresh failed', error);
      return this.heldBytes();
    }
  }

  /** 0 of a shard that cannot be asked any more. */
  private heldBytes(): number {
    if (this.isShut()) return 0;
    try {
      return this.native.indexingBytes();
    } catch {
      return 0;
    }
  }

  /** Resolves when everything indexed so far is searchable: at the next refresh. */
  whenRefreshed(): Promise<void> {
    if (!this.native.isDirty()) return Promise.resolve();
    this.lastSearchMs = this.services.clock.monotonicMs();
    return new Promise((resolve) => {
      this.refreshListeners.push(resolve);
      if (this.refreshListeners.length > this.settings.refreshListenersMax) this.refresh();
    });
  }

  /** What searches see. A shard that was idle catches up first. */
  searcher(): Searcher {
    this.catchUp();
    return this.native.searcher();
  }

  private catchUp(): void {
    const wasIdle = this.isToldIdle || this.isIdle();
    this.lastSearchMs = this.services.clock.monotonicMs();
    if (wasIdle && this.native.isDirty()) this.refresh();
    this.tellIdleness();
  }

  /** Threads that search without asking leave word of it only. */
  private noticeSearches(): void {
    if (this.native.takeSearched()) this.lastSearchMs = this.services.clock.monotonicMs();
    this.tellIdleness();
  }

  /** Who finds the shard idle asks here, so that it catches up first; that it is not is told after it has caught up. */
  private tellIdleness(): void {
    const isIdle = this.isIdle();
    if (this.isToldIdle && !isIdle && this.native.isDirty()) return;
    this.isToldIdle = isIdle;
    this.native.setIdle(isIdle);
  }

  /** To be called after writes: accounts for the buffer, and flushes in the background when the translog is due. */
  wrote(): void {
    this.lastWriteMs = this.services.clock.monotonicMs();
    this.reportMemory();
    if (this.flushing !== undefined || this.isShut() || !this.native.needsFlush()) return;
    this.flushing = this.flush({ isPeriodic: true })
      .catch((error: unknown) => {
        this.warn('flush failed', error);
      })
      .finally(() => {
        this.flushing = undefined;
      });
  }

  /** Writes a commit point; false when there was nothing new to write (and it was not forced). */
  async flush({ force = false, isPeriodic = false }: FlushOptions = {}): Promise<boolean> {
    const { clock } = this.services;
    const startedMs = clock.monotonicMs();
    await this.refreshInBackground();
    const flushed = await flushes.during(() => this.native.flush(clock.nowMs(), force));
    this.flushes.ended(clock.monotonicMs() - startedMs, isPeriodic);
    void this.mergeIfDue();
    return flushed;
  }

  update(settings: ManagedShardSettings): void {
    this.settings = settings;
    this.native.updateSettings(settings.native);
    this.tellIdleness();
    this.schedule();
  }

  /** Cancels merges, flushes, so that the next start has nothing to replay, and lets go of all files. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.copies.close();
    this.stopClockwork();
    this.services.memory.changed(this, 0);
    for (const merge of this.runningMerges.keys()) merge.cancel();
    await this.services.copying?.close();
    await this.whenMergesEnd();
    await this.flushing;
    await this.refreshing?.catch(() => undefined);
    try {
      if (this.failure === undefined) await this.native.flush(this.services.clock.nowMs());
    } catch (error) {
      this.log('flush before closing failed', error);
    }
    for (const listener of this.refreshListeners) listener();
    await this.native.close();
    await this.services.replication.retention.settled();
  }

  /** To be called when a call of the shard failed: reports, once, a shard that cannot go on. */
  noticeFailure(): void {
    if (this.isShut()) return;
    const reason = this.native.failure();
    if (reason === undefined) return;
    this.copies.close();
    this.fail(reason);
  }

  private fail(reason: string): void {
    if (this.isShut()) return;
    this.failure = reason;
    this.stopClockwork();
    this.services.memory.changed(this, 0);
    this.services.onFailure(reason);
  }

  /**
   * Merges the segments into one; resolves when searches may see it. One that is under way at closing is cancelled, and
   * none begins after that.
   */
  async merge(segments: readonly string[]): Promise<void> {
    if (this.shutBecause !== undefined) throw new QuarryError('illegal_state_exception', this.shutBecause);
    const job = this.native.beginMerge(segments);
    const merge = this.services.merges.start(job);
    const ended = this.finishMerge(merge, job);
    this.runningMerges.set(merge, ended);
    try {
      await ended;
    } finally {
      this.runningMerges.delete(merge);
    }
  }

  /** Resolves when the merges that are running now have ended, well or not. */
  async whenMergesEnd(): Promise<void> {
    await Promise.allSettled(this.runningMerges.values());
  }

  /** Closing waits for this: the native shard is open to the end of it. */
  private async finishMerge(merge: RunningMerge, job: Uint8Array): Promise<void> {
    try {
      this.native.finishMerge(await merge.done);
      this.copies.wake();
    } catch (error) {
      this.native.abortMerge(job);
      throw error;
    }
  }

  private stopClockwork(): void {
    this.cancelRefresh();
    this.cancelSync();
    this.cancelRelease();
  }

  private reportMemory(): void {
    if (this.isShut()) return;
    this.services.memory.changed(this, this.native.indexingBytes());
  }

  private releaseIdleMemory(): void {
    if (this.lastWriteMs === undefined || this.native.isDirty()) return;
    if (this.services.clock.monotonicMs() - this.lastWriteMs < BUFFER_KEPT_MS) return;
    this.native.releaseMemory();
    this.lastWriteMs = undefined;
  }

  private schedule(): void {
    this.cancelRefresh();
    this.cancelSync();
    if (this.isShut()) return;
    const { refreshIntervalMs, syncIntervalMs, native } = this.settings;
    if (refreshIntervalMs > 0)
      this.cancelRefresh = this.every(refreshIntervalMs, () => {
        this.scheduledRefresh();
      });
    if (native.durability === 'async')
      this.cancelSync = this.every(syncIntervalMs, () => {
        this.sync();
      });
  }

  /** Runs the action again and again until cancelled. */
  private every(intervalMs: number, action: () => void): () => void {
    let cancel: () => void = () => undefined;
    let isCancelled = false;
    const next = (): void => {
      if (isCancelled) return;
      cancel = this.services.clock.schedule(intervalMs, () => {
        action();
        next();
      });
    };
    next();
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  private scheduledRefresh(): void {
    if (this.isClosed) return;
    this.refreshIfSearched().catch((error: unknown) => {
      this.warn('scheduled refresh failed', error);
    });
  }

  private async refreshIfSearched(): Promise<void> {
    this.noticeSearches();
    if (this.isIdle() || this.refreshing !== undefined) return;
    if (this.native.isDirty()) await this.refreshInBackground();
  }

  private sync(): void {
    if (this.isClosed) return;
    this.native.sync().catch((error: unknown) => {
      this.warn('sync of the translog failed', error);
    });
  }

  private isIdle(): boolean {
    const { searchIdleAfterMs } = this.settings;
    // Searches of other copies are not seen here.
    if (searchIdleAfterMs === undefined || this.refreshListeners.length > 0 || this.copies.hasCopies) return false;
    return this.services.clock.monotonicMs() - this.lastSearchMs >= searchIdleAfterMs;
  }

  /** One merge of a shard at a time; looks again after each. */
  private async mergeIfDue(): Promise<void> {
    if (this.isMerging || this.isShut()) return;
    this.isMerging = true;
    try {
      for (;;) {
        const [segments] = this.services.merges.choose(this.native.segments());
        if (segments === undefined || this.isShut()) return;
        await this.merge(segments);
      }
    } catch (error) {
      this.warn('merge failed', error);
    } finally {
      this.isMerging = false;
    }
  }

  /** It takes no more calls, and not because it is being closed. */
  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Why the shard takes no more calls: it failed, or is being closed. */
  get shutBecause(): string | undefined {
    return this.failure ?? (this.isClosed ? 'the shard is being closed' : undefined);
  }

  private isShut(): boolean {
    return this.shutBecause !== undefined;
  }

  private warn(message: string, error: unknown): void {
    if (this.isClosed) return;
    this.noticeFailure();
    this.log(message, error);
  }

  private log(message: string, error: unknown): void {
    const { index, shard } = this.key;
    this.services.logger.log('warn', message, { index, shard, reason: asQuarryError(error).message });
  }
}
