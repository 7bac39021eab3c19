/**
 * Requests that are answered without waiting for anything, and with little to do: documents by id, the root once somebody asked for it, and searches that are
 * understood already.
 */
import type { Authority } from '../actions/security/authority.js';
import { readSubject } from '../cluster/security/subject-text.js';
import type { Subject } from '../cluster/security/subject.js';
import type { ClusterState } from '../cluster/state.js';
import { tellAllowed } from './authorise.js';
import { PreparedGets, type PreparedGetServices } from './document/prepared-gets.js';
import type { Endpoint } from './endpoint.js';
import { ENDPOINTS } from './endpoints.js';
import { info } from './info/main.js';
import { RepeatedRequests } from './repeated-requests.js';
import { search } from './search/search.js';
import { SearchesAtOnce, type SearchesAtOnceServices } from './search/searches-at-once.js';
import type { BareRequest, PromptAnswer, WireAnswer, WireRequest } from './wire.js';

const SUCCESS = 200;

export interface AnswersAtOnceServices extends PreparedGetServices, SearchesAtOnceServices {
  /** `audit`: see `Auditor.witness`. */
  readonly authorities: { of(subject: Subject, audit: string): Authority };
}

export class AnswersAtOnce {
  private readonly state: () => ClusterState;
  private readonly services: AnswersAtOnceServices;
  private readonly gets: PreparedGets;
  private readonly searches: SearchesAtOnce;
  private readonly roots = new RepeatedRequests<WireAnswer>();

  constructor(state: () => ClusterState, services: AnswersAtOnceServices) {
    this.state = state;
    this.services = services;
    this.gets = new PreparedGets(services);
    this.searches = new SearchesAtOnce(services);
  }

  /** Whether {@link find} may search, which takes longer than what else it does. Never where the audit log is told of it. */
  isSearch({ endpoint, audit }: BareRequest): boolean {
    return ENDPOINTS[endpoint] === search && audit === '';
  }

  /** Of a request of which the audit log is told; undefined for what takes the usual way. */
  find(request: BareRequest, body: Uint8Array | undefined): PromptAnswer | undefined {
    const endpoint = ENDPOINTS[request.endpoint];
    if (endpoint === search) return this.searches.answer(request, body, this.state());
    if (body !== undefined) return undefined;
    const answer =
      endpoint === info
        ? this.roots.find('', request, this.state())
        : this.gets.answer(endpoint, request, this.state());
    if (answer !== undefined && request.audit !== '') this.tell(endpoint, request);
    return answer;
  }

  /** Whether {@link find} may have an answer later, as far as can be told without looking for it. */
  mayFind(request: BareRequest): boolean {
    const isRoot = ENDPOINTS[request.endpoint] === info;
    return isRoot ? this.roots.find('', request, this.state()) !== undefined : this.isForOwner(request);
  }

  private tell(endpoint: Endpoint | undefined, { subject: text, audit, parts }: BareRequest): void {
    const subject = readSubject(text);
    if (endpoint === undefined || subject === undefined) return;
    tellAllowed(endpoint, parts, this.services.authorities.of(subject, audit));
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
