/**
 * An open replica: takes the operations and segments that its primary sends, and serves searches of the segments. Knows
 * neither REST nor cluster.
 */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { ReplicaShard } from '../native/replica-shard.js';
import type { Searcher } from '../native/searcher.js';
import { FlushCounter, flushes, WriteCounter } from './activity.js';
import type { ManagedShardKey } from './managed-shard.js';
import type { RecoveryProgress } from './recovery-progress.js';
import type {
  Alignment,
  AppendRequest,
  CopyProgress,
  FilesAnswer,
  FilesRequest,
  FinalizeRequest,
  PrimaryHead,
  RetentionRequest,
  SetRequest,
  WriteFileRequest,
} from './replication/copy-link.js';
import { IncomingFiles } from './replication/incoming-files.js';
import { HistoryRetention, type RetentionServices } from './replication/history-retention.js';

/** The replica's directory. */
export interface ReplicaStore {
  /** What an earlier copy left; undefined when there is nothing that can be used. */
  open(): Promise<ReplicaShard | undefined>;
  /** Empties the directory and makes a replica there. */
  create(historyUuid: string): Promise<ReplicaShard>;
  /**
   * Whether what is there may be given up: not that of a copy which was in sync when it was opened, because it may be all
   * that is left of the shard.
   */
  readonly mayStartAnew: boolean;
}

export interface ManagedReplicaServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly recovery: RecoveryProgress;
  readonly retention: RetentionServices;
  /** Is told once when the replica cannot go on and has to be opened anew. */
  onFailure(reason: string): void;
}

export class ManagedReplica {
  readonly office = 'replica';
  readonly key: ManagedShardKey;
  readonly flushes = new FlushCounter();
  readonly writes = new WriteCounter();
  /** By the clock that only goes forward. */
  readonly openedAtMs: number;
  private readonly store: ReplicaStore;
  private readonly services: ManagedReplicaServices;
  private replica: ReplicaShard | undefined;
  /** Of the replica. */
  private retention: HistoryRetention | undefined;
  /** What the primary had at the last alignment. */
  private primaryMaxSeqNo = -1;
  /** Alignments run one after the other, and closing after the last. */
  private lastStep: Promise<unknown> = Promise.resolve();
  private readonly incoming = new IncomingFiles();
  private isClosed = false;
  private failure: string | undefined;

  private constructor(
    key: ManagedShardKey,
    store: ReplicaStore,
    replica: ReplicaShard | undefined,
    services: ManagedReplicaServices,
  ) {
    this.key = key;
    this.store = store;
    this.services = services;
    this.openedAtMs = services.clock.monotonicMs();
    this.use(replica);
  }

  private use(replica: ReplicaShard | undefined): void {
    const { retention, clock } = this.services;
    this.replica = replica;
    this.retention = replica === undefined ? undefined : new HistoryRetention(replica, retention, clock);
  }

  static async open(
    key: ManagedShardKey,
    store: ReplicaStore,
    services: ManagedReplicaServices,
  ): Promise<ManagedReplica> {
    return new ManagedReplica(key, store, await store.open(), services);
  }

  /** Whether there is anything on disk that could be used. */
  get isMade(): boolean {
    return this.replica !== undefined;
  }

  /** Unusable until the primary has reached it for the first time. */
  get native(): ReplicaShard {
    this.refuseIfShut();
    if (this.replica !== undefined) return this.replica;
    const { index, shard } = this.key;
    const reason = `the replica [${index}][${shard}] has not been reached by its primary yet`;
    throw new QuarryError('no_shard_available_action_exception', reason);
  }

  /** Compares this copy with the primary and gives up what the primary does not have. */
  align(head: PrimaryHead): Promise<Alignment> {
    return this.step(async () => {
      const { recovery } = this.services;
      recovery.enter('INDEX');
      this.primaryMaxSeqNo = head.maxSeqNo;
      const replica = await this.replicaOfHistory(head.historyUuid);
      const { primaryTerm } = replica.checkpoints();
      if (primaryTerm > head.primaryTerm) {
        const reason = `primary term [${head.primaryTerm}] is lower than [${primaryTerm}]`;
        throw new QuarryError('primary_term_stale_exception', reason);
      }
      const common = replica.commonSeqNo(head.terms, head.maxSeqNo);
      if (head.historyStart > common + 1) return { outcome: 'copy-anew', maxSeqNo: common };
      try {
        await replica.rollbackAbove(common, head.primaryTerm);
      } catch (error) {
        if (asQuarryError(error).type !== 'copy_anew_exception') throw error;
        return { outcome: 'copy-anew', maxSeqNo: common };
      }
      await replica.sync();
      recovery.planOperations(head.maxSeqNo - common);
      recovery.enter('TRANSLOG');
      return { outcome: 'aligned', maxSeqNo: common };
    });
  }

  /** Resolves when the operations are on disk. */
  async append({ operations, primaryTerm, globalCheckpoint }: AppendRequest): Promise<CopyProgress> {
    const { native } = this;
    const before = native.checkpoints().maxSeqNo;
    const { location, maxSeqNo } = native.append(operations, primaryTerm, globalCheckpoint);
    await native.synced(location);
    this.services.recovery.recoveredOperations(maxSeqNo - before);
    return { maxSeqNo };
  }

  async missingFiles({ descriptor, mode, files }: FilesRequest): Promise<FilesAnswer> {
    const { recovery } = this.services;
    const answer = await this.incoming.begin(() => this.native.missingFiles(descriptor));
    if (mode !== 'replace') return answer;
    recovery.enter('INDEX');
    recovery.planFiles(files, new Set(answer.missing.map(({ name }) => name)));
    return answer;
  }

  async writeFile(request: WriteFileRequest): Promise<void> {
    await this.incoming.write(this.native, request);
    const { name, offset, bytes, throttledMs } = request;
    this.services.recovery.received(name, offset + bytes.length, throttledMs);
  }

  async install({ descriptor, mode }: SetRequest): Promise<CopyProgress> {
    const { native } = this;
    const { recovery } = this.services;
    const replaces = mode === 'replace';
    if (replaces) recovery.enter('VERIFY_INDEX');
    await native.install(descriptor, mode);
    const { maxSeqNo } = native.checkpoints();
    if (replaces) {
      this.retention?.apply();
      recovery.planOperations(Math.max(0, this.primaryMaxSeqNo - maxSeqNo));
      recovery.enter('TRANSLOG');
    }
    if (native.needsFlush()) await this.flush({ isPeriodic: true });
    return { maxSeqNo };
  }

  finalize({ isOver }: FinalizeRequest): void {
    this.refuseIfShut();
    this.services.recovery.enter(isOver ? 'DONE' : 'FINALIZE');
  }

  retain({ leases }: RetentionRequest): void {
    this.refuseIfShut();
    this.retention?.replace(leases);
  }

  searcher(): Searcher {
    return this.native.searcher();
  }

  /** Makes the newest segments that came from the primary the commit point; false when they are. */
  async flush({ force = false, isPeriodic = false } = {}): Promise<boolean> {
    const startedMs = this.services.clock.monotonicMs();
    const { native } = this;
    const flushed = await flushes.during(() => native.flush(force));
    this.flushes.ended(this.services.clock.monotonicMs() - startedMs, isPeriodic);
    return flushed;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.incoming.close();
    await this.lastStep;
    await this.replica?.close();
    await this.services.retention.settled();
  }

  /** To be called when a call of the replica failed: reports, once, one that cannot go on. */
  noticeFailure(): void {
    if (this.shutBecause !== undefined) return;
    const reason = this.replica?.failure();
    if (reason === undefined) return;
    this.failure = reason;
    this.services.onFailure(reason);
  }

  /** It takes no more calls, and not because it is being closed. */
  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Why the replica takes no more calls: it failed, or is being closed. */
  get shutBecause(): string | undefined {
    return this.failure ?? (this.isClosed ? 'the shard is being closed' : undefined);
  }

  private refuseIfShut(): void {
    if (this.shutBecause !== undefined) throw new QuarryError('illegal_state_exception', this.shutBecause);
  }

  private async replicaOfHistory(historyUuid: string): Promise<ReplicaShard> {
    const { replica, store } = this;
    if (replica !== undefined && replica.storeDescription().historyUuid === historyUuid) return replica;
    if (!store.mayStartAnew) {
      throw new QuarryError('corrupt_index_exception', `the copy does not have the primary's history [${historyUuid}]`);
    }
    this.use(undefined);
    await replica?.close();
    const created = await store.create(historyUuid);
    this.use(created);
    return created;
  }

  private step<Result>(action: () => Promise<Result>): Promise<Result> {
    const step = this.lastStep.then(() => {
      this.refuseIfShut();
      return action();
    });
    this.lastStep = step.catch(() => undefined);
    return step;
  }
}
