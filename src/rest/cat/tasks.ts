/** `GET _cat/tasks`. */
import { listTasks } from '../../actions/tasks/all-tasks.js';
import { idOfTask } from '../../actions/tasks/render-task.js';
import type { TaskInfo } from '../../base/tasks/task.js';
import { NANOS_PER_MS } from '../../base/units.js';
import type { NodeRecord } from '../../cluster/state.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, listParameter, stringParameter, timeParameter } from '../parameters.js';
import { selectionOf } from '../tasks/selection.js';
import { answerTable, catParameters, column, type Column, type ColumnOptions } from './table.js';

interface Row {
  readonly node: NodeRecord;
  readonly task: TaskInfo;
}

const hidden = (aliases = ''): ColumnOptions => ({ aliases, isDefault: false });

const CLOCK_START = 11;
const CLOCK_END = 19;

const COLUMNS: readonly Column<Row>[] = [
  column('id', 'id of the task with the node', ({ task }) => task.number, hidden()),
  column('action', 'task action', ({ task }) => task.action, { aliases: 'ac' }),
  column('task_id', 'unique task id', ({ node, task }) => idOfTask(node.id, task), { aliases: 'ti' }),
  column('parent_task_id', 'parent task id', ({ task }) => (task.parent === '' ? '-' : task.parent), {
    aliases: 'pti',
  }),
  column('type', 'task type', ({ task }) => task.type, { aliases: 'ty' }),
  column('start_time', 'start time in ms', ({ task }) => task.startedAtMs, { aliases: 'start' }),
  column('timestamp', 'start time in HH:MM:SS', ({ task }) => timeOfDay(task.startedAtMs), {
    aliases: 'ts,hms,hhmmss',
  }),
  column('running_time_ns', 'running time ns', ({ task }) => Math.round(task.runningMs * NANOS_PER_MS), hidden('time')),
  column('running_time', 'running time', ({ task }) => ({ millis: task.runningMs }), { aliases: 'time' }),
  column('node_id', 'unique node id', ({ node }) => node.id, hidden('nodeId')),
  column('ip', 'ip address', ({ node }) => node.ip, { aliases: 'i' }),
  column('port', 'bound transport port', ({ node }) => node.transportAddress.split(':').at(-1), hidden('po')),
  column('node', 'node name', ({ node }) => node.name, { aliases: 'n' }),
  column('version', 'version of the node', ({ node }) => node.version, hidden('v')),
  column('x_opaque_id', 'X-Opaque-ID header', ({ task }) => task.opaqueId, hidden('x')),
];

const DESCRIPTION: Column<Row> = column('description', 'task action', ({ task }) => task.description, {
  aliases: 'desc',
});

export const catTasksEndpoint = defineEndpoint({
  name: 'cat.tasks',
  action: 'cluster:monitor/tasks/lists',
  methods: ['GET'],
  paths: ['/_cat/tasks'],
  parameters: {
    ...catParameters,
    actions: listParameter(),
    detailed: booleanParameter(false),
    nodes: listParameter(),
    node_id: listParameter(),
    parent_task: stringParameter(),
    parent_task_id: stringParameter(),
    timeout: timeParameter(30_000),
    wait_for_completion: booleanParameter(false),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle({ parameters, presentation }, context) {
    const { detailed, nodes, node_id: nodeIds, parent_task: parent, wait_for_completion: waits } = parameters;
    const columns = detailed ? [...COLUMNS, DESCRIPTION] : COLUMNS;
    const selection = selectionOf({
      nodes: nodes ?? nodeIds,
      actions: parameters.actions,
      parent_task_id: parent ?? parameters.parent_task_id,
    });
    return answerTable(columns, parameters, presentation, async () => {
      const options = { detailed, waits, timeoutMs: parameters.timeout };
      const found = await listTasks(context, selection, options);
      return found.nodes.flatMap(({ node, tasks }) => tasks.map((task) => ({ node, task })));
    });
  },
});

function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(CLOCK_START, CLOCK_END);
}
