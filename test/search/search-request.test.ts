import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/base/json-value.js';
import type { SearchParameters } from '../../src/search/request/search-parameters.js';
import { parseCountRequest } from '../../src/search/request/parse-count-request.js';
import { DEFAULT_SEARCH_SETTINGS } from '../../src/search/settings.js';
import { bodyOf, parse, parseFor, parseText, refusalOr } from './helpers.js';

describe('a search request', () => {
  it('has the defaults of the API', () => {
    expect(parse({})).toEqual({
      query: { match_all: {} },
      from: 0,
      size: 10,
      track_total_hits: { up_to: 10_000 },
      now_ms: 7,
      typed_keys: false,
      limits: {
        max_clauses: 1_024,
        max_buckets: 65_535,
        request_breaker_bytes: expect.any(Number) as number,
        allow_expensive_queries: true,
      },
      fetch: { source: { enabled: true }, named_queries_score: false, total_hits_as_int: false },
    });
  });

  it('reads every form of sort', () => {
    const last = { missing: 'last' };
    expect(
      parse({ sort: ['_score', 'a', { b: 'desc' }, { c: { missing: '_first', mode: 'avg' } }, '_doc'] }).sort,
    ).toEqual([
      { score: { order: 'desc' } },
      { field: { field: 'a', order: 'asc', ...last } },
      { field: { field: 'b', order: 'desc', ...last } },
      { field: { field: 'c', order: 'asc', missing: 'first', mode: 'avg' } },
      { doc: { order: 'asc' } },
    ]);
    expect(parse({ sort: '_score' }).sort).toEqual([]);
    expect(parse({}, { sort: ['a:desc', '_doc'] }).sort).toEqual([
      { field: { field: 'a', order: 'desc', ...last } },
      { doc: { order: 'asc' } },
    ]);
  });

  it.each<[JsonValue, SearchParameters, unknown]>([
    [{ _source: false }, {}, { enabled: false }],
    [{ _source: 'a.*' }, {}, { enabled: true, includes: ['a.*'] }],
    [{ _source: { include: 'a', excludes: ['b'] } }, {}, { enabled: true, includes: ['a'], excludes: ['b'] }],
    [{ _source: 'a' }, { _source_includes: ['b'] }, { enabled: true, includes: ['b'], excludes: [] }],
    [{}, { _source: ['false'] }, { enabled: false, includes: [], excludes: [] }],
    [{ stored_fields: ['x'] }, {}, { enabled: false }],
    [{ stored_fields: ['x', '_source'] }, {}, { enabled: true }],
    [{ stored_fields: '_none_' }, {}, { enabled: false }],
  ])('filters the source: %j %j', (body, parameters, expected) => {
    expect(parse(body, parameters).fetch.source).toEqual(expected);
  });

  it('lets the query string override the body', () => {
    const plan = parse({ size: 3, from: 1, timeout: '1s' }, { size: 5, timeout: '-1', track_total_hits: 'true' });
    expect(plan).toMatchObject({ size: 5, from: 1, track_total_hits: 'exact' });
    expect(plan.timeout_ms).toBeUndefined();
  });

  it('has the timeout of the cluster unless it names one, or none', () => {
    const timeoutOf = (body: JsonValue): number | undefined =>
      parseFor(bodyOf(JSON.stringify(body)), {}, { settings: DEFAULT_SEARCH_SETTINGS, nowMs: 7, defaultTimeoutMs: 50 })
        .timeout_ms;
    expect([timeoutOf({}), timeoutOf({ timeout: '2s' }), timeoutOf({ timeout: '-1' })]).toEqual([50, 2_000, undefined]);
  });

  it('counts exactly where the total is a number', () => {
    expect(parse({}, { rest_total_hits_as_int: true }).track_total_hits).toBe('exact');
    expect(refusalOr(() => parse({ track_total_hits: 5 }, { rest_total_hits_as_int: true }))).toMatch(
      /not accurate, got 5/,
    );
  });

  it.each<[JsonValue, SearchParameters, string]>([
    [{ match: {} }, {}, 'parsing_exception: Unknown key for a START_OBJECT in [match].'],
    [{ foo: 'x' }, {}, 'parsing_exception: Unknown key for a VALUE_STRING in [foo].'],
    [{ suggest: { a: {} } }, {}, 'parse_exception: missing suggestion object'],
    [{ from: -5 }, {}, 'illegal_argument_exception: [from] parameter cannot be negative, found [-5]'],
    [{}, { size: -1 }, 'illegal_argument_exception: [size] parameter cannot be negative, found [-1]'],
    [{ size: 2147483648 }, {}, 'input_coercion_exception: Numeric value (2147483648) out of range of int'],
    [
      { from: 10_000 },
      {},
      'illegal_argument_exception: Result window is too large, from + size must be less than or equal to: [10000] but was ' +
        '[10010]. See the scroll api for a more efficient way to request large data sets. This limit can be set by ' +
        'changing the [index.max_result_window] index level setting.',
    ],
    [{ sort: [{ a: { foo: 1 } }] }, {}, 'x_content_parse_exception: [1:22] [field_sort] unknown field [foo]'],
    [
      { search_after: [1], from: 1, sort: 'a' },
      {},
      'illegal_argument_exception: `from` parameter must be set to 0 when `search_after` is used.',
    ],
    [{ search_after: [1] }, {}, 'illegal_argument_exception: Sort must contain at least one field.'],
    [
      { search_after: [1, 2], sort: 'a' },
      {},
      'illegal_argument_exception: search_after has 2 value(s) but sort has 1.',
    ],
    [
      { track_total_hits: -2 },
      {},
      'illegal_argument_exception: [track_total_hits] parameter must be positive or equals to -1, got -2',
    ],
  ])('refuses %j %j', (body, parameters, refusal) => {
    expect(refusalOr(() => parse(body, parameters))).toBe(refusal);
  });

  it.each([
    ['of the body', (keys: string[]) => parse({ sort: keys })],
    ['of the query string', (keys: string[]) => parse({}, { sort: keys })],
    ['of inner hits', (keys: string[]) => parse({ collapse: { field: 'a', inner_hits: { name: 'i', sort: keys } } })],
    ['of top_hits', (keys: string[]) => parse({ aggs: { t: { top_hits: { sort: keys } } } })],
  ])('bounds the number of sort keys %s', (_where, parsed) => {
    const keys = (count: number): string[] => Array.from({ length: count }, (_, at) => `f${at}`);
    expect(parsed(keys(1_000))).toBeDefined();
    expect(() => parsed(keys(1_001))).toThrow('[sort] has [1001] keys, but may have [1000] at most');
  });

  it('bounds the number of docvalue fields', () => {
    const text = '{"docvalue_fields": ["a", "b", {"field": "c", "format": "use_field_mapping"}]}';
    expect(parseText(text).fetch.docvalue_fields).toEqual([{ field: 'a' }, { field: 'b' }, { field: 'c' }]);
    expect(refusalOr(() => parseText(text, {}, { maxDocvalueFields: 2 }))).toMatch(
      /Trying to retrieve too many docvalue_fields\. Must be less than or equal to: \[2\] but was \[3\]/,
    );
  });
});

describe('a count request', () => {
  const context = { settings: DEFAULT_SEARCH_SETTINGS, nowMs: 7 };

  it('takes a query and nothing else', () => {
    expect(parseCountRequest(bodyOf('{"query":{"term":{"a":1}}}'), { min_score: 2 }, context)).toMatchObject({
      query: { term: { field: 'a', value: 1 } },
      min_score: 2,
    });
    expect(parseCountRequest(undefined, {}, context).query).toEqual({ match_all: {} });
    expect(refusalOr(() => parseCountRequest(bodyOf('{"match":{}}'), {}, context))).toBe(
      'parsing_exception: request does not support [match]',
    );
  });
});
