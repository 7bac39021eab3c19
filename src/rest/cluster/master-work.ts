/** What the master says of itself before a node answers for the cluster: how new its state is, and what it has to do. */
import type { ActionContext } from '../../actions/context.js';
import type { MasterWork, PendingTask } from '../../coordinator/pending-tasks.js';

/**
 * This node knows what the master knew when it was asked, unless `local`. Throws `master_not_discovered_exception` when no
 * master is found in time.
 */
export async function levelWithMaster(context: ActionContext, local: boolean, timeoutMs: number): Promise<MasterWork> {
  const work = await context.coordinator.pendingTasks({ local, timeoutMs });
  await context.whenState((state) => state.version >= work.version, timeoutMs);
  return work;
}

export function longestWaitMs(tasks: readonly PendingTask[]): number {
  return tasks.reduce((longest, { timeInQueueMs }) => Math.max(longest, timeInQueueMs), 0);
}
