/** `GET _cluster/pending_tasks`: changes of the cluster state that wait to be made. */
import { formatTime } from '../../base/units.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { booleanParameter, timeParameter } from '../parameters.js';

export const pendingTasksEndpoint = defineEndpoint({
  name: 'cluster.pending_tasks',
  action: 'cluster:monitor/task',
  methods: ['GET'],
  paths: ['/_cluster/pending_tasks'],
  parameters: {
    local: booleanParameter(false),
    master_timeout: timeParameter(30_000),
    cluster_manager_timeout: timeParameter(30_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, sentParameters } = request;
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const { tasks } = await context.coordinator.pendingTasks({ local: parameters.local, timeoutMs });
    return answerValue({
      tasks: tasks.map((task) => ({
        insert_order: task.insertOrder,
        priority: task.priority,
        source: task.source,
        executing: task.executing,
        time_in_queue_millis: task.timeInQueueMs,
        time_in_queue: formatTime(task.timeInQueueMs),
        time_in_execution_millis: task.timeInExecutionMs,
        time_in_execution: formatTime(task.timeInExecutionMs),
      })),
    });
  },
});
