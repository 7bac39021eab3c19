/** How the recovery of one copy goes, as `_recovery` shows it. Kept where the copy is, while the node lives. */
import type { Clock } from '../base/clock.js';

export type RecoveryStage = 'INIT' | 'INDEX' | 'VERIFY_INDEX' | 'TRANSLOG' | 'FINALIZE' | 'DONE';

/** What a copy recovers from: a directory made anew, what lies on the node's disk, shards of another index, the primary, or a repository. */
export type RecoveryType = 'EMPTY_STORE' | 'EXISTING_STORE' | 'LOCAL_SHARDS' | 'PEER' | 'SNAPSHOT';

/** A node as it was when the recovery began. */
export interface RecoveryNode {
  readonly id: string;
  readonly host: string;
  readonly transportAddress: string;
  readonly ip: string;
  readonly name: string;
}

export interface RecoveryOrigin {
  readonly type: RecoveryType;
  readonly primary: boolean;
  /** The primary's node, of a recovery from there. */
  readonly source: RecoveryNode | undefined;
  readonly target: RecoveryNode | undefined;
}

export interface RecoveredFile {
  readonly name: string;
  readonly length: number;
  /** Bytes that came; those of a file that was there already count as none. */
  readonly recovered: number;
  readonly reused: boolean;
}

export interface RecoveryReport extends RecoveryOrigin {
  readonly stage: RecoveryStage;
  readonly startedAtMs: number;
  /** Undefined until it is done. */
  readonly stoppedAtMs: number | undefined;
  readonly totalMs: number;
  readonly indexMs: number;
  readonly verifyMs: number;
  readonly translogMs: number;
  readonly files: readonly RecoveredFile[];
  /** How long the source held files back because of the rate it may send at. */
  readonly sourceThrottleMs: number;
  readonly operations: { readonly recovered: number; readonly total: number; readonly totalOnStart: number };
}

/** Files that are listed one by one; of more, the rest is told as one. */
const FILES_MAX = 10_000;

interface FileProgress {
  readonly length: number;
  readonly reused: boolean;
  recovered: number;
}

export class RecoveryProgress {
  private readonly origin: RecoveryOrigin;
  private readonly clock: Clock;
  private readonly startedAtMs: number;
  private readonly startedMs: number;
  private stage: RecoveryStage = 'INIT';
  private enteredMs: number;
  private readonly spentMs = new Map<RecoveryStage, number>();
  private stopped: { readonly atMs: number; readonly totalMs: number } | undefined;
  private readonly files = new Map<string, FileProgress>();
  private throttleMs = 0;
  private operationsRecovered = 0;
  private operationsTotal = 0;
  private operationsOnStart = 0;
  private wasAbandoned = false;
  /** Files come while the copy serves already. */
  private isCopying = false;
  private isDoneThen = false;

  /** Resolves when it is done, or nothing comes of it any more. */
  readonly ended: Promise<void>;
  private end: () => void = () => undefined;

  constructor(origin: RecoveryOrigin, clock: Clock) {
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
    this.origin = origin;
    this.clock = clock;
    this.startedAtMs = clock.nowMs();
    this.startedMs = clock.monotonicMs();
    this.enteredMs = this.startedMs;
  }

  get isDone(): boolean {
    return this.stage === 'DONE';
  }

  /** What was interrupted goes back to an earlier stage; what is done stays done. */
  enter(stage: RecoveryStage): void {
    if (this.isCopying && stage === 'DONE') {
      this.isDoneThen = true;
      return;
    }
    if (this.isDone || stage === this.stage) return;
    const nowMs = this.clock.monotonicMs();
    this.spentMs.set(this.stage, (this.spentMs.get(this.stage) ?? 0) + nowMs - this.enteredMs);
    this.enteredMs = nowMs;
    this.stage = stage;
    if (stage !== 'DONE') return;
    this.stopped = { atMs: this.clock.nowMs(), totalMs: nowMs - this.startedMs };
    this.end();
  }

  /** The copy may serve before its files are here: it is done when both were told, that it serves and that they are here. */
  copying(): void {
    this.isCopying = true;
  }

  copied(): void {
    this.isCopying = false;
    if (this.isDoneThen) this.enter('DONE');
  }

  /** Nothing comes of it any more. */
  get isAbandoned(): boolean {
    return this.wasAbandoned;
  }

  /** The copy failed or goes elsewhere. */
  abandon(): void {
    this.wasAbandoned = true;
    this.end();
  }

  /** Time that was spent in a stage before it could be told. */
  spent(stage: RecoveryStage, durationMs: number): void {
    this.spentMs.set(stage, (this.spentMs.get(stage) ?? 0) + durationMs);
  }

  /** All files that the copy shall have; those that are not missing now, and were not before, are there already. */
  planFiles(files: readonly { readonly name: string; readonly length: number }[], missing: ReadonlySet<string>): void {
    if (this.isDone) return;
    const wanted = new Set(files.map(({ name }) => name));
    for (const name of this.files.keys()) if (!wanted.has(name)) this.files.delete(name);
    for (const { name, length } of files) {
      if (this.files.has(name) || this.files.size >= FILES_MAX) continue;
      this.files.set(name, { length, reused: !missing.has(name), recovered: 0 });
    }
  }

  /** The file has so many bytes now. */
  received(name: string, bytes: number, throttledMs: number): void {
    const file = this.files.get(name);
    if (this.isDone || file === undefined) return;
    file.recovered = bytes;
    this.throttleMs = Math.max(this.throttleMs, throttledMs);
  }

  /** So many operations more are known to be needed. */
  planOperations(count: number): void {
    if (this.isDone) return;
    if (this.operationsRecovered === 0) this.operationsOnStart = count;
    this.operationsTotal = this.operationsRecovered + count;
  }

  recoveredOperations(count: number): void {
    if (this.isDone) return;
    this.operationsRecovered += count;
    // Some came while it went on.
    this.operationsTotal = Math.max(this.operationsTotal, this.operationsRecovered);
  }

  report(): RecoveryReport {
    const nowMs = this.clock.monotonicMs();
    const spent = (stage: RecoveryStage): number =>
      Math.round((this.spentMs.get(stage) ?? 0) + (stage === this.stage ? nowMs - this.enteredMs : 0));
    return {
      ...this.origin,
      stage: this.stage,
      startedAtMs: this.startedAtMs,
      stoppedAtMs: this.stopped?.atMs,
      totalMs: Math.round(this.stopped?.totalMs ?? nowMs - this.startedMs),
      indexMs: spent('INDEX'),
      verifyMs: spent('VERIFY_INDEX'),
      translogMs: spent('TRANSLOG'),
      files: [...this.files].map(([name, file]) => ({ name, ...file })),
      sourceThrottleMs: Math.round(this.throttleMs),
      operations: {
        recovered: this.operationsRecovered,
        total: this.operationsTotal,
        totalOnStart: this.operationsOnStart,
      },
    };
  }
}
