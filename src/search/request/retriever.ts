/**
 * `retriever`: which documents a search is about, said in one place. It is rewritten here into the members of a search that it
 * stands for, so that nothing behind this knows of it.
 */
import { illegalArgument } from '../../base/errors.js';
import { didYouMeanOf } from '../../base/suggest.js';
import type { Place } from '../body/place.js';
import { readNumber, readText } from '../body/read.js';
import type { QueryPlan } from '../plan/query-plan.js';
import { readKnn } from '../query/specialized/knn-query.js';
import { parseQuery, queryParser } from '../query/parse-query.js';
import type { SearchSettings } from '../settings.js';
import { validationFailure } from './combinations.js';
import { readKey, type SearchDraft } from './search-body.js';

type ReadRetriever = (place: Place, settings: SearchSettings) => SearchDraft;

export const RETRIEVERS: Readonly<Record<string, ReadRetriever>> = { standard: readStandard, knn: readNearest };

/** Kinds that the API knows and this server refuses by name. */
export const UNSUPPORTED_RETRIEVERS: ReadonlySet<string> = new Set([
  'diversify',
  'linear',
  'pinned',
  'random_reranker',
  'rescorer',
  'rrf',
  'rule',
  'text_similarity_reranker',
]);

/** Members of a search that a retriever takes the place of, in the order in which they are named. */
const REPLACED = ['query', 'knn', 'search_after', 'terminate_after', 'sort', 'rescore'] as const;

/** The search without its retriever, and with what that stands for; the very same where it has none. */
export function replaceRetriever(draft: SearchDraft, settings: SearchSettings): SearchDraft {
  const { retriever, ...others } = draft;
  if (retriever === undefined) return draft;
  const beside = REPLACED.filter((name) => others[name] !== undefined && others[name] !== 0);
  if (beside.length > 0) throw validationFailure([`cannot specify [retriever] and [${beside.join(', ')}]`]);
  return { ...others, ...readRetriever(retriever, settings) };
}

function readRetriever(place: Place, settings: SearchSettings): SearchDraft {
  const [first, second] = place.members();
  if (first === undefined) throw place.error('retriever malformed, empty clause found');
  const [name, body] = first;
  if (UNSUPPORTED_RETRIEVERS.has(name))
    throw body.error(`[${name}] retriever is not supported`, 'illegal_argument_exception');
  if (!body.isObject) throw body.error(`[${name}] retriever malformed, no [START_OBJECT] after retriever name`);
  const read = Object.hasOwn(RETRIEVERS, name) ? RETRIEVERS[name] : undefined;
  if (read === undefined) throw body.error(`unknown retriever [${name}]${didYouMeanOf(name, Object.keys(RETRIEVERS))}`);
  const draft = read(body, settings);
  if (second === undefined) return draft;
  throw second[1].error(`[${name}] malformed retriever, expected [END_OBJECT] but found [FIELD_NAME]`);
}

/** Members that mean what they mean in a search. */
const SHARED: ReadonlySet<string> = new Set([
  'query',
  'search_after',
  'terminate_after',
  'sort',
  'min_score',
  'collapse',
]);

function readStandard(place: Place, settings: SearchSettings): SearchDraft {
  const draft: SearchDraft = {};
  let filters: readonly QueryPlan[] = [];
  let name: string | undefined;
  for (const [key, value] of place.members()) {
    if (SHARED.has(key)) readKey(draft, key, value, settings);
    else if (key === 'filter') filters = value.items().map((filter) => parseQuery(filter, settings));
    else if (key === '_name') name = readText(value);
    else throw value.errorWithPlace(`[standard] unknown field [${key}]`);
  }
  const query = filtered(draft.query, filters);
  return { ...draft, query: name === undefined ? query : { named: { name, query } } };
}

/** Filters alone find their documents without a score. */
function filtered(query: QueryPlan | undefined, filters: readonly QueryPlan[]): QueryPlan {
  if (filters.length === 0) return query ?? { match_all: {} };
  return { bool: { filter: filters, ...(query === undefined ? {} : { must: [query] }) } };
}

function readNearest(place: Place, settings: SearchSettings): SearchDraft {
  let name: string | undefined;
  let minScore: number | undefined;
  const plan = readKnn(
    place,
    {
      _name: (value) => void (name = readText(value)),
      min_score: (value) => void (minScore = readNumber(value)),
    },
    queryParser(settings),
  );
  const missing = (['k', 'num_candidates'] as const).filter((size) => plan[size] === undefined);
  if (missing.length > 0) throw illegalArgument(`Required [${missing.join(', ')}]`);
  return { knn: [{ plan, name, innerHits: undefined }], ...(minScore === undefined ? {} : { min_score: minScore }) };
}
