import { describe, expect, test } from 'vitest';
import { cacheKey } from '../../../src/search/plan/cache-key.js';
import type { SearchPlan } from '../../../src/search/plan/search-plan.js';
import type { QueryPlan } from '../../../src/search/plan/query-plan.js';

const MINUTE_MS = 60_000;
const MIDNIGHT_MS = Date.UTC(2026, 0, 15);

function planOf(query: QueryPlan, nowMs = MIDNIGHT_MS): SearchPlan {
  return {
    query,
    from: 0,
    size: 0,
    track_total_hits: 'exact',
    now_ms: nowMs,
    limits: { max_clauses: 1_024, max_buckets: 65_535, allow_expensive_queries: true },
    fetch: { source: { enabled: true } },
  };
}

function since(from: string): QueryPlan {
  return { range: { field: 'at', from: { value: from, inclusive: true } } };
}

describe('cacheKey', () => {
  test('is the same at any time for a plan that does not speak of now', () => {
    const query = since('2020-01-01');
    expect(cacheKey(planOf(query, 1))).toBe(cacheKey(planOf(query, 2)));
    expect(cacheKey(planOf(query))).not.toBe(cacheKey(planOf(since('2020-01-02'))));
  });

  test.each(['now', 'now-1d', 'now/s', 'now-1s/d', 'NOW+1h', 'now/'])('there is none for [%s]', (from) => {
    expect(cacheKey(planOf(since(from)))).toBeUndefined();
  });

  test.each(['now/d', 'now-7d/d', 'now-1M/M', 'now/h+30m', 'now+1h/h'])(
    '[%s] holds for a quarter of an hour',
    (from) => {
      const keyAt = (minutes: number): string | undefined =>
        cacheKey(planOf(since(from), MIDNIGHT_MS + minutes * MINUTE_MS));
      expect(keyAt(0)).toBeDefined();
      expect(keyAt(14)).toBe(keyAt(0));
      expect(keyAt(15)).not.toBe(keyAt(0));
    },
  );

  test.each(['now/m', 'now-5m/d'])('[%s] holds for a minute', (from) => {
    const keyAt = (ms: number): string | undefined => cacheKey(planOf(since(from), MIDNIGHT_MS + ms));
    expect(keyAt(59_000)).toBe(keyAt(0));
    expect(keyAt(MINUTE_MS)).not.toBe(keyAt(0));
  });

  test('words that contain now are no moment', () => {
    expect(cacheKey(planOf({ term: { field: 'f', value: 'snow_now nowhere' } }))).toBeDefined();
  });

  test('there is none for a decay that counts from now', () => {
    const query = (origin?: string): QueryPlan => ({
      function_score: {
        query: { match_all: {} },
        functions: [
          {
            kind: {
              decay: {
                field: 'at',
                shape: 'gauss',
                scale: '1d',
                decay: 0.5,
                ...(origin === undefined ? {} : { origin }),
              },
            },
          },
        ],
      },
    });
    expect(cacheKey(planOf(query()))).toBeUndefined();
    expect(cacheKey(planOf(query('2020-01-01')))).toBeDefined();
  });
});
