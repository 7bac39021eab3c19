/**
 * Requests of clients on their way to workers and their answers on the way back. They go over the front's own lines: a task of the pool takes
 * as long again as the message that it is sent in.
 */
import { mostlyWaits, packRequest, type WireAnswer, type WireRequest, type WireRoute } from '../../rest/wire.js';
import type { Line } from '../../workers/mailbox.js';
import type { WorkerSlots } from '../../workers/worker-slots.js';
import type { RequestMessage } from '../thread-messages.js';
import type { ActiveWait } from './active-wait.js';

export class RequestLines {
  private readonly slots: WorkerSlots;
  private readonly lineTo: (slot: number) => Line;
  private readonly activeWait: ActiveWait;

  constructor(slots: WorkerSlots, lineTo: (slot: number) => Line, activeWait: ActiveWait) {
    this.slots = slots;
    this.lineTo = lineTo;
    this.activeWait = activeWait;
  }

  /** Asks the worker of the slot, or the least busy one. Throws `unavailable_shards_exception` when it ends without an answer. */
  async ask(request: WireRequest, { pool }: WireRoute, wanted: number | undefined): Promise<WireAnswer> {
    const waits = mostlyWaits(pool);
    const slot = this.slots.begin(wanted, waits);
    try {
      const message: RequestMessage = { kind: 'request', request: packRequest(request) };
      return (await this.activeWait.during(this.lineTo(slot).call(message))) as WireAnswer;
    } finally {
      this.slots.end(slot, waits);
    }
  }
}
