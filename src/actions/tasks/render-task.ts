/** A task as the API shows it. */
import { formatTime } from '../../base/units.js';
import type { JsonObject } from '../../base/json-value.js';
import { taskId, type TaskInfo } from '../../base/tasks/task.js';

const NANOS_PER_MS = 1_000_000;

export interface TaskLook {
  readonly detailed: boolean;
  /** Times for people beside those for programs. */
  readonly human: boolean;
  /** One distribution shows what tasks took. */
  readonly withResources: boolean;
}

const NOTHING_TAKEN = { cpu_time_in_nanos: 0, memory_in_bytes: 0 } as const;

/** Threads serve many tasks at once, so that nothing is counted for one of them. */
const RESOURCES: JsonObject = {
  average: NOTHING_TAKEN,
  total: NOTHING_TAKEN,
  min: NOTHING_TAKEN,
  max: NOTHING_TAKEN,
  thread_info: { thread_executions: 0, active_threads: 0 },
};

export function renderTask(nodeId: string, task: TaskInfo, look: TaskLook): JsonObject {
  const { detailed, human, withResources } = look;
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
    ...(task.isCancellable || withResources ? { cancelled: task.isCancelled } : {}),
    ...(task.parent === '' ? {} : { parent_task_id: task.parent }),
    headers: task.opaqueId === '' ? {} : { 'X-Opaque-Id': task.opaqueId },
    ...(detailed && withResources ? { resource_stats: RESOURCES } : {}),
  };
}

export function idOfTask(nodeId: string, { number }: TaskInfo): string {
  return taskId(nodeId, number);
}
