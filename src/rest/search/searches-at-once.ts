/** Searches that are understood already and wait for nothing. To understand one, and to carry it out in steps that may wait, takes longer than to search. */
import type { PreparedSearches } from '../../actions/searches/prepared-searches.js';
import { searchAtOnce, type SearchAtOnceServices } from '../../actions/searches/search-at-once.js';
import { countUses } from '../../actions/searches/search-usage.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { globalBlock } from '../../cluster/blocks/global-blocks.js';
import { NO_SUBJECT } from '../../cluster/security/subject-text.js';
import type { ClusterState } from '../../cluster/state.js';
import type { NodeIdentity } from '../../actions/context.js';
import { isWorthPacking } from '../packed.js';
import { plainAnswer, type PlainAnswer } from '../plain-answer.js';
import { concatenate } from '../present.js';
import { RepeatedRequests } from '../repeated-requests.js';
import type { BareRequest, PromptAnswer } from '../wire.js';
import { CLOSING_BRACE, openAnswer } from './search-call.js';
import { search, wordsOf } from './search.js';

export interface SearchesAtOnceServices extends Omit<SearchAtOnceServices, 'nodeId'> {
  readonly settings: NodeSettings;
  readonly node: () => NodeIdentity;
  readonly preparedSearches: PreparedSearches;
  /** See `countUses`. */
  readonly usageWords: BigInt64Array;
}

const NO_BODY = new Uint8Array(0);

export class SearchesAtOnce {
  private readonly services: SearchesAtOnceServices;
  private readonly atOnce: SearchAtOnceServices;
  /** How answers go out to requests without a body, and with one; `false`: such requests take the usual way. */
  private readonly bare = new RepeatedRequests<PlainAnswer | false>();
  private readonly withBody = new RepeatedRequests<PlainAnswer | false>();

  constructor(services: SearchesAtOnceServices) {
    const { clock, ranks, searcherOf, node } = services;
    this.services = services;
    this.atOnce = { clock, ranks, searcherOf, nodeId: () => node().id };
  }

  /** Undefined for what takes the usual way: what is not quite plain, what comes from a user of whom permissions are asked, and every error. */
  answer(request: BareRequest, body: Uint8Array = NO_BODY, state: ClusterState): PromptAnswer | undefined {
    if (request.subject !== NO_SUBJECT || request.headers.contentEncoding !== '') return undefined;
    const startedMs = this.services.clock.monotonicMs();
    const words = wordsOf(request.rawPath, request.query, body);
    const prepared = words === undefined ? undefined : this.services.preparedSearches.find(words, state);
    const plain = prepared === undefined ? false : this.plainAnswer(request, body.length > 0, state);
    if (prepared === undefined || plain === false) return undefined;
    const answer = searchAtOnce(prepared.planned, state, this.atOnce);
    if (answer === undefined) return undefined;
    const tookMs = Math.round(this.services.clock.monotonicMs() - startedMs);
    const json = concatenate([...openAnswer(answer, tookMs, prepared.totalAsInt, {}), CLOSING_BRACE]);
    countUses(this.services.usageWords, prepared.uses);
    return { status: 200, headers: plain.headers, body: json, isToBePacked: plain.gzip && isWorthPacking(json) };
  }

  private plainAnswer(request: BareRequest, hasBody: boolean, state: ClusterState): PlainAnswer | false {
    const kinds = hasBody ? this.withBody : this.bare;
    let kind = kinds.find('', request, state);
    if (kind === undefined) {
      kind = this.prepare(request, hasBody, state);
      kinds.keep('', request, state, kind);
    }
    return kind;
  }

  private prepare(request: BareRequest, hasBody: boolean, state: ClusterState): PlainAnswer | false {
    const { settings, node } = this.services;
    if (globalBlock(state, node(), 'read') !== undefined) return false;
    try {
      return plainAnswer(search, request, hasBody, settings) ?? false;
    } catch {
      return false; // The usual way says what is wrong.
    }
  }
}
