/** `nested`: documents by what their nested ones are. */
import { illegalArgument } from '../../../base/errors.js';
import { readBoolean, readText } from '../../body/read.js';
import type { NestedScorePlan, QueryPlan } from '../../plan/query-plan.js';
import type { InnerHitsPlan } from '../../plan/search-plan.js';
import { checkInnerWindow, innerHitsOf, readInnerHits } from '../../request/inner-hits.js';
import { scoreModeOf } from './join-queries.js';
import { CommonOptions, readOptions, type QueryParser } from '../query-parser.js';

const NAME = 'nested';

export const nestedQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const common = new CommonOptions(NAME);
    let path: string | undefined;
    let query: QueryPlan | undefined;
    let scoreMode: NestedScorePlan | undefined;
    let ignoreUnmapped: boolean | undefined;
    let innerHits: InnerHitsPlan | undefined;
    readOptions(place, NAME, {
      ...common.readers,
      path: (value) => void (path = readText(value)),
      query: (value) => void (query = context.parseQuery(value)),
      score_mode: (value) => void (scoreMode = scoreModeOf(readText(value))),
      ignore_unmapped: (value) => void (ignoreUnmapped = readBoolean(value)),
      inner_hits: (value) => {
        const draft = readInnerHits(value, context.parseQuery);
        if (draft.collapse !== undefined) throw value.error('[collapse] of [inner_hits] in [nested] is not supported');
        checkInnerWindow(draft, context.settings);
        innerHits = innerHitsOf(draft, context.settings, context.parseQuery);
      },
    });
    if (path === undefined) throw illegalArgument(`[${NAME}] requires 'path' field`);
    if (query === undefined) throw illegalArgument(`[${NAME}] requires 'query' field`);
    return common.named({
      nested: {
        path,
        query,
        ...(scoreMode === undefined ? {} : { score_mode: scoreMode }),
        ...(ignoreUnmapped === undefined ? {} : { ignore_unmapped: ignoreUnmapped }),
        ...(innerHits === undefined ? {} : { inner_hits: innerHits }),
        ...common.boosted,
      },
    });
  },
};
