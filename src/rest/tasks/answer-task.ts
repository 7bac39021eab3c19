/** The answer of `wait_for_completion=false`. */
import type { ActionContext } from '../../actions/context.js';
import { runInBackground, type Work } from '../../actions/tasks/background.js';
import { asQuarryError } from '../../base/error-wire.js';
import { answerValue, type RestAnswer } from '../answer.js';
import { describeWithCause } from '../error-body.js';

export interface BackgroundTask {
  readonly action: string;
  readonly description: string;
  readonly hasPace?: boolean;
}

/**
 * Has the work go on and answers with its task. Whatever is wrong with the request has to be found before; the request's body may
 * not be used by the work: its memory serves another one by then.
 */
export async function answerTask(task: BackgroundTask, work: Work, context: ActionContext): Promise<RestAnswer> {
  const { action, description, hasPace = false } = task;
  const describe = (error: unknown): ReturnType<typeof describeWithCause> => describeWithCause(asQuarryError(error));
  return answerValue({ task: await runInBackground({ action, description, hasPace }, work, describe, context) });
}
