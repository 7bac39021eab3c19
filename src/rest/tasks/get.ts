/** `GET _tasks/{id}`: a task that runs, or what came of one that nobody waited for. */
import type { ActionContext } from '../../actions/context.js';
import { parseTaskId, whenEnded, type TaskName } from '../../actions/tasks/all-tasks.js';
import { renderTask } from '../../actions/tasks/render-task.js';
import { storedResult } from '../../actions/tasks/results.js';
import { QuarryError } from '../../base/errors.js';
import type { TaskInfo } from '../../base/tasks/task.js';
import { answerJson, answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, timeParameter } from '../parameters.js';
import { taskLook } from './render-tasks.js';

export const getTaskEndpoint = defineEndpoint({
  name: 'tasks.get',
  action: 'cluster:monitor/task/get',
  methods: ['GET'],
  paths: ['/_tasks/{task_id}'],
  parameters: {
    timeout: timeParameter(30_000),
    wait_for_completion: booleanParameter(false),
    /** Tasks stay where they began. */
    follow_relocations: booleanParameter(true),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parts, parameters, presentation }, context) {
    const { task_id: id } = parts;
    const name = parseTaskId(id);
    const isThere = context.clusterState().nodes.has(name.nodeId);
    if (isThere && parameters.wait_for_completion) {
      await whenEnded(context, name.nodeId, [name.number], parameters.timeout);
    }
    const running = isThere ? await runningTask(context, name, parameters.timeout) : undefined;
    if (running !== undefined) {
      const task = renderTask(name.nodeId, running, taskLook(context, true, presentation.human));
      return answerValue({ completed: false, task });
    }
    const stored = await storedResult(context, id);
    if (stored !== undefined) return answerJson([stored]);
    throw noSuchTask(id, name, isThere);
  },
});

async function runningTask(
  context: ActionContext,
  { nodeId, number }: TaskName,
  timeoutMs: number,
): Promise<TaskInfo | undefined> {
  const [found] = await context.tasks.ask(nodeId, { kind: 'list', filter: { number }, detailed: true }, timeoutMs);
  return found;
}

function noSuchTask(id: string, { nodeId }: TaskName, isThere: boolean): QuarryError {
  const reason = isThere
    ? `task [${id}] isn't running and hasn't stored its results`
    : `task [${id}] belongs to the node [${nodeId}] which isn't part of the cluster and there is no record of the task`;
  return new QuarryError('resource_not_found_exception', reason);
}
