/** The table of the node's tasks as the threads of the node reach it, and other nodes. */
import type { Clock } from '../base/clock.js';
import { TaskTable } from '../base/tasks/task-table.js';
import { readTaskQuestion } from '../base/tasks/read-question.js';
import type { TaskInfo } from '../base/tasks/task.js';
import { matchesAny } from '../cluster/wildcard.js';
import { describeRequest } from '../rest/tasks/describe-request.js';
import type { TaskMessage } from './thread-messages.js';

export class FrontTasks {
  readonly table: TaskTable;

  constructor(clock: Clock) {
    this.table = new TaskTable({ clock, describe: describeRequest, matchesAny });
  }

  /** From a worker, or the coordinator. */
  receive(owner: string, message: TaskMessage): Promise<readonly TaskInfo[]> | number | undefined {
    switch (message.kind) {
      case 'announce-task':
        return this.table.announce(message.task, message.words, owner);
      case 'report-task':
        this.table.report(message.number, message.report);
        return undefined;
      case 'finish-task':
        this.table.finish(message.number);
        return undefined;
      case 'ask-tasks':
        return this.table.answer(message.question);
    }
  }

  /** From another node. */
  answerRemote(message: unknown): Promise<readonly TaskInfo[]> {
    return this.table.answer(readTaskQuestion(message));
  }
}
