/**
 * The shards that this worker owns: follows the cluster state, opening what is assigned to the worker, closing what is not,
 * and deleting the files of indices that are gone.
 */
import type { Logger } from '../base/logger.js';
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError, type ErrorType } from '../base/errors.js';
import { Lanes } from '../base/lanes.js';
import type { ShardReport } from '../cluster/changes/copies/shard-reports.js';
import { changedIndices, NO_INDICES, placedIndex, type IndexTables } from '../cluster/copies/index-tally.js';
import {
  holdsPrimaryOffice,
  primaryOf,
  recoverySourceOf,
  type RecoverySource,
} from '../cluster/copies/shard-copies.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../cluster/state.js';
import type { SegmentSet } from '../native/replication.js';
import type { StoredCommit } from '../segment/commit-file.js';
import { RecoveryProgress, type RecoveryReport } from '../shard/recovery-progress.js';
import type { ShardView } from '../shard/replication/replication-group.js';
import { assignedCopies, recoveryOrigin, shardId, tenure } from './assigned-copies.js';
import type { ShardKey } from './shard-client.js';
import type { OpenShard } from './shard-operation.js';

/** What the host does to shards and files; the parts that touch either are given to it. */
export interface ShardLifecycle {
  /**
   * `current` gives the index as it is now, also after later changes. `onFailure` is called once when the open shard
   * cannot go on, `onRestoring` when all of its files are to be fetched from a repository before it is open.
   */
  open(
    current: () => IndexMetadata,
    copy: ShardCopy,
    recovery: RecoveryProgress,
    onFailure: (reason: string) => void,
    onRestoring: () => void,
  ): Promise<OpenShard>;
  /** The mapping or the settings of the index changed. */
  update(shard: OpenShard, index: IndexMetadata, former: IndexMetadata): void;
  /** Where the other copies of the shard are now. */
  follow(shard: OpenShard, view: ShardView): void;
  close(shard: OpenShard): Promise<void>;
  deleteFiles(indexUuid: string, shard: number): Promise<void>;
  lastCommit(indexUuid: string, shard: number): Promise<StoredCommit>;
  /** The segments of a copy that nobody holds open, which can be read from then on whatever becomes of it. */
  closedSet(index: IndexMetadata, copy: ShardCopy): Promise<SegmentSet>;
  /** `others`: shards that are being opened, or wait for their turn. */
  reportStarted(report: ShardReport, others: number): void;
  reportFailed(report: ShardReport, reason: string): void;
}

interface Hosted {
  readonly key: ShardKey;
  readonly copy: ShardCopy;
  /** The shard is closed and opened again when it has another one. */
  readonly tenure: string;
  readonly recovery: RecoveryProgress;
  metadata: IndexMetadata;
  view: ShardView;
  /** Settles when the shard is usable, or could not be opened. */
  opening: Promise<OpenShard>;
  /** Rejects for those that do not wait that long, when its opening turns out to take as long as a restore. */
  openingSoon: Promise<OpenShard>;
  open: OpenShard | undefined;
  /** It went elsewhere before it was its turn to be opened, or the node ends before it is open. */
  isWithdrawn: boolean;
  /** Set while it is not opened yet because it failed before. */
  retry: { readonly reason: string; cancel(): void } | undefined;
}

/** A shard that failed is opened again after so long, and after four times as long with each further failure. */
const FIRST_RETRY_MS = 100;
const RETRY_FACTOR = 4;
const RETRY_MS_MAX = 30_000;
/** Shards that a worker opens at once; the others wait. */
const OPENINGS_MAX = 4;
/** From what lies on the node's disk, or from nothing. */
const OPENED_ALONE: ReadonlySet<RecoverySource> = new Set(['EMPTY_STORE', 'EXISTING_STORE']);

/** Whether a restore is waited for, which takes as long as the pace of its repository says. */
export type RestorePatience = 'until-restored' | 'not-for-restores';

export class ShardHost {
  private readonly lifecycle: ShardLifecycle;
  private readonly logger: Logger;
  private readonly clock: Clock;
  private readonly hosted = new Map<string, Hosted>();
  /** By name of the index: its shards among those. */
  private readonly idsByIndex = new Map<string, Set<string>>();
  /** Of the state that was applied last. */
  private applied: IndexTables = NO_INDICES;
  /** Resolves when the newest state is applied; they are one after the other. */
  private applying: Promise<void> = Promise.resolve();
  private readonly lanes = new Lanes(OPENINGS_MAX);
  private isClosing = false;
  /** Of this worker, as it was told with the newest state. */
  private place = { nodeId: '', slot: -1 };

  constructor(lifecycle: ShardLifecycle, logger: Logger, clock: Clock) {
    this.lifecycle = lifecycle;
    this.logger = logger;
    this.clock = clock;
  }

  /** Those that are open now. */
  *openShards(): Generator<OpenShard> {
    for (const { open } of this.hosted.values()) if (open !== undefined) yield open;
  }

  /** Starts opening what is new and resolves when what is not assigned any more is closed. */
  apply(state: ClusterState, nodeId: string, slot: number): Promise<void> {
    const applied = this.applying.then(() => this.applyState(state, nodeId, slot));
    this.applying = applied.catch(() => undefined);
    return applied;
  }

  private async applyState(state: ClusterState, nodeId: string, slot: number): Promise<void> {
    if (this.isClosing) return;
    this.place = { nodeId, slot };
    const names = changedIndices(this.applied, state);
    const assigned = new Map([...names].flatMap((name) => [...assignedCopies(state, name, nodeId, slot)]));
    const closing: Promise<void>[] = [];
    const recoveries = new Map<string, RecoveryProgress>();
    for (const [id, hosted] of this.hostedOf(names)) {
      const now = assigned.get(id);
      if (now !== undefined && tenure(now.metadata, now.copy) === hosted.tenure) continue;
      this.forget(id, hosted);
      // A copy that changes its office is the one that recovered before.
      if (now?.copy.allocationId === hosted.copy.allocationId) recoveries.set(id, hosted.recovery);
      else hosted.recovery.abandon();
      closing.push(this.close(hosted, state));
    }
    await Promise.all(closing);
    for (const [id, { metadata, copy, view }] of assigned) {
      const hosted = this.hosted.get(id);
      if (hosted !== undefined) this.update(hosted, metadata, view);
      else this.open(id, metadata, copy, view, recoveries.get(id) ?? this.newRecovery(state, metadata, copy));
    }
    // After an error the next state brings all of it once more.
    this.applied = { indices: state.indices, routing: state.routing };
  }

  private hostedOf(names: ReadonlySet<string>): readonly (readonly [string, Hosted])[] {
    const ids = [...names].flatMap((name) => [...(this.idsByIndex.get(name) ?? [])]);
    return ids.flatMap((id) => {
      const hosted = this.hosted.get(id);
      return hosted === undefined ? [] : [[id, hosted] as const];
    });
  }

  private remember(id: string, hosted: Hosted): void {
    this.hosted.set(id, hosted);
    const { index } = hosted.key;
    this.idsByIndex.set(index, (this.idsByIndex.get(index) ?? new Set()).add(id));
  }

  private forget(id: string, { key }: Hosted): void {
    this.hosted.delete(id);
    const ids = this.idsByIndex.get(key.index);
    ids?.delete(id);
    if (ids?.size === 0) this.idsByIndex.delete(key.index);
  }

  private newRecovery(state: ClusterState, index: IndexMetadata, copy: ShardCopy): RecoveryProgress {
    return new RecoveryProgress(recoveryOrigin(state, index, copy), this.clock);
  }

  /** How the copy recovered, or does; undefined when there is none here. Does not wait for it. */
  recovery(key: ShardKey): RecoveryReport | undefined {
    return this.hosted.get(shardId(key.indexUuid, key.shard))?.recovery.report();
  }

  /** The open shard; waits while it is being opened, but not while it waits for its next try. */
  async shard(key: ShardKey, patience: RestorePatience = 'until-restored'): Promise<OpenShard> {
    const id = shardId(key.indexUuid, key.shard);
    // A shard that is opened anew is closed before: meanwhile there is none.
    if (!this.hosted.has(id)) await this.applying;
    const hosted = this.hosted.get(id);
    if (hosted === undefined) {
      if (this.isClosing) throw noShardAvailable(key, 'the node is stopping');
      throw shardNotFound(key);
    }
    if (hosted.retry !== undefined) throw noShardAvailable(key, hosted.retry.reason);
    return patience === 'until-restored' ? hosted.opening : hosted.openingSoon;
  }

  /** The newest commit point of a shard that is not open. */
  lastCommit(key: ShardKey): Promise<StoredCommit> {
    return this.lifecycle.lastCommit(key.indexUuid, key.shard);
  }

  /**
   * The segments of a primary of a closed index, of which this worker has the place; undefined for any other. It is opened for the
   * moment that this takes; no state is applied meanwhile.
   */
  closedSet(key: ShardKey): Promise<SegmentSet | undefined> {
    const borrowed = this.applying.then(async () => {
      const placed = placedIndex(this.applied, key.index);
      const isClosed = placed?.index.uuid === key.indexUuid && placed.index.state === 'close';
      const copy = isClosed ? primaryOf(placed.table.shards[key.shard] ?? []) : undefined;
      if (placed === undefined || copy?.nodeId !== this.place.nodeId || copy.workerSlot !== this.place.slot)
        return undefined;
      return this.lifecycle.closedSet(placed.index, copy);
    });
    this.applying = borrowed.then(
      () => undefined,
      () => undefined,
    );
    return borrowed;
  }

  /** Closes every shard and opens none any more, whatever states come later. */
  async closeAll(): Promise<void> {
    this.isClosing = true;
    await this.applying;
    const all = [...this.hosted.values()];
    this.hosted.clear();
    this.idsByIndex.clear();
    for (const hosted of all) {
      if (hosted.open !== undefined) continue;
      // A restore would keep the node from ending for as long as it takes.
      hosted.isWithdrawn = true;
      hosted.recovery.abandon();
    }
    await Promise.all(all.map((hosted) => this.closeShard(hosted)));
  }

  private open(
    id: string,
    metadata: IndexMetadata,
    copy: ShardCopy,
    view: ShardView,
    recovery: RecoveryProgress,
  ): void {
    const key: ShardKey = { index: metadata.name, indexUuid: metadata.uuid, shard: copy.shard };
    const hosted: Hosted = {
      key,
      copy,
      tenure: tenure(metadata, copy),
      recovery,
      metadata,
      view,
      opening: NEVER,
      openingSoon: NEVER,
      open: undefined,
      isWithdrawn: false,
      retry: undefined,
    };
    this.remember(id, hosted);
    const delayMs = retryDelayMs(copy);
    if (delayMs === 0) {
      this.openNow(hosted);
      return;
    }
    const cancel = this.clock.schedule(delayMs, () => {
      hosted.retry = undefined;
      this.openNow(hosted);
    });
    hosted.retry = { reason: copy.unassigned?.details ?? 'it failed before', cancel };
  }

  private openNow(hosted: Hosted): void {
    const { key, copy, metadata } = hosted;
    const onFailure = (reason: string): void => {
      this.logger.log('error', 'shard failed', { index: key.index, shard: key.shard, reason });
      this.lifecycle.reportFailed(report, reason);
    };
    let onRestoring = (): void => undefined;
    const restoring = new Promise<never>((_, reject) => {
      onRestoring = () => {
        reject(noShardAvailable(key, 'it is being restored'));
      };
    });
    const open = (): Promise<OpenShard> => {
      if (this.hosted.get(shardId(key.indexUuid, key.shard)) !== hosted) {
        hosted.isWithdrawn = true;
        return Promise.reject(noShardAvailable(key, 'it is not opened any more'));
      }
      return this.lifecycle.open(() => hosted.metadata, copy, hosted.recovery, onFailure, onRestoring);
    };
    // What waits for others while it is opened must not keep these waiting.
    const isAlone = OPENED_ALONE.has(recoverySourceOf(metadata, copy));
    hosted.opening = isAlone ? this.lanes.run(open) : open();
    hosted.openingSoon = Promise.race([hosted.opening, restoring]);
    // Perhaps nobody asks meanwhile.
    hosted.openingSoon.catch(() => undefined);
    const isPrimary = holdsPrimaryOffice(copy);
    const primaryTerm = isPrimary ? metadata.primaryTerms[copy.shard] : undefined;
    const report: ShardReport = {
      ...key,
      allocationId: copy.allocationId ?? '',
      ...(primaryTerm === undefined ? {} : { primaryTerm }),
    };
    hosted.opening.then(
      (shard) => {
        hosted.open = shard;
        hosted.openingSoon = hosted.opening;
        // What changed while it was being opened.
        if (hosted.metadata !== metadata) this.tellShard(shard, hosted.metadata, metadata);
        this.lifecycle.follow(shard, hosted.view);
        if (isPrimary || hosted.view.isActive) hosted.recovery.enter('DONE');
        // A replica is reported by its primary, when it is level.
        if (copy.state === 'INITIALIZING' && isPrimary) {
          this.lifecycle.reportStarted(report, this.lanes.count);
        }
      },
      (error: unknown) => {
        if (hosted.isWithdrawn) return;
        const { type, message } = asQuarryError(error);
        this.logger.log('error', 'cannot open shard', { index: key.index, shard: key.shard, type, reason: message });
        hosted.recovery.abandon();
        this.lifecycle.reportFailed(report, `${type}: ${message}`);
      },
    );
  }

  private update(hosted: Hosted, metadata: IndexMetadata, view: ShardView): void {
    const former = hosted.metadata;
    hosted.metadata = metadata;
    hosted.view = view;
    if (hosted.open === undefined) return;
    if (former !== metadata) this.tellShard(hosted.open, metadata, former);
    this.lifecycle.follow(hosted.open, view);
    if (view.isActive) hosted.recovery.enter('DONE');
  }

  private tellShard(shard: OpenShard, metadata: IndexMetadata, former: IndexMetadata): void {
    try {
      this.lifecycle.update(shard, metadata, former);
    } catch (error) {
      this.logger.log('error', 'cannot update shard', { index: metadata.name, reason: asQuarryError(error).message });
    }
  }

  private async close(hosted: Hosted, state: ClusterState): Promise<void> {
    await this.closeShard(hosted);
    const isGone = state.indices.get(hosted.key.index)?.uuid !== hosted.key.indexUuid;
    if (!isGone) return;
    try {
      await this.lifecycle.deleteFiles(hosted.key.indexUuid, hosted.key.shard);
    } catch (error) {
      this.logger.log('error', 'cannot delete the files of a shard', {
        index: hosted.key.index,
        reason: String(error),
      });
    }
  }

  private async closeShard(hosted: Hosted): Promise<void> {
    if (hosted.retry !== undefined) {
      hosted.retry.cancel();
      return;
    }
    try {
      await this.lifecycle.close(await hosted.opening);
    } catch (error) {
      if (hosted.isWithdrawn) return;
      this.logger.log('warn', 'cannot close shard', { index: hosted.key.index, reason: String(error) });
    }
  }
}

/** Stands for the opening of a shard until it has begun. */
const NEVER = new Promise<never>(() => undefined);

/** The error of requests to a shard that no worker serves. `why` is the reason of its last failure, if it failed. */
export function noShardAvailable(key: ShardKey, why: string | null | undefined): QuarryError {
  const reason = `No shard available for [${key.index}][${key.shard}]`;
  return new QuarryError(
    'no_shard_available_action_exception',
    typeof why === 'string' ? `${reason}: ${why}` : reason,
    {
      details: { index: key.index, shard: String(key.shard) },
    },
  );
}

/** What a shard that takes no calls, or no longer, fails with. */
const REFUSALS: ReadonlySet<ErrorType> = new Set(['illegal_state_exception', 'task_cancelled_exception']);

/**
 * What a shard refuses because it failed or is being closed is answered as if it were gone already: it may come back. Of one that is closed, reads are told
 * that it is not there, so that they look where it is now; a write may have been carried out.
 */
export function orShardGone(
  error: unknown,
  { key, shutBecause, hasFailed }: Pick<OpenShard, 'key' | 'shutBecause' | 'hasFailed'>,
  isRead: boolean,
): unknown {
  const isRefused = error instanceof QuarryError && REFUSALS.has(error.type);
  if (!isRefused || shutBecause === undefined) return error;
  return isRead && !hasFailed ? shardNotFound(key) : noShardAvailable(key, shutBecause);
}

function shardNotFound({ index, indexUuid, shard }: ShardKey): QuarryError {
  return new QuarryError('shard_not_found_exception', 'no such shard', {
    details: { index_uuid: indexUuid, shard: String(shard), index },
  });
}

function retryDelayMs(copy: ShardCopy): number {
  const failures = copy.unassigned?.failedAllocations ?? 0;
  return failures === 0 ? 0 : Math.min(RETRY_MS_MAX, FIRST_RETRY_MS * RETRY_FACTOR ** (failures - 1));
}
