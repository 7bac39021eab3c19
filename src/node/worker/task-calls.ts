/** How a worker reaches the table of its node's tasks, and those of other nodes. */
import type { ActionContext } from '../../actions/context.js';
import type { BegunTask, TaskClient } from '../../actions/tasks/task-client.js';
import { Cancellation } from '../../base/cancellation.js';
import type { NewTask, TaskInfo, TaskQuestion, TaskReport } from '../../base/tasks/task.js';
import type { Line } from '../../workers/mailbox.js';
import type { OtherNodes } from '../other-nodes.js';
import type { TaskMessage } from '../thread-messages.js';

/** What a context is part of. */
export interface TaskOrigin {
  readonly cancellation: Cancellation;
  readonly number: number;
  readonly opaqueId: string;
  /** Text of the subject for whom it works; empty: the node's own work, or security is off. */
  readonly subject: string;
  /** For the audit log, see `Auditor.witness`. Undefined: nobody is told. */
  readonly audit?: string;
}

export interface TaskCallServices {
  readonly nodeId: () => string;
  readonly front: () => Line;
  readonly others: () => OtherNodes;
  readonly contextOf: (origin: TaskOrigin) => ActionContext;
}

export class TaskCalls implements TaskClient {
  private readonly services: TaskCallServices;
  private readonly origin: TaskOrigin;

  constructor(services: TaskCallServices, origin: TaskOrigin) {
    this.services = services;
    this.origin = origin;
  }

  get number(): number {
    return this.origin.number;
  }

  get opaqueId(): string {
    return this.origin.opaqueId;
  }

  report(report: TaskReport): void {
    const message: TaskMessage = { kind: 'report-task', number: this.origin.number, report };
    this.services.front().note(message);
  }

  async begin(task: NewTask): Promise<BegunTask> {
    const cancellation = new Cancellation();
    const message: TaskMessage = { kind: 'announce-task', task, words: cancellation.word };
    const number = (await this.services.front().call(message)) as number;
    const context = this.services.contextOf({
      cancellation,
      number,
      opaqueId: task.opaqueId,
      subject: this.origin.subject,
      audit: this.origin.audit ?? '',
    });
    return {
      context,
      finish: () => {
        const finish: TaskMessage = { kind: 'finish-task', number };
        this.services.front().note(finish);
      },
    };
  }

  detached(): ActionContext {
    return this.services.contextOf({ ...this.origin, cancellation: new Cancellation() });
  }

  async ask(nodeId: string, question: TaskQuestion, timeoutMs: number): Promise<readonly TaskInfo[]> {
    if (nodeId === this.services.nodeId()) {
      const message: TaskMessage = { kind: 'ask-tasks', question };
      return (await this.services.front().call(message)) as readonly TaskInfo[];
    }
    const { cancellation, number } = this.origin;
    const options = { timeoutMs, cancellation, task: { number, operation: question.kind } };
    return (await this.services.others().call(nodeId, 'front', 'tasks', question, options)) as readonly TaskInfo[];
  }
}

/** Lists work that nobody can cancel as a task, for as long as it runs. The work does not depend on that. */
export async function announceWhile(
  front: Line | undefined,
  action: string,
  description: string,
  work: Promise<unknown>,
): Promise<void> {
  const task: NewTask = { action, description, isCancellable: false, parent: '', opaqueId: '', hasPace: false };
  const announce: TaskMessage = { kind: 'announce-task', task, words: new Cancellation().word };
  try {
    const number = (await front?.call(announce)) as number | undefined;
    await work.catch(() => undefined);
    if (number !== undefined) front?.note({ kind: 'finish-task', number } satisfies TaskMessage);
  } catch {
    // The front ends, or has more tasks than it lists.
  }
}
