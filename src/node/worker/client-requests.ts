/** Requests of clients as a worker has them from the fronts. */
import type { AnswersAtOnce } from '../../rest/answers-at-once.js';
import { ENDPOINTS } from '../../rest/endpoints.js';
import { packed } from '../../rest/packed.js';
import { mostlyWaits, unpackRequest, type PackedRequest, type WireAnswer, type WireRequest } from '../../rest/wire.js';
import type { WorkerSlots } from '../../workers/worker-slots.js';

export class ClientRequests {
  private readonly atOnce: AnswersAtOnce;
  private readonly slots: WorkerSlots;
  private readonly inTheUsualWay: (request: WireRequest) => Promise<WireAnswer>;

  constructor(atOnce: AnswersAtOnce, slots: WorkerSlots, inTheUsualWay: (request: WireRequest) => Promise<WireAnswer>) {
    this.atOnce = atOnce;
    this.slots = slots;
    this.inTheUsualWay = inTheUsualWay;
  }

  /** `slot` is the worker's. */
  async answer(message: PackedRequest, slot: number): Promise<WireAnswer> {
    const request = unpackRequest(message);
    const answer = await this.found(request);
    const pool = ENDPOINTS[request.endpoint]?.pool;
    if (pool !== undefined && !mostlyWaits(pool)) this.slots.noteAnswer(slot);
    return answer;
  }

  private found(request: WireRequest): WireAnswer | Promise<WireAnswer> {
    const prompt = this.atOnce.find(request, request.body);
    if (prompt === undefined) return this.inTheUsualWay(request);
    return prompt.isToBePacked === true ? packed(prompt) : prompt;
  }
}
