/** The ends of tasks whose thread is gone. Loaded when there are some. */
import type { LostTasks } from '../../actions/nodes/store-lost-tasks.js';
import { Cancellation } from '../../base/cancellation.js';
import type { Clock } from '../../base/clock.js';
import { asQuarryError } from '../../base/error-wire.js';
import type { Logger } from '../../base/logger.js';
import type { TaskInfo } from '../../base/tasks/task.js';
import { NO_SUBJECT } from '../../cluster/security/subject-text.js';
import type { Mailbox } from '../../workers/mailbox.js';
import type { NodeMessage } from '../thread-messages.js';

/** The successor of a crashed worker learns who it is and what the cluster is like before it can write anything. */
const STORE_TRIES_MAX = 5;
const STORE_PAUSE_MS = 1_000;

/** Has the successor of the thread write down that there is no answer. Resolves when it is stored, or was tried often enough. */
export async function storeLostTasks(
  tasks: readonly TaskInfo[],
  successor: Mailbox,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<void> {
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
      await new Promise<void>((resolve) => clock.schedule(STORE_PAUSE_MS, resolve));
    }
  }
}
