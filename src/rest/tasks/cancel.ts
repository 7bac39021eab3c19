/** `POST _tasks/_cancel`, `POST _tasks/{id}/_cancel`. */
import { cancelTasks } from '../../actions/tasks/all-tasks.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, enumParameter } from '../parameters.js';
import { GROUPS, renderTasks, taskLook } from './render-tasks.js';
import { selectionOf, selectionParameters } from './selection.js';

export const cancelTasksEndpoint = defineEndpoint({
  name: 'tasks.cancel',
  action: 'cluster:admin/tasks/cancel',
  methods: ['POST'],
  paths: ['/_tasks/_cancel', '/_tasks/{task_id}/_cancel'],
  parameters: {
    ...selectionParameters,
    group_by: enumParameter(GROUPS),
    wait_for_completion: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parts, parameters, presentation }, context) {
    const selection = selectionOf(parameters, parts.task_id);
    const found = await cancelTasks(context, selection, parameters.wait_for_completion);
    const grouping = parameters.group_by ?? 'nodes';
    return answerValue(renderTasks(found, grouping, taskLook(context, true, presentation.human)));
  },
});
