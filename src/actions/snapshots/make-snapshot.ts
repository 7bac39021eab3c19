/** Makes a snapshot: has its shards copied by whoever holds their primaries, then enters it into the repository. */
import { asQuarryError } from '../../base/error-wire.js';
import type { ErrorType } from '../../base/errors.js';
import { isBeingMade, isCopied, mayFinish, operationsOf, shardPredecessor } from '../../cluster/snapshots/queue.js';
import type { CreateOperation, ShardSnapshot, SnapshotIndex } from '../../cluster/snapshots/types.js';
import { isActive, primaryOf } from '../../cluster/copies/shard-copies.js';
import type { ClusterState, ShardCopy } from '../../cluster/state.js';
import type { RepositoryRoot } from '../../repositories/format.js';
import type { ActionContext } from '../context.js';
import { copiesOf, placeOf } from '../copy-selection.js';
import type { ShardKey } from '../shard-client.js';
import { enterSnapshot } from './enter-snapshot.js';
import { newestRoot } from './newest-root.js';
import type { OperationResult } from './run-snapshots.js';

/** Shards of one snapshot that are being copied at once, over all nodes. */
const COPIES_MAX = 64;
const LOOK_MS = 1_000;
/** The primary is elsewhere, or about to be: it is asked where it is then. */
const MOVED: ReadonlySet<ErrorType> = new Set([
  'connect_transport_exception',
  'no_shard_available_action_exception',
  'node_closed_exception',
  'node_disconnected_exception',
  'node_not_connected_exception',
  'shard_not_found_exception',
  // Its node has not heard of the snapshot yet, or has heard of its end.
  'snapshot_missing_exception',
]);

interface ReportedShard {
  readonly index: string;
  readonly shard: number;
  readonly outcome: ShardSnapshot;
}

export async function makeSnapshot(context: ActionContext, operation: CreateOperation): Promise<OperationResult> {
  const { root } = await newestRoot(context, operation.repository);
  try {
    await new ShardCopies(context, operation, root).run();
  } catch (error) {
    // Nobody waits for its shards any more.
    context.cancellation.cancelByRequest();
    throw error;
  }
  for (;;) {
    const current = currentOperation(context, operation.uuid);
    if (current === undefined) return { outcome: { failure: ABORTED } };
    if (mayFinish(context.clusterState(), current)) {
      return context.repositories.writers.run(operation.uuid, () => enterSnapshot(context, current));
    }
    context.cancellation.throwIfCancelled();
    const { version } = context.clusterState();
    await context.whenState((state) => state.version > version, LOOK_MS);
  }
}

const ABORTED = { type: 'snapshot_exception', reason: 'the snapshot was aborted by deletion' } as const;

/** Undefined of one that was stopped, or that another master has told the end of: nobody copies for it any more. */
function currentOperation(context: ActionContext, uuid: string): CreateOperation | undefined {
  const state = context.clusterState();
  const operation = state.snapshotOperations.get(uuid);
  return operation?.kind === 'create' && isBeingMade(state, uuid) ? operation : undefined;
}

/** The shards of one snapshot on their way into the repository. */
class ShardCopies {
  private readonly context: ActionContext;
  private readonly uuid: string;
  private readonly repository: string;
  private root: RepositoryRoot;
  private readonly underWay = new Map<string, Promise<void>>();
  private reports: ReportedShard[] = [];

  constructor(context: ActionContext, { uuid, repository }: CreateOperation, root: RepositoryRoot) {
    this.context = context;
    this.uuid = uuid;
    this.repository = repository;
    this.root = root;
  }

  /** Returns when all are copied or have failed, or the snapshot is not wanted any more and nothing is under way. */
  async run(): Promise<void> {
    const { context } = this;
    for (;;) {
      await this.tellReports();
      await this.followRoot();
      const operation = currentOperation(context, this.uuid);
      const isWanted = operation !== undefined;
      if (!isWanted) context.cancellation.cancelByRequest();
      if (isWanted && isCopied(operation)) return;
      if (isWanted) this.begin(operation);
      if (!isWanted && this.underWay.size === 0) return;
      const { version } = context.clusterState();
      const news = context.whenState((state) => state.version > version, LOOK_MS);
      if (this.reports.length === 0) await Promise.race([...this.underWay.values(), news]);
    }
  }

  /** What snapshots before this one made of shards is in a newer root once they have ended. */
  private async followRoot(): Promise<void> {
    while (this.context.clusterState().repositories.get(this.repository)?.generation !== this.root.generation) {
      this.root = (await newestRoot(this.context, this.repository)).root;
    }
  }

  private begin(operation: CreateOperation): void {
    const state = this.context.clusterState();
    const earlier = operationsOf(state, operation.repository).filter(({ order }) => order < operation.order);
    for (const each of operation.indices) {
      for (const [shard, { state: progress }] of each.shards.entries()) {
        const name = `${each.id}/${shard}`;
        if (progress !== 'pending' || this.underWay.has(name) || this.isReported(each, shard)) continue;
        if (this.underWay.size >= COPIES_MAX) return;
        const before = shardPredecessor(earlier, each.id, shard);
        if (before === 'wait') continue;
        const copied = this.copy(state, each, shard, before.generation);
        if (copied === undefined) continue;
        const done = copied.finally(() => this.underWay.delete(name));
        this.underWay.set(name, done);
      }
    }
  }

  private isReported({ index }: SnapshotIndex, shard: number): boolean {
    return this.reports.some((report) => report.index === index.name && report.shard === shard);
  }

  /** Undefined while the primary cannot be copied yet. */
  private copy(
    state: ClusterState,
    each: SnapshotIndex,
    shard: number,
    earlierGeneration: string | undefined,
  ): Promise<void> | undefined {
    const key: ShardKey = { index: each.index.name, indexUuid: each.index.uuid, shard };
    const primary = primaryOf(copiesOf(state, key));
    if (primary === undefined) return this.fail(key, 'the index was deleted while the snapshot was made');
    if (primary.state === 'UNASSIGNED') return this.fail(key, 'the primary shard has no place any more');
    // One that starts or moves is copied after that.
    if (primary.state !== 'STARTED' || !isActive(primary)) return undefined;
    const known = this.root.indices.find(({ id }) => id === each.id)?.shards[shard];
    return this.ask(key, primary, each.id, earlierGeneration ?? known ?? '');
  }

  private fail({ index, shard }: ShardKey, reason: string): Promise<void> {
    this.reports.push({ index, shard, outcome: { state: 'failed', reason } });
    return Promise.resolve();
  }

  private async ask(key: ShardKey, primary: ShardCopy, indexId: string, generation: string): Promise<void> {
    const { context } = this;
    const operation = currentOperation(context, this.uuid);
    const place = placeOf(primary);
    if (operation === undefined || place === undefined) return;
    const { nodeId } = place;
    try {
      const input = { repository: operation.repository, snapshotUuid: this.uuid, indexId, generation };
      const { generation: next, ...figures } = await context.shards.onCopy(key, place, 'snapshot-shard', input);
      this.report(key, { state: 'success', nodeId, generation: next, ...figures });
    } catch (error) {
      const { type, message } = asQuarryError(error);
      if (MOVED.has(type)) await this.whenElsewhere(key, primary);
      else this.report(key, { state: 'failed', nodeId, reason: `${type}: ${message}` });
    }
  }

  private report({ index, shard }: ShardKey, outcome: ShardSnapshot): void {
    this.reports.push({ index, shard, outcome });
  }

  /** Returns when the primary is another one, or after a while. */
  private async whenElsewhere(key: ShardKey, { allocationId }: ShardCopy): Promise<void> {
    await this.context.whenState(
      (state) => primaryOf(copiesOf(state, key))?.allocationId !== allocationId,
      LOOK_MS,
      this.context.cancellation,
    );
  }

  private async tellReports(): Promise<void> {
    if (this.reports.length === 0) return;
    const shards = this.reports;
    this.reports = [];
    // Reports of an aborted snapshot change nothing.
    await this.context.coordinator.submit('report-snapshot-shards', { uuid: this.uuid, shards });
  }
}
