/**
 * An open shard with its clockwork: refreshes on schedule, flushes when the translog has grown, syncs an asynchronous
 * translog, merges what the policy finds. Knows neither REST nor cluster.
 */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import type { Logger } from '../base/logger.js';
import type { NativeShard, SegmentStats, ShardSettings } from '../native/shard.js';
import type { Searcher } from '../native/searcher.js';
import { FlushCounter, SearchGroups } from './activity.js';

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
  run(job: Uint8Array): Promise<Uint8Array>;
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
}

export interface FlushOptions {
  readonly force?: boolean;
  /** The shard itself found that it is time. */
  readonly isPeriodic?: boolean;
}

export class ManagedShard {
  readonly key: ManagedShardKey;
  readonly native: NativeShard;
  readonly flushes = new FlushCounter();
  readonly searchGroups = new SearchGroups();
  private readonly services: ManagedShardServices;
  private settings: ManagedShardSettings;
  private refreshListeners: (() => void)[] = [];
  private lastSearchMs: number;
  private flushing: Promise<unknown> | undefined;
  private isMerging = false;
  private isClosed = false;
  private cancelRefresh: () => void = () => undefined;
  private cancelSync: () => void = () => undefined;

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
    this.lastSearchMs = services.clock.monotonicMs();
    this.schedule();
  }

  /** Makes everything indexed so far searchable; false when there was nothing new. */
  refresh(): boolean {
    const refreshed = this.native.refresh(this.services.clock.nowMs());
    const listeners = this.refreshListeners;
    this.refreshListeners = [];
    for (const listener of listeners) listener();
    if (refreshed) void this.mergeIfDue();
    return refreshed;
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
    const wasIdle = this.isIdle();
    this.lastSearchMs = this.services.clock.monotonicMs();
    if (wasIdle && this.native.isDirty()) this.refresh();
    return this.native.searcher();
  }

  /** To be called after writes: flushes in the background when the translog is due. */
  wrote(): void {
    if (this.flushing !== undefined || this.isClosed || !this.native.needsFlush()) return;
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
    const flushed = await this.native.flush(clock.nowMs(), force);
    this.flushes.ended(clock.monotonicMs() - startedMs, isPeriodic);
    void this.mergeIfDue();
    return flushed;
  }

  update(settings: ManagedShardSettings): void {
    this.settings = settings;
    this.native.updateSettings(settings.native);
    this.schedule();
  }

  /** Flushes, so that the next start has nothing to replay, and lets go of all files. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRefresh();
    this.cancelSync();
    await this.flushing;
    try {
      await this.native.flush(this.services.clock.nowMs());
    } catch (error) {
      this.warn('flush before closing failed', error);
    }
    for (const listener of this.refreshListeners) listener();
    await this.native.close();
  }

  private schedule(): void {
    this.cancelRefresh();
    this.cancelSync();
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
    const next = (): void => {
      cancel = this.services.clock.schedule(intervalMs, () => {
        action();
        next();
      });
    };
    next();
    return () => {
      cancel();
    };
  }

  private scheduledRefresh(): void {
    if (this.isClosed || this.isIdle()) return;
    try {
      if (this.native.isDirty()) this.refresh();
    } catch (error) {
      this.warn('scheduled refresh failed', error);
    }
  }

  private sync(): void {
    if (this.isClosed) return;
    this.native.sync().catch((error: unknown) => {
      this.warn('sync of the translog failed', error);
    });
  }

  private isIdle(): boolean {
    const { searchIdleAfterMs } = this.settings;
    if (searchIdleAfterMs === undefined || this.refreshListeners.length > 0) return false;
    return this.services.clock.monotonicMs() - this.lastSearchMs >= searchIdleAfterMs;
  }

  /** One merge of a shard at a time; looks again after each. */
  private async mergeIfDue(): Promise<void> {
    if (this.isMerging || this.isClosed) return;
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

  private async merge(segments: readonly string[]): Promise<void> {
    const job = this.native.beginMerge(segments);
    try {
      const outcome = await this.services.merges.run(job);
      if (!this.isShut()) this.native.finishMerge(outcome);
    } catch (error) {
      if (!this.isShut()) this.native.abortMerge(job);
      throw error;
    }
  }

  private isShut(): boolean {
    return this.isClosed;
  }

  private warn(message: string, error: unknown): void {
    if (this.isClosed) return;
    const { index, shard } = this.key;
    this.services.logger.log('warn', message, { index, shard, reason: asQuarryError(error).message });
  }
}
