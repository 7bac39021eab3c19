/** `GET _tasks`: what all nodes are doing. */
import { listTasks } from '../../actions/tasks/all-tasks.js';
import { illegalArgument } from '../../base/errors.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, enumParameter, timeParameter } from '../parameters.js';
import { GROUPS, renderTasks, taskLook } from './render-tasks.js';
import { selectionOf, selectionParameters } from './selection.js';

export const listTasksEndpoint = defineEndpoint({
  name: 'tasks.list',
  action: 'cluster:monitor/tasks/lists',
  methods: ['GET'],
  paths: ['/_tasks'],
  parameters: {
    ...selectionParameters,
    detailed: booleanParameter(false),
    group_by: enumParameter(GROUPS, (text) =>
      illegalArgument(`[group_by] must be one of [nodes], [parents] or [none] but was [${text}]`),
    ),
    master_timeout: timeParameter(30_000),
    timeout: timeParameter(30_000),
    wait_for_completion: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, presentation }, context) {
    const { detailed, wait_for_completion: waits, timeout: timeoutMs, group_by: grouping = 'nodes' } = parameters;
    const found = await listTasks(context, selectionOf(parameters), { detailed, waits, timeoutMs });
    return answerValue(renderTasks(found, grouping, taskLook(context, detailed, presentation.human)));
  },
});
