/** The body of `_rank_eval`: searches, what people said of documents, and the metric. */
import { illegalArgument } from '../../base/errors.js';
import { stringifyJson } from '../../base/json.js';
import type { Place } from '../body/place.js';
import { readInt, readStrings, readText } from '../body/read.js';
import { readParams, type NamedTemplate, type TemplateParams } from '../request/search-template.js';
import { readMetric, type Metric } from './metric.js';

/** Searches of one request, and ratings of one search. */
const REQUESTS_MAX = 10_000;
const RATINGS_MAX = 100_000;
/** Where the request does not say. */
const CONCURRENT_SEARCHES = 10;

export interface RankEvalRequest {
  readonly requests: readonly RatedSearch[];
  readonly metric: Metric;
  readonly concurrentSearches: number;
}

export interface RatedSearch {
  readonly id: string;
  readonly search: Place | { readonly template: NamedTemplate; readonly params: TemplateParams };
  /** By {@link documentKey}. */
  readonly ratings: ReadonlyMap<string, number>;
  readonly summaryFields: readonly string[];
}

export function documentKey(index: string, id: string): string {
  return JSON.stringify([index, id]);
}

export function readRankEval(body: Place): RankEvalRequest {
  const parts: { requests?: Place; metric?: Place; templates?: Place; concurrent?: Place } = {};
  for (const [name, value] of body.members()) {
    if (name === 'requests') parts.requests = value;
    else if (name === 'metric') parts.metric = value;
    else if (name === 'templates') parts.templates = value;
    else if (name === 'max_concurrent_searches') parts.concurrent = value;
    else throw value.errorWithPlace(`[rank_eval] unknown field [${name}]`);
  }
  const requests = parts.requests?.items() ?? [];
  if (requests.length === 0) {
    throw illegalArgument('Cannot evaluate ranking if no search requests with rated results are provided.');
  }
  if (requests.length > REQUESTS_MAX) throw illegalArgument(`a request holds at most [${REQUESTS_MAX}] rated requests`);
  if (parts.metric === undefined) {
    throw illegalArgument('Cannot evaluate ranking if no evaluation metric is provided.');
  }
  const concurrentSearches = parts.concurrent === undefined ? CONCURRENT_SEARCHES : readInt(parts.concurrent);
  if (concurrentSearches < 1) throw illegalArgument('maxConcurrentSearchRequests must be positive');
  const templates = new Map((parts.templates?.items() ?? []).map(readTemplate));
  const searches = requests.map((request) => readRequest(request, templates));
  checkIds(searches);
  return { requests: searches, metric: readMetric(parts.metric), concurrentSearches };
}

function checkIds(searches: readonly RatedSearch[]): void {
  const seen = new Set<string>();
  for (const { id } of searches) {
    if (seen.has(id)) throw illegalArgument(`Found duplicate rated request id [${id}]`);
    seen.add(id);
  }
}

function readTemplate(place: Place): readonly [string, NamedTemplate] {
  let id: string | undefined;
  let template: NamedTemplate | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'id') id = readText(value);
    else if (name === 'template') template = readNamedTemplate(value);
    else throw value.errorWithPlace(`[script_with_id] unknown field [${name}]`);
  }
  if (id === undefined || template === undefined) throw place.error('Required [id, template]');
  return [id, template];
}

function readNamedTemplate(place: Place): NamedTemplate {
  let template: NamedTemplate | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'id') template = { id: readText(value) };
    else if (name === 'source' || name === 'inline') {
      template = { source: value.isObject ? stringifyJson(value.exactValue()) : readText(value) };
    } else if (name !== 'lang') throw value.errorWithPlace(`[script] unknown field [${name}]`);
    else if (value.value !== 'mustache') {
      throw value.error(`${readText(value)} does not know how to handle context [template]`);
    }
  }
  if (template === undefined)
    throw place.error('must specify either [source] for an inline script or [id] for a stored script');
  return template;
}

interface Draft {
  id?: string;
  search?: Place;
  params?: TemplateParams;
  templateId?: string;
  ratings?: Place;
  summaryFields: readonly string[];
}

function readRequest(place: Place, templates: ReadonlyMap<string, NamedTemplate>): RatedSearch {
  const draft: Draft = { summaryFields: [] };
  for (const [name, value] of place.members()) {
    if (name === 'id') draft.id = readText(value);
    else if (name === 'request') draft.search = value;
    else if (name === 'params') draft.params = value.isObject ? readParams(value) : {};
    else if (name === 'template_id') draft.templateId = readText(value);
    else if (name === 'ratings') draft.ratings = value;
    else if (name === 'summary_fields') draft.summaryFields = readStrings(value);
    else throw value.errorWithPlace(`[request] unknown field [${name}]`);
  }
  const { id, ratings, summaryFields } = draft;
  if (id === undefined || ratings === undefined) throw place.errorWithPlace('Required [id, ratings]');
  return { id, search: searchOf(draft, templates), ratings: readRatings(ratings, id), summaryFields };
}

function searchOf(
  { search, params = {}, templateId }: Draft,
  templates: ReadonlyMap<string, NamedTemplate>,
): RatedSearch['search'] {
  const hasParams = Object.keys(params).length > 0;
  if (search !== undefined) {
    if (!hasParams && templateId === undefined) return search;
    throw illegalArgument(
      'Ambiguous rated request: Set both, verbatim test request and test request template parameters.',
    );
  }
  if (!hasParams) throw illegalArgument('Need to set at least test request or test request template parameters.');
  if (templateId === undefined) {
    throw illegalArgument('If template parameters are supplied need to set id of template to apply them to too.');
  }
  const template = templates.get(templateId);
  if (template === undefined) throw illegalArgument(`There is no template [${templateId}] in [templates]`);
  return { template, params };
}

function readRatings(place: Place, requestId: string): ReadonlyMap<string, number> {
  const ratings = new Map<string, number>();
  const items = place.items();
  if (items.length > RATINGS_MAX) throw illegalArgument(`a rated request holds at most [${RATINGS_MAX}] ratings`);
  for (const item of items) {
    let [index, id, rating]: [string?, string?, number?] = [];
    for (const [name, value] of item.members()) {
      if (name === '_index') index = readText(value);
      else if (name === '_id') id = readText(value);
      else if (name === 'rating') rating = readInt(value);
      else throw value.errorWithPlace(`[rated_document] unknown field [${name}]`);
    }
    if (index === undefined || id === undefined || rating === undefined) {
      throw item.errorWithPlace('Required [_index, _id, rating]');
    }
    const key = documentKey(index, id);
    if (ratings.has(key)) {
      const shown = `{"_index" : ${JSON.stringify(index)},"_id" : ${JSON.stringify(id)}}`;
      throw illegalArgument(`Found duplicate rated document key [${shown}] in evaluation request [${requestId}]`);
    }
    ratings.set(key, rating);
  }
  return ratings;
}
