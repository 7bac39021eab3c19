/**
 * Keeps one copy level with its primary: aligns it, copies segments where operations do not reach back far enough, then
 * sends operations in order, one request at a time, and beside them the segments of each refresh.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { Clock } from '../../base/clock.js';
import type { InstallMode } from '../../native/replica-shard.js';
import type { SegmentSet } from '../../native/replication.js';
import type { NativeShard } from '../../native/shard.js';
import { boundedLink } from './bounded-link.js';
import type { CopyAddress, CopyLink, CopyProgress } from './copy-link.js';
import { pushSegments, type Pace } from './push-segments.js';
import type { RecoveryLimits } from './recovery-limits.js';
import type { RetentionLease } from './retention-leases.js';
import { isRefused, SenderPatience } from './sender-patience.js';

/** The primary as its senders need it. */
export type PrimaryStore = Pick<
  NativeShard,
  | 'checkpoints'
  | 'failure'
  | 'historyUuid'
  | 'operationsSince'
  | 'refreshInBackground'
  | 'retainFrom'
  | 'segmentSet'
  | 'setGlobalCheckpoint'
  | 'terms'
>;

/** What senders tell the group that they belong to. */
export interface SenderOwner {
  /** The copy has more than before. */
  progressed(): void;
  /** The copy has everything, and writes wait for it: it may be made in sync. */
  level(sender: CopySender): void;
  /** It cannot be kept level. */
  failed(sender: CopySender, reason: string): void;
  /** Another primary took over. */
  deposed(reason: string): void;
}

export interface SenderServices {
  readonly clock: Clock;
  /** Of copying segments to copies that are not in sync. */
  readonly pace: Pace;
  /** Of recoveries, as they are now. */
  readonly limits: () => RecoveryLimits;
}

const BATCH_BYTES = 1 << 20;
/** Writes wait for the answers of a copy that is in sync: one that gives none for so long is as good as gone. */
const IN_SYNC_CALL_MS_MAX = 20_000;
/** The same for segments of a refresh, or of a merge: a large file is verified and synced in the call of its last piece. */
const IN_SYNC_FILE_CALL_MS_MAX = 300_000;
/** In-sync copies are sent one piece after the other: what a refresh made is small. */
const IN_SYNC_PIECES = 1;

/** Calls that write no more than operations. */
const QUICK_CALLS: ReadonlySet<keyof CopyLink> = new Set(['align', 'append', 'finalize', 'retain']);

/** Calls of a recovery that write much. */
const LONG_CALLS: ReadonlySet<keyof CopyLink> = new Set(['align', 'finalize', 'install']);

const noPace: Pace = () => Promise.resolve(0);

export class CopySender {
  readonly copy: CopyAddress;
  /** Writes are acknowledged only when this copy has them. Never falls back to false. */
  isWaitedFor: boolean;
  /** The copy has everything up to here on disk. Undefined until it was aligned. */
  acknowledged: number | undefined;
  /** What its searches see, as the primary's `refreshGeneration`. */
  installedGeneration = -1;
  private readonly primary: PrimaryStore;
  private readonly link: CopyLink;
  private readonly owner: SenderOwner;
  private readonly services: SenderServices;
  /** The copy is in sync, or the master was told that it may be. */
  private wasLevel: boolean;
  private hasStopped = false;
  private wakers: (() => void)[] = [];
  private readonly patience: SenderPatience;
  /** From one alignment to the next. */
  private attempt = new AbortController();
  /** Of operations at once: half as many after each refusal, since fewer may fit, and twice as many after each success. */
  private batchBytes = BATCH_BYTES;

  constructor(
    copy: CopyAddress,
    isWaitedFor: boolean,
    primary: PrimaryStore,
    link: CopyLink,
    owner: SenderOwner,
    services: SenderServices,
  ) {
    this.copy = copy;
    this.isWaitedFor = isWaitedFor;
    this.wasLevel = isWaitedFor;
    this.primary = primary;
    this.link = boundedLink(link, {
      clock: services.clock,
      msFor: (call) => this.callMs(call),
      signal: () => this.attempt.signal,
    });
    this.owner = owner;
    this.services = services;
    this.patience = new SenderPatience(services.clock, services.limits);
  }

  private callMs(call: keyof CopyLink): number {
    const { callMs, longCallMs } = this.services.limits();
    if (this.isWaitedFor) return QUICK_CALLS.has(call) ? IN_SYNC_CALL_MS_MAX : IN_SYNC_FILE_CALL_MS_MAX;
    return LONG_CALLS.has(call) ? longCallMs : callMs;
  }

  /** Settles after `stop`, when nothing is under way any more. */
  async run(): Promise<void> {
    while (!this.isStopped()) {
      try {
        await this.keepLevel();
      } catch (error) {
        if (!this.isStopped()) await this.recoverFrom(asQuarryError(error));
      }
    }
  }

  stop(): void {
    this.hasStopped = true;
    this.wake();
  }

  private isStopped(): boolean {
    return this.hasStopped;
  }

  /** There are operations or segments that the copy may lack. */
  wake(): void {
    const wakers = this.wakers;
    this.wakers = [];
    for (const wake of wakers) wake();
  }

  private async keepLevel(): Promise<void> {
    const attempt = new AbortController();
    this.attempt = attempt;
    await this.align();
    if (!this.wasLevel) await this.catchUp();
    const goesOn = (): boolean => !attempt.signal.aborted && !this.isStopped();
    const loops = [this.sendOperations(goesOn), this.sendSegments(goesOn)].map((loop) =>
      loop.catch((error: unknown) => {
        // The other loop's call may hang: the copy is not to wait for its end to be aligned anew.
        attempt.abort(error);
        this.wake();
      }),
    );
    await Promise.all(loops);
    attempt.signal.throwIfAborted();
  }

  private async align(): Promise<void> {
    const { primary, link } = this;
    const { primaryTerm, maxSeqNo, historyStart } = primary.checkpoints();
    const alignment = await link.align({
      primaryTerm,
      historyUuid: primary.historyUuid(),
      terms: primary.terms(),
      maxSeqNo,
      historyStart,
    });
    this.patience.noteContact();
    // A copy that has nothing yet is faster with segments than with every operation there was.
    const isEmpty = !this.wasLevel && alignment.maxSeqNo === -1 && maxSeqNo >= 0;
    if (alignment.outcome === 'copy-anew' || isEmpty) return this.copyAnew();
    // Operations may have been taken though nobody heard of it.
    if (alignment.maxSeqNo > this.position()) this.patience.noteOperations();
    this.acknowledged = alignment.maxSeqNo;
    this.owner.progressed();
  }

  /** The copy gives up what it had: what it is given instead must contain every operation that it may have acknowledged. */
  private async copyAnew(): Promise<void> {
    const { primary } = this;
    await primary.refreshInBackground(this.services.clock.nowMs());
    const set = primary.segmentSet();
    const { maxSeqNo } = await this.push(set, 'replace');
    this.installedGeneration = set.refreshGeneration();
    this.acknowledge(maxSeqNo);
  }

  /** Writes wait for the copy from the end of this on. */
  private async catchUp(): Promise<void> {
    await this.sendUpTo(this.newest());
    await this.pushView();
    await this.sendUpTo(this.newest());
    if (this.isStopped()) return;
    this.isWaitedFor = true;
    await this.link.finalize({ isOver: false });
    await this.sendUpTo(this.newest());
    await this.pushView();
    await this.link.finalize({ isOver: true });
    if (this.isStopped()) return;
    this.wasLevel = true;
    this.owner.level(this);
  }

  private newest(): number {
    return this.primary.checkpoints().maxSeqNo;
  }

  private async sendUpTo(seqNo: number): Promise<void> {
    while (!this.isStopped() && this.position() < seqNo) await this.sendBatch();
  }

  private position(): number {
    return this.acknowledged ?? -1;
  }

  /** Whoever calls it looks at what was taken: nothing, where the copy has no room. */
  private async sendBatch(): Promise<void> {
    const { primaryTerm, globalCheckpoint } = this.primary.checkpoints();
    const { bytes, lastSeqNo } = await this.primary.operationsSince(this.position() + 1, this.batchBytes);
    if (lastSeqNo <= this.position()) throw new QuarryError('operation_gap_exception', 'no operations were read');
    try {
      await this.link.append({ operations: bytes, primaryTerm, globalCheckpoint });
    } catch (error) {
      return this.refused(error, bytes.length);
    }
    this.batchBytes = Math.min(BATCH_BYTES, 2 * Math.max(this.batchBytes, bytes.length));
    this.acknowledge(lastSeqNo);
  }

  /** What was refused was not begun: there is nothing to align, which would be work for a copy that has too much of it. */
  private async refused(error: unknown, sentBytes: number): Promise<void> {
    const { signal } = this.attempt;
    // The error may be what has ended the attempt.
    if (signal.aborted || !isRefused(asQuarryError(error).type)) throw error;
    if (!this.patience.maySendAgain(this.isWaitedFor)) throw error;
    this.batchBytes = Math.max(1, Math.floor(sentBytes / 2));
    await this.patience.pauseRefused(this.isWaitedFor, signal);
  }

  private acknowledge(seqNo: number): void {
    this.acknowledged = seqNo;
    this.patience.noteOperations();
    this.owner.progressed();
  }

  private async sendOperations(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      if (this.position() < this.newest()) await this.sendBatch();
      else await this.whenWoken();
    }
  }

  private async sendSegments(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      if (this.installedGeneration < this.primary.checkpoints().refreshGeneration) await this.pushView();
      else await this.whenWoken();
    }
  }

  private async pushView(): Promise<void> {
    const set = this.primary.segmentSet();
    await this.push(set, 'view');
    this.installedGeneration = set.refreshGeneration();
    this.patience.noteProgress();
    this.owner.progressed();
  }

  /** Nobody is to wait for a refresh, or a write, because copies elsewhere recover. */
  private push(set: SegmentSet, mode: InstallMode): Promise<CopyProgress> {
    const { pace, limits } = this.services;
    const options = this.isWaitedFor
      ? { mode, pace: noPace, concurrentPieces: IN_SYNC_PIECES }
      : { mode, pace, concurrentPieces: limits().concurrentPieces };
    return pushSegments(set, this.link, options);
  }

  /** Tells the copy what is kept for others; one that does not hear it is told the next time. */
  async tellLeases(leases: readonly RetentionLease[]): Promise<void> {
    if (this.acknowledged === undefined) return;
    await this.link.retain({ leases }).catch(() => undefined);
  }

  private async recoverFrom(error: QuarryError): Promise<void> {
    const reason = `${error.type}: ${error.message}`;
    if (error.type === 'primary_term_stale_exception') {
      this.stop();
      this.owner.deposed(reason);
    } else if (this.primary.failure() !== undefined) {
      // Not the copy's fault: the shard is about to be closed.
      this.stop();
    } else if (this.patience.mayTryAgain(error.type, this.isWaitedFor)) {
      await this.patience.pause(error.type, this.isWaitedFor);
    } else {
      this.stop();
      this.owner.failed(this, reason);
    }
  }

  private whenWoken(): Promise<void> {
    return new Promise((resolve) => {
      this.wakers.push(resolve);
    });
  }
}
