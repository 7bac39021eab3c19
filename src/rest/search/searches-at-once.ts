/** Searches that are understood already and wait for nothing. To understand one, and to carry it out in steps that may wait, takes longer than to search. */
import type { PreparedSearches } from '../../actions/searches/prepared-searches.js';
import { searchAtOnce, type SearchAtOnceServices } from '../../actions/searches/search-at-once.js';
import { countUses } from '../../actions/searches/search-usage.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { globalBlock } from '../../cluster/blocks/global-blocks.js';
import type { ClusterState } from '../../cluster/state.js';
import type { NodeIdentity } from '../../actions/context.js';
import { wholeView } from '../authorise.js';
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

/** Searches that say the same but for their bodies. */
interface SearchKind extends PlainAnswer {
  /** The state as who asks sees it. */
  readonly view: ClusterState;
}

const NO_BODY = new Uint8Array(0);

export class SearchesAtOnce {
  private readonly services: SearchesAtOnceServices;
  private readonly atOnce: SearchAtOnceServices;
  /** Of requests without a body, and with one; `false`: such requests take the usual way. */
  private readonly bare = new RepeatedRequests<SearchKind | false>();
  private readonly withBody = new RepeatedRequests<SearchKind | false>();

  constructor(services: SearchesAtOnceServices) {
    const { clock, ranks, searcherOf, node } = services;
    this.services = services;
    this.atOnce = { clock, ranks, searcherOf, nodeId: () => node().id };
  }

  /** Undefined for what takes the usual way: what is not quite plain, what the audit log is told of, and every error. */
  answer(request: BareRequest, body: Uint8Array = NO_BODY, state: ClusterState): PromptAnswer | undefined {
    if (request.audit !== '' || request.headers.contentEncoding !== '') return undefined;
    const { clock, preparedSearches, usageWords } = this.services;
    const startedMs = clock.monotonicMs();
    const kind = this.kindOf(request, body.length > 0, state);
    const words = kind === false ? undefined : wordsOf(request.rawPath, request.query, body);
    if (kind === false || words === undefined) return undefined;
    const prepared = preparedSearches.find(words, kind.view);
    const answer = prepared === undefined ? undefined : searchAtOnce(prepared.planned, state, this.atOnce);
    if (prepared === undefined || answer === undefined) return undefined;
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    const json = concatenate([...openAnswer(answer, tookMs, prepared.totalAsInt, {}), CLOSING_BRACE]);
    countUses(usageWords, prepared.uses);
    const { headers, gzip } = kind;
    return { status: 200, headers, body: json, isToBePacked: gzip && isWorthPacking(json) };
  }

  private kindOf(request: BareRequest, hasBody: boolean, state: ClusterState): SearchKind | false {
    const kinds = hasBody ? this.withBody : this.bare;
    const about = request.parts['index'] ?? '';
    let kind = kinds.find(about, request, state);
    if (kind === undefined) {
      kind = this.prepare(request, hasBody, state);
      kinds.keep(about, request, state, kind);
    }
    return kind;
  }

  private prepare(request: BareRequest, hasBody: boolean, state: ClusterState): SearchKind | false {
    const { settings, node, clock } = this.services;
    if (globalBlock(state, node(), 'read') !== undefined) return false;
    try {
      const plain = plainAnswer(search, request, hasBody, settings);
      const view = wholeView(search, request, state, clock.nowMs());
      return plain === undefined || view === undefined ? false : { ...plain, view };
    } catch {
      return false; // The usual way says what is wrong.
    }
  }
}
