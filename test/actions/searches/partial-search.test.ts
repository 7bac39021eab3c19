import { expect, test } from 'vitest';
import { PartialSearch } from '../../../src/actions/searches/async/partial-search.js';
import { Cancellation } from '../../../src/base/cancellation.js';
import { systemClock } from '../../../src/base/clock.js';
import { QuarryError } from '../../../src/base/errors.js';
import type { NativeShard } from '../../../src/native/shard.js';
import { encodePlan, type SearchPlan } from '../../../src/search/plan/search-plan.js';
import { bulk, createTestShard, testDirectory } from '../../native/open-test-shard.js';

const plan: SearchPlan = {
  query: { match_all: {} },
  from: 0,
  size: 10,
  track_total_hits: 'exact',
  now_ms: 0,
  limits: { max_clauses: 1_024, max_buckets: 65_535, allow_expensive_queries: true },
  aggregations: [{ name: 'sum', kind: { sum: { source: { field: 'n' } } }, aggs: [] }],
  fetch: { source: { enabled: true } },
};

async function shardWith(values: readonly number[]): Promise<NativeShard> {
  const shard = await createTestShard(testDirectory());
  bulk(
    shard,
    values.flatMap((n) => [{ index: { _id: String(n) } }, { n }]),
  );
  shard.refresh(1);
  return shard;
}

async function queried(shard: NativeShard): Promise<Uint8Array> {
  const attended = { cancellation: new Cancellation(), clock: systemClock };
  return shard.searcher().queryPhase(encodePlan(plan), {}, attended);
}

test('tells totals and aggregations of the shards that have answered', async () => {
  const shards = await Promise.all([shardWith([1, 2]), shardWith([4])]);
  const partial = new PartialSearch();
  expect(partial.answer).toMatchObject({ shards: { total: 0, pending: 0 }, result: undefined });
  partial.planned(plan, 3, 1);
  expect(partial.answer.shards).toMatchObject({ total: 4, skipped: 1, pending: 3 });
  const sums: unknown[] = [];
  for (const shard of shards) {
    partial.answered(await queried(shard));
    const { hits, aggregations } = partial.answer.result ?? {};
    expect(JSON.parse(Buffer.from(hits ?? []).toString())).toMatchObject({ hits: [] });
    sums.push(JSON.parse(Buffer.from(aggregations ?? []).toString()));
  }
  expect(sums).toEqual([{ sum: { value: 3 } }, { sum: { value: 7 } }]);
  partial.failed({
    key: { index: 'i', indexUuid: 'u', shard: 2 },
    error: new QuarryError('internal_error', 'x'),
    nodeId: 'n',
  });
  expect(partial.answer.shards).toMatchObject({ total: 4, skipped: 1, pending: 0 });
  expect(partial.hasFailures).toBe(true);
  partial.ended(true);
  expect(partial).toMatchObject({ results: [] });
  expect(JSON.parse(Buffer.from(partial.answer.result?.aggregations ?? []).toString())).toEqual({ sum: { value: 7 } });
  partial.ended(false);
  expect(partial.answer).toMatchObject({ shards: { total: 4 }, result: undefined });
  partial.planned(plan, 2, 0);
  expect(partial.answer).toMatchObject({ shards: { pending: 2, failures: [] }, result: undefined });
});

test('tells of shards alone where their answers cannot be merged', () => {
  const partial = new PartialSearch();
  partial.planned(plan, 2, 0);
  partial.answered(new Uint8Array([1, 2, 3]));
  expect(partial.answer).toMatchObject({ shards: { total: 2, pending: 1 }, result: undefined });
});
