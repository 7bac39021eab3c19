/** The snapshots of a repository: those in it, and those that are being made. */
import { asQuarryError } from '../../base/error-wire.js';
import { findRepository } from '../../cluster/changes/snapshots/repositories.js';
import { isOver } from '../../cluster/snapshots/queue.js';
import type { CreateOperation } from '../../cluster/snapshots/types.js';
import type { RootSnapshot, SnapshotRecord } from '../../repositories/format.js';
import type { Repository } from '../../repositories/repository.js';
import type { ActionContext } from '../context.js';
import { knownRoot } from './known-root.js';
import { readRecord } from './read-snapshot.js';

export type ListedSnapshot =
  | { readonly kind: 'finished'; readonly repository: Repository; readonly summary: RootSnapshot }
  | { readonly kind: 'running'; readonly repository: Repository; readonly operation: CreateOperation };

/** Of several repositories; one that cannot be read is left out if that is wanted, but not where it is the only one. */
export function listSnapshotsOfAll(
  context: ActionContext,
  repositories: readonly string[],
  ignoresUnavailable: boolean,
): Promise<readonly (readonly ListedSnapshot[])[]> {
  return Promise.all(
    repositories.map((name) =>
      listSnapshots(context, name).catch((error: unknown) => {
        const isGone = asQuarryError(error).type === 'repository_missing_exception';
        if (ignoresUnavailable && repositories.length > 1 && !isGone) return [];
        throw error;
      }),
    ),
  );
}

/** In the order in which they began. Throws `repository_missing_exception`, and as {@link knownRoot}. */
export async function listSnapshots(context: ActionContext, name: string): Promise<readonly ListedSnapshot[]> {
  const state = context.clusterState();
  const record = findRepository(state, name);
  const repository = context.repositories.ofRecord(record);
  // Before the root: one that ends between the two is in it.
  const running = [...state.snapshotOperations.values()].filter(
    (operation): operation is CreateOperation =>
      operation.repository === name && operation.kind === 'create' && !isOver(operation),
  );
  const { snapshots } = await knownRoot(repository, record);
  const finished = new Set(snapshots.map(({ uuid }) => uuid));
  return [
    ...snapshots.map((summary) => ({ kind: 'finished', repository, summary }) as const),
    ...running
      .filter(({ uuid }) => !finished.has(uuid))
      .map((operation) => ({ kind: 'running', repository, operation }) as const),
  ].sort((left, right) => startedAtMs(left) - startedAtMs(right));
}

export function nameOf(listed: ListedSnapshot): string {
  return listed.kind === 'finished' ? listed.summary.name : listed.operation.name;
}

export function uuidOf(listed: ListedSnapshot): string {
  return listed.kind === 'finished' ? listed.summary.uuid : listed.operation.uuid;
}

export function startedAtMs(listed: ListedSnapshot): number {
  return listed.kind === 'finished' ? listed.summary.startedAtMs : listed.operation.startedAtMs;
}

export function recordOf(listed: ListedSnapshot & { readonly kind: 'finished' }): Promise<SnapshotRecord> {
  return readRecord(listed.repository, listed.summary);
}
