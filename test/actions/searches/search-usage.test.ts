import { expect, it } from 'vitest';
import { countUses, searchUsage, usesOf } from '../../../src/actions/searches/search-usage.js';
import { NAMES_MAX, searchUsageWords } from '../../../src/actions/searches/search-usage-words.js';
import { QUERY_PARSERS } from '../../../src/search/query/query-parsers.js';

it('has room for all names, and counts each once for a search', () => {
  const words = searchUsageWords();
  const queries = new Set([...QUERY_PARSERS.keys(), 'no-query']);
  const body = {
    query: { match_all: {} },
    aggs: {},
    aggregations: { a: {} },
    from: 1,
    rescore: [{ query: {} }, { query: {} }],
  };
  const uses = usesOf(body, queries);
  expect(uses.length).toBe(1 + QUERY_PARSERS.size + 3 + 1);
  expect(Math.max(...uses)).toBeLessThan(NAMES_MAX);
  countUses(words, uses);
  countUses(words, usesOf({ size: 0 }, new Set()));
  countUses(words, usesOf(undefined, queries));
  const { total, sections, rescorers, queries: counted } = searchUsage(words);
  expect([total, sections, rescorers]).toEqual([2, { query: 1, aggs: 1, rescore: 1 }, { query: 1 }]);
  expect(Object.keys(counted)).toHaveLength(QUERY_PARSERS.size);
});
