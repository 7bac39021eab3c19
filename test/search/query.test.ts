import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/base/json-value.js';
import { parseText, query, refusalOr } from './helpers.js';

describe('queries become plans', () => {
  it.each<[JsonValue, unknown]>([
    [{ match_all: {} }, { match_all: {} }],
    [{ match_all: { boost: 2 } }, { match_all: { boost: 2 } }],
    [{ match: { t: 'a b' } }, { match: { field: 't', query: 'a b' } }],
    [
      { match: { t: { query: 'a', operator: 'AND', fuzziness: 'AUTO:2,5', prefix_length: 1, boost: '1.5' } } },
      {
        match: {
          field: 't',
          query: 'a',
          operator: 'and',
          fuzzy: { fuzziness: { auto: { low: 2, high: 5 } }, prefix_length: 1 },
          boost: 1.5,
        },
      },
    ],
    [
      { match: { t: { query: 'a', minimum_should_match: '2 < -25% 9<-3' } } },
      { match: { field: 't', query: 'a', minimum_should_match: '2<-25% 9<-3' } },
    ],
    [
      { term: { t: { value: true, _name: 'x' } } },
      { named: { name: 'x', query: { term: { field: 't', value: true } } } },
    ],
    [{ terms: { t: [1, 'a'], boost: 2 } }, { terms: { field: 't', values: [1, 'a'], boost: 2 } }],
    [
      { range: { n: { from: 1, to: 5, include_upper: false, relation: 'within' } } },
      {
        range: {
          field: 'n',
          from: { value: 1, inclusive: true },
          to: { value: 5, inclusive: false },
          relation: 'within',
        },
      },
    ],
    [{ range: { n: { gte: null, lt: 5 } } }, { range: { field: 'n', to: { value: 5, inclusive: false } } }],
    [{ bool: { must: { match_all: {} }, must_not: [] } }, { bool: { must: [{ match_all: {} }], must_not: [] } }],
    [{ ids: { values: ['1', 2] } }, { ids: { values: ['1', '2'] } }],
    [
      { fuzzy: { t: 'ab' } },
      { fuzzy: { field: 't', value: 'ab', fuzzy: { fuzziness: { auto: { low: 3, high: 6 } } } } },
    ],
    [
      { multi_match: { query: 'a', fields: ['x^2', 'y*'] } },
      { multi_match: { query: 'a', fields: [{ field: 'x', boost: 2 }, { field: 'y*' }] } },
    ],
    [{ multi_match: { query: 'a' } }, { multi_match: { query: 'a', fields: [{ field: '*' }], lenient: true } }],
  ])('%j', (body, plan) => {
    expect(query(body)).toEqual(plan);
  });

  it('keeps digits that JavaScript would lose', () => {
    const plan = parseText('{"query": {"terms": {"n": [9007199254740993, 400.0, 1e3, 7, "1.0"]}}}');
    expect(plan.query).toEqual({ terms: { field: 'n', values: ['9007199254740993', '400.0', '1e3', 7, '1.0'] } });
  });
});

describe('queries are refused with the sentences of the API', () => {
  it.each<[JsonValue, string]>([
    [{ mtch: {} }, 'parsing_exception: unknown query [mtch] did you mean [match]?'],
    [{ zzz: {} }, 'parsing_exception: unknown query [zzz]'],
    [{ sparse_vector: {} }, 'illegal_argument_exception: [sparse_vector] query is not supported'],
    [{ knn: {} }, 'illegal_argument_exception: Required [field]'],
    [{}, 'illegal_argument_exception: query malformed, empty clause found'],
    [[], 'parsing_exception: [_na] query malformed, must start with start_object'],
    [{ match: 1 }, 'parsing_exception: [match] query malformed, no start_object after query name'],
    [
      { match_all: {}, term: {} },
      'parsing_exception: [match_all] malformed query, expected [END_OBJECT] but found [FIELD_NAME]',
    ],
    [{ match: { t: { query: 'a', foo: 1 } } }, 'parsing_exception: [match] query does not support [foo]'],
    [{ match: { t: { query: [] } } }, 'parsing_exception: [match] unknown token [START_ARRAY] after [query]'],
    [{ match: { t: {} } }, 'parsing_exception: No text specified for text query'],
    [
      { match: { a: 'x', b: 'y' } },
      "parsing_exception: [match] query doesn't support multiple fields, found [a] and [b]",
    ],
    [{ term: { t: ['a'] } }, 'parsing_exception: [term] query does not support array of values'],
    [{ term: { t: null } }, 'illegal_argument_exception: value cannot be null'],
    [{ exists: {} }, 'parsing_exception: [exists] must be provided with a [field]'],
    [{ bool: { foo: [] } }, 'parsing_exception: [bool] query does not support [foo]'],
    [
      { range: { n: { relation: 'disjoint' } } },
      'illegal_argument_exception: [range] query does not support relation [disjoint]',
    ],
    [{ dis_max: {} }, "parsing_exception: [dis_max] requires 'queries' field with at least one clause"],
    [{ constant_score: {} }, "parsing_exception: [constant_score] requires a 'filter' element"],
    [
      { multi_match: { query: 'a', type: 'phrase', fuzziness: 1 } },
      'parsing_exception: Fuzziness not allowed for type [phrase]',
    ],
    [
      { query_string: { query: 'a', fields: ['x', null] } },
      'parsing_exception: [query_string] field name in [fields] cannot be null',
    ],
  ])('%j', (body, refusal) => {
    expect(query(body)).toEqual(refusal);
  });

  it('names line and column', () => {
    const text = '{\n  "query": {\n    "match": {"t": {"query": "a", "fo\\u006f": [1]}}\n  }\n}';
    expect(() => parseText(text)).toThrow(
      expect.objectContaining({ details: { line: 3, col: 47 }, type: 'parsing_exception' }),
    );
    expect(() => parseText('{"query":{"foo":{}}}')).toThrow(expect.objectContaining({ details: { line: 1, col: 17 } }));
  });

  it('bounds nesting, terms and regular expressions', () => {
    const nested = (depth: number): JsonValue =>
      depth === 0 ? { match_all: {} } : { bool: { must: nested(depth - 1) } };
    expect(query(nested(29))).toBeTypeOf('object');
    expect(query(nested(30))).toMatch(/The nested depth of the query exceeds/);
    const many = JSON.stringify({ query: { terms: { t: [1, 2, 3] } } });
    expect(refusalOr(() => parseText(many, {}, { maxTermsCount: 2 }))).toMatch(/The number of terms \[3\] .* \[2\]/);
    expect(query({ regexp: { t: 'a'.repeat(1001) } })).toMatch(/The length of regex \[1001\]/);
  });
});
