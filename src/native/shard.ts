/** One open shard: everything that reads or writes it, one native call each. Owned by one worker. */
import { native } from './addon.js';
import type { BulkItems } from './bulk.js';
import { slowItems, type BulkOptions, type BulkOutcome, type UnmappedField } from './bulk-call.js';
import { guarded, guardedAsync } from './errors.js';
import { optionsJson, type GetOptions, type GetResult } from './get-options.js';
import type { PlannedQueries, UnplannedTexts } from './planned-queries.js';
import type { RawShard } from './raw-addon.js';
import type { RemoteFiles } from './remote-files.js';
import { SegmentSet } from './replication.js';
import type { Checkpoints, ContentChecksum, Operations, TermStart } from './replication.js';
import { Searcher } from './searcher.js';
import type { ShardOptions, ShardParts, ShardSettings } from './shard-options.js';
import type { SegmentStats, ShardStats } from './shard-statistics.js';

/** Answers of `beginRefresh`; any other is a build after which the refresh begins again. */
const refreshStep = { nothingNew: 0, refreshed: 1, lastBuild: 3 } as const;

export class NativeShard {
  readonly #raw: RawShard;
  /** Settles when the flush before has ended: they run one after the other. */
  #lastFlush: Promise<unknown> = Promise.resolve();
  #remote: RemoteFiles | undefined;

  private constructor(raw: RawShard, remote?: RemoteFiles) {
    this.#raw = raw;
    this.#remote = remote;
  }

  /** Where segments of it are files of a repository. */
  get remote(): RemoteFiles | undefined {
    return this.#remote;
  }

  /** Makes an empty shard in a directory that holds none. `mapping` and `analysis` are JSON. */
  static async create(options: ShardOptions, mapping: string, analysis: string): Promise<NativeShard> {
    const raw = await guardedAsync(() => native().NativeShard.create(JSON.stringify(options), mapping, analysis));
    return new NativeShard(raw);
  }

  /**
   * Recovers a shard: commit point, segments, translog. Damage is a `corrupt_index_exception` naming the file. Segments that are `remote`
   * are not verified before they are read; the files are closed with the shard.
   */
  static async open(
    options: ShardOptions,
    mapping: string,
    analysis: string,
    remote?: RemoteFiles,
  ): Promise<NativeShard> {
    const raw = await guardedAsync(() => native().NativeShard.open(JSON.stringify(options), mapping, analysis));
    return new NativeShard(raw, remote);
  }

  /** Makes a shard of files that others lent (`linkCommit`); its operations go on behind the newest of theirs. */
  static async createOfParts(
    options: ShardOptions,
    mapping: string,
    analysis: string,
    parts: ShardParts,
  ): Promise<NativeShard> {
    const made = guardedAsync(() =>
      native().NativeShard.createOfParts(JSON.stringify(options), mapping, analysis, JSON.stringify(parts)),
    );
    return new NativeShard(await made);
  }

  /**
   * Links the files of the newest commit into a directory that is made for them; it must hold exactly the operations up to
   * `maxSeqNo`.
   */
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
   * Carries out the selected items in order and writes them to the translog. The answer must not be sent
   * before `synced(location)`.
   */
  bulk(body: Uint8Array, items: BulkItems, selection: Uint32Array, options: BulkOptions): BulkOutcome {
    const { from = 0, nowMs, forcedRefresh = false, bare = false } = options;
    const raw = guarded(() =>
      this.#raw.bulk(body, items.descriptors, items.strings, selection, from, nowMs, forcedRefresh, bare),
    );
    const { unmapped, unplanned, slow, ...rest } = raw;
    const outcome = { ...rest, slow: slowItems(slow, selection) };
    if (unmapped === undefined) return outcome;
    const queries = unplanned === undefined ? {} : { unplanned: JSON.parse(unplanned) as UnplannedTexts };
    return { ...outcome, ...queries, unmapped: JSON.parse(unmapped) as UnmappedField[] };
  }

  /** Plans of stored queries, for the next call of `bulk`. */
  addQueryPlans(plans: PlannedQueries): void {
    guarded(() => {
      this.#raw.addQueryPlans(JSON.stringify(plans));
    });
  }

  forgetFetchedPlans(): void {
    guarded(() => {
      this.#raw.forgetFetchedPlans();
    });
  }

  /**
   * The fields that the mapping lacks of those selected documents that would be taken if the mapping were `mapping`. Throws
   * the refusal of the first of them.
   */
  fieldsTaken(
    mapping: string,
    { body, items, selection, from }: { body: Uint8Array; items: BulkItems; selection: Uint32Array; from: number },
  ): readonly UnmappedField[] {
    const json = guarded(() => this.#raw.fieldsTaken(mapping, body, items.descriptors, items.strings, selection, from));
    return JSON.parse(json) as UnmappedField[];
  }

  /**
   * Resolves when everything up to `location` is on disk; waiting calls share one sync. With `durability: async` it
   * resolves at once.
   */
  synced(location: number): Promise<void> {
    return guardedAsync(() => this.#raw.synced(location));
  }

  /** Syncs what is not yet on disk, whatever the durability. */
  sync(): Promise<void> {
    return guardedAsync(() => this.#raw.sync());
  }

  get(id: string, options: GetOptions = {}): GetResult {
    return guarded(() => this.#raw.get(id, optionsJson(options)));
  }

  /** Makes everything indexed so far searchable, and waits for it. `false` when there was nothing new. */
  refresh(nowMs: number): boolean {
    return guarded(() => this.#raw.refresh(nowMs));
  }

  /** As `refresh`, but a large buffer becomes a segment on another thread: the event loop goes on. */
  async refreshInBackground(nowMs: number): Promise<boolean> {
    for (;;) {
      const step = guarded(() => this.#raw.beginRefresh(nowMs));
      if (step === refreshStep.nothingNew) return false;
      if (step === refreshStep.refreshed) return true;
      await guardedAsync(() => this.#raw.built(nowMs));
      if (step === refreshStep.lastBuild) return true;
    }
  }

  /** Whether a refresh would change what searches see. */
  isDirty(): boolean {
    return guarded(() => this.#raw.isDirty());
  }

  /**
   * Why the shard takes no more writes: memory and disk may disagree since a file operation failed. It must be opened anew.
   */
  failure(): string | undefined {
    return this.#raw.failure() ?? undefined;
  }

  /** Memory of what was indexed since the last refresh. */
  indexingBytes(): number {
    return guarded(() => this.#raw.indexingBytes());
  }

  /** Gives back memory that an empty buffer keeps for the next documents. */
  releaseMemory(): void {
    guarded(() => {
      this.#raw.releaseMemory();
    });
  }

  /** Whether the translog has grown past its threshold. */
  needsFlush(): boolean {
    return guarded(() => this.#raw.needsFlush());
  }

  /** Refreshes, writes a commit point and trims the translog; the disk works off the event loop. */
  flush(nowMs: number, force = false): Promise<boolean> {
    const flush = this.#lastFlush.then(() => guardedAsync(() => this.#raw.flush(force, nowMs)));
    this.#lastFlush = flush.catch(() => undefined);
    return flush;
  }

  /** What searches see now; unchanged by later refreshes. Release it by dropping the reference. */
  searcher(): Searcher {
    return guarded(() => new Searcher(this.#raw.searcher()));
  }

  /** Whether other threads searched it since the last call. */
  takeSearched(): boolean {
    return guarded(() => this.#raw.takeSearched());
  }

  /** Other threads do not search an idle shard themselves: they ask its owner. */
  setIdle(isIdle: boolean): void {
    guarded(() => {
      this.#raw.setIdle(isIdle);
    });
  }

  /** Forgets answers to searches that came before. */
  clearRequestCache(): void {
    guarded(() => {
      this.#raw.clearRequestCache();
    });
  }

  /** Proves the copy of a file that is copied, all of which is here; searches read it from then on. */
  adoptFile(name: string): Promise<void> {
    return guardedAsync(() => this.#raw.adoptFile(name));
  }

  /** All files that were copied are here: the directory can be opened without those of the repository. */
  endAdoption(): void {
    guarded(() => {
      this.#raw.endAdoption();
    });
    this.#remote?.close();
    this.#remote = undefined;
  }

  /** Reserves segments for a merge. The answer is the job that `NativeMerge` carries out, on any thread. */
  beginMerge(segments: readonly string[]): Uint8Array {
    return guarded(() => this.#raw.beginMerge([...segments]));
  }

  /** Puts the merged segment in the place of its inputs, with the deletions that came meanwhile. */
  finishMerge(outcome: Uint8Array): void {
    guarded(() => {
      this.#raw.finishMerge(outcome);
    });
  }

  /** Releases the segments of a merge that failed or was cancelled. */
  abortMerge(job: Uint8Array): void {
    guarded(() => {
      this.#raw.abortMerge(job);
    });
  }

  segments(): readonly SegmentStats[] {
    return guarded(() => JSON.parse(this.#raw.segments()) as SegmentStats[]);
  }

  stats(): ShardStats {
    return guarded(() => JSON.parse(this.#raw.stats()) as ShardStats);
  }

  /**
   * Operations from `seqNo` on, up to about `maxBytes` (at least one record). The newest come from memory; older ones are
   * read from the translog on another thread. A `history_unavailable_exception` when they are there no more.
   */
  async operationsSince(seqNo: number, maxBytes: number): Promise<Operations> {
    const inMemory = guarded(() => this.#raw.operationsInMemory(seqNo, maxBytes));
    return inMemory ?? guardedAsync(() => this.#raw.operationsFromDisk(seqNo, maxBytes));
  }

  /**
   * The translog keeps the operations from `seqNo` on over flushes, up to `maxBytes` of them. To be told with each progress
   * of the slowest tracked copy.
   */
  retainFrom(seqNo: number, maxBytes: number): void {
    guarded(() => {
      this.#raw.retainFrom(seqNo, maxBytes);
    });
  }

  checkpoints(): Checkpoints {
    return guarded(() => this.#raw.checkpoints());
  }

  /** Every in-sync copy has everything up to `seqNo`; kept over restarts. Never falls. */
  setGlobalCheckpoint(seqNo: number): void {
    guarded(() => {
      this.#raw.setGlobalCheckpoint(seqNo);
    });
  }

  /** Operations from now on are of this term. */
  advancePrimaryTerm(primaryTerm: number): void {
    guarded(() => {
      this.#raw.advancePrimaryTerm(primaryTerm);
    });
  }

  /** For `ReplicaShard.commonSeqNo`. */
  terms(): readonly TermStart[] {
    return guarded(() => JSON.parse(this.#raw.terms()) as TermStart[]);
  }

  /** Replicas are made with it: `ReplicaShard.create`. */
  historyUuid(): string {
    return guarded(() => this.#raw.historyUuid());
  }

  /** What searches see, to be copied. Release it by dropping the reference. */
  segmentSet(): SegmentSet {
    return guarded(() => new SegmentSet(this.#raw.segmentSet()));
  }

  /** Of what searches see: refresh first. */
  contentChecksum(): Promise<ContentChecksum> {
    return guardedAsync(() => this.#raw.contentChecksum());
  }

  /** Syncs the translog and lets go of all files. Flush first for a quick start next time. */
  async close(): Promise<void> {
    await this.#lastFlush;
    await guardedAsync(() => this.#raw.close());
    this.#remote?.close();
  }
}
