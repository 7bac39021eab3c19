/** What holds for copies that recover; see `cluster/settings/recovery-settings.ts`. */
export interface RecoveryLimits {
  /** Sent by one node; 0: no limit. */
  readonly bytesPerSecond: number;
  /** Pieces of files on their way to one copy at a time. */
  readonly concurrentPieces: number;
  /** Longest pauses before the next try: for a copy that its node does not know of yet, and one out of reach. */
  readonly retryStateSyncMs: number;
  readonly retryNetworkMs: number;
  /** One request may take so long; one that writes much, longer. */
  readonly callMs: number;
  readonly longCallMs: number;
  /** A copy that takes nothing for so long is given up. */
  readonly inactivityMs: number;
}
