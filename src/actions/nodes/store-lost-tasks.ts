/** A worker crashed with jobs under way that nobody waited for: another one writes down how they ended. */
import { QuarryError } from '../../base/errors.js';
import { taskId, type TaskInfo } from '../../base/tasks/task.js';
import { renderTask } from '../tasks/render-task.js';
import { storeResult } from '../tasks/results.js';
import { defineNodeAction } from './node-action.js';

const REASON = 'the worker that carried out the task has crashed: some of it may be done';

export interface LostTasks {
  readonly tasks: readonly TaskInfo[];
}

export const storeLostTasks = defineNodeAction('store-lost-tasks', async (context, input: LostTasks): Promise<null> => {
  const look = { detailed: true, human: false, alwaysCancelled: false };
  const { type, message: reason } = new QuarryError('illegal_state_exception', REASON);
  for (const task of input.tasks) {
    const { id: nodeId } = context.node;
    const result = { completed: true, task: renderTask(nodeId, task, look), error: { type, reason } };
    await storeResult(context, taskId(nodeId, task.number), result);
  }
  return null;
});
