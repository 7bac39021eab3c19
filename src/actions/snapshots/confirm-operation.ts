/** Whoever works in a repository makes sure that nobody else has taken over, right before what cannot be taken back. */
import { QuarryError } from '../../base/errors.js';
import type { SnapshotOperation } from '../../cluster/snapshots/types.js';
import type { ActionContext } from '../context.js';

/**
 * Resolves when the group has agreed that the operation is still to be done: what was read of the repository before that was read while
 * nothing that comes after the operation had begun. A store of blobs knows no masters, and one that was replaced may not know it either.
 */
export async function confirmOperation(
  { coordinator }: ActionContext,
  { uuid, repository }: Pick<SnapshotOperation, 'uuid' | 'repository'>,
): Promise<void> {
  const { isWanted } = await coordinator.submit('confirm-snapshot-operation', { uuid });
  if (isWanted) return;
  const reason = `[${repository}] the operation [${uuid}] was ended, or another node carries it out`;
  throw new QuarryError('repository_exception', reason);
}
