/** Asking other coordinators: commands for the master, and whether a state has arrived. */
import type { Clock } from '../base/clock.js';
import { QuarryError, type ErrorType } from '../base/errors.js';
import { PUBLISH_MS_MAX } from '../base/limits.js';
import { masterNotDiscovered } from '../cluster/blocks/global-blocks.js';
import type { ClusterState } from '../cluster/state.js';
import type { Peer } from '../transport/protocol.js';
import type { CommandName } from './commands.js';
import type { Coordinator, OtherNodes } from './coordinator.js';
import type { CoordinatorAction, RemoteCommand, WhenApplied } from './messages.js';
import type { MasterWork } from './pending-tasks.js';

/** One question to the coordinator of another node. */
export type AskCoordinator = (
  peer: Peer,
  action: CoordinatorAction,
  message: unknown,
  timeoutMs: number,
) => Promise<unknown>;

export interface OtherNodesOptions {
  readonly clock: Clock;
  readonly ask: AskCoordinator;
  readonly coordinator: () => Coordinator;
  /** Where the master is; undefined while there is none, or when it is this node. */
  readonly master: () => Peer | undefined;
}

/** Pause before the next look for a master. */
const RETRY_MS = 50;
/** After these the command was surely not carried out. */
const NOT_DONE: ReadonlySet<ErrorType> = new Set([
  'connect_transport_exception',
  'node_not_connected_exception',
  'not_master_exception',
]);

export class RemoteNodes implements OtherNodes {
  private readonly options: OtherNodesOptions;

  constructor(options: OtherNodesOptions) {
    this.options = options;
  }

  /** A node that leaves, or does not answer in time, is not waited for. */
  async whenApplied(nodeId: string, version: number): Promise<void> {
    const coordinator = this.options.coordinator();
    const node = coordinator.current.nodes.get(nodeId);
    if (node === undefined) return;
    const peer: Peer = { address: node.transportAddress, nodeId };
    const message: WhenApplied = { version };
    const hasLeft = coordinator.when((state) => !isSameRun(state, nodeId, node.ephemeralId), PUBLISH_MS_MAX);
    const hasApplied = this.options.ask(peer, 'when-applied', message, PUBLISH_MS_MAX).catch(() => hasLeft);
    await Promise.race([hasApplied, hasLeft]);
  }

  /** A command whose fate is unknown is not sent again. */
  submitToMaster(name: CommandName, input: unknown, timeoutMs: number): Promise<unknown> {
    const { ask, coordinator } = this.options;
    return this.fromMaster(
      (leftMs) => coordinator().submitHere(name, input, leftMs),
      (peer, leftMs) => {
        const command: RemoteCommand = { name, input, timeoutMs: leftMs };
        return ask(peer, 'submit', command, leftMs + PUBLISH_MS_MAX);
      },
      timeoutMs,
    );
  }

  async pendingTasksOfMaster(timeoutMs: number): Promise<MasterWork> {
    const { ask, coordinator } = this.options;
    const answer = await this.fromMaster(
      () => Promise.resolve(coordinator().pendingTasks()),
      (peer, leftMs) => ask(peer, 'pending-tasks', null, leftMs),
      timeoutMs,
    );
    return answer as MasterWork;
  }

  /** Looks for the master until the time is over. */
  private async fromMaster(
    here: (leftMs: number) => Promise<unknown>,
    there: (peer: Peer, leftMs: number) => Promise<unknown>,
    timeoutMs: number,
  ): Promise<unknown> {
    const { clock, coordinator, master } = this.options;
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    for (;;) {
      const leftMs = Math.max(1, deadlineMs - clock.monotonicMs());
      try {
        if (coordinator().isMaster) return await here(leftMs);
        const peer = master();
        if (peer !== undefined) return await there(peer, leftMs);
      } catch (error) {
        if (!(error instanceof QuarryError) || !NOT_DONE.has(error.type)) throw error;
      }
      if (clock.monotonicMs() >= deadlineMs) throw masterNotDiscovered();
      await pause(clock, RETRY_MS);
    }
  }
}

function isSameRun(state: ClusterState, nodeId: string, ephemeralId: string): boolean {
  return state.nodes.get(nodeId)?.ephemeralId === ephemeralId;
}

export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(delayMs, resolve);
  });
}
