/** `POST _reindex/{id}/_rethrottle` and its like: another pace for a job that runs. */
import { parseTaskId } from '../../actions/tasks/all-tasks.js';
import { rethrottleTask } from '../../actions/tasks/rethrottle.js';
import { illegalArgument } from '../../base/errors.js';
import { answerValue } from '../answer.js';
import { defineEndpoint, type Endpoint } from '../endpoint.js';
import { enumParameter } from '../parameters.js';
import { GROUPS, renderTasks, taskLook } from '../tasks/render-tasks.js';
import { paceParameter } from './common.js';

function rethrottle(name: string, path: `/${string}/{task_id}/_rethrottle`): Endpoint {
  return defineEndpoint({
    name,
    action: 'cluster:admin/reindex/rethrottle',
    methods: ['POST'],
    paths: [path],
    parameters: { requests_per_second: paceParameter(), group_by: enumParameter(GROUPS) },
    body: 'none',
    pool: 'management',
    placement: 'any',
    async handle({ parts, parameters: given, sentParameters, presentation }, context) {
      if (!sentParameters.has('requests_per_second')) {
        throw illegalArgument('requests_per_second is a required parameter');
      }
      const id = (parts as { readonly task_id: string }).task_id;
      const found = await rethrottleTask(context, parseTaskId(id), given.requests_per_second);
      const grouping = given.group_by ?? 'nodes';
      return answerValue(renderTasks(found, grouping, taskLook(context, true, presentation.human)));
    },
  });
}

export const RETHROTTLE_ENDPOINTS: readonly Endpoint[] = [
  rethrottle('reindex_rethrottle', '/_reindex/{task_id}/_rethrottle'),
  rethrottle('delete_by_query_rethrottle', '/_delete_by_query/{task_id}/_rethrottle'),
  rethrottle('update_by_query_rethrottle', '/_update_by_query/{task_id}/_rethrottle'),
];
