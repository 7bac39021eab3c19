/** How a worker reaches the coordinator of its node. */
import { newUuid, systemRandom } from '../../base/random.js';
import type { CoordinatorClient, PendingTasksOptions, SubmitOptions } from '../../coordinator/client.js';
import type { CommandInput, CommandName, CommandResult } from '../../coordinator/commands.js';
import type { MasterWork } from '../../coordinator/pending-tasks.js';
import type { UpdateFigures } from '../../coordinator/update-figures.js';
import type { RunningMerge } from '../../shard/managed-shard.js';
import type { Line } from '../../workers/mailbox.js';
import type {
  CancelMergeMessage,
  MergeMessage,
  PendingTasksMessage,
  SubmitMessage,
  UpdateFiguresMessage,
} from '../thread-messages.js';

export class CoordinatorCalls implements CoordinatorClient {
  private readonly coordinator: () => Line;

  constructor(coordinator: () => Line) {
    this.coordinator = coordinator;
  }

  async submit<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    options?: SubmitOptions,
  ): Promise<CommandResult<Name>> {
    const message: SubmitMessage = { kind: 'submit', name, input, ...options };
    // The result crossed from the command that this name stands for.
    return (await this.coordinator().call(message)) as CommandResult<Name>;
  }

  async pendingTasks(options: PendingTasksOptions): Promise<MasterWork> {
    const message: PendingTasksMessage = { kind: 'pending-tasks', ...options };
    return (await this.coordinator().call(message)) as MasterWork;
  }

  async updateFigures(): Promise<UpdateFigures> {
    const message: UpdateFiguresMessage = { kind: 'update-figures' };
    return (await this.coordinator().call(message)) as UpdateFigures;
  }

  /** Has it carry out a merge, of which all shards of the node have some at once. */
  startMerge(job: Uint8Array): RunningMerge {
    const line = this.coordinator();
    const id = newUuid(systemRandom);
    const done = line.call({ kind: 'merge', id, job } satisfies MergeMessage) as Promise<Uint8Array>;
    const cancel = (): void => {
      line.note({ kind: 'cancel-merge', id } satisfies CancelMergeMessage);
    };
    return { done, cancel };
  }
}
