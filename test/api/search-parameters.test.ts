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

describe('parameters of a query string', () => {
  it('suggest terms', async () => {
    const answer = await found({ size: 0 }, '?suggest_field=t&suggest_text=foks+brow&suggest_size=1');
    expect(answer.suggest).toEqual({
      t: [
        { text: 'foks', offset: 0, length: 4, options: [] },
        { text: 'brow', offset: 5, length: 4, options: [{ text: 'brown', score: 0.75, freq: 2 }] },
      ],
    });
  });

  it('suggest for the words of the query', async () => {
    const { suggest } = await found({ size: 0 }, '?suggest_field=t&q=brow');
    expect(suggest.t[0].options[0].text).toBe('brown');
    const always = await found({ size: 0 }, '?suggest_field=t&q=brown&suggest_mode=always');
    expect(always.suggest.t[0].text).toBe('brown');
  });

  it.each<[string, string]>([
    ['?suggest_field=t&suggest_text=x&suggest_mode=often', 'Illegal suggest mode often'],
    ['?suggest_field=t&suggest_text=x&suggest_size=0', 'size must be positive'],
    ['?suggest_text=x', '[suggest_text] is used together with [suggest_field] only'],
    ['?suggest_size=3', '[suggest_size] is used together with [suggest_field] only'],
  ])('refuse %s', async (parameters, reason) => {
    expect((await refused({}, parameters)).reason).toContain(reason);
  });
});

describe('options of queries and aggregations', () => {
  it('take execution_hint of median_absolute_deviation', async () => {
    const deviation = (hint: string): Json => ({
      aggs: { d: { median_absolute_deviation: { field: 'n', execution_hint: hint } } },
    });
    expect((await found(deviation('high_accuracy'))).aggregations.d.value).toBe(1);
    expect((await refused(deviation('fast'))).reason).toContain('fast');
  });

  it('take fuzzy_rewrite of query_string', async () => {
    const query = (rewrite: string, text = 't:foxs~'): Json => ({
      query: { query_string: { query: text, fuzzy_rewrite: rewrite } },
    });
    const scores = async (body: Json) => (await found(body)).hits.hits.map((hit: Json) => hit._score);
    expect(await scores(query('constant_score'))).toEqual([1, 1, 1]);
    expect(new Set(await scores(query('top_terms_5'))).size).toBe(3);
    expect((await refused(query('often', 't:fox'))).reason).toContain('Failed to parse rewrite_method [often]');
  });

  it.each<[Json, string, readonly string[]]>([
    [-1, 'quick + wood', ['0']],
    [1, 'quick + wood', ['0']],
    [4, 'quick + wood', ['0', '1']],
    [0, 'quick + wood', ['0', '1']],
    ['NONE', 'quick + wood', ['0', '1']],
    ['', 'quick + wood', ['0']],
    ['and|or', 'quick + wood', ['0']],
    [8, 'qui*', ['0', '1']],
    [7, 'qui*', []],
  ])('take flags %j of simple_query_string', async (flags, text, ids) => {
    const { hits } = (await found({ query: { simple_query_string: { query: text, fields: ['t'], flags } } })).hits;
    expect(hits.map((hit: Json) => hit._id).sort()).toEqual(ids);
  });

  it.each<[Json, string]>([
    [{ query: { simple_query_string: { query: 'x', flags: 'AND|x' } } }, 'Unknown simple_query_string flag [x]'],
    [{ query: { simple_query_string: { query: 'x', flags: '3' } } }, 'Unknown simple_query_string flag [3]'],
    [{ query: { dis_max: { queries: [{ match_all: {} }], tie_breaker: 2 } } }, 'must be in [0, 1]'],
    [{ query: { dis_max: { queries: [{ match_all: {} }], tie_breaker: -0.1 } } }, 'must be in [0, 1]'],
    [{ fields: 5 }, 'Unknown key for a VALUE_NUMBER in [fields].'],
    [{ fields: 'n' }, 'Unknown key for a VALUE_STRING in [fields].'],
    [{ docvalue_fields: 5 }, 'Unknown key for a VALUE_NUMBER in [docvalue_fields].'],
    [{ docvalue_fields: { field: 'n' } }, 'Unknown key for a START_OBJECT in [docvalue_fields].'],
    [{ highlight: { pre_tags: ['<a>'], fields: { t: {} } } }, 'pre_tags are set but post_tags are not set'],
    [{ highlight: { fields: { t: { pre_tags: '<a>' } } } }, 'pre_tags are set but post_tags are not set'],
    [
      { highlight: { pre_tags: ['<a>'], fields: { t: { post_tags: ['</a>'] } } } },
      'pre_tags are set but post_tags are not set',
    ],
  ])('refuse %j, with its place', async (body, reason) => {
    const error = await refused(body);
    expect(error.reason).toContain(reason);
    if (!reason.startsWith('Unknown simple')) expect(error).toMatchObject({ line: 1 });
  });

  it('take other tags around the tags of a schema', async () => {
    const highlight = { tags_schema: 'styled', pre_tags: ['<a>'], fields: { t: {} } };
    const { hits } = (await found({ query: { term: { n: 2 } }, highlight })).hits;
    expect(hits).toHaveLength(1);
    const closing = { post_tags: ['</b>'], fields: { t: {} } };
    const marked = (await found({ query: { match: { t: 'wood' } }, highlight: closing })).hits.hits[0];
    expect(marked.highlight.t).toEqual(['a quick brown fox in the <em>wood</b>']);
  });
});

describe('per_field_analyzer of more_like_this', () => {
  const like = (item: Json): Json => ({
    query: { more_like_this: { fields: ['t'], like: [item], min_term_freq: 1, min_doc_freq: 1 } },
  });
  const ids = async (item: Json) => (await found(like(item))).hits.hits.map((hit: Json) => hit._id).sort();

  it('cuts the text of documents, those that an index holds and those of the request', async () => {
    expect(await ids({ _index: 'docs', _id: '1' })).toEqual(['0', '2']);
    expect(await ids({ _index: 'docs', _id: '1', per_field_analyzer: { t: 'keyword' } })).toEqual([]);
    expect(await ids({ doc: { t: 'WOOD' } })).toEqual(['0']);
    expect(await ids({ doc: { t: 'WOOD' }, per_field_analyzer: { t: 'keyword' } })).toEqual([]);
    expect(await ids({ doc: { t: 'WOOD' }, per_field_analyzer: { other: 'keyword' } })).toEqual(['0']);
  });

  it.each<[Json, string]>([
    [{ t: 'nowhere' }, 'analyzer [nowhere] not found'],
    [{ t: 5 }, 'expecting the analyzer at [t] to be a String'],
    ['keyword', '[per_field_analyzer] must be an object'],
  ])('is refused as %j', async (analyzers, reason) => {
    const error = await refused(like({ doc: { t: 'wood' }, per_field_analyzer: analyzers }));
    expect(JSON.stringify(error)).toContain(reason);
  });
});

describe('unmapped_type of a sort', () => {
  it('is refused where there is no such type and the field is not mapped', async () => {
    const error = await refused({ sort: [{ nothing: { unmapped_type: 'foo' } }] });
    expect(error.root_cause[0]).toEqual({
      type: 'illegal_argument_exception',
      reason: 'No mapper found for type [foo]',
    });
    const text = await refused({ sort: [{ nothing: { unmapped_type: 'text' } }] });
    expect(text.root_cause[0].reason).toContain('[__anonymous_text]');
    expect((await found({ sort: [{ n: { unmapped_type: 'foo' } }] })).hits.hits).toHaveLength(3);
    expect((await found({ sort: [{ nothing: { unmapped_type: 'wildcard' } }] })).hits.hits).toHaveLength(3);
  });
});

describe('answers', () => {
  it('write numbers of documents of an explanation without a fraction', async () => {
    const answer = await node.post('/docs/_search', { explain: true, query: { match: { t: 'fox' } } });
    expect(answer.text).toContain('{"value":3,"description":"n, number of documents containing term"');
    expect(answer.text).toContain('{"value":3,"description":"N, total number of documents with field"');
    expect(answer.text).toContain('{"value":1.0,"description":"freq, occurrences of term within document"');
  });

  it('tell the shard and the node of explained hits', async () => {
    const { hits } = await found({ explain: true, query: { match: { t: 'fox' } } });
    const [id] = Object.keys((await node.get('/_nodes')).json().nodes);
    for (const hit of hits.hits) expect(hit).toMatchObject({ _shard: '[docs][0]', _node: id });
    expect(Object.keys(hits.hits[0]).slice(0, 3)).toEqual(['_shard', '_node', '_index']);
    expect((await found({ query: { match: { t: 'fox' } } })).hits.hits[0]).not.toHaveProperty('_node');
  });

  it('say of a range of dates that cannot be read what the parser says', async () => {
    const error = await refused({ query: { range: { day: { gte: 'soon' } } } });
    const reason =
      'failed to parse date field [soon] with format [strict_date_optional_time||epoch_millis]: ' +
      '[failed to parse date field [soon] with format [strict_date_optional_time||epoch_millis]]';
    expect(error.root_cause).toEqual([{ type: 'parse_exception', reason }]);
    expect(error.caused_by).toMatchObject({
      type: 'parse_exception',
      reason,
      caused_by: { type: 'illegal_argument_exception' },
    });
  });
});
