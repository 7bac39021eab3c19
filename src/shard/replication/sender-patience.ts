/** What a sender does about errors of its copy: tries again soon, or gives the copy up. */
import type { Clock } from '../../base/clock.js';
import type { ErrorType } from '../../base/errors.js';
import type { RecoveryLimits } from './recovery-limits.js';

const FIRST_RETRY_MS = 20;
const IN_SYNC_RETRY_MS_MAX = 1_000;
/** A copy that writes wait for may be out of reach for so long. */
const IN_SYNC_PATIENCE_MS = 10_000;
/** A copy that has no room may refuse operations for so long, as in the reference. What else it takes meanwhile changes nothing about that. */
const REFUSED_PATIENCE_MS = 60_000;
/** Times in a row that a copy may need a new alignment without having taken anything. */
const ALIGNMENTS_MAX = 10;

/** The copy, or the way to it, may be usable soon. */
const TRANSIENT: ReadonlySet<ErrorType> = new Set([
  'circuit_breaking_exception',
  'connect_transport_exception',
  'es_rejected_execution_exception',
  'no_shard_available_action_exception',
  'node_disconnected_exception',
  'node_not_connected_exception',
  'receive_timeout_transport_exception',
  'rejected_execution_exception',
  'shard_not_found_exception',
  'task_cancelled_exception',
  'unavailable_shards_exception',
]);

/** Of those: the copy's node holds too many operations. */
const REFUSED: ReadonlySet<ErrorType> = new Set(['es_rejected_execution_exception', 'rejected_execution_exception']);

export function isRefused(type: ErrorType): boolean {
  return REFUSED.has(type);
}

/** Aligning anew puts it right. */
const MISALIGNED: ReadonlySet<ErrorType> = new Set([
  'copy_anew_exception',
  'history_unavailable_exception',
  'operation_gap_exception',
  'replica_not_aligned_exception',
]);

export class SenderPatience {
  private readonly clock: Clock;
  private readonly limits: () => RecoveryLimits;
  private failingSinceMs: number | undefined;
  private refusedSinceMs: number | undefined;
  /** Not ended by segments that the copy takes: writes wait for operations. */
  private operationsRefusedSinceMs: number | undefined;
  private retryMs = FIRST_RETRY_MS;
  private refusedRetryMs = FIRST_RETRY_MS;
  private alignments = 0;

  constructor(clock: Clock, limits: () => RecoveryLimits) {
    this.clock = clock;
    this.limits = limits;
  }

  /** The copy has answered. */
  noteContact(): void {
    this.failingSinceMs = undefined;
  }

  /** The copy has taken something, operations or segments. */
  noteProgress(): void {
    this.failingSinceMs = undefined;
    this.refusedSinceMs = undefined;
    this.retryMs = FIRST_RETRY_MS;
    this.alignments = 0;
  }

  /** The copy has taken operations. */
  noteOperations(): void {
    this.noteProgress();
    this.operationsRefusedSinceMs = undefined;
    this.refusedRetryMs = FIRST_RETRY_MS;
  }

  /** The copy has refused operations: whether it may be asked again. */
  maySendAgain(isWaitedFor: boolean): boolean {
    this.operationsRefusedSinceMs ??= this.clock.monotonicMs();
    return this.isWithinRefused(this.operationsRefusedSinceMs, isWaitedFor);
  }

  mayTryAgain(type: ErrorType, isWaitedFor: boolean): boolean {
    if (MISALIGNED.has(type)) return ++this.alignments <= ALIGNMENTS_MAX;
    if (!TRANSIENT.has(type)) return false;
    // Its patience was used up by waiting for the answer.
    if (isWaitedFor && type === 'receive_timeout_transport_exception') return false;
    const nowMs = this.clock.monotonicMs();
    if (isRefused(type)) {
      this.refusedSinceMs ??= nowMs;
      return this.isWithinRefused(this.operationsRefusedSinceMs ?? this.refusedSinceMs, isWaitedFor);
    }
    this.failingSinceMs ??= nowMs;
    const patienceMs = isWaitedFor ? IN_SYNC_PATIENCE_MS : this.limits().inactivityMs;
    return nowMs - this.failingSinceMs < patienceMs;
  }

  private isWithinRefused(sinceMs: number, isWaitedFor: boolean): boolean {
    const patienceMs = isWaitedFor ? REFUSED_PATIENCE_MS : this.limits().inactivityMs;
    return this.clock.monotonicMs() - sinceMs < patienceMs;
  }

  /** Longer with each failure, up to a bound that depends on what is waited for. */
  pause(type: ErrorType, isWaitedFor: boolean): Promise<void> {
    const { retryStateSyncMs, retryNetworkMs } = this.limits();
    const ofRecovery = type === 'shard_not_found_exception' ? retryStateSyncMs : retryNetworkMs;
    const delayMs = Math.min(this.retryMs, isWaitedFor ? IN_SYNC_RETRY_MS_MAX : ofRecovery);
    this.retryMs = 2 * Math.max(delayMs, FIRST_RETRY_MS);
    return this.rest(delayMs);
  }

  /** Longer with each refusal of operations, whatever else the copy takes meanwhile. Ends with the signal. */
  pauseRefused(isWaitedFor: boolean, signal: AbortSignal): Promise<void> {
    const delayMs = Math.min(this.refusedRetryMs, isWaitedFor ? IN_SYNC_RETRY_MS_MAX : this.limits().retryNetworkMs);
    this.refusedRetryMs = 2 * Math.max(delayMs, FIRST_RETRY_MS);
    return this.rest(delayMs, signal);
  }

  private rest(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.clock.schedule(delayMs, end);
      signal?.addEventListener('abort', end);
      if (signal?.aborted === true) end();
    });
  }
}
