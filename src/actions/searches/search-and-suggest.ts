/** A search, and the suggestions that are asked for beside it. */
import type { Suggestion } from '../../search/suggest/suggest-plan.js';
import type { ActionContext } from '../context.js';
import { shardName } from '../shard-client.js';
import { search, type SearchAnswer, type SearchRequest } from './search.js';
import type { ShardCounts } from './shards/shard-failures.js';
import { suggest, type SuggestAnswer } from './suggest.js';

export interface WantedSuggestions {
  readonly suggestions: readonly Suggestion[] | undefined;
  /** Nothing else is asked for. */
  readonly isAlone: boolean;
}

export interface SearchedAndSuggested {
  readonly answer: SearchAnswer;
  readonly suggested?: SuggestAnswer;
}

/** A request for suggestions alone searches nothing, but for a scroll. */
export async function searchAndSuggest(
  request: SearchRequest,
  { suggestions, isAlone }: WantedSuggestions,
  context: ActionContext,
): Promise<SearchedAndSuggested> {
  if (suggestions === undefined) return { answer: await search(request, context) };
  if (!isAlone || request.scroll !== undefined) {
    const answer = await search(request, context);
    const suggested = await suggest(suggestions, request, context);
    return { answer: { ...answer, shards: withFailures(answer.shards, suggested.shards) }, suggested };
  }
  const suggested = await suggest(suggestions, request, context);
  request.progress?.planned(request.plan, suggested.shards.total, 0);
  return { answer: { shards: suggested.shards, result: undefined, isWithoutSearch: true }, suggested };
}

/** A shard that failed at either has failed. */
function withFailures(searched: ShardCounts, suggested: ShardCounts): ShardCounts {
  const known = new Set(searched.failures.map(({ key }) => shardName(key)));
  const more = suggested.failures.filter(({ key }) => !known.has(shardName(key)));
  return { ...searched, failures: [...searched.failures, ...more] };
}
