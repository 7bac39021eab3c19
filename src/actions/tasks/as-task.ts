/** Work that nobody asked for, such as a step of a lifecycle, as a task: it is listed, and ends early when it is cancelled. */
import { taskId } from '../../base/tasks/task.js';
import type { ActionContext } from '../context.js';

export async function asTask<Result>(
  context: ActionContext,
  action: string,
  description: string,
  work: (context: ActionContext) => Promise<Result>,
): Promise<Result> {
  const { number, opaqueId } = context.tasks;
  const parent = number === 0 ? '' : taskId(context.node.id, number);
  const task = { action, description, isCancellable: true, parent, opaqueId, hasPace: false };
  const begun = await context.tasks.begin(task);
  try {
    return await work(begun.context);
  } finally {
    begun.finish();
  }
}
