/** Options of searches that are rarely used: what they do, and what is said of values that they do not take. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

/** Scores rise with `n` where a query asks for `fox`: the texts get shorter. */
const DOCUMENTS = [
  { t: 'a quick brown fox in the wood', n: 0, day: '2024-05-01', place: '0,0', k: 'a' },
  { t: 'a quick brown fox', n: 1, day: '2024-05-02', place: '0,1', k: 'b' },
  { t: 'fox', n: 2, day: '2024-05-03', place: '0,2', k: 'a' },
];

beforeAll(async () => {
  node = await TestNode.start();
  const properties = {
    t: { type: 'text' },
    n: { type: 'long' },
    day: { type: 'date' },
    place: { type: 'geo_point' },
    k: { type: 'keyword' },
  };
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  expect((await node.put('/docs', { settings, mappings: { properties } })).status).toBe(200);
  const lines = DOCUMENTS.flatMap((document, nth) => [{ index: { _id: String(nth) } }, document]);
  expect((await node.bulk('/docs/_bulk?refresh=true', lines)).json().errors).toBe(false);
});

afterAll(async () => {
  await node.stop();
});

async function found(body: Json, parameters = ''): Promise<Json> {
  const answer = await node.post(`/docs/_search${parameters}`, body);
  expect(answer.text).toContain('"hits"');
  return answer.json();
}

async function refused(body: Json, parameters = ''): Promise<Json> {
  const answer = await node.post(`/docs/_search${parameters}`, body);
  expect(answer.status).toBe(400);
  return answer.json().error;
}

describe('the sort of top_metrics', () => {
  const of = (sort: Json): Json => ({
    size: 0,
    query: { match: { t: 'fox' } },
    aggs: { best: { top_metrics: { metrics: { field: 'n' }, sort } } },
  });

  it.each<[Json, number]>([
    ['_score', 2],
    [['_score'], 2],
    [{ _score: 'desc' }, 2],
    [{ _score: { order: 'desc' } }, 2],
    [{ _score: 'asc' }, 0],
    [{ n: 'desc' }, 2],
    ['n', 0],
    [{ _geo_distance: { place: '0,1.2' } }, 1],
    [{ _geo_distance: { place: '0,1.2', order: 'desc' } }, 0],
    [{ _script: { type: 'number', script: 'doc["n"].value == 1 ? 0 : 1' } }, 1],
  ])('%j', async (sort, n) => {
    const { top } = (await found(of(sort))).aggregations.best;
    expect(top.map((hit: Json) => hit.metrics.n)).toEqual([n]);
    expect(top[0].sort).toHaveLength(1);
  });

  it.each<[Json, string]>([
    [[], '[sort] must contain exactly one sort'],
    [['_score', 'n'], '[sort] must contain exactly one sort'],
    ['_doc', 'sorting by _doc is not supported'],
    [{ _script: { type: 'string', script: 'doc["k"].value' } }, 'script sorting only supported on [numeric] scripts'],
  ])('not %j', async (sort, reason) => {
    const error = await refused(of(sort));
    expect(error.type).toBe('illegal_argument_exception');
    expect(error.reason).toContain(reason);
  });
});

describe('time zones', () => {
  it.each<[string, Json]>([
    ['query_string', { query_string: { query: 'day:[2024-05-01 TO 2024-06-01]', time_zone: 'xx' } }],
    ['query_string', { query_string: { query: 'fox', time_zone: 'xx' } }],
    ['range', { range: { day: { gte: '2024-05-01', time_zone: 'xx' } } }],
    ['range', { range: { unknown: { gte: 1, time_zone: 'xx' } } }],
  ])('that a %s does not know', async (_name, query) => {
    const { type, reason } = await refused({ query });
    expect({ type, reason }).toEqual({
      type: 'illegal_argument_exception',
      reason: 'Unknown time-zone ID: xx',
    });
  });

  it.each(['+19:00', '+1:', '+01:75', 'Europe/Nowhere', ''])('that are none: %j', async (zone) => {
    const error = await refused({ query: { range: { day: { gte: '2024-05-01', time_zone: zone } } } });
    expect(error.reason).toBe(`Unknown time-zone ID: ${zone}`);
  });

  it.each(['Z', 'UTC', '+01:00', '-0530', '+1', 'GMT+1', 'UTC-01:30', 'Europe/Paris', '+18:00'])('%s', async (zone) => {
    const query = { query_string: { query: 'day:[2020-01-01 TO 2030-01-01]', time_zone: zone } };
    expect((await found({ query })).hits.total.value).toBe(3);
    const aggs = { days: { date_histogram: { field: 'day', calendar_interval: 'year', time_zone: zone } } };
    expect((await found({ aggs })).aggregations.days.buckets[0].doc_count).toBe(3);
  });

  it.each<[string, Json]>([
    ['date_histogram', { date_histogram: { field: 'day', calendar_interval: 'day', time_zone: 'xx' } }],
    ['date_range', { date_range: { field: 'day', ranges: [{ from: 'now' }], time_zone: 'xx' } }],
    ['auto_date_histogram', { auto_date_histogram: { field: 'nothing', time_zone: 'xx' } }],
    [
      'date_histogram',
      {
        composite: {
          sources: [{ day: { date_histogram: { field: 'day', calendar_interval: 'day', time_zone: 'xx' } } }],
        },
      },
    ],
  ])('that a %s does not know, with the place', async (kind, aggregation) => {
    const error = await refused({ aggs: { days: aggregation } });
    expect(error.reason).toMatch(new RegExp(`^\\[1:\\d+\\] \\[${kind}\\] failed to parse field \\[time_zone\\]$`));
    expect(error.caused_by).toEqual({ type: 'zone_rules_exception', reason: 'Unknown time-zone ID: xx' });
  });

  it('as hours of a histogram', async () => {
    const days = { date_histogram: { field: 'day', calendar_interval: 'day', time_zone: -2 } };
    const { buckets } = (await found({ aggs: { days } })).aggregations.days;
    expect(buckets[0].key_as_string).toBe('2024-04-30T00:00:00.000-02:00');
  });

  it('not of a simple_query_string', async () => {
    const error = await refused({ query: { simple_query_string: { query: 'fox', time_zone: 'UTC' } } });
    expect(error.reason).toBe('[simple_query_string] query does not support [time_zone]');
  });
});
