/** The tasks of the node as its threads reach them, and other nodes. */
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { TaskTable } from '../../base/tasks/task-table.js';
import { readTaskQuestion } from '../../base/tasks/read-question.js';
import type { TaskInfo, TaskQuestion } from '../../base/tasks/task.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { describeRequest } from '../../rest/tasks/describe-request.js';
import type { Mailbox } from '../../workers/mailbox.js';
import type { TaskMessage } from '../thread-messages.js';
import type { SideTasks } from './side-tasks.js';

export class FrontTasks {
  /** Of the first front: tasks of its requests, of other nodes, and those that threads announce. */
  readonly table: TaskTable;
  private readonly clock: Clock;
  private readonly sides: SideTasks | undefined;
  private nodeId = '';

  /** `sides`: undefined where there is one front. */
  constructor(clock: Clock, sides: SideTasks | undefined) {
    this.clock = clock;
    this.sides = sides;
    const numbers = { remainder: 0, count: sides?.count ?? 1 };
    this.table = new TaskTable({ clock, describe: describeRequest, matchesAny, numbers });
  }

  /** Told once it is known. */
  identify(nodeId: string): void {
    this.nodeId = nodeId;
    this.table.identify(nodeId);
  }

  /** From a worker, or the coordinator. */
  receive(owner: string, message: TaskMessage): Promise<readonly TaskInfo[]> | number | undefined {
    switch (message.kind) {
      case 'announce-task':
        return this.table.announce(message.task, message.words, owner);
      case 'report-task':
        if (this.sides === undefined) this.table.report(message.number, message.report);
        else this.sides.report(message.number, message.report, this.table);
        return undefined;
      case 'finish-task':
        this.table.finish(message.number);
        return undefined;
      case 'ask-tasks':
        return this.answer(message.question);
    }
  }

  /** From another node. */
  answerRemote(message: unknown): Promise<readonly TaskInfo[]> {
    return this.answer(readTaskQuestion(message));
  }

  private answer(question: TaskQuestion): Promise<readonly TaskInfo[]> {
    return this.sides?.answer(question, this.table, this.nodeId) ?? this.table.answer(question);
  }

  /** The tasks of a thread that is gone end; where an answer was promised its successor writes down that there is none. */
  async lose(owner: string, successor: Mailbox, logger: Logger): Promise<void> {
    const tasks = this.table.forgetOwner(owner);
    if (tasks.length === 0) return;
    const { storeLostTasks } = await import('./lost-tasks.js');
    await storeLostTasks(tasks, successor, { clock: this.clock, logger });
    // They were shown as running until now.
    for (const { number } of tasks) this.table.finish(number);
  }
}
