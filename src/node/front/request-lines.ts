/**
 * Requests of clients on their way to workers and their answers on the way back. They go over the front's own lines: a task of the pool takes
 * as long again as the message that it is sent in.
 */
import { packRequest, type WireAnswer, type WireRequest } from '../../rest/wire.js';
import type { Line } from '../../workers/mailbox.js';
import type { WorkerPool } from '../../workers/pool.js';
import type { ActiveWait } from './active-wait.js';
import type { RequestMessage } from '../thread-messages.js';

/** A worker with so many requests has the next one at hand when it has answered one. */
const UNDER_WAY_MIN = 2;

export class RequestLines {
  private readonly pool: WorkerPool;
  private readonly lineTo: (slot: number) => Line;
  /** Requests under way, by slot. */
  private readonly load: number[];
  private readonly activeWait: ActiveWait;

  constructor(pool: WorkerPool, lineTo: (slot: number) => Line, activeWait: ActiveWait) {
    this.pool = pool;
    this.lineTo = lineTo;
    this.activeWait = activeWait;
    this.load = new Array<number>(pool.workerCount).fill(0);
  }

  /** Asks the worker of the slot, or the least busy one. Throws `unavailable_shards_exception` when it ends without an answer. */
  async ask(request: WireRequest, wanted: number | undefined): Promise<WireAnswer> {
    const slot = this.pool.readySlot(wanted, this.load);
    this.count(slot, 1);
    try {
      const message: RequestMessage = { kind: 'request', request: packRequest(request) };
      return (await this.activeWait.during(this.lineTo(slot).call(message))) as WireAnswer;
    } finally {
      this.count(slot, -1);
    }
  }

  /** Whether some worker is about to have nothing to do. */
  get hasRoom(): boolean {
    return this.load.some((own) => own < UNDER_WAY_MIN);
  }

  private count(slot: number, change: 1 | -1): void {
    this.load[slot] = (this.load[slot] ?? 0) + change;
  }
}
