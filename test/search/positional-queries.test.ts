import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/base/json-value.js';
import { query } from './helpers.js';

const term = (value: string) => ({ span_term: { t: value } });
const plan = (value: string) => ({ term: { field: 't', value } });

describe('span queries', () => {
  it.each<[JsonValue, unknown]>([
    [{ span_term: { t: { value: 'a', boost: 2 } } }, { span: { query: plan('a'), boost: 2 } }],
    [
      { span_near: { clauses: [term('a'), { span_gap: { t: 2 } }, term('b')], slop: 1, in_order: true } },
      {
        span: {
          query: {
            near: { clauses: [plan('a'), { gap: { field: 't', width: 2 } }, plan('b')], slop: 1, in_order: true },
          },
        },
      },
    ],
    [
      { span_not: { include: term('a'), exclude: term('b'), dist: 2, _name: 'x' } },
      {
        named: {
          name: 'x',
          query: { span: { query: { not: { include: plan('a'), exclude: plan('b'), pre: 2, post: 2 } } } },
        },
      },
    ],
    [
      { span_multi: { match: { prefix: { t: 'a' } } } },
      { span: { query: { multi: { query: { prefix: { field: 't', value: 'a' } } } } } },
    ],
    [
      { span_first: { match: { span_or: { clauses: [term('a')] } }, end: 3 } },
      { span: { query: { first: { query: { or: { clauses: [plan('a')] } }, end: 3 } } } },
    ],
    [
      { span_or: { clauses: [{ match: { t: 'a' } }] } },
      'parsing_exception: span_or [clauses] must be of type span query',
    ],
    [
      { span_or: { clauses: [{ span_term: { t: { value: 'a', boost: 2 } } }] } },
      "parsing_exception: span_or [clauses] as a nested span clause can't have non-default boost value [2.0]",
    ],
    [{ span_near: { slop: 1 } }, 'parsing_exception: span_near must include [clauses]'],
    [
      { span_multi: { match: { term: { t: 'a' } } } },
      'parsing_exception: [span_multi] [match] must be of type multi term query',
    ],
  ])('%j', (body, expected) => {
    expect(query(body)).toEqual(expected);
  });
});

describe('intervals', () => {
  it.each<[JsonValue, unknown]>([
    [
      { match: { query: 'a b', ordered: true, max_gaps: 1 } },
      { kind: { match: { query: 'a b', max_gaps: 1, mode: 'ordered' } } },
    ],
    [
      {
        any_of: {
          intervals: [{ prefix: { prefix: 'a', use_field: 'u' } }],
          filter: { before: { match: { query: 'b' } } },
        },
      },
      {
        kind: { any_of: { intervals: [{ kind: { prefix: { prefix: 'a' } }, use_field: 'u' }] } },
        filter: { relation: 'before', rule: { kind: { match: { query: 'b', max_gaps: -1, mode: 'unordered' } } } },
      },
    ],
    [
      { range: { gt: 'a', lte: 'c' } },
      { kind: { range: { from: { value: 'a', inclusive: false }, to: { value: 'c', inclusive: true } } } },
    ],
  ])('%j', (rule, expected) => {
    expect(query({ intervals: { t: rule } })).toEqual({ intervals: { field: 't', rule: expected } });
  });

  it('lets scripts choose', () => {
    const script = { source: 'interval.gaps > params.n', params: { n: 1 } };
    expect(query({ intervals: { t: { match: { query: 'a', filter: { script } } } } })).toMatchObject({
      intervals: { rule: { script: { source: 'interval.gaps > params.n', params: '{"n":1}' } } },
    });
  });

  it.each<[JsonValue, string]>([
    [{ match: {} }, 'illegal_argument_exception: Required [query]'],
    [
      { match: { query: 'a', filter: { script: {} } } },
      'illegal_argument_exception: must specify either [source] for an inline script or [id] for a stored script',
    ],
    [
      { match: { query: 'a', filter: { near: {} } } },
      'illegal_argument_exception: Unknown filter type [near], expecting one of [script, containing, not_containing, contained_by, not_contained_by, overlapping, not_overlapping, before, after]',
    ],
  ])('refuses %j', (rule, refusal) => {
    expect(query({ intervals: { t: rule } })).toBe(refusal);
  });
});

describe('more_like_this', () => {
  it('takes texts and documents', () => {
    const like = ['a b', { _id: '1', _index: 'i' }, { doc: { t: 'c' } }];
    expect(query({ more_like_this: { fields: ['t'], like, min_term_freq: 1 } })).toMatchObject({
      more_like_this: {
        fields: ['t'],
        like_texts: ['a b'],
        like_documents: [{ id: '1', index: 'i' }, { source: { t: 'c' } }],
        min_term_freq: 1,
        max_query_terms: 25,
        minimum_should_match: '30%',
      },
    });
  });

  it('wants something to compare with', () => {
    expect(query({ more_like_this: { fields: ['t'] } })).toBe(
      "illegal_argument_exception: requires 'like' to be specified",
    );
  });
});
