/** Another pace for one task. */
import type { ActionContext } from '../context.js';
import { askAll, type FoundTasks, type TaskName } from './all-tasks.js';

export function rethrottleTask(context: ActionContext, task: TaskName, perSecond: number): Promise<FoundTasks> {
  const selection = { nodes: [], actions: [], parent: undefined, task };
  return askAll(context, selection, { kind: 'rethrottle', number: task.number, perSecond });
}
