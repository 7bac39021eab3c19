/** Tells the master what a crashed worker of this node had open, before its successor opens anything. */
import type { Clock } from '../../base/clock.js';
import { asQuarryError } from '../../base/error-wire.js';
import type { Logger } from '../../base/logger.js';
import { shardsOfWorker, type WorkerLostInput } from '../../cluster/changes/nodes/worker-lost.js';
import type { ClusterState } from '../../cluster/state.js';

export interface LostWorkersOptions {
  readonly nodeId: string;
  readonly clusterState: () => ClusterState;
  readonly submit: (input: WorkerLostInput) => Promise<unknown>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The successor waits no longer: more than an election takes, but a node without a master has reads to answer. */
const WAIT_MS_MAX = 10_000;
const FIRST_RETRY_MS = 100;
const RETRY_MS_MAX = 10_000;

export class LostWorkers {
  private readonly options: LostWorkersOptions;
  private isOver = false;

  constructor(options: LostWorkersOptions) {
    this.options = options;
  }

  end(): void {
    this.isOver = true;
  }

  /** Resolves when the cluster knows, or after {@link WAIT_MS_MAX}: then it is told as soon as there is a master. */
  async report(workerSlot: number): Promise<void> {
    const { clock, nodeId, clusterState } = this.options;
    const shards = shardsOfWorker(clusterState(), nodeId, workerSlot);
    if (shards.length === 0) return;
    let stopWaiting = (): void => undefined;
    const timeout = new Promise<void>((resolve) => {
      stopWaiting = clock.schedule(WAIT_MS_MAX, resolve);
    });
    await Promise.race([this.untilAnswered({ nodeId, workerSlot, shards }), timeout]);
    stopWaiting();
  }

  private async untilAnswered(lost: WorkerLostInput): Promise<void> {
    const { submit, clock, logger } = this.options;
    for (let delayMs = FIRST_RETRY_MS; !this.isOver; delayMs = Math.min(2 * delayMs, RETRY_MS_MAX)) {
      try {
        await submit(lost);
        return;
      } catch (error) {
        const { workerSlot } = lost;
        logger.log('warn', 'cannot report a crashed worker', { workerSlot, reason: asQuarryError(error).message });
      }
      await new Promise<void>((resolve) => clock.schedule(delayMs, resolve));
    }
  }
}
