/** How other threads reach the coordinator. */
import type { MasterWork } from './pending-tasks.js';
import type { UpdateFigures } from './update-figures.js';
import type { CommandInput, CommandName, CommandResult } from './commands.js';

export interface CoordinatorClient {
  /**
   * Runs the command, waits until the new state is on disk and every thread has applied it (shards opened or closed
   * accordingly), and gives the command's result. After it resolves, `clusterState()` of the calling thread is at least
   * the new state.
   */
  submit<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    options?: SubmitOptions,
  ): Promise<CommandResult<Name>>;

  /** Commands that wait for the master, or, if it is this node's alone that are asked for, for this node. */
  pendingTasks(options: PendingTasksOptions): Promise<MasterWork>;

  /** How long changes of the state took on this node, and where it was the master. */
  updateFigures(): Promise<UpdateFigures>;
}

export interface PendingTasksOptions {
  readonly local: boolean;
  /** For a master to be found. */
  readonly timeoutMs: number;
}

export interface SubmitOptions {
  /** Refused with `process_cluster_event_timeout_exception` when the command has not started by then. */
  readonly timeoutMs?: number;
}
