/** `GET _rank_eval`: how well searches find what people say that they should. */
import type { ActionContext } from '../../actions/context.js';
import { double } from '../../base/double.js';
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { runLimited } from '../../base/run-limited.js';
import { Place } from '../../search/body/place.js';
import type { Metric } from '../../search/rank-eval/metric.js';
import type { RatedSearch } from '../../search/rank-eval/rank-eval-request.js';
import type { SearchDraft } from '../../search/request/search-body.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { errorBody } from '../error-body.js';
import { indicesOptionsParameters, stringParameter } from '../parameters.js';
import {
  CLOSING_BRACE,
  noSearchValues,
  readSearch,
  runSearch,
  type ReadSearch,
  type SearchValues,
} from './search-call.js';
import { readTemplatedSearch } from './template-call.js';

export const rankEval = defineEndpoint({
  name: 'rank_eval',
  action: 'indices:data/read/rank_eval',
  methods: ['GET', 'POST'],
  paths: ['/_rank_eval', '/{index}/_rank_eval'],
  parameters: { ...indicesOptionsParameters, search_type: stringParameter() },
  body: 'json',
  pool: 'search',
  placement: 'any',
  async handle({ parts, parameters, body }, context) {
    body.requireObject();
    // Few searches are ever rated.
    const { documentKey, readRankEval } = await import('../../search/rank-eval/rank-eval-request.js');
    const { requests, metric, concurrentSearches } = readRankEval(Place.ofBody(body));
    const values: SearchValues = { ...noSearchValues(), ...parameters };
    const prepared = requests.map((request) => prepare(request, parts.index, values, metric, context));
    const outcomes = await runLimited(prepared, concurrentSearches, context.loop, (each) =>
      evaluate(each, { metric, documentKey }, context),
    );
    const details = outcomes.flatMap((outcome) => ('details' in outcome ? [outcome] : []));
    const sum = details.reduce((total, { score }) => total + score, 0);
    return answerValue({
      metric_score: details.length === 0 ? 'NaN' : double(sum / details.length),
      details: Object.fromEntries(details.map((outcome) => [outcome.id, outcome.details])),
      failures: Object.fromEntries(
        outcomes.flatMap((outcome) => ('failure' in outcome ? [[outcome.id, outcome.failure] as const] : [])),
      ),
    });
  },
});

interface Prepared {
  readonly request: RatedSearch;
  /** Reads the search where a template makes it: it fails alone. */
  readonly read: () => ReadSearch;
}

function prepare(
  request: RatedSearch,
  index: string | undefined,
  parameters: SearchValues,
  metric: Metric,
  context: ActionContext,
): Prepared {
  const { search, summaryFields } = request;
  const finish = (read: ReadSearch): ReadSearch => {
    checkDraft(read.draft);
    read.draft.size = metric.size;
    read.draft.source =
      summaryFields.length === 0 ? { enabled: false } : { enabled: true, includes: summaryFields, excludes: [] };
    return read;
  };
  if (search instanceof Place) {
    const read = finish(readSearch({ index, parameters, body: search.asBody() }, context));
    return { request, read: () => read };
  }
  const template = { ...search, explain: false, profile: false };
  return { request, read: () => finish(readTemplatedSearch(template, { index, parameters }, context)) };
}

function checkDraft({ aggregations, highlight, explain, profile }: SearchDraft): void {
  const refused = 'Query in rated requests should not';
  if (aggregations !== undefined) throw illegalArgument(`${refused} contain aggregations.`);
  if (highlight !== undefined) throw illegalArgument(`${refused} contain a highlighter section.`);
  if (explain === true) throw illegalArgument(`${refused} use explain.`);
  if (profile === true) throw illegalArgument(`${refused} use profile.`);
}

type Outcome =
  | { readonly id: string; readonly score: number; readonly details: object }
  | { readonly id: string; readonly failure: JsonObject };

interface ShownHit extends JsonObject {
  readonly _index: string;
  readonly _id: string;
}

interface Measure {
  readonly metric: Metric;
  readonly documentKey: (index: string, id: string) => string;
}

async function evaluate(
  { request, read }: Prepared,
  { metric, documentKey }: Measure,
  context: ActionContext,
): Promise<Outcome> {
  const { id, ratings } = request;
  let hits: readonly ShownHit[];
  try {
    const answer = Buffer.concat([...(await runSearch(read(), context, { isInner: true })), CLOSING_BRACE]);
    ({
      hits: { hits },
    } = JSON.parse(answer.toString('utf8')) as { hits: { hits: readonly ShownHit[] } });
  } catch (error) {
    context.cancellation.throwIfCancelled();
    return { id, failure: errorBody(error, { errorTrace: false }).body };
  }
  const rated = hits.map((hit) => ({ hit, rating: ratings.get(documentKey(hit._index, hit._id)) }));
  const { score, details } = metric.measure(
    rated.map(({ rating }) => rating),
    [...ratings.values()],
  );
  const unrated = rated.filter(({ rating }) => rating === undefined);
  return {
    id,
    score,
    details: {
      metric_score: double(score),
      unrated_docs: unrated.map(({ hit: { _index, _id } }) => ({ _index, _id })),
      hits: rated.map(({ hit, rating }) => ({ hit, rating: rating ?? null })),
      metric_details: { [metric.name]: details },
    },
  };
}
