/** The table of the node's tasks as the threads of the node reach it, and other nodes. */
import type { LostTasks } from '../../actions/nodes/store-lost-tasks.js';
import { asQuarryError } from '../../base/error-wire.js';
import { Cancellation } from '../../base/cancellation.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { TaskTable } from '../../base/tasks/task-table.js';
import { readTaskQuestion } from '../../base/tasks/read-question.js';
import type { TaskInfo } from '../../base/tasks/task.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { NO_SUBJECT } from '../../cluster/security/subject-text.js';
import { describeRequest } from '../../rest/tasks/describe-request.js';
import type { Mailbox } from '../../workers/mailbox.js';
import type { NodeMessage, TaskMessage } from '../thread-messages.js';

/** The successor of a crashed worker learns who it is and what the cluster is like before it can write anything. */
const STORE_TRIES_MAX = 5;
const STORE_PAUSE_MS = 1_000;

export class FrontTasks {
  readonly table: TaskTable;
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
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

  /** The tasks of a thread that is gone end; where an answer was promised its successor writes down that there is none. */
  async lose(owner: string, successor: Mailbox, logger: Logger): Promise<void> {
    const tasks = this.table.forgetOwner(owner);
    if (tasks.length === 0) return;
    const input: LostTasks = { tasks };
    const message: NodeMessage = {
      kind: 'node',
      name: 'store-lost-tasks',
      input,
      cancellation: new Cancellation().word,
      subject: NO_SUBJECT,
    };
    for (let tries = 1; tries <= STORE_TRIES_MAX; tries++) {
      try {
        await successor.call(message);
        break;
      } catch (error) {
        const { message: reason } = asQuarryError(error);
        if (tries === STORE_TRIES_MAX) logger.log('error', 'the end of lost tasks could not be stored', { reason });
        await new Promise<void>((resolve) => this.clock.schedule(STORE_PAUSE_MS, resolve));
      }
    }
    // They were shown as running until now.
    for (const { number } of tasks) this.table.finish(number);
  }
}
