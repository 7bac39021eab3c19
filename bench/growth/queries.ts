/** Queries, and what hits show. */
import { INDEX, json, list, named, searching, words, type Probe } from './probe.js';

type Clause = (at: number) => unknown;

const CLAUSES: Readonly<Record<string, Clause>> = {
  term: (at) => ({ term: { k: `v${at}` } }),
  'term of a number': (at) => ({ term: { n: at } }),
  match: (at) => ({ match: { t: `w${at} w${at + 1}` } }),
  match_phrase: (at) => ({ match_phrase: { t: `w${at} w${at + 1}` } }),
  match_phrase_prefix: (at) => ({ match_phrase_prefix: { t: `w${at} w` } }),
  match_bool_prefix: (at) => ({ match_bool_prefix: { t: `w${at} w` } }),
  prefix: (at) => ({ prefix: { k: `v${at}` } }),
  wildcard: (at) => ({ wildcard: { k: `v*${at}` } }),
  regexp: (at) => ({ regexp: { k: `v[0-9]${at}` } }),
  fuzzy: (at) => ({ fuzzy: { k: `v${at}` } }),
  range: (at) => ({ range: { n: { gte: at } } }),
  'range of dates': (at) => ({ range: { d: { gte: `now-${at}d/d` } } }),
  exists: (at) => ({ exists: { field: `f${at}` } }),
  ids: (at) => ({ ids: { values: [`${at}`] } }),
  nested: (at) => ({ nested: { path: 'o', query: { term: { 'o.k': `v${at}` } } } }),
  script: (at) => ({ script: { script: { source: "doc['n'].value > params.x", params: { x: at } } } }),
  'script of its own': (at) => ({ script: { script: `doc['n'].value > ${at}` } }),
  geo_distance: (at) => ({ geo_distance: { distance: `${at + 1}km`, g: { lat: 10, lon: 10 } } }),
  geo_bounding_box: (at) => ({ geo_bounding_box: { g: { top: 10 + at / 1e4, left: 1, bottom: 1, right: 10 } } }),
  query_string: (at) => ({ query_string: { query: `t:w${at} OR k:v${at}` } }),
  simple_query_string: (at) => ({ simple_query_string: { query: `w${at} +w1`, fields: ['t', 'k'] } }),
  multi_match: (at) => ({ multi_match: { query: `w${at}`, fields: ['t', 'k'] } }),
  more_like_this: (at) => ({
    more_like_this: { fields: ['t'], like: [`w${at} w1`], min_term_freq: 1, min_doc_freq: 1 },
  }),
  function_score: (at) => ({ function_score: { query: { term: { k: `v${at}` } }, weight: 2 } }),
  dis_max: (at) => ({ dis_max: { queries: [{ term: { k: `v${at}` } }, { term: { t: `w${at}` } }] } }),
  span_near: (at) => ({
    span_near: { clauses: [{ span_term: { t: `w${at}` } }, { span_term: { t: 'w1' } }], slop: 3 },
  }),
  intervals: (at) => ({ intervals: { t: { match: { query: `w${at} w1`, max_gaps: 3 } } } }),
  distance_feature: (at) => ({ distance_feature: { field: 'd', origin: 'now', pivot: `${at + 1}d` } }),
  'named term': (at) => ({ term: { k: { value: `v${at}`, _name: `q${at}` } } }),
  terms_set: (at) => ({ terms_set: { k: { terms: [`v${at}`], minimum_should_match_script: { source: '1' } } } }),
};

const ofClauses = Object.entries(CLAUSES).map(([name, clause]) =>
  searching(`should: ${name}`, (n) => ({ query: { bool: { should: list(n, clause) } } })),
);

const ofBool = ['must', 'filter', 'must_not'].map((occur) =>
  searching(`${occur}: range`, (n) => ({
    query: { bool: { [occur]: list(n, (at) => ({ range: { n: { gte: -at } } })) } },
  })),
);

const text = (n: number): string => words(n);

const ofOneQuery: readonly Probe[] = [
  searching('terms, values', (n) => ({ query: { terms: { k: list(n, (at) => `v${at}`) } } })),
  searching('terms of a number, values', (n) => ({ query: { terms: { n: list(n, (at) => at) } } })),
  searching('ids, values', (n) => ({ query: { ids: { values: list(n, String) } } })),
  searching('match, words', (n) => ({ query: { match: { t: text(n) } } })),
  searching('match, words, minimum', (n) => ({
    query: { match: { t: { query: text(n), minimum_should_match: '50%' } } },
  })),
  searching('match, fuzzy words', (n) => ({ query: { match: { t: { query: text(n), fuzziness: 'AUTO' } } } })),
  searching('match_phrase, words', (n) => ({ query: { match_phrase: { t: text(n) } } })),
  searching('match_phrase, slop', (n) => ({ query: { match_phrase: { t: { query: text(n), slop: 100 } } } })),
  searching('match_phrase, one word', (n) => ({ query: { match_phrase: { t: { query: 'w1 '.repeat(n), slop: 3 } } } })),
  searching('match, one word', (n) => ({ query: { match: { t: 'w1 '.repeat(n) } } })),
  searching('multi_match, fields', (n) => ({
    query: { multi_match: { query: 'w1 w2', fields: list(n, (at) => `f${at}`) } },
  })),
  searching('multi_match, cross_fields, fields', (n) => ({
    query: { multi_match: { query: 'w1 w2 w3', type: 'cross_fields', fields: list(n, (at) => `f${at}`) } },
  })),
  searching('multi_match, patterns', (n) => ({
    query: { multi_match: { query: 'w1', fields: list(n, (at) => `f${at}*`) } },
  })),
  searching('query_string, words', (n) => ({ query: { query_string: { query: text(n), default_field: 't' } } })),
  searching('query_string, OR', (n) => ({
    query: { query_string: { query: list(n, (at) => `w${at}`).join(' OR '), default_field: 't' } },
  })),
  searching('query_string, AND NOT', (n) => ({
    query: { query_string: { query: list(n, (at) => `w${at}`).join(' AND NOT '), default_field: 't' } },
  })),
  searching('query_string, fields', (n) => ({
    query: { query_string: { query: 'w1', fields: list(n, (at) => `f${at}`) } },
  })),
  searching('query_string, groups', (n) => ({
    query: { query_string: { query: list(n, (at) => `(w${at} OR k:v)`).join(' '), default_field: 't' } },
  })),
  searching('query_string, one long word', (n) => ({
    query: { query_string: { query: 'x'.repeat(n), default_field: 't' } },
  })),
  searching('query_string, backslashes', (n) => ({
    query: { query_string: { query: '\\:'.repeat(n), default_field: 't' } },
  })),
  searching('simple_query_string, words', (n) => ({
    query: { simple_query_string: { query: text(n), fields: ['t'] } },
  })),
  searching('simple_query_string, operators', (n) => ({
    query: { simple_query_string: { query: '+w1 | -w2 ("a b"~2 w*) '.repeat(n), fields: ['t'] } },
  })),
  searching('span_or, clauses', (n) => ({
    query: { span_or: { clauses: list(n, (at) => ({ span_term: { t: `w${at}` } })) } },
  })),
  searching('span_near, clauses', (n) => ({
    query: { span_near: { in_order: false, slop: 1000, clauses: list(n, (at) => ({ span_term: { t: `w${at}` } })) } },
  })),
  searching('intervals, any_of', (n) => ({
    query: { intervals: { t: { any_of: { intervals: list(n, (at) => ({ match: { query: `w${at}` } })) } } } },
  })),
  searching('intervals, all_of', (n) => ({
    query: { intervals: { t: { all_of: { intervals: list(n, (at) => ({ match: { query: `w${at}` } })) } } } },
  })),
  searching('intervals, match', (n) => ({ query: { intervals: { t: { match: { query: text(n) } } } } })),
  searching('function_score, functions', (n) => ({
    query: { function_score: { functions: list(n, (at) => ({ filter: { term: { k: `v${at}` } }, weight: at + 1 })) } },
  })),
  searching('more_like_this, likes', (n) => ({
    query: { more_like_this: { fields: ['t'], like: list(n, (at) => `w${at} w1`), min_term_freq: 1, min_doc_freq: 1 } },
  })),
  searching('more_like_this, words', (n) => ({
    query: { more_like_this: { fields: ['t'], like: [text(n)], min_term_freq: 1, min_doc_freq: 1 } },
  })),
  searching('pinned, ids', (n) => ({ query: { pinned: { ids: list(n, String), organic: { match_all: {} } } } })),
  searching('combined_fields, words', (n) => ({ query: { combined_fields: { query: text(n), fields: ['t', 'f1'] } } })),
  searching('terms_set, terms', (n) => ({
    query: { terms_set: { k: { terms: list(n, (at) => `v${at}`), minimum_should_match: 2 } } },
  })),
  searching('wildcard, stars', (n) => ({ query: { wildcard: { k: '*a'.repeat(n) } } })),
  searching('wildcard, letters', (n) => ({ query: { wildcard: { k: `${'?'.repeat(n)}*` } } })),
  searching('regexp, alternatives', (n) => ({ query: { regexp: { k: list(n, (at) => `v${at}`).join('|') } } })),
  searching('regexp, repeats', (n) => ({ query: { regexp: { k: `(v|w){1,${n}}` } } })),
  searching('prefix, letters', (n) => ({ query: { prefix: { k: 'v'.repeat(n) } } })),
  searching('fuzzy, letters', (n) => ({ query: { fuzzy: { k: 'v'.repeat(n) } } })),
  searching('geo_polygon, points', (n) => ({ query: { geo_polygon: { g: { points: circle(n) } } } })),
  searching('geo_shape, points', (n) => ({
    query: { geo_shape: { s: { shape: { type: 'polygon', coordinates: [ring(n)] }, relation: 'intersects' } } },
  })),
  searching('geo_shape, multipoint', (n) => ({
    query: { geo_shape: { s: { shape: { type: 'multipoint', coordinates: ring(n) }, relation: 'intersects' } } },
  })),
  searching('geo_shape, multipolygon', (n) => ({
    query: { geo_shape: { s: { shape: { type: 'multipolygon', coordinates: list(n, square) } } } },
  })),
  searching('geo_shape, lines', (n) => ({
    query: {
      geo_shape: {
        s: {
          shape: {
            type: 'multilinestring',
            coordinates: list(n, (at) => [
              [at / 1e3, 1],
              [at / 1e3, 2],
            ]),
          },
        },
      },
    },
  })),
  searching('script, statements', (n) => ({
    query: { script: { script: `int x = 0; ${list(n, (at) => `x += ${at};`).join(' ')} return x > 0` } },
  })),
  searching('script, sum', (n) => ({ query: { script: { script: `${list(n, String).join(' + ')} > 0` } } })),
  searching('script, variables', (n) => ({
    query: { script: { script: `${list(n, (at) => `int x${at} = ${at};`).join(' ')} return x0 == 0` } },
  })),
  searching('script, functions', (n) => ({
    query: { script: { script: `${list(n, (at) => `int f${at}() { return ${at}; }`).join(' ')} return f0() == 0` } },
  })),
  searching('script, parameters', (n) => ({
    query: { script: { script: { source: 'true', params: named(n, String) } } },
  })),
  searching('percolate, documents', (n) => ({
    query: { percolate: { field: 'q', documents: list(n, (at) => ({ t: `w${at}` })) } },
  })),
  searching('percolate, words', (n) => ({ query: { percolate: { field: 'q', document: { t: text(n) } } } })),
];

/** A polygon of so many points. */
function circle(n: number): { lat: number; lon: number }[] {
  return ring(n).map(([lon, lat]) => ({ lon: lon ?? 0, lat: lat ?? 0 }));
}

export function ring(n: number): number[][] {
  const points = list(Math.max(n, 3), (at) => {
    const angle = (2 * Math.PI * at) / Math.max(n, 3);
    return [20 * Math.cos(angle), 20 * Math.sin(angle)];
  });
  return [...points, points[0] ?? []];
}

export function square(at: number): number[][][] {
  const [x, y] = [(at % 100) / 10, Math.floor(at / 100) / 10];
  return [
    [
      [x, y],
      [x + 0.05, y],
      [x + 0.05, y + 0.05],
      [x, y + 0.05],
      [x, y],
    ],
  ];
}

const shown: readonly Probe[] = [
  searching('docvalue_fields', (n) => ({ docvalue_fields: list(n, (at) => `f${at}.k`) })),
  searching('docvalue_fields, one', (n) => ({ docvalue_fields: list(n, () => 'n') })),
  searching('fields', (n) => ({ fields: list(n, (at) => `f${at}`) })),
  searching('fields, patterns', (n) => ({ fields: list(n, (at) => `f${at}*`) })),
  searching('stored_fields', (n) => ({ stored_fields: list(n, (at) => `f${at}`) })),
  searching('_source, includes', (n) => ({ _source: list(n, (at) => `f${at}`) })),
  searching('_source, patterns', (n) => ({
    _source: { includes: list(n, (at) => `*f${at}*`), excludes: list(n, (at) => `x*${at}`) },
  })),
  searching('script_fields', (n) => ({ script_fields: named(n, (at) => ({ script: `${at}` })) })),
  searching('runtime_mappings', (n) => ({
    runtime_mappings: named(n, (at) => ({ type: 'long', script: `emit(${at})` })),
  })),
  searching('runtime_mappings, fields', (n) => ({
    fields: ['p*'],
    runtime_mappings: named(n, (at) => ({ type: 'long', script: `emit(${at})` })),
  })),
  searching('highlight, fields', (n) => ({
    query: { match: { t: 'w1' } },
    highlight: { fields: named(n, () => ({}), 'f') },
  })),
  searching('highlight, words', (n) => ({ query: { match: { t: text(n) } }, highlight: { fields: { t: {} } } })),
  searching('highlight, plain, words', (n) => ({
    query: { match: { t: text(n) } },
    highlight: { fields: { t: { type: 'plain' } } },
  })),
  searching('highlight, fvh, words', (n) => ({
    query: { match: { v: text(n) } },
    highlight: { fields: { v: { type: 'fvh' } } },
  })),
  searching('highlight, fvh, phrases', (n) => ({
    query: { bool: { should: list(n, (at) => ({ match_phrase: { v: `w${at} w${at + 1}` } })) } },
    highlight: { fields: { v: { type: 'fvh' } } },
  })),
  searching('highlight, phrases', (n) => ({
    query: { bool: { should: list(n, (at) => ({ match_phrase: { t: `w${at} w${at + 1}` } })) } },
    highlight: { fields: { t: {} } },
  })),
  searching('highlight, tags', (n) => ({
    query: { match: { v: 'w1' } },
    highlight: {
      pre_tags: list(n, (at) => `<${at}>`),
      post_tags: list(n, (at) => `</${at}>`),
      fields: { v: { type: 'fvh' } },
    },
  })),
  searching('sort', (n) => ({ sort: list(n, (at) => `f${at}.k`) })),
  searching('sort, one field', (n) => ({ sort: list(n, () => 'n') })),
  searching('sort, unmapped', (n) => ({ sort: list(n, (at) => ({ [`u${at}`]: { unmapped_type: 'long' } })) })),
  searching('rescore', (n) => ({ rescore: list(n, () => ({ query: { rescore_query: { match: { t: 'w1' } } } })) })),
  searching('suggest, suggestions', (n) => ({ suggest: named(n, (at) => ({ text: `w${at}`, term: { field: 't' } })) })),
  searching('suggest, words', (n) => ({
    suggest: { s: { text: text(n), term: { field: 't', suggest_mode: 'always' } } },
  })),
  searching('suggest, phrase, words', (n) => ({ suggest: { s: { text: text(n), phrase: { field: 't' } } } })),
  searching('inner_hits', (n) => ({
    query: {
      bool: {
        should: list(n, (at) => ({ nested: { path: 'o', query: { match_all: {} }, inner_hits: { name: `i${at}` } } })),
      },
    },
  })),
  searching('collapse, inner_hits', (n) => ({
    collapse: { field: 'k', inner_hits: list(n, (at) => ({ name: `i${at}`, size: 1 })) },
  })),
  searching('indices_boost', (n) => ({ indices_boost: list(n, () => ({ [INDEX]: 1.5 })) })),
  searching('stats', (n) => ({ stats: list(n, (at) => `g${at}`) })),
  searching('knn sections', (n) => ({
    knn: list(n, (at) => ({ field: 'e', query_vector: [at, 1, 1], k: 3, num_candidates: 10 })),
  })),
  searching('explain, clauses', (n) => ({
    explain: true,
    query: { bool: { should: list(n, (at) => ({ term: { t: `w${at}` } })) } },
  })),
  searching('profile, clauses', (n) => ({
    profile: true,
    query: { bool: { should: list(n, (at) => ({ term: { t: `w${at}` } })) } },
  })),
  json('validate, clauses', 'POST', `/${INDEX}/_validate/query?explain=true`, (n) => ({
    query: { bool: { should: list(n, (at) => ({ term: { t: `w${at}` } })) } },
  })),
  json('explain one, clauses', 'POST', `/${INDEX}/_explain/1`, (n) => ({
    query: { bool: { should: list(n, (at) => ({ term: { t: `w${at}` } })) } },
  })),
];

export const queryProbes: readonly Probe[] = [...ofClauses, ...ofBool, ...ofOneQuery, ...shown];
