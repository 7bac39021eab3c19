/** Requests that are answered without waiting for anything, and with little to do: documents by id, and the root once somebody asked for it. */
import type { ClusterState } from '../cluster/state.js';
import { PreparedGets, type PreparedGetServices } from './document/prepared-gets.js';
import { ENDPOINTS } from './endpoints.js';
import { info } from './info/main.js';
import { RepeatedRequests } from './repeated-requests.js';
import type { BareRequest, WireAnswer, WireRequest } from './wire.js';

const SUCCESS = 200;

export class AnswersAtOnce {
  private readonly state: () => ClusterState;
  private readonly gets: PreparedGets;
  private readonly roots = new RepeatedRequests<WireAnswer>();

  constructor(state: () => ClusterState, services: PreparedGetServices) {
    this.state = state;
    this.gets = new PreparedGets(services);
  }

  /** Of a request without a body; undefined for what takes the usual way. */
  find(request: BareRequest): WireAnswer | undefined {
    if (request.audit !== '') return undefined;
    const endpoint = ENDPOINTS[request.endpoint];
    return endpoint === info
      ? this.roots.find('', request, this.state())
      : this.gets.answer(endpoint, request, this.state());
  }

  /** Whether {@link find} may have an answer later, as far as can be told without looking for it. */
  mayFind(request: BareRequest): boolean {
    if (request.audit !== '') return false;
    const isRoot = ENDPOINTS[request.endpoint] === info;
    return isRoot ? this.roots.find('', request, this.state()) !== undefined : this.isForOwner(request);
  }

  /** Whether nothing but the document kept {@link find} from answering, as when it has just been written: then its owner is to be asked. */
  isForOwner(request: BareRequest): boolean {
    return this.gets.isPrepared(request, this.state());
  }

  /** To be told of each answer that took the usual way, with the state that it began with. */
  note(request: WireRequest, answer: WireAnswer, state: ClusterState): void {
    // It says nothing that is not in the state and the settings.
    const isRoot = ENDPOINTS[request.endpoint] === info && request.body === undefined && answer.status === SUCCESS;
    if (isRoot && state === this.state()) this.roots.keep('', request, state, answer);
  }
}
