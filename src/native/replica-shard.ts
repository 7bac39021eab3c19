/**
 * One replica: appends the primary's operations to its translog and searches segments copied from the primary. Owned by
 * one worker. Its directory is opened as a `NativeShard` when it becomes the primary (after `close`).
 */
import { native } from './addon.js';
import { guarded, guardedAsync } from './errors.js';
import type { RawReplica } from './raw-addon.js';
import type { Checkpoints, ContentChecksum, MissingFile, SegmentFile, TermStart } from './replication.js';
import { Searcher } from './searcher.js';
import type { ShardOptions, ShardSettings } from './shard-options.js';
import type { SegmentStats, ShardStats } from './shard-statistics.js';

export interface Appended {
  /** Wait for `synced(location)` before acknowledging. */
  readonly location: number;
  readonly maxSeqNo: number;
}

/** What a replica has on disk, for whoever decides how to bring it level. */
export interface StoreDescription {
  readonly historyUuid: string;
  readonly maxSeqNo: number;
  readonly globalCheckpoint: number;
  /** The installed segments contain exactly the operations up to here. */
  readonly segmentsCheckpoint: number;
  readonly terms: readonly TermStart[];
  readonly files: readonly SegmentFile[];
}

/**
 * - `view`: searches see the segments from now on. Not on disk for certain.
 * - `commit`: and they are the commit point; older operations leave the translog.
 * - `replace`: as `commit`, and everything else that the replica had (operations too) is given up: a copy anew. Appends go
 *   on after the checkpoint of the segments, in their primary's term.
 */
export type InstallMode = 'view' | 'commit' | 'replace';

export class ReplicaShard {
  readonly #raw: RawReplica;
  /** Settles when the step before has ended: installs, flushes and rollbacks run one after the other. */
  #lastStep: Promise<unknown> = Promise.resolve();

  private constructor(raw: RawReplica) {
    this.#raw = raw;
  }

  /**
   * Makes an empty replica in a directory that holds no shard. `historyUuid` is the primary's. Before it takes operations:
   * `install` with `replace`, or `rollbackAbove`.
   */
  static async create(
    options: ShardOptions,
    mapping: string,
    analysis: string,
    historyUuid: string,
  ): Promise<ReplicaShard> {
    const raw = await guardedAsync(() =>
      native().NativeReplica.create(JSON.stringify(options), mapping, analysis, historyUuid),
    );
    return new ReplicaShard(raw);
  }

  /**
   * Opens what a replica or a primary left in the directory: commit point, segments and translog are verified, operations
   * are not indexed. Before it takes operations it must be aligned with the primary: `rollbackAbove`, or `install` with
   * `replace`.
   */
  static async open(options: ShardOptions, mapping: string, analysis: string): Promise<ReplicaShard> {
    const raw = await guardedAsync(() => native().NativeReplica.open(JSON.stringify(options), mapping, analysis));
    return new ReplicaShard(raw);
  }

  /** As that of a `NativeShard`. */
  linkCommit(into: string, maxSeqNo: number): void {
    guarded(() => {
      this.#raw.linkCommit(into, maxSeqNo);
    });
  }

  updateMapping(mapping: string): void {
    guarded(() => {
      this.#raw.updateMapping(mapping);
    });
  }

  updateSettings(settings: ShardSettings): void {
    guarded(() => {
      this.#raw.updateSettings(JSON.stringify(settings));
    });
  }

  /**
   * Takes `Operations.bytes` of the primary; operations that it has are skipped.
   *
   * Errors: `operation_gap_exception` when operations before them are missing, `primary_term_stale_exception` when the
   * sender is no longer the primary, `replica_not_aligned_exception` when it is a primary that this replica was not yet
   * aligned with. Nothing was appended then.
   */
  append(operations: Uint8Array, primaryTerm: number, globalCheckpoint: number): Appended {
    return guarded(() => this.#raw.append(operations, primaryTerm, globalCheckpoint));
  }

  /** As that of the shard: resolves at once with `durability: async`. */
  synced(location: number): Promise<void> {
    return guardedAsync(() => this.#raw.synced(location));
  }

  sync(): Promise<void> {
    return guardedAsync(() => this.#raw.sync());
  }

  /** As that of the shard. */
  retainFrom(seqNo: number, maxBytes: number): void {
    guarded(() => {
      this.#raw.retainFrom(seqNo, maxBytes);
    });
  }

  setGlobalCheckpoint(seqNo: number): void {
    guarded(() => {
      this.#raw.setGlobalCheckpoint(seqNo);
    });
  }

  checkpoints(): Checkpoints {
    return guarded(() => this.#raw.checkpoints());
  }

  /**
   * Files of the primary's segment set that are not here. What was received for other sets is removed. A
   * `copy_anew_exception` when the directory must be emptied (and the replica made anew): it holds another history.
   */
  missingFiles(descriptor: Uint8Array): readonly MissingFile[] {
    return guarded(() => JSON.parse(this.#raw.missingFiles(descriptor)) as MissingFile[]);
  }

  /** The next bytes of a missing file: `offset` must be what was received of it so far. */
  writeFile(name: string, offset: number, bytes: Uint8Array): Promise<void> {
    return guardedAsync(() => this.#raw.writeFile(name, offset, bytes));
  }

  /**
   * Verifies a file of which all bytes were written, and syncs it. After a `corrupt_index_exception` it is gone and must be
   * sent again.
   */
  finishFile(name: string): Promise<void> {
    return guardedAsync(() => this.#raw.finishFile(name));
  }

  /** Removes what was received and not installed. */
  abandonFiles(): void {
    guarded(() => {
      this.#raw.abandonFiles();
    });
  }

  /**
   * Puts the segments of a set, none of which is missing, in the place of those it has. `false` when they are older than
   * those, and nothing was done. A set of a lower term is a `primary_term_stale_exception`.
   */
  install(descriptor: Uint8Array, mode: InstallMode): Promise<boolean> {
    return this.#step(() => this.#raw.install(descriptor, mode));
  }

  /** Whether the translog has grown past its threshold while newer segments are installed than the commit has. */
  needsFlush(): boolean {
    return guarded(() => this.#raw.needsFlush());
  }

  /** Makes the installed segments the commit point. `false` when they are (unless `force`). */
  flush(force = false): Promise<boolean> {
    return this.#step(() => this.#raw.flush(force));
  }

  /** Up to where this replica's operations are those of a primary with these terms and that newest operation. */
  commonSeqNo(terms: readonly TermStart[], maxSeqNo: number): number {
    return guarded(() => this.#raw.commonSeqNo(JSON.stringify(terms), maxSeqNo));
  }

  /**
   * Gives up the operations above, durably, and takes those of the primary of `primaryTerm` from then on. A
   * `copy_anew_exception` when installed segments contain some of them: `install` with `replace` then.
   */
  async rollbackAbove(seqNo: number, primaryTerm: number): Promise<void> {
    await this.#step(() => this.#raw.rollbackAbove(seqNo, primaryTerm));
  }

  storeDescription(): StoreDescription {
    return guarded(() => JSON.parse(this.#raw.storeDescription()) as StoreDescription);
  }

  searcher(): Searcher {
    return guarded(() => new Searcher(this.#raw.searcher()));
  }

  /** Forgets answers to searches that came before. */
  clearRequestCache(): void {
    guarded(() => {
      this.#raw.clearRequestCache();
    });
  }

  segments(): readonly SegmentStats[] {
    return guarded(() => JSON.parse(this.#raw.segments()) as SegmentStats[]);
  }

  stats(): ShardStats {
    return guarded(() => JSON.parse(this.#raw.stats()) as ShardStats);
  }

  /** Why the replica takes no more operations: it must be opened anew. */
  failure(): string | undefined {
    return this.#raw.failure() ?? undefined;
  }

  /** Of what searches see. */
  contentChecksum(): Promise<ContentChecksum> {
    return guardedAsync(() => this.#raw.contentChecksum());
  }

  /** Syncs the translog and lets go of all files. */
  async close(): Promise<void> {
    await this.#lastStep;
    await guardedAsync(() => this.#raw.close());
  }

  #step<Result>(call: () => Promise<Result>): Promise<Result> {
    const step = this.#lastStep.then(() => guardedAsync(call));
    this.#lastStep = step.catch(() => undefined);
    return step;
  }
}
