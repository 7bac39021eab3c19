/** Work that goes on when its request was answered: a task of its own, whose outcome is kept. */
import { asQuarryError } from '../../base/error-wire.js';
import type { JsonObject } from '../../base/json-value.js';
import { taskId, type NewTask } from '../../base/tasks/task.js';
import { named } from '../../base/logger.js';
import type { ActionContext } from '../context.js';
import { renderTask } from './render-task.js';
import { storeResult } from './results.js';

export type Work = (context: ActionContext) => Promise<JsonObject>;

/** Gives the id of the task as soon as it is entered; `describeError` shows an error as an answer does. */
export async function runInBackground(
  task: Pick<NewTask, 'action' | 'description' | 'hasPace'>,
  work: Work,
  describeError: (error: unknown) => JsonObject,
  context: ActionContext,
): Promise<string> {
  const { opaqueId } = context.tasks;
  const begun = await context.tasks.begin({ ...task, isCancellable: true, parent: '', opaqueId, isKept: true });
  const id = taskId(context.node.id, begun.context.tasks.number);
  void carryOut(id, work, describeError, begun.context).finally(begun.finish);
  return id;
}

async function carryOut(
  id: string,
  work: Work,
  describeError: (error: unknown) => JsonObject,
  context: ActionContext,
): Promise<void> {
  const outcome = await work(context).then(
    (response): JsonObject => ({ response }),
    (error: unknown): JsonObject => ({ error: describeError(error) }),
  );
  // Also of a task that was cancelled.
  const lasting = context.tasks.detached();
  try {
    const { number } = context.tasks;
    const [info] = await lasting.tasks.ask(context.node.id, { kind: 'list', filter: { number }, detailed: true }, 0);
    const look = { detailed: true, human: false, alwaysCancelled: false };
    const task = info === undefined ? {} : renderTask(context.node.id, info, look);
    await storeResult(lasting, id, { completed: true, task, ...outcome });
  } catch (error) {
    named(context.logger, 'tasks').log('error', 'the outcome of a task could not be stored', {
      task: id,
      reason: asQuarryError(error).message,
    });
  }
}
