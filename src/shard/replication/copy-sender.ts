/**
 * Keeps one copy level with its primary: aligns it, copies segments where operations do not reach back far enough, then
 * sends operations in order, one request at a time, and beside them the segments of each refresh.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError, type ErrorType } from '../../base/errors.js';
import type { Clock } from '../../base/clock.js';
import type { NativeShard } from '../../native/shard.js';
import type { CopyAddress, CopyLink } from './copy-link.js';
import { pushSegments, type Pace } from './push-segments.js';

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
}

const BATCH_BYTES = 1 << 20;
const FIRST_RETRY_MS = 20;
const RETRY_MS_MAX = 1_000;
/** A copy that writes wait for may be out of reach for so long. */
const WAITED_FOR_PATIENCE_MS = 10_000;
const CATCHING_UP_PATIENCE_MS = 60_000;
/** Times in a row that a copy may need a new alignment without having taken anything. */
const ALIGNMENTS_MAX = 10;

/** The copy, or the way to it, may be usable soon. */
const TRANSIENT: ReadonlySet<ErrorType> = new Set([
  'circuit_breaking_exception',
  'connect_transport_exception',
  'es_rejected_execution_exception',
  'no_shard_available_action_exception',
  'node_closed_exception',
  'node_disconnected_exception',
  'node_not_connected_exception',
  'receive_timeout_transport_exception',
  'rejected_execution_exception',
  'shard_not_found_exception',
  'task_cancelled_exception',
  'unavailable_shards_exception',
]);

/** Aligning anew puts it right. */
const MISALIGNED: ReadonlySet<ErrorType> = new Set([
  'copy_anew_exception',
  'history_unavailable_exception',
  'operation_gap_exception',
  'replica_not_aligned_exception',
]);

const noPace: Pace = () => Promise.resolve();

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
  private failingSinceMs: number | undefined;
  private retryMs = FIRST_RETRY_MS;
  private alignments = 0;

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
    this.link = link;
    this.owner = owner;
    this.services = services;
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
    await this.align();
    if (!this.wasLevel) await this.catchUp();
    let hasEnded = false;
    const end = (): void => {
      hasEnded = true;
      this.wake();
    };
    const goesOn = (): boolean => !hasEnded && !this.isStopped();
    const loops = [this.sendOperations(goesOn), this.sendSegments(goesOn)].map((loop) =>
      loop.catch((error: unknown) => {
        end();
        throw error;
      }),
    );
    const ended = await Promise.allSettled(loops);
    for (const result of ended) if (result.status === 'rejected') throw result.reason;
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
    this.failingSinceMs = undefined;
    if (alignment.outcome === 'copy-anew') return this.copyAnew();
    this.acknowledged = alignment.maxSeqNo;
    this.owner.progressed();
  }

  /** The copy gives up what it had: what it is given instead must contain every operation that it may have acknowledged. */
  private async copyAnew(): Promise<void> {
    const { primary } = this;
    await primary.refreshInBackground(this.services.clock.nowMs());
    const set = primary.segmentSet();
    const { maxSeqNo } = await pushSegments(set, this.link, 'replace', this.pace());
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
    await this.sendUpTo(this.newest());
    await this.pushView();
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

  private async sendBatch(): Promise<void> {
    const { primaryTerm, globalCheckpoint } = this.primary.checkpoints();
    const { bytes, lastSeqNo } = await this.primary.operationsSince(this.position() + 1, BATCH_BYTES);
    if (lastSeqNo <= this.position()) throw new QuarryError('operation_gap_exception', 'no operations were read');
    await this.link.append({ operations: bytes, primaryTerm, globalCheckpoint });
    this.acknowledge(lastSeqNo);
  }

  private acknowledge(seqNo: number): void {
    this.acknowledged = seqNo;
    this.noteSuccess();
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
    await pushSegments(set, this.link, 'view', this.pace());
    this.installedGeneration = set.refreshGeneration();
    this.noteSuccess();
    this.owner.progressed();
  }

  /** Nobody is to wait for a refresh, or a write, because copies elsewhere recover. */
  private pace(): Pace {
    return this.isWaitedFor ? noPace : this.services.pace;
  }

  private noteSuccess(): void {
    this.failingSinceMs = undefined;
    this.retryMs = FIRST_RETRY_MS;
    this.alignments = 0;
  }

  private async recoverFrom(error: QuarryError): Promise<void> {
    const reason = `${error.type}: ${error.message}`;
    if (error.type === 'primary_term_stale_exception') {
      this.stop();
      this.owner.deposed(reason);
    } else if (this.primary.failure() !== undefined) {
      // Not the copy's fault: the shard is about to be closed.
      this.stop();
    } else if (this.mayTryAgain(error.type)) {
      await this.pause();
    } else {
      this.stop();
      this.owner.failed(this, reason);
    }
  }

  private mayTryAgain(type: ErrorType): boolean {
    if (MISALIGNED.has(type)) return ++this.alignments <= ALIGNMENTS_MAX;
    if (!TRANSIENT.has(type)) return false;
    const nowMs = this.services.clock.monotonicMs();
    this.failingSinceMs ??= nowMs;
    const patienceMs = this.isWaitedFor ? WAITED_FOR_PATIENCE_MS : CATCHING_UP_PATIENCE_MS;
    return nowMs - this.failingSinceMs < patienceMs;
  }

  private pause(): Promise<void> {
    const delayMs = this.retryMs;
    this.retryMs = Math.min(2 * delayMs, RETRY_MS_MAX);
    return new Promise((resolve) => {
      this.services.clock.schedule(delayMs, resolve);
    });
  }

  private whenWoken(): Promise<void> {
    return new Promise((resolve) => {
      this.wakers.push(resolve);
    });
  }
}
