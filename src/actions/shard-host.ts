/**
 * The shards that this worker owns: follows the cluster state, opening what is assigned to the worker, closing what is not,
 * and deleting the files of indices that are gone.
 */
import type { Logger } from '../base/logger.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import type { ShardReport } from '../cluster/changes/shard-reports.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../cluster/state.js';
import type { CommitDescription } from '../segment/commit-file.js';
import type { ShardKey } from './shard-client.js';
import type { OpenShard } from './shard-operation.js';

/** What the host does to shards and files; the parts that touch either are given to it. */
export interface ShardLifecycle {
  /** `current` gives the index as it is now, also after later changes. */
  open(current: () => IndexMetadata, copy: ShardCopy): Promise<OpenShard>;
  /** The mapping or the settings of the index changed. */
  update(shard: OpenShard, index: IndexMetadata, former: IndexMetadata): void;
  close(shard: OpenShard): Promise<void>;
  deleteFiles(indexUuid: string, shard: number): Promise<void>;
  lastCommit(indexUuid: string, shard: number): Promise<CommitDescription>;
  reportStarted(report: ShardReport): void;
  reportFailed(report: ShardReport, reason: string): void;
}

interface Hosted {
  readonly key: ShardKey;
  readonly copy: ShardCopy;
  metadata: IndexMetadata;
  /** Settles when the shard is usable, or could not be opened. */
  opening: Promise<OpenShard>;
  open: OpenShard | undefined;
}

export class ShardHost {
  private readonly lifecycle: ShardLifecycle;
  private readonly logger: Logger;
  private readonly hosted = new Map<string, Hosted>();

  constructor(lifecycle: ShardLifecycle, logger: Logger) {
    this.lifecycle = lifecycle;
    this.logger = logger;
  }

  /** Starts opening what is new and resolves when what is not assigned any more is closed. */
  async apply(state: ClusterState, nodeId: string, slot: number): Promise<void> {
    const assigned = assignedCopies(state, nodeId, slot);
    const closing: Promise<void>[] = [];
    for (const [id, hosted] of this.hosted) {
      const now = assigned.get(id);
      if (now !== undefined && now.copy.allocationId === hosted.copy.allocationId) continue;
      this.hosted.delete(id);
      closing.push(this.close(hosted, state));
    }
    await Promise.all(closing);
    for (const [id, { metadata, copy }] of assigned) {
      const hosted = this.hosted.get(id);
      if (hosted === undefined) this.open(id, metadata, copy);
      else if (hosted.metadata !== metadata) this.update(hosted, metadata);
    }
  }

  /** The open shard; waits while it is being opened. */
  async shard(key: ShardKey): Promise<OpenShard> {
    const hosted = this.hosted.get(shardId(key.indexUuid, key.shard));
    if (hosted === undefined) {
      throw new QuarryError('shard_not_found_exception', 'no such shard', {
        details: { index_uuid: key.indexUuid, shard: String(key.shard), index: key.index },
      });
    }
    return hosted.opening;
  }

  /** The newest commit point of a shard that is not open. */
  lastCommit(key: ShardKey): Promise<CommitDescription> {
    return this.lifecycle.lastCommit(key.indexUuid, key.shard);
  }

  /** Every shard that is open or being opened. */
  async all(): Promise<readonly OpenShard[]> {
    const opened = await Promise.allSettled([...this.hosted.values()].map(({ opening }) => opening));
    return opened.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  }

  async closeAll(): Promise<void> {
    const all = [...this.hosted.values()];
    this.hosted.clear();
    await Promise.all(all.map((hosted) => this.closeShard(hosted)));
  }

  private open(id: string, metadata: IndexMetadata, copy: ShardCopy): void {
    const key: ShardKey = { index: metadata.name, indexUuid: metadata.uuid, shard: copy.shard };
    const hosted: Hosted = { key, copy, metadata, opening: NEVER, open: undefined };
    hosted.opening = this.lifecycle.open(() => hosted.metadata, copy);
    this.hosted.set(id, hosted);
    const report: ShardReport = { ...key, allocationId: copy.allocationId ?? '' };
    hosted.opening.then(
      (shard) => {
        hosted.open = shard;
        // What changed while it was being opened.
        if (hosted.metadata !== metadata) this.tellShard(shard, hosted.metadata, metadata);
        if (copy.state !== 'STARTED') this.lifecycle.reportStarted(report);
      },
      (error: unknown) => {
        const { type, message } = asQuarryError(error);
        this.logger.log('error', 'cannot open shard', { index: key.index, shard: key.shard, type, reason: message });
        this.lifecycle.reportFailed(report, `${type}: ${message}`);
      },
    );
  }

  private update(hosted: Hosted, metadata: IndexMetadata): void {
    const former = hosted.metadata;
    hosted.metadata = metadata;
    if (hosted.open !== undefined) this.tellShard(hosted.open, metadata, former);
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
    try {
      await this.lifecycle.close(await hosted.opening);
    } catch (error) {
      this.logger.log('warn', 'cannot close shard', { index: hosted.key.index, reason: String(error) });
    }
  }
}

/** Stands for the opening of a shard until it has begun. */
const NEVER = new Promise<never>(() => undefined);

function assignedCopies(
  state: ClusterState,
  nodeId: string,
  slot: number,
): Map<string, { metadata: IndexMetadata; copy: ShardCopy }> {
  const assigned = new Map<string, { metadata: IndexMetadata; copy: ShardCopy }>();
  for (const [name, routing] of state.routing) {
    const metadata = state.indices.get(name);
    // The shards of a closed index keep their places, without open files.
    if (metadata?.state !== 'open') continue;
    for (const copy of routing.shards.flat()) {
      if (copy.nodeId !== nodeId || copy.workerSlot !== slot || copy.state === 'UNASSIGNED') continue;
      assigned.set(shardId(metadata.uuid, copy.shard), { metadata, copy });
    }
  }
  return assigned;
}

function shardId(indexUuid: string, shard: number): string {
  return `${indexUuid}/${shard}`;
}
