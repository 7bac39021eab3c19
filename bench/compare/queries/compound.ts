/** Random queries that are made of others. */
import type { Chance } from '../chance.js';
import * as fields from '../fields.js';
import type { Json, JsonObject } from '../../json.js';
import { anyPlace } from './geo.js';
import type { MakeQuery, QueryKinds } from './kind.js';
import { boost, minimumShouldMatch, named } from './text.js';

function bool(chance: Chance, make: MakeQuery, depth: number): JsonObject {
  const clauses = (): Json =>
    chance.one<Json>(
      () => make(chance, depth),
      () => chance.times(1, 3, () => make(chance, depth)),
    );
  return chance.options({
    must: [0.5, clauses],
    should: [0.5, clauses],
    filter: [0.4, clauses],
    must_not: [0.3, clauses],
    minimum_should_match: [0.2, () => minimumShouldMatch(chance)],
    ...named(chance),
  });
}

const decayFunctions = ['gauss', 'exp', 'linear'] as const;

function decay(chance: Chance): JsonObject {
  const decayed = chance.options({
    offset: [0.3, () => chance.between(1, 10)],
    decay: [0.3, () => chance.pick([0.1, 0.33, 0.8])],
  });
  const body = chance.one<JsonObject>(
    () => ({
      [chance.pick(['whole', 'single', 'double', 'small'])]: {
        origin: chance.between(-50, 200),
        scale: chance.between(5, 200),
        ...decayed,
      },
    }),
    () => ({
      day: {
        origin: fields.day(chance),
        scale: `${chance.between(2, 90)}d`,
        ...('offset' in decayed ? { offset: '1d' } : {}),
      },
    }),
    () => ({
      place: {
        origin: anyPlace(chance),
        scale: `${chance.between(20, 300)}km`,
        ...('offset' in decayed ? { offset: '5km' } : {}),
      },
    }),
  );
  const mode = chance.options({ multi_value_mode: [0.4, () => chance.pick(['min', 'max', 'avg', 'sum'])] });
  return { [chance.pick(decayFunctions)]: { ...body, ...mode } };
}

const MODIFIERS = ['none', 'log1p', 'log2p', 'ln1p', 'ln2p', 'square', 'sqrt', 'reciprocal'] as const;

function scoreFunction(chance: Chance): JsonObject {
  return chance.one<JsonObject>(
    () => decay(chance),
    () => decay(chance),
    () => ({ weight: chance.pick([0.5, 2, 3]) }),
    () => ({ random_score: { seed: chance.between(1, 99), field: 'serial' } }),
    () => ({
      field_value_factor: {
        field: chance.pick(['small', 'unsigned', 'scaled']),
        missing: chance.between(1, 5),
        ...chance.options({
          factor: [0.4, () => chance.pick([0.5, 1.2, 3])],
          modifier: [0.6, () => chance.pick(MODIFIERS)],
        }),
      },
    }),
    () => ({
      script_score: {
        script: chance.pick<Json>([
          { source: "_score * 2 + doc['serial'].value" },
          { source: "Math.log(2 + doc['serial'].value) * params.factor", params: { factor: 1.5 } },
          { source: 'return _score > 1 ? _score : 1' },
        ]),
      },
    }),
  );
}

function functionScore(chance: Chance, make: MakeQuery, depth: number): JsonObject {
  const query = chance.options({ query: [0.85, () => make(chance, depth)] });
  const modes = chance.options({
    boost_mode: [0.5, () => chance.pick(['multiply', 'replace', 'sum', 'avg', 'max', 'min'])],
    max_boost: [0.2, () => chance.pick([1, 3, 20])],
    min_score: [0.15, () => chance.pick([0.1, 1, 2])],
    ...named(chance),
  });
  if (chance.yes(0.3)) return { ...query, ...scoreFunction(chance), ...modes };
  const functions = chance.times(1, 3, () => ({
    ...scoreFunction(chance),
    ...chance.options({ filter: [0.5, () => make(chance, depth)], weight: [0.3, () => chance.pick([0.5, 2, 5])] }),
  }));
  const mode = chance.options({
    score_mode: [0.6, () => chance.pick(['multiply', 'sum', 'avg', 'first', 'max', 'min'])],
  });
  return { ...query, functions, ...mode, ...modes };
}

/** Queries of nested objects: over the fields that these have. */
function ofComment(chance: Chance, make: MakeQuery, depth: number): JsonObject {
  return chance.one<JsonObject>(
    () => ({ match: { 'comments.text': fields.words(chance, 1, 3) } }),
    () => ({ term: { 'comments.author': fields.author(chance) } }),
    () => ({ range: { 'comments.stars': { gte: chance.between(1, 5) } } }),
    () => ({ range: { 'comments.when': { gte: fields.day(chance) } } }),
    () => ({ exists: { field: `comments.${chance.pick(['author', 'stars', 'text', 'when'])}` } }),
    () => ({ match_all: {} }),
    () => ({
      bool: {
        must: [{ match: { 'comments.text': fields.words(chance, 1, 2) } }],
        should: [{ term: { 'comments.author': fields.author(chance) } }],
        must_not: [{ term: { 'comments.stars': chance.between(1, 5) } }],
      },
    }),
    () => ({
      nested: { path: 'comments.replies', query: { term: { 'comments.replies.author': fields.author(chance) } } },
    }),
    () => (depth > 0 ? make(chance, depth - 1) : { term: { tags: fields.tag(chance) } }),
  );
}

const innerHits = (chance: Chance, sorted: string): JsonObject =>
  chance.options({
    size: [0.5, () => chance.between(0, 4)],
    from: [0.1, () => 1],
    name: [0.1, () => 'mine'],
    _source: [0.2, () => chance.pick<Json>([false, true])],
    sort: [0.4, () => [{ [sorted]: chance.pick(['asc', 'desc']) }, '_doc']],
    seq_no_primary_term: [0.05, () => false],
  });

function nested(chance: Chance, make: MakeQuery, depth: number): JsonObject {
  if (chance.yes(0.15))
    return {
      path: 'comments.replies',
      query: { range: { 'comments.replies.likes': { gte: chance.between(0, 20) } } },
      ...chance.options({ score_mode: [0.5, () => chance.pick(['avg', 'max', 'min', 'none', 'sum'])] }),
    };
  return {
    path: 'comments',
    query: ofComment(chance, make, depth),
    ...chance.options({
      ...named(chance),
      score_mode: [0.6, () => chance.pick(['avg', 'max', 'min', 'none', 'sum'])],
      inner_hits: [0.15, () => innerHits(chance, 'comments.stars')],
      ignore_unmapped: [0.05, () => true],
    }),
  };
}

/** The table, for queries of so many levels below these. */
export function compoundQueries(make: MakeQuery, depth: number): QueryKinds {
  return {
    bool: (chance) => bool(chance, make, depth),
    boosting: (chance) => ({
      positive: make(chance, depth),
      negative: make(chance, depth),
      negative_boost: chance.pick([0.1, 0.5, 0]),
      ...chance.options(named(chance)),
    }),
    constant_score: (chance) => ({
      filter: make(chance, depth),
      ...chance.options({ boost: [0.4, () => boost(chance)] }),
    }),
    dis_max: (chance) => ({
      queries: chance.times(1, 4, () => make(chance, depth)),
      ...chance.options({ ...named(chance), tie_breaker: [0.4, () => chance.pick([0, 0.3, 1])] }),
    }),
    function_score: (chance) => functionScore(chance, make, depth),
    script_score: (chance) => ({
      query: make(chance, depth),
      script: { source: chance.pick(["_score + doc['serial'].value / 10.0", "doc['serial'].value % 7 + 1"]) },
      ...chance.options({ min_score: [0.2, () => 3], boost: [0.1, () => 2] }),
    }),
    nested: (chance) => nested(chance, make, depth),
    has_child: (chance) => ({
      type: chance.pick(['answer', 'remark', 'vote']),
      query: make(chance, depth),
      ...chance.options({
        ...named(chance),
        score_mode: [0.5, () => chance.pick(['none', 'avg', 'sum', 'max', 'min'])],
        min_children: [0.2, () => chance.between(1, 3)],
        max_children: [0.2, () => chance.between(3, 9)],
        inner_hits: [0.1, () => innerHits(chance, 'serial')],
      }),
    }),
    has_parent: (chance) => ({
      parent_type: chance.pick(['question', 'answer']),
      query: make(chance, depth),
      ...chance.options({
        ...named(chance),
        score: [0.5, () => chance.yes(0.7)],
        inner_hits: [0.1, () => innerHits(chance, 'serial')],
      }),
    }),
    parent_id: (chance) => ({
      type: chance.pick(['answer', 'remark', 'vote']),
      id: `d${chance.below(150)}`,
      ...chance.options(named(chance)),
    }),
    distance_feature: (chance) =>
      chance.one<JsonObject>(
        () => ({ field: 'day', origin: fields.day(chance), pivot: `${chance.between(1, 60)}d` }),
        () => ({ field: 'place', origin: anyPlace(chance), pivot: `${chance.between(10, 300)}km` }),
        () => ({ field: 'nanos', origin: fields.day(chance), pivot: `${chance.between(1, 60)}d`, boost: 2 }),
      ),
    rank_feature: (chance) => ({
      field: chance.pick(['importance', 'features.north', 'features.south']),
      ...chance.one<JsonObject>(
        () => ({ saturation: {} }),
        () => ({ saturation: { pivot: chance.between(1, 40) } }),
        () => ({ log: { scaling_factor: chance.between(1, 5) } }),
        () => ({ sigmoid: { pivot: chance.between(1, 40), exponent: 0.6 } }),
        () => ({ linear: {} }),
        () => ({}),
      ),
      ...chance.options({ boost: [0.2, () => boost(chance)] }),
    }),
    script: () => ({ script: { source: "doc['serial'].value % 3 == 0" } }),
    wrapper: (chance) => ({ query: Buffer.from(JSON.stringify(make(chance, depth))).toString('base64') }),
  };
}
