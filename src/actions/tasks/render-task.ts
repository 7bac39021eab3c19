/** A task as the API shows it. */
import { formatTime, NANOS_PER_MS } from '../../base/units.js';
import type { JsonObject } from '../../base/json-value.js';
import { taskId, type TaskInfo } from '../../base/tasks/task.js';

export interface TaskLook {
  readonly detailed: boolean;
  /** Times for people beside those for programs. */
  readonly human: boolean;
  /** One distribution says of tasks that cannot be cancelled, too, that they were not. */
  readonly alwaysCancelled: boolean;
}

export function renderTask(nodeId: string, task: TaskInfo, look: TaskLook): JsonObject {
  const { detailed, human, alwaysCancelled } = look;
  return {
    node: nodeId,
    id: task.number,
    type: task.type,
    action: task.action,
    ...(detailed && task.status !== undefined ? { status: task.status } : {}),
    ...(detailed ? { description: task.description } : {}),
    ...(human ? { start_time: new Date(task.startedAtMs).toISOString() } : {}),
    start_time_in_millis: task.startedAtMs,
    ...(human ? { running_time: formatTime(task.runningMs) } : {}),
    running_time_in_nanos: Math.round(task.runningMs * NANOS_PER_MS),
    cancellable: task.isCancellable,
    ...(task.isCancellable || alwaysCancelled ? { cancelled: task.isCancelled } : {}),
    ...(task.parent === '' ? {} : { parent_task_id: task.parent }),
    headers: task.opaqueId === '' ? {} : { 'X-Opaque-Id': task.opaqueId },
  };
}

export function idOfTask(nodeId: string, { number }: TaskInfo): string {
  return taskId(nodeId, number);
}
