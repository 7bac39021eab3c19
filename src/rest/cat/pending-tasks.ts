/** `GET _cat/pending_tasks`. */
import type { PendingTask } from '../../coordinator/pending-tasks.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { booleanParameter, timeParameter } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

const COLUMNS: readonly Column<PendingTask>[] = [
  column('insertOrder', 'number in the order in which they came', (task) => task.insertOrder, {
    aliases: 'o',
    align: 'right',
  }),
  column('timeInQueue', 'how long it waits', (task) => ({ millis: task.timeInQueueMs }), {
    aliases: 't',
    align: 'right',
  }),
  column('priority', 'how urgent it is', (task) => task.priority, { aliases: 'p' }),
  column('source', 'what is to be changed', (task) => task.source, { aliases: 's' }),
];

export const catPendingTasksEndpoint = defineEndpoint({
  name: 'cat.pending_tasks',
  action: 'cluster:monitor/task',
  methods: ['GET'],
  paths: ['/_cat/pending_tasks'],
  parameters: {
    ...catParameters,
    local: booleanParameter(false),
    master_timeout: timeParameter(30_000),
    cluster_manager_timeout: timeParameter(30_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, sentParameters } = request;
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    return answerTable(COLUMNS, parameters, request.presentation, async () => {
      const { tasks } = await context.coordinator.pendingTasks({ local: parameters.local, timeoutMs });
      return tasks;
    });
  },
});
