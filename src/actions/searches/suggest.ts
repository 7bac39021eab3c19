/** Suggestions from all shards of a search. */
import { asQuarryError } from '../../base/error-wire.js';
import { parseJsonBytes } from '../../base/json.js';
import { begunInTurns } from '../../base/turn-of-loop.js';
import { Place } from '../../search/body/place.js';
import { encodePlan, type FetchPlan, type SearchPlan } from '../../search/plan/search-plan.js';
import { parseQuery } from '../../search/query/parse-query.js';
import { renderTemplate } from '../../search/request/search-template.js';
import type { SearchSettings } from '../../search/settings.js';
import { reduceSuggestion, type ShardEntry, type SuggestOption } from '../../search/suggest/reduce.js';
import type { FoundSuggestion } from '../../search/suggest/render.js';
import type { Collate, Suggestion, SuggestPlan } from '../../search/suggest/suggest-plan.js';
import type { ActionContext } from '../context.js';
import { shardKey } from '../documents/write-target.js';
import { CopyFailure, readFromCopies, type CopyAnswer } from '../read-from-copies.js';
import type { ShardKey } from '../shard-client.js';
import type { HeldPart } from './contexts/context-id.js';
import { count } from './count.js';
import { failureOf } from './shards/query-and-fetch.js';
import type { SearchRequest } from './search.js';
import { checkFailures, type ShardCounts } from './shards/shard-failures.js';
import { templateText } from './template-text.js';

export interface SuggestAnswer {
  readonly shards: ShardCounts;
  readonly found: readonly FoundSuggestion[];
}

/** Phrases that are looked up to find those worth suggesting. */
const COLLATED_MAX = 1_000;

/** What a search is asked for beside its hits; of the search only its scope, and what its hits show, matter. */
export async function suggest(
  suggestions: readonly Suggestion[],
  request: SearchRequest,
  context: ActionContext,
): Promise<SuggestAnswer> {
  const plan = encodePlan(suggestPlan(suggestions, request.plan));
  const places: readonly { readonly key: ShardKey; readonly part?: HeldPart }[] =
    request.pit?.places ??
    request.targets.flatMap(({ index, shards }) => shards.map((shard) => ({ key: shardKey(index, shard) })));
  const asked = await begunInTurns(places, context.loop, ({ key, part }) => ask(key, part, plan, request, context));
  const outcomes = await Promise.all(asked);
  const failures = outcomes.flatMap((outcome, at) => {
    const place = places[at];
    return outcome instanceof CopyFailure && place !== undefined ? [failureOf(place.key, outcome)] : [];
  });
  const shards = { total: places.length, failures };
  checkFailures(shards, request.allowPartial);
  context.cancellation.throwIfCancelled();
  const answers = outcomes.flatMap((outcome) =>
    outcome instanceof CopyFailure
      ? []
      : [JSON.parse(Buffer.from(outcome.output).toString('utf8')) as readonly (readonly ShardEntry[])[]],
  );
  const found: FoundSuggestion[] = [];
  for (const [at, suggestion] of suggestions.entries()) {
    const entries = reduceSuggestion(
      suggestion,
      answers.map((answer) => answer[at] ?? []),
    );
    found.push({ suggestion, entries: await collated(suggestion, entries, request, context) });
  }
  return { shards, found };
}

function suggestPlan(suggestions: readonly Suggestion[], { fetch, now_ms, limits }: SearchPlan): SuggestPlan {
  return { suggestions: suggestions.map(({ plan }) => plan), fetch: ofDocuments(fetch), now_ms, limits };
}

/** Documents of completions are no matches of the query: there is nothing to highlight or explain. */
function ofDocuments({ highlight: _highlight, explain: _explain, ...fetch }: FetchPlan): FetchPlan {
  return fetch;
}

async function ask(
  key: ShardKey,
  part: HeldPart | undefined,
  plan: Uint8Array,
  { copies, pit }: SearchRequest,
  context: ActionContext,
): Promise<CopyAnswer<Uint8Array> | CopyFailure> {
  if (part === undefined) return readFromCopies(context, key, copies, 'suggest', { plan });
  const keepAlive = pit?.keepAliveMs === undefined ? {} : { keepAliveMs: pit.keepAliveMs };
  const { place, searcher } = part;
  try {
    const view = { ...searcher, ...keepAlive };
    return { place, output: await context.shards.onCopy(key, place, 'suggest', { plan, view }) };
  } catch (error) {
    return new CopyFailure(asQuarryError(error), place.nodeId);
  }
}

/** Looks for documents with each phrase, the best first, until there are enough. */
async function collated(
  { collate, size }: Suggestion,
  entries: readonly ShardEntry[],
  request: SearchRequest,
  context: ActionContext,
): Promise<readonly ShardEntry[]> {
  if (collate === undefined) return entries;
  return Promise.all(
    entries.map(async (entry) => {
      const options: SuggestOption[] = [];
      for (const option of entry.options.slice(0, COLLATED_MAX)) {
        if (options.length >= size) break;
        const collateMatch = await isFound(option.text, collate, request, context);
        if (collate.prune) options.push({ ...option, collateMatch });
        else if (collateMatch) options.push(option);
      }
      return { ...entry, options };
    }),
  );
}

async function isFound(
  suggestion: string,
  { template, params }: Collate,
  request: SearchRequest,
  context: ActionContext,
): Promise<boolean> {
  context.cancellation.throwIfCancelled();
  const { plan, settings, targets, copies } = request;
  const text = renderTemplate(templateText(template, context.clusterState()), { ...params, suggestion });
  const counted = {
    query: queryOf(text, settings),
    terminate_after: 1,
    now_ms: plan.now_ms,
    limits: plan.limits,
  };
  return (await count({ plan: counted, settings, targets, copies }, context)).count > 0;
}

function queryOf(text: string, settings: SearchSettings): ReturnType<typeof parseQuery> {
  return parseQuery(Place.ofValue(parseJsonBytes(new TextEncoder().encode(text))), settings);
}
