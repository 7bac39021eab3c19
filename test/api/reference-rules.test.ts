/** Rules of the reference that its documentation does not tell: found by random requests (`npm run bench -- compare`). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const DOCUMENTS = [
  {
    title: 'amber stone',
    note: 'the amber and the amber stone',
    day: '2024-01-02',
    size: 95,
    label: 'x',
    line: 'amber',
  },
  { title: 'stone', note: 'amber', day: '2024-01-10', size: 105, price: 3, line: 'stone' },
  { title: 'the river', note: 'stone river', day: '2024-04-02', size: 205, price: 5, line: 'ambers' },
];

beforeAll(async () => {
  node = await TestNode.start();
  const english = { type: 'text', analyzer: 'english' };
  const properties = {
    title: { type: 'text', fields: { english } },
    note: { type: 'text' },
    day: { type: 'date' },
    size: { type: 'integer' },
    price: { type: 'integer' },
    label: { type: 'keyword' },
    other_name: { type: 'alias', path: 'label' },
    line: { type: 'wildcard' },
    sold: { type: 'boolean' },
    client: { type: 'ip' },
    words: { type: 'completion' },
  };
  await node.put('/rules', { settings: { number_of_shards: 1 }, mappings: { properties } });
  const lines = DOCUMENTS.flatMap((document, at) => [{ index: { _id: String(at) } }, document]);
  await node.bulk('/rules/_bulk?refresh', lines);
});

afterAll(async () => {
  await node.stop();
});

async function search(body: unknown): Promise<Json> {
  const answer = await node.post('/rules/_search', body);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json();
}

async function ids(query: unknown): Promise<string[]> {
  const { hits } = await search({ query });
  return hits.hits.map((hit: Json) => hit._id).sort();
}

async function scores(query: unknown): Promise<Record<string, number>> {
  const { hits } = await search({ query });
  return Object.fromEntries(hits.hits.map((hit: Json) => [hit._id, hit._score]));
}

it.each<[string, unknown]>([
  ['bool', { bool: { filter: { match_all: {} }, minimum_should_match: 1 } }],
  ['match', { match: { note: { query: 'amber the', operator: 'and', minimum_should_match: 1 } } }],
  ['query_string', { query_string: { query: '+amber +stone', default_field: 'note', minimum_should_match: 1 } }],
])('%s asks for optional clauses that it does not have', async (_name, query) => {
  expect(await ids(query)).toEqual([]);
});

it('finds everything but what is excluded, whatever the minimum', async () => {
  expect(await ids({ bool: { must_not: { exists: { field: 'price' } }, minimum_should_match: 1 } })).toEqual(['0']);
});

it('counts percentages of optional clauses', async () => {
  expect(await ids({ bool: { filter: { exists: { field: 'price' } }, minimum_should_match: '50%' } })).toEqual([
    '1',
    '2',
  ]);
});

it('leaves out words of query strings that analyse to nothing', async () => {
  const query_string = { query: '+the +stones', default_field: 'title.english' };
  expect(await ids({ query_string })).toEqual(['0', '1']);
  expect(await ids({ query_string: { ...query_string, query: '+(the the)^2 +stones' } })).toEqual(['0', '1']);
  expect(await ids({ query_string: { ...query_string, query: 'the AND the' } })).toEqual([]);
  expect(await ids({ simple_query_string: { query: 'the + stones', fields: ['title.english'] } })).toEqual(['0', '1']);
});

it('takes blanks for text where they separate nothing', async () => {
  const simple_query_string = { query: 'river -stone', fields: ['title'], flags: 'NOT' };
  expect(await ids({ simple_query_string })).toEqual(['0', '1', '2']);
});

it('adds up the fields of a prefix', async () => {
  const fields = ['title', 'note^3'];
  expect(await scores({ simple_query_string: { query: 'amb*', fields } })).toEqual({ 0: 4, 1: 3 });
  expect(await scores({ query_string: { query: 'amb*', fields } })).toEqual({ 0: 3, 1: 3 });
  expect(await scores({ query_string: { query: 'amb*', fields, tie_breaker: 0.5 } })).toEqual({ 0: 3.5, 1: 3 });
  expect(await scores({ query_string: { query: 'amb*', fields, type: 'most_fields' } })).toEqual({ 0: 4, 1: 3 });
});

it('searches all fields leniently', async () => {
  expect(await ids({ multi_match: { query: 'river', fields: ['*'] } })).toEqual(['2']);
});

it('looks for a liked word where it is most frequent', async () => {
  const like = { like: 'amber', min_term_freq: 1, min_doc_freq: 1 };
  const found = await scores({ more_like_this: { ...like, fields: ['title', 'note'] } });
  expect(found).toEqual(await scores({ match: { note: 'amber' } }));
});

it('dislikes texts in the first field alone', async () => {
  const like = { like: [{ _id: '0' }], min_term_freq: 1, min_doc_freq: 1, include: true };
  const unlike = 'stone amber the and';
  expect(await ids({ more_like_this: { ...like, fields: ['title', 'note'], unlike } })).toEqual(['0', '1', '2']);
  expect(await ids({ more_like_this: { ...like, fields: ['note'], unlike } })).toEqual([]);
});

it('scores what is masked by its own field', async () => {
  const span_term = { title: 'stone' };
  expect(await scores({ field_masking_span: { query: { span_term }, field: 'note' } })).toEqual(
    await scores({ span_term }),
  );
});

it('means a day as origin of a distance up to its end', async () => {
  const found = await scores({ distance_feature: { field: 'day', origin: '2023-12-31', pivot: '1d' } });
  expect(found['0']).toBeCloseTo(0.5, 6);
});

it('combines nothing where there are no functions', async () => {
  const found = await scores({ function_score: { query: { term: { label: 'x' } }, boost_mode: 'sum' } });
  expect(found).toEqual(await scores({ term: { label: 'x' } }));
});

it('scores patterns over wildcard fields alike', async () => {
  const wildcard = { line: { value: 'am*', rewrite: 'scoring_boolean' } };
  expect(await scores({ wildcard })).toEqual({ 0: 1, 2: 1 });
  expect(await scores({ fuzzy: { line: { value: 'amber' } } })).toEqual({ 0: 1, 2: 1 });
});

it('cuts histograms off by the beginnings of intervals', async () => {
  const keys = async (aggregation: unknown): Promise<string[]> => {
    const { aggregations } = await search({ size: 0, aggs: { a: aggregation } });
    return aggregations.a.buckets.map((bucket: Json) => bucket.key_as_string ?? bucket.key);
  };
  const numbers = { field: 'size', interval: 100 };
  expect(await keys({ histogram: { ...numbers, hard_bounds: { min: 1, max: 199 } } })).toEqual([100]);
  expect(await keys({ histogram: { ...numbers, hard_bounds: { min: 100, max: 200 } } })).toEqual([100, 200]);
  expect(await keys({ histogram: { ...numbers, offset: 5, hard_bounds: { min: 100, max: 204 } } })).toEqual([105, 205]);
  const months = { field: 'day', calendar_interval: 'month', format: 'yyyy-MM' };
  const hard_bounds = { min: '2024-01', max: '2024-04' };
  expect(await keys({ date_histogram: { ...months, min_doc_count: 1, hard_bounds } })).toEqual(['2024-01']);
});

it('orders the extremes of no values as the furthest', async () => {
  const order = async (metric: string, direction: string): Promise<number[]> => {
    const histogram = { field: 'size', interval: 100, order: { m: direction } };
    const { aggregations } = await search({
      size: 0,
      aggs: { a: { histogram, aggs: { m: { [metric]: { field: 'price' } } } } },
    });
    return aggregations.a.buckets.map((bucket: Json) => bucket.key);
  };
  expect(await order('min', 'desc')).toEqual([0, 200, 100]);
  expect(await order('min', 'asc')).toEqual([100, 200, 0]);
  expect(await order('max', 'asc')).toEqual([0, 100, 200]);
  expect(await order('avg', 'desc')).toEqual([200, 100, 0]);
});

it('calls the variance of a sample of one not a number', async () => {
  const { aggregations } = await search({
    size: 0,
    query: { term: { price: 3 } },
    aggs: { a: { extended_stats: { field: 'price' } } },
  });
  const { variance, variance_sampling: sampling, std_deviation_bounds: bounds } = aggregations.a;
  expect([variance, sampling, bounds.upper_sampling]).toEqual([0, 'NaN', 'NaN']);
});

it('prints the variance of a sample of one in a format too', async () => {
  const { aggregations } = await search({
    size: 0,
    query: { term: { price: 3 } },
    aggs: { a: { extended_stats: { field: 'price', format: '0.0' } } },
  });
  const { variance_as_string: variance, variance_sampling_as_string: sampling } = aggregations.a;
  expect([variance, sampling]).toEqual(['0.0', 'NaN']);
});

it('rounds the bounds of a date histogram without its offset', async () => {
  const keys = async (bounds: unknown): Promise<string[]> => {
    const histogram = {
      field: 'day',
      calendar_interval: 'day',
      offset: '+6h',
      format: 'yyyy-MM-dd HH',
      min_doc_count: 0,
    };
    const { aggregations } = await search({
      size: 0,
      query: { range: { day: { lt: '2024-02-01' } } },
      aggs: { a: { date_histogram: { ...histogram, ...(bounds as object) } } },
    });
    return aggregations.a.buckets.map((bucket: Json) => bucket.key_as_string);
  };
  // Noon of neither day: documents lie at midnight, in the period that began at six o'clock of the day before.
  expect(await keys({ hard_bounds: { max: '2024-01-02 00' } })).toEqual(['2024-01-01 06']);
  expect(await keys({ hard_bounds: { min: '2024-01-02 00', max: '2024-01-10 00' } })).toEqual(['2024-01-09 06']);
  expect(await keys({ hard_bounds: { min: '2024-01-02 00', max: '2024-01-09 00' } })).toEqual([]);
  const extended = await keys({ extended_bounds: { min: '2023-12-31 00', max: '2024-01-12 00' } });
  expect([extended[0], extended.at(-1), extended.length]).toEqual(['2023-12-31 06', '2024-01-12 06', 13]);
});

it('asks for a single word whatever the minimum, and for words of one field', async () => {
  const crossing = { type: 'cross_fields', fields: ['title', 'note'] };
  for (const how of [
    { operator: 'and', minimum_should_match: 1 },
    { operator: 'or', minimum_should_match: 2 },
  ]) {
    expect(await ids({ multi_match: { query: 'river', ...crossing, ...how } })).toEqual(['2']);
  }
  const simple = (fields: string[]): unknown => ({
    simple_query_string: { query: 'river stone', fields, flags: 'PHRASE', minimum_should_match: 2 },
  });
  expect(await ids(simple(['note']))).toEqual(['2']);
  expect(await ids(simple(['title', 'note']))).toEqual(['0', '1', '2']);
});

it('shows fields by their aliases, and no field for the group without a value', async () => {
  const { hits } = await search({ fields: ['other_*'], query: { ids: { values: ['0'] } } });
  expect(hits.hits[0].fields).toEqual({ other_name: ['x'] });
  const { hits: collapsed } = await search({ collapse: { field: 'label' }, sort: 'size', _source: false });
  expect(collapsed.hits.map((hit: Json) => hit.fields)).toEqual([{ label: ['x'] }, undefined]);
});

it('analyses the beginning of a word where analyze_wildcard asks for it', async () => {
  const inEnglish = (name: string, more: Record<string, unknown>) =>
    ids({ [name]: { fields: ['title.english'], query: 'stones*', ...more } });
  for (const name of ['query_string', 'simple_query_string']) {
    // The stem is [stone]; no term begins with [stones].
    expect(await inEnglish(name, {})).toEqual([]);
    expect(await inEnglish(name, { analyze_wildcard: true })).toEqual(['0', '1']);
    const words = { query: 'amber-sto*', fields: ['note'], analyze_wildcard: true };
    expect(await ids({ [name]: { ...words, default_operator: 'and' } })).toEqual(['0']);
    expect(await ids({ [name]: words })).toEqual(['0', '1', '2']);
    expect(await ids({ [name]: { ...words, analyze_wildcard: false } })).toEqual([]);
  }
  const answer = await node.get('/rules/_search?q=title.english:stones*&analyze_wildcard=true');
  expect(answer.json().hits.total.value).toBe(2);
});

async function refusal(body: unknown): Promise<readonly string[]> {
  const answer = await node.post('/rules/_search', body);
  expect(answer.status, answer.text).toBe(400);
  const { type, reason } = answer.json().error.root_cause[0];
  return [type, reason];
}

it('asks for a value in any case only where it has cases', async () => {
  const anyCase = (field: string, value: unknown): object => ({ term: { [field]: { value, case_insensitive: true } } });
  for (const [field, value, kind] of [
    ['size', 95, 'integer'],
    ['day', '2024-01-02', 'date'],
    ['client', '10.0.0.1', 'ip'],
  ] as const) {
    const reason = `[${field}] field which is of type [${kind}], does not support case insensitive term queries`;
    expect(await refusal({ query: anyCase(field, value) })).toEqual(['query_shard_exception', reason]);
    expect(await ids({ term: { [field]: { value, case_insensitive: false } } })).toHaveLength(
      field === 'client' ? 0 : 1,
    );
  }
  expect(await ids(anyCase('label', 'X'))).toEqual(['0']);
  expect(await ids(anyCase('sold', true))).toEqual([]);
  expect(await ids(anyCase('unmapped', 1))).toEqual([]);
});

it('takes no empty text for a boolean', async () => {
  const reason = "failed to create query: Can't parse boolean value [], expected [true] or [false]";
  for (const query of [
    { term: { sold: '' } },
    { terms: { sold: [true, ''] } },
    { match: { sold: '' } },
    { range: { sold: { gte: '' } } },
  ]) {
    expect(await refusal({ query })).toEqual(['query_shard_exception', reason]);
  }
});

it('takes inputs of completions, and nothing else, in arrays', async () => {
  for (const [value, token] of [
    [['a', null], 'VALUE_NULL'],
    [[1], 'VALUE_NUMBER'],
    [[['a']], 'START_ARRAY'],
  ] as const) {
    const answer = await node.put('/rules/_doc/refused', { words: value });
    expect(answer.status).toBe(400);
    expect(answer.json().error).toMatchObject({
      type: 'mapper_parsing_exception',
      reason: 'failed to parse',
      caused_by: {
        type: 'parsing_exception',
        reason: `failed to parse [null]: expected text or object, but got ${token}`,
      },
    });
  }
  await node.put('/words', { mappings: { properties: { words: { type: 'completion' } } } });
  for (const value of [null, [], ['a', { input: ['b'] }]]) {
    expect((await node.post('/words/_doc', { words: value })).status).toBe(201);
  }
});

it('has no formats for values that are printed in one way', async () => {
  const format = '0.0';
  for (const [field, kind] of [
    ['label', 'keyword'],
    ['sold', 'boolean'],
    ['client', 'ip'],
  ] as const) {
    const reason = `Field [${field}] of type [${kind}] does not support custom formats`;
    for (const aggregation of ['terms', 'rare_terms', 'significant_terms', 'value_count'] as const) {
      const aggs = { a: { [aggregation]: { field, format } } };
      expect(await refusal({ aggs }), aggregation).toEqual(['illegal_argument_exception', reason]);
    }
  }
  const { aggregations } = await search({ aggs: { a: { terms: { field: 'size', format } } } });
  expect(aggregations.a.buckets[0].key_as_string).toBe('95.0');
  expect((await search({ aggs: { a: { terms: { field: 'unmapped', format } } } })).aggregations.a.buckets).toEqual([]);
});

it('has no time zones for values that are no times', async () => {
  const time_zone = '+01:00';
  const reason = 'Field [size] of type [integer] does not support custom time zones';
  const size = { field: 'size', time_zone };
  for (const aggregation of [
    { date_histogram: { ...size, calendar_interval: 'day' } },
    { date_range: { ...size, ranges: [{ to: 5 }] } },
    { multi_terms: { terms: [size, { field: 'label' }] } },
  ]) {
    expect(await refusal({ aggs: { a: aggregation } })).toEqual(['illegal_argument_exception', reason]);
  }
  for (const aggregation of ['terms', 'avg', 'value_count', 'missing', 'stats']) {
    const [type, told] = await refusal({ aggs: { a: { [aggregation]: { field: 'day', time_zone } } } });
    expect(type).toBe('x_content_parse_exception');
    expect(told).toMatch(new RegExp(`^\\[1:\\d+\\] \\[${aggregation}\\] unknown field \\[time_zone\\]`));
  }
  const days = { date_histogram: { field: 'day', calendar_interval: 'day', time_zone } };
  expect((await search({ aggs: { days } })).aggregations.days.buckets[0].key_as_string).toBe(
    '2024-01-02T00:00:00.000+01:00',
  );
});

it('breaks ties by a part of the other scores, where there are several fields', async () => {
  const expected = ['query_shard_exception', 'failed to create query: tieBreakerMultiplier must be in [0, 1]'];
  for (const tie_breaker of [-0.5, 1.5]) {
    for (const type of ['best_fields', 'most_fields', 'cross_fields', 'phrase', 'bool_prefix']) {
      const query = { multi_match: { query: 'amber', fields: ['title', 'note'], type, tie_breaker } };
      expect(await refusal({ query }), type).toEqual(expected);
    }
    for (const query of ['amber', 'amb*', '"amber stone"']) {
      const string = { query, fields: ['title', 'note'], tie_breaker };
      expect(await refusal({ query: { query_string: string } }), query).toEqual(expected);
    }
    const one = { query: 'amber', fields: ['title', 'unmapped'], tie_breaker };
    expect(await ids({ multi_match: one })).toEqual(['0']);
    expect(await ids({ query_string: one })).toEqual(['0']);
  }
});

it('needs no time zone where a range has no dates', async () => {
  const time_zone = '+01:00';
  expect(await ids({ range: { size: { gte: 100, time_zone } } })).toEqual(['1', '2']);
  expect(await ids({ range: { label: { gte: 'a', time_zone } } })).toEqual(['0']);
  expect(await ids({ range: { sold: { gte: true, time_zone } } })).toEqual([]);
  expect(await ids({ range: { client: { gte: '10.0.0.1', time_zone } } })).toEqual([]);
});

it('samples for aggregations below, and clusters numbers of one bucket', async () => {
  const childless = 'Sampler aggregation must be used with child aggregations.';
  for (const sampler of [{ sampler: {} }, { diversified_sampler: { field: 'size' } }]) {
    const below = { a: { terms: { field: 'label' }, aggs: { s: sampler } } };
    expect(await refusal({ aggs: { s: sampler } })).toEqual(['aggregation_execution_exception', childless]);
    expect(await refusal({ aggs: below })).toEqual(['aggregation_execution_exception', childless]);
  }
  const clusters = { variable_width_histogram: { field: 'size', buckets: 2 } };
  const reason =
    '[variable_width_histogram] cannot be nested inside an aggregation that collects more than a single bucket.';
  const all = { match_all: {} };
  for (const around of [
    { terms: { field: 'label' } },
    { filters: { filters: { x: all, y: all } } },
    { filters: { filters: { x: all }, other_bucket: true } },
    { range: { field: 'size', ranges: [{ to: 5 }, { from: 5 }] } },
    { sampler: {} },
    clusters,
  ]) {
    const outer = { o: { ...around, aggs: { f: { filter: all, aggs: { c: clusters } } } } };
    expect(await refusal({ aggs: outer }), JSON.stringify(around)).toEqual(['illegal_argument_exception', reason]);
  }
  for (const around of [
    { filter: all },
    { global: {} },
    { missing: { field: 'label' } },
    { filters: { filters: { x: all } } },
    { range: { field: 'size', ranges: [{ to: 5 }] } },
  ]) {
    await search({ aggs: { o: { ...around, aggs: { c: clusters } } } });
  }
  const unmapped = { variable_width_histogram: { field: 'unmapped', buckets: 2 } };
  await search({ aggs: { o: { terms: { field: 'label' }, aggs: { c: unmapped } } } });
});
