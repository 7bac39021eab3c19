/**
 * The copies of a shard as its primary sees them. A write is acknowledged when every copy that may become the primary has
 * it on disk; a copy that cannot be kept level, or has no place any more, is first taken out of the in-sync set by the master.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { CopyAddress, CopyLink } from './copy-link.js';
import { CopySender, type PrimaryStore, type SenderOwner } from './copy-sender.js';
import type { Pace } from './push-segments.js';
import type { RecoveryLimits } from './recovery-limits.js';
import { HistoryRetention, type RetentionServices } from './history-retention.js';

export interface ReplicationServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pace: Pace;
  readonly retention: RetentionServices;
  /** Of recoveries, as they are now. */
  readonly limits: () => RecoveryLimits;
  link(copy: CopyAddress): CopyLink;
  /**
   * The master was asked to take the copy into the in-sync set, or out of it and its place, and has answered. Asked again
   * until it does, unless `isWanted` says that nobody waits any more. Fails with `no_longer_primary_shard_exception` alone.
   */
  reportStarted(allocationId: string, isWanted: () => boolean): Promise<void>;
  reportFailed(allocationId: string, reason: string, isWanted: () => boolean): Promise<void>;
}

/** What the newest cluster state says of the shard. */
export interface ShardView {
  /** All assigned copies but the primary itself. */
  readonly others: readonly CopyAddress[];
  readonly inSync: ReadonlySet<string>;
  /** Of these, copies that have no place: their nodes are away, or the copies failed. */
  readonly absent: readonly string[];
  /** The primary serves: until then the in-sync set may name copies that are gone. */
  readonly isActive: boolean;
  /** Every copy that the index asks for is active: nobody is expected back. */
  readonly isComplete: boolean;
}

interface Waiter {
  /** Sequence number, or refresh generation. */
  readonly until: number;
  resolve(): void;
  reject(error: QuarryError): void;
}

/** How often other copies hear what is kept for those that are gone, if it changed. */
const SHARE_LEASES_MS = 30_000;
/** What the master is told of copies without a place. */
const OUT_OF_SYNC = 'the primary acknowledges operations that the copy lacks';

export class ReplicationGroup implements SenderOwner {
  private readonly primary: PrimaryStore;
  private readonly services: ReplicationServices;
  private readonly onDeposed: (reason: string) => void;
  private readonly senders = new Map<string, CopySender>();
  /** Copies that the master has taken away; an older state may still name them. */
  private readonly failedIds = new Set<string>();
  /** Copies without a place that may become the primary: nothing is acknowledged until the master has taken them out of sync. */
  private absentIds: ReadonlySet<string> = new Set();
  /** Those of which the master was asked that, and has not answered. */
  private readonly askedIds = new Set<string>();
  private writes: Waiter[] = [];
  private refreshes: Waiter[] = [];
  private isActive = false;
  private closed: QuarryError | undefined;
  private readonly retention: HistoryRetention;
  private stopSharing: () => void = () => undefined;

  constructor(primary: PrimaryStore, services: ReplicationServices, onDeposed: (reason: string) => void) {
    this.primary = primary;
    this.services = services;
    this.onDeposed = onDeposed;
    this.retention = new HistoryRetention(primary, services.retention, services.clock);
    this.shareOnSchedule();
  }

  /** Whether any other copy is kept level. */
  get hasCopies(): boolean {
    return this.senders.size > 0;
  }

  /** How many other copies an acknowledged write is on. */
  get waitedFor(): number {
    return [...this.senders.values()].filter((sender) => sender.isWaitedFor).length;
  }

  /** To be told in the order of the states. */
  follow(view: ShardView): void {
    if (this.closed !== undefined) return;
    const assigned = new Set(view.others.map(({ allocationId }) => allocationId));
    for (const [id, sender] of this.senders) if (!assigned.has(id)) this.remove(sender);
    for (const id of this.failedIds) if (!assigned.has(id) && !view.inSync.has(id)) this.failedIds.delete(id);
    this.absentIds = new Set(view.absent.filter((id) => !this.failedIds.has(id)));
    for (const copy of view.others) {
      if (this.failedIds.has(copy.allocationId)) continue;
      const sender = this.senders.get(copy.allocationId) ?? this.add(copy, view.inSync.has(copy.allocationId));
      if (view.inSync.has(copy.allocationId)) sender.isWaitedFor = true;
    }
    this.isActive = view.isActive;
    this.retention.expire();
    if (view.isComplete) this.retention.keepOnly(new Set(view.others.map(({ nodeId }) => nodeId)));
    this.progressed();
  }

  /**
   * Resolves when every copy that is waited for has the operations up to `seqNo`, and no other may become the primary. Fails
   * when this is not the primary any more: what was written may be lost or not, and the write is to be tried again elsewhere.
   * Has no bound of its own: whoever waits has one.
   */
  async replicated(seqNo: number): Promise<void> {
    this.refuseIfClosed();
    this.wake();
    if (this.isActive && this.absentIds.size === 0 && seqNo <= this.replicatedSeqNo()) return;
    const replicated = this.wait(this.writes, seqNo);
    if (this.isActive) this.askAboutAbsent();
    return replicated;
  }

  /** There may be something new to see: resolves when searches of every copy that is waited for see it. */
  async published(): Promise<void> {
    if (this.senders.size === 0 || this.closed !== undefined) return;
    this.wake();
    const { refreshGeneration } = this.primary.checkpoints();
    if (refreshGeneration <= this.installedGeneration()) return;
    await this.wait(this.refreshes, refreshGeneration);
  }

  progressed(): void {
    if (this.closed !== undefined) return;
    if (this.isActive) {
      if (this.absentIds.size === 0) this.writes = settled(this.writes, this.replicatedSeqNo());
      else if (this.writes.length > 0) this.askAboutAbsent();
      this.noteCheckpoints();
    }
    this.refreshes = settled(this.refreshes, this.installedGeneration());
  }

  level(sender: CopySender): void {
    const { allocationId } = sender.copy;
    this.ask(this.services.reportStarted(allocationId, () => this.has(sender)));
    this.shareLeases();
  }

  failed(sender: CopySender, reason: string): void {
    const { allocationId } = sender.copy;
    this.services.logger.log('warn', 'a copy cannot be kept level', { allocationId, reason });
    const answered = this.services.reportFailed(allocationId, reason, () => this.has(sender));
    this.ask(
      answered.then(() => {
        if (!this.has(sender)) return;
        this.failedIds.add(allocationId);
        this.remove(sender);
        this.progressed();
      }),
    );
  }

  /** Writes wait until the master has taken copies that have no place out of sync. */
  private askAboutAbsent(): void {
    for (const allocationId of this.absentIds) {
      if (this.askedIds.has(allocationId)) continue;
      this.askedIds.add(allocationId);
      const isWanted = (): boolean => this.closed === undefined && this.absentIds.has(allocationId);
      const answered = this.services.reportFailed(allocationId, OUT_OF_SYNC, isWanted);
      this.ask(
        answered.then(() => {
          this.askedIds.delete(allocationId);
          if (!isWanted()) return;
          this.failedIds.add(allocationId);
          this.absentIds = new Set([...this.absentIds].filter((id) => id !== allocationId));
          this.progressed();
        }),
      );
    }
  }

  deposed(reason: string): void {
    if (this.closed !== undefined) return;
    this.end(`it is not the primary any more: ${reason}`);
    this.onDeposed(reason);
  }

  /** Writes that still wait fail. What is under way ends by itself: it only reads. */
  close(): void {
    this.end('the shard is being closed');
  }

  /** There may be something new for copies. */
  wake(): void {
    for (const sender of this.senders.values()) sender.wake();
  }

  /** Fails when this is not the primary any more. */
  refuseIfClosed(): void {
    if (this.closed !== undefined) throw this.closed;
  }

  private end(reason: string): void {
    if (this.closed !== undefined) return;
    const closed = new QuarryError('no_shard_available_action_exception', `not acknowledged: ${reason}`);
    this.closed = closed;
    this.stopSharing();
    for (const sender of this.senders.values()) sender.stop();
    this.senders.clear();
    const waiting = [...this.writes, ...this.refreshes];
    this.writes = [];
    this.refreshes = [];
    for (const waiter of waiting) waiter.reject(closed);
  }

  private add(copy: CopyAddress, isWaitedFor: boolean): CopySender {
    const sender = new CopySender(copy, isWaitedFor, this.primary, this.services.link(copy), this, this.services);
    this.senders.set(copy.allocationId, sender);
    void sender.run();
    return sender;
  }

  private remove(sender: CopySender): void {
    sender.stop();
    this.senders.delete(sender.copy.allocationId);
  }

  private has(sender: CopySender): boolean {
    return this.closed === undefined && this.senders.get(sender.copy.allocationId) === sender;
  }

  private ask(report: Promise<void>): void {
    report.catch((error: unknown) => {
      this.deposed(asQuarryError(error).message);
    });
  }

  private wait(waiters: Waiter[], until: number): Promise<void> {
    return new Promise((resolve, reject) => {
      waiters.push({ until, resolve, reject });
    });
  }

  private replicatedSeqNo(): number {
    let lowest = Number.MAX_SAFE_INTEGER;
    for (const { isWaitedFor, acknowledged } of this.senders.values()) {
      if (isWaitedFor) lowest = Math.min(lowest, acknowledged ?? -1);
    }
    return lowest;
  }

  private installedGeneration(): number {
    let lowest = Number.MAX_SAFE_INTEGER;
    for (const sender of this.senders.values()) {
      if (sender.isWaitedFor) lowest = Math.min(lowest, sender.installedGeneration);
    }
    return lowest;
  }

  private noteCheckpoints(): void {
    if (this.senders.size === 0 || this.primary.failure() !== undefined) return;
    const { persistedCheckpoint } = this.primary.checkpoints();
    // What a copy without a place lacks may be undone by it, should it become the primary.
    if (this.absentIds.size === 0) {
      this.primary.setGlobalCheckpoint(Math.min(persistedCheckpoint, this.replicatedSeqNo()));
    }
    this.retention.renew(
      [...this.senders.values()].map(({ copy, acknowledged }) => ({ nodeId: copy.nodeId, acknowledged })),
    );
  }

  private shareOnSchedule(): void {
    this.stopSharing = this.services.clock.schedule(SHARE_LEASES_MS, () => {
      if (this.primary.failure() !== undefined) return;
      this.retention.expire();
      this.shareLeases();
      this.shareOnSchedule();
    });
  }

  /** So that a copy which becomes the primary has kept what others need to come back. */
  private shareLeases(): void {
    const leases = this.retention.unsharedLeases();
    if (leases === undefined) return;
    for (const sender of this.senders.values()) void sender.tellLeases(leases);
  }
}

/** Resolves those that waited for no more than this; the rest. */
function settled(waiters: Waiter[], reached: number): Waiter[] {
  if (waiters.every(({ until }) => until > reached)) return waiters;
  for (const waiter of waiters) if (waiter.until <= reached) waiter.resolve();
  return waiters.filter(({ until }) => until > reached);
}
