/** How a use case reaches tasks: the one that it is part of, further ones that it begins, and those of all nodes. */
import type { NewTask, TaskInfo, TaskQuestion, TaskReport } from '../../base/tasks/task.js';
import type { ActionContext } from '../context.js';

export interface TaskClient {
  /** Of what is being carried out; its id is `node:number`. 0: nobody knows it as a task. */
  readonly number: number;
  /** `X-Opaque-Id` of the request. */
  readonly opaqueId: string;
  /** What the list of tasks shows of this one from now on. */
  report(report: TaskReport): void;
  /** Enters work that the request does not stand for: it has its own cancellation, and is there until `finish`. */
  begin(task: NewTask): Promise<BegunTask>;
  /** For what has to be done although the task was cancelled. */
  detached(): ActionContext;
  /** Asks the table of a node, this one's or another's. */
  ask(nodeId: string, question: TaskQuestion, timeoutMs: number): Promise<readonly TaskInfo[]>;
}

export interface BegunTask {
  /** For the work: its calls are part of the task, and end when that is cancelled. */
  readonly context: ActionContext;
  readonly finish: () => void;
}
