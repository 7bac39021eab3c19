import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/base/json-value.js';
import { parse, query } from './helpers.js';

describe('function_score', () => {
  it.each<[JsonValue, unknown]>([
    [
      { function_score: { field_value_factor: { field: 'n', factor: 2, modifier: 'log1p', missing: 1 } } },
      {
        function_score: {
          query: { match_all: {} },
          functions: [{ kind: { field_value_factor: { field: 'n', factor: 2, modifier: 'log1p', missing: 1 } } }],
        },
      },
    ],
    [
      {
        function_score: {
          query: { match_all: {} },
          functions: [
            { filter: { term: { t: 'a' } }, weight: 3 },
            { gauss: { d: { origin: 'now', scale: '10d', decay: 0.3 }, multi_value_mode: 'avg' } },
            { random_score: { seed: 7, field: '_seq_no' }, weight: 2 },
            { random_score: {} },
          ],
          score_mode: 'sum',
          boost_mode: 'replace',
          max_boost: 5,
          min_score: 1,
          boost: 2,
        },
      },
      {
        function_score: {
          query: { match_all: {} },
          functions: [
            { filter: { term: { field: 't', value: 'a' } }, weight: 3 },
            { kind: { decay: { field: 'd', shape: 'gauss', origin: 'now', scale: '10d', decay: 0.3, mode: 'avg' } } },
            { kind: { random_score: { seed: 7, field: '_seq_no' } }, weight: 2 },
            { kind: { random_score: {} } },
          ],
          score_mode: 'sum',
          boost_mode: 'replace',
          max_boost: 5,
          min_score: 1,
          boost: 2,
        },
      },
    ],
  ])('%j', (body, plan) => {
    expect(query(body)).toEqual(plan);
  });

  it.each<[JsonValue, string]>([
    [
      { weight: 2, functions: [] },
      'parsing_exception: failed to parse [function_score] query. you can either define [functions] array or a single function, not both. already found [weight], now encountering [functions].',
    ],
    [
      { functions: [], random_score: {} },
      'parsing_exception: failed to parse [function_score] query. you can either define [functions] array or a single function, not both. already found [functions] array, now encountering [random_score].',
    ],
    [
      { random_score: {}, exp: {} },
      'parsing_exception: failed to parse [function_score] query. already found function [random_score], now encountering [exp]. use [functions] array if you want to define several functions.',
    ],
    [{ functions: [{}] }, 'parsing_exception: an entry in functions list is missing a function.'],
    [{ bogus: 1 }, 'parsing_exception: failed to parse [function_score] query. field [bogus] is not supported'],
    [
      { gauss: { d: { origin: 1, scale: 1, decay: 1 } } },
      'illegal_argument_exception: DecayFunctionParser : decay must be in the range (0..1).',
    ],
    [{ script_score: {} }, "parsing_exception: script_score requires 'script' field"],
  ])('refuses %j', (body, refusal) => {
    expect(query({ function_score: body })).toBe(refusal);
  });
});

describe('other queries that score', () => {
  it.each<[JsonValue, unknown]>([
    [
      { pinned: { ids: ['1', 2], organic: { match_all: {} } } },
      { pinned: { organic: { match_all: {} }, documents: [{ id: '1' }, { id: '2' }] } },
    ],
    [
      { distance_feature: { field: 'd', origin: 'now', pivot: '1h', boost: 3 } },
      { distance_feature: { field: 'd', origin: 'now', pivot: '1h', boost: 3 } },
    ],
    [
      { rank_feature: { field: 'r', sigmoid: { pivot: 2, exponent: 0.5 } } },
      { rank_feature: { field: 'r', function: { sigmoid: { pivot: 2, exponent: 0.5 } } } },
    ],
    [
      { terms_set: { t: { terms: ['a', 'b'], minimum_should_match_field: 'n' } } },
      { terms_set: { field: 't', terms: ['a', 'b'], minimum_should_match_field: 'n' } },
    ],
    [
      { terms_set: { t: { terms: ['a', 'b', 'a'], minimum_should_match: 2, boost: 3 } } },
      {
        bool: {
          should: [{ term: { field: 't', value: 'a' } }, { term: { field: 't', value: 'b' } }],
          minimum_should_match: '2',
          boost: 3,
        },
      },
    ],
    [{ terms_set: { t: { terms: [], minimum_should_match: '50%' } } }, { match_none: {} }],
    [
      { regexp: { t: { value: 'a~b', flags_value: 3 } } },
      { regexp: { field: 't', value: 'a~b', flags: ['INTERSECTION', 'COMPLEMENT'] } },
    ],
    [
      { combined_fields: { query: 'a b', fields: ['x^2', 'y'], operator: 'and' } },
      { combined_fields: { query: 'a b', fields: [{ field: 'x', boost: 2 }, { field: 'y' }], operator: 'and' } },
    ],
    [
      { terms: { t: { index: 'i', id: '1', path: 'a.b', routing: 'r' } } },
      { terms: { field: 't', values: [], lookup: { index: 'i', id: '1', path: 'a.b', routing: 'r' } } },
    ],
    [{ distance_feature: { field: 'd' } }, 'illegal_argument_exception: Required [origin, pivot]'],
    [
      { combined_fields: { query: 'a', fields: ['x^0.5'] } },
      'illegal_argument_exception: [combined_fields] requires field boosts to be >= 1, found [0.5] for field [x]',
    ],
  ])('%j', (body, plan) => {
    expect(query(body)).toEqual(plan);
  });

  it('multiplies scores by index', () => {
    expect(parse({ indices_boost: [{ a: 2 }, { 'b*': 0.5 }] }).indices_boost).toEqual([
      { index: 'a', boost: 2 },
      { index: 'b*', boost: 0.5 },
    ]);
  });
});
