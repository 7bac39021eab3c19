/**
 * The order of what is done in one repository. Snapshots are made side by side; of one shard, one after the other, because
 * each adds itself to what the repository has of the shard. Everything else is alone in its repository.
 */
import { QuarryError } from '../../base/errors.js';
import type { ClusterState } from '../state.js';
import type { CreateOperation, SnapshotOperation } from './types.js';

type Operations = Pick<ClusterState, 'snapshotOperations'>;

/** Those of one repository that are not over, the oldest first. */
export function operationsOf({ snapshotOperations }: Operations, repository: string): readonly SnapshotOperation[] {
  return [...snapshotOperations.values()]
    .filter((operation) => operation.repository === repository && !isOver(operation))
    .sort((left, right) => left.order - right.order);
}

/** Nothing is left of it but to be forgotten. */
export function isOver({ outcome }: SnapshotOperation): boolean {
  return outcome !== undefined;
}

/** Those that may go on now, or be forgotten. */
export function dueOperations(state: Operations): readonly SnapshotOperation[] {
  const all = [...state.snapshotOperations.values()];
  const repositories = new Set(all.map(({ repository }) => repository));
  const begun = [...repositories].flatMap((repository) => {
    const operations = operationsOf(state, repository);
    const lone = operations.findIndex(({ kind }) => kind !== 'create');
    return lone === -1 ? operations : operations.slice(0, Math.max(1, lone));
  });
  return [...all.filter(isOver), ...begun];
}

/** False also of one that the state has not heard of yet. */
export function isBeingMade({ snapshotOperations }: Operations, uuid: string): boolean {
  const operation = snapshotOperations.get(uuid);
  return operation?.kind === 'create' && operation.aborted !== true && !isOver(operation);
}

/** Whether all of its shards have ended, well or not. */
export function isCopied({ indices }: CreateOperation): boolean {
  return indices.every(({ shards }) => shards.every(({ state }) => state !== 'pending'));
}

/**
 * What came before, for a shard of the snapshot:
 * - `wait`: an earlier snapshot is still copying it.
 * - otherwise the generation that the last earlier snapshot in the queue made of it; undefined: that of the root.
 */
export function shardPredecessor(
  earlier: readonly SnapshotOperation[],
  indexId: string,
  shard: number,
): 'wait' | { readonly generation: string | undefined } {
  let generation: string | undefined;
  for (const operation of earlier) {
    if (operation.kind !== 'create') continue;
    const copied = operation.indices.find(({ id }) => id === indexId)?.shards[shard];
    if (copied?.state === 'pending') return 'wait';
    generation = copied?.generation ?? generation;
  }
  return { generation };
}

/** A root names one generation for each shard: a snapshot must not be in it before one on which it builds. */
export function mayFinish(state: Operations, operation: CreateOperation): boolean {
  const ids = new Set(operation.indices.map(({ id }) => id));
  return operationsOf(state, operation.repository)
    .filter(({ order }) => order < operation.order)
    .every((other) => other.kind === 'create' && !other.indices.some(({ id }) => ids.has(id)));
}

/** Throws `snapshot_in_progress_exception`: a whole snapshot needs all of its indices to its end. */
export function checkNotInSnapshot(
  state: Operations,
  indices: readonly { readonly name: string; readonly uuid: string }[],
  doing: 'delete' | 'close',
): void {
  if (state.snapshotOperations.size === 0) return;
  const held = indices.filter(({ uuid }) =>
    snapshotsOfIndex(state, uuid).some(({ partial, aborted }) => !partial && aborted !== true),
  );
  if (held.length === 0) return;
  const names = held.map(({ name, uuid }) => `[${name}/${uuid}]`).join(', ');
  throw new QuarryError(
    'snapshot_in_progress_exception',
    `Cannot ${doing} indices that are being snapshotted: [${names}]. Try again after snapshot finishes or cancel the ` +
      'currently running snapshot.',
  );
}

/** Snapshots that are being made and hold one of these shards where it is. */
export function snapshotsOfIndex(state: Operations, indexUuid: string): readonly CreateOperation[] {
  return [...state.snapshotOperations.values()].filter(
    (operation): operation is CreateOperation =>
      operation.kind === 'create' &&
      !isOver(operation) &&
      operation.indices.some(({ index }) => index.uuid === indexUuid),
  );
}
