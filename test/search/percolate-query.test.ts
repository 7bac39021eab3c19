import { describe, expect, test } from 'vitest';
import { cacheKey } from '../../src/search/plan/cache-key.js';
import { parse, parseText, query } from './helpers.js';

const document = { n: 1 };

describe('percolate', () => {
  test.each([
    [
      { field: 'q', document },
      { field: 'q', documents: ['{"n":1}'] },
    ],
    [
      { field: 'q', documents: [document, {}], name: 'x' },
      { field: 'q', documents: ['{"n":1}', '{}'], name: 'x' },
    ],
    [
      { field: 'q', document, boost: 2 },
      { field: 'q', documents: ['{"n":1}'], boost: 2 },
    ],
    [
      { field: 'q', index: 'i', id: 7, routing: 'r', preference: '_local', version: 3 },
      { field: 'q', documents: [], lookup: { index: 'i', id: '7', routing: 'r', preference: '_local', version: '3' } },
    ],
  ])('%j', (body, plan) => {
    expect(query({ percolate: body })).toEqual({ percolate: plan });
  });

  test('digits stay as they were written', () => {
    const plan = parseText('{"query":{"percolate":{"field":"q","document":{"n":9007199254740993}}}}');
    expect(plan.query).toEqual({ percolate: { field: 'q', documents: ['{"n":9007199254740993}'] } });
  });

  test.each([
    [{ document }, 'illegal_argument_exception: Required [field]'],
    [{ field: 'q', id: '1' }, 'illegal_argument_exception: [index] is a required argument'],
    [
      { field: 'q', document: 1 },
      "x_content_parse_exception: [1:47] [percolate] document doesn't support values of type: VALUE_NUMBER",
    ],
    [
      { field: 'q', index: 'i', id: '1', version: 'x' },
      'x_content_parse_exception: [1:67] [percolate] failed to parse field [version]',
    ],
    [
      { field: 'q', documents: Array.from({ length: 10_001 }, () => ({})) },
      'illegal_argument_exception: [documents] has [10001] documents, but may have [10000] at most',
    ],
  ])('%j is refused', (body, reason) => {
    expect(query({ percolate: body })).toEqual(reason);
  });

  test('is never answered from the request cache', () => {
    expect(cacheKey(parse({ size: 0, query: { percolate: { field: 'q', document } } }))).toBeUndefined();
  });
});
