/** Random searches, each for the sake of one kind of query, aggregation or part of a request: its family. */
import { AGGREGATION_NAMES, aggregationsOf } from './aggregations/random-aggregations.js';
import { brokenRequest, type BrokenRequest } from './broken.js';
import type { Chance } from './chance.js';
import * as fields from './fields.js';
import { isArray, type Json, type JsonObject } from '../json.js';
import { anyPlace } from './queries/geo.js';
import { QUERY_NAMES, queryOf, randomQuery } from './queries/random-query.js';
import { WAYS, type Way } from './sides.js';

export interface ComparedRequest {
  readonly family: string;
  readonly body: JsonObject;
  /** What is wrong with it, where something is. */
  readonly broken?: BrokenRequest;
  /** How it is asked; a plain search where nothing is said. */
  readonly way?: Way;
}

const SIZE = 25;
const BRIEF: JsonObject = { _source: false };

const order = (chance: Chance): string => chance.pick(['asc', 'desc']);
const modes = ['min', 'max', 'avg', 'sum', 'median'] as const;

function sortKey(chance: Chance): Json {
  const number = chance.pick(fields.NUMBERS).name;
  return chance.one<Json>(
    () => ({
      [number]: {
        order: order(chance),
        ...chance.options({
          mode: [0.4, () => chance.pick(modes)],
          missing: [0.4, () => chance.pick<Json>(['_first', '_last', 5])],
        }),
      },
    }),
    () => ({ [number]: { order: order(chance), ...chance.options({ mode: [0.4, () => chance.pick(modes)] }) } }),
    () => ({
      [chance.pick(['tags', 'colour', 'code', 'title.raw', 'same', 'inner.word', 'wild'])]: {
        order: order(chance),
        ...chance.options({
          mode: [0.3, () => chance.pick(['min', 'max'])],
          missing: [0.3, () => chance.pick(['_first', '_last', 'm'])],
        }),
      },
    }),
    () => ({
      [chance.pick(['day', 'stamp', 'nanos'])]: {
        order: order(chance),
        ...chance.options({
          mode: [0.3, () => chance.pick(['min', 'max', 'avg'])],
          missing: [0.2, () => '_first'],
        }),
      },
    }),
    () => ({ [chance.pick(['flag', 'address', 'kind', 'title.length'])]: order(chance) }),
    () => chance.pick<Json>(['_score', { _score: 'asc' }, '_doc']),
    () => ({
      _geo_distance: {
        place: anyPlace(chance),
        order: order(chance),
        unit: chance.pick(['km', 'm', 'mi']),
        ...chance.options({
          mode: [0.4, () => chance.pick(['min', 'max', 'avg', 'median'])],
          distance_type: [0.2, () => 'plane'],
        }),
      },
    }),
    () => ({ _script: { type: 'number', order: order(chance), script: { source: "doc['serial'].value % 11" } } }),
    () => ({
      _script: {
        type: 'string',
        order: order(chance),
        script: { source: "doc['tags'].size() == 0 ? '' : doc['tags'].get(0)" },
      },
    }),
    () => ({
      'comments.stars': {
        order: order(chance),
        mode: chance.pick(modes),
        nested: {
          path: 'comments',
          ...chance.options({ filter: [0.4, () => ({ term: { 'comments.author': fields.author(chance) } })] }),
        },
      },
    }),
    () => ({
      'comments.replies.likes': {
        order: order(chance),
        nested: { path: 'comments', nested: { path: 'comments.replies' } },
      },
    }),
    () => ({ absent: { order: order(chance), unmapped_type: chance.pick(['long', 'keyword', 'date']) } }),
  );
}

function sorted(chance: Chance): JsonObject {
  const sort = [...chance.times(1, 3, () => sortKey(chance)), ...(chance.yes(0.6) ? [{ serial: order(chance) }] : [])];
  return { sort, ...chance.options({ track_scores: [0.2, () => true], search_after: [0, () => []] }) };
}

function collapsed(chance: Chance): JsonObject {
  const collapse = {
    field: chance.pick(['single_value', 'serial', 'inner.word']),
    ...chance.options({
      inner_hits: [0.4, () => ({ name: 'more', size: 3, _source: false, sort: [{ serial: 'asc' }] })],
    }),
  };
  return { collapse, ...(chance.yes(0.5) ? { sort: [{ serial: order(chance) }] } : {}) };
}

function rescored(chance: Chance): JsonObject {
  const one = (): JsonObject => ({
    window_size: chance.between(5, 40),
    query: {
      rescore_query: randomQuery(chance, 1),
      ...chance.options({
        query_weight: [0.5, () => chance.pick([0.5, 1.2])],
        rescore_query_weight: [0.5, () => chance.pick([0.3, 2])],
        score_mode: [0.5, () => chance.pick(['total', 'multiply', 'avg', 'max', 'min'])],
      }),
    },
  });
  return { rescore: chance.yes(0.6) ? one() : [one(), one()] };
}

function highlighted(chance: Chance): JsonObject {
  const type = chance.pick(['unified', 'plain', 'fvh']);
  const names = type === 'fvh' ? ['note'] : ['title', 'body', 'note', 'title.english', 'tags', 't*'];
  const options = {
    fragment_size: [0.4, (): Json => chance.pick([18, 30, 60, 200])],
    number_of_fragments: [0.4, (): Json => chance.between(0, 4)],
    order: [0.2, (): Json => 'score'],
    no_match_size: [0.2, (): Json => chance.pick([5, 20])],
    require_field_match: [0.3, (): Json => chance.yes(0.5)],
    tags_schema: [0.1, (): Json => 'styled'],
    encoder: [0.1, (): Json => 'html'],
    fragmenter: [type === 'plain' ? 0.3 : 0, (): Json => chance.pick(['simple', 'span'])],
    boundary_scanner: [
      type === 'plain' ? 0 : 0.2,
      (): Json => chance.pick(['sentence', 'word', ...(type === 'fvh' ? ['chars'] : [])]),
    ],
    highlight_query: [0.1, (): Json => ({ match: { note: fields.words(chance, 1, 2) } })],
  } as const;
  const marked = Object.fromEntries(
    chance.some(names, 3).map((name) => [name, chance.options(chance.yes(0.3) ? options : {})]),
  );
  return { highlight: { type, fields: marked, ...chance.options(options) } };
}

const suggestText = (chance: Chance): string => fields.words(chance, 1, 3).replace(/[aeo]/, 'x');

function suggested(chance: Chance): JsonObject {
  const suggestion = chance.one<JsonObject>(
    () => ({
      text: suggestText(chance),
      term: {
        field: chance.pick(['title', 'body', 'note']),
        ...chance.options({
          suggest_mode: [0.6, () => chance.pick(['missing', 'popular', 'always'])],
          size: [0.3, () => chance.between(1, 6)],
          sort: [0.3, () => chance.pick(['score', 'frequency'])],
          max_edits: [0.2, () => chance.between(1, 2)],
          prefix_length: [0.2, () => chance.between(0, 2)],
          min_word_length: [0.2, () => chance.between(2, 5)],
          min_doc_freq: [0.1, () => 2],
          string_distance: [
            0.2,
            () => chance.pick(['internal', 'levenshtein', 'jaro_winkler', 'ngram', 'damerau_levenshtein']),
          ],
        }),
      },
    }),
    () => ({
      text: suggestText(chance),
      phrase: {
        field: chance.pick(['title', 'body', 'note']),
        ...chance.options({
          size: [0.4, () => chance.between(1, 4)],
          max_errors: [0.3, () => chance.pick([1, 2, 0.5])],
          confidence: [0.3, () => chance.pick([0, 1])],
          real_word_error_likelihood: [0.2, () => 0.8],
          highlight: [0.2, () => ({ pre_tag: '<', post_tag: '>' })],
          smoothing: [
            0.3,
            () => chance.pick<Json>([{ laplace: { alpha: 0.7 } }, { stupid_backoff: { discount: 0.5 } }]),
          ],
          direct_generator: [0.4, () => [{ field: 'body', suggest_mode: 'always', min_word_length: 3 }]],
        }),
      },
    }),
    () => ({
      prefix: fields.word(chance).slice(0, chance.between(1, 4)),
      completion: {
        field: 'inputs',
        ...chance.options({
          size: [0.4, () => chance.between(1, 8)],
          skip_duplicates: [0.3, () => true],
          fuzzy: [0.3, () => ({ fuzziness: chance.pick<Json>([1, 'AUTO']) })],
        }),
      },
    }),
    () => ({ regex: `${fields.word(chance).slice(0, 1)}[a-n].*`, completion: { field: 'inputs' } }),
  );
  return { suggest: { s: suggestion } };
}

function shown(chance: Chance): JsonObject {
  return {
    _source: chance.pick<Json>([
      false,
      true,
      'comments.*',
      ['t*', 'day'],
      { includes: ['*'], excludes: ['comments', 'b*'] },
      { includes: ['inner.*', 'flat'] },
    ]),
    ...chance.options({
      docvalue_fields: [
        0.5,
        () => [
          { field: 'day', ...chance.options({ format: [0.5, () => 'yyyy'] }) },
          ...chance.some(
            ['tags', 'tiny', 'single', 'address', 'place', 'flag', 'half', 'scaled', 'nanos', 'stamp', 'unsigned'],
            4,
          ),
        ],
      ],
      fields: [
        0.5,
        () =>
          chance.some<Json>(
            [
              'tags',
              't*',
              'whole',
              { field: 'day', format: 'epoch_millis' },
              'place',
              'comments.*',
              'span_integer',
              'flat.kind',
              'half',
              'inner.*',
              'nanos',
              'stamp',
              'same',
              'address',
            ],
            5,
          ),
      ],
      script_fields: [0.2, () => ({ twice: { script: { source: "doc['serial'].value * 2" } } })],
      version: [0.2, () => true],
      seq_no_primary_term: [0.1, () => false],
      explain: [0, () => true],
    }),
  };
}

const parts: Readonly<Record<string, (chance: Chance) => JsonObject>> = {
  sort: sorted,
  collapse: collapsed,
  rescore: rescored,
  highlight: highlighted,
  suggest: suggested,
  show: shown,
  page: (chance) =>
    chance.options({
      from: [0.5, () => chance.between(0, 30)],
      size: [0.5, () => chance.between(0, 20)],
      min_score: [0.4, () => chance.pick([0.1, 1, 2])],
      track_total_hits: [0.4, () => chance.pick<Json>([true, 10, 100])],
      post_filter: [0.5, () => randomQuery(chance, 1)],
      terminate_after: [0, () => 10],
    }),
};

/** Queries that name words, so that there is something to mark. */
function wordQuery(chance: Chance): JsonObject {
  return queryOf(
    chance.pick([
      'match',
      'match_phrase',
      'multi_match',
      'prefix',
      'query_string',
      'bool',
      'span_near',
      'fuzzy',
      'wildcard',
      'intervals',
    ]),
    chance,
    1,
  );
}

function partRequest(name: string, chance: Chance): ComparedRequest {
  const part = parts[name]?.(chance) ?? {};
  const query = name === 'highlight' ? wordQuery(chance) : randomQuery(chance, 1);
  return { family: name, body: { size: SIZE, ...BRIEF, ...(name === 'suggest' ? {} : { query }), ...part } };
}

function queryRequest(name: string, chance: Chance): ComparedRequest {
  return {
    family: `query ${name}`,
    body: { size: SIZE, ...BRIEF, query: queryOf(name, chance, chance.between(1, 3)) },
  };
}

function aggregationRequest(name: string, chance: Chance): ComparedRequest {
  const query = chance.options({ query: [0.5, () => randomQuery(chance, 1)] });
  return {
    family: `agg ${name}`,
    body: { size: 0, ...query, aggs: aggregationsOf(name, chance, chance.between(0, 2)) },
  };
}

/** A sorted search that is asked for page by page, or as one of several. */
function wayRequest(way: Way, chance: Chance): ComparedRequest {
  const { sort = [] } = sorted(chance);
  const inOrder = [...(isArray(sort) ? sort : [sort]), { serial: order(chance) }];
  const body = { ...BRIEF, size: chance.between(3, 12), query: randomQuery(chance, 1), sort: inOrder };
  return { family: `way ${way}`, body, way };
}

function brokenOf(make: (chance: Chance) => ComparedRequest, chance: Chance): ComparedRequest {
  const good = make(chance);
  const broken = brokenRequest(good.body, chance);
  return broken === undefined ? good : { family: `broken: ${broken.how}`, body: broken.body, broken };
}

const GOOD_MAKERS: readonly ((chance: Chance) => ComparedRequest)[] = [
  ...QUERY_NAMES.map((name) => (chance: Chance) => queryRequest(name, chance)),
  ...AGGREGATION_NAMES.map((name) => (chance: Chance) => aggregationRequest(name, chance)),
  ...Object.keys(parts).flatMap((name) => [1, 2, 3].map(() => (chance: Chance) => partRequest(name, chance))),
  ...WAYS.map((way) => (chance: Chance) => wayRequest(way, chance)),
];

const MAKERS = [...GOOD_MAKERS, ...GOOD_MAKERS.map((make) => (chance: Chance) => brokenOf(make, chance))];

/** The request of that number: every family comes once in a round of numbers. */
export function randomRequest(number: number, chance: Chance): ComparedRequest {
  const make = MAKERS[number % MAKERS.length];
  if (make === undefined) throw new Error('no requests');
  return make(chance);
}

/** How many numbers make a round. */
export const FAMILIES = MAKERS.length;
