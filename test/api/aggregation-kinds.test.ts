import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

/** Twelve sales in two indices of two and one shards: one a day, of three shops, sizes 0 to 11. */
const SALES = Array.from({ length: 12 }, (_, nth) => ({
  index: nth % 3 === 0 ? 'right' : 'left',
  document: {
    shop: 'abc'[nth % 3],
    size: nth,
    price: nth * 1.5,
    day: `2024-01-${String(nth + 1).padStart(2, '0')}`,
    client: `10.0.${nth % 2}.${nth}`,
    sold: nth % 2 === 0,
  },
}));

beforeAll(async () => {
  node = await TestNode.start();
  const properties = {
    shop: { type: 'keyword' },
    size: { type: 'integer' },
    price: { type: 'double' },
    day: { type: 'date' },
    client: { type: 'ip' },
    sold: { type: 'boolean' },
  };
  for (const [index, shards] of [
    ['left', 2],
    ['right', 1],
  ]) {
    const settings = { number_of_shards: shards, number_of_replicas: 0 };
    expect((await node.put(`/${index}`, { settings, mappings: { properties } })).status).toBe(200);
  }
  const lines = SALES.flatMap(({ index, document }, nth) => [{ index: { _index: index, _id: String(nth) } }, document]);
  expect((await node.bulk('/_bulk?refresh=true', lines)).json().errors).toBe(false);
});

afterAll(async () => {
  await node.stop();
});

async function aggregate(aggs: Json, more: Json = {}, parameters = ''): Promise<Json> {
  const answer = await node.post(`/left,right/_search${parameters}`, { size: 0, aggs, ...more });
  expect(answer.text).toContain('"aggregations"');
  return answer.json().aggregations;
}

describe('significant_text', () => {
  const copied = 'press release of the ministry about fish quotas';

  beforeAll(async () => {
    const properties = { body: { type: 'text', analyzer: 'english' }, size: { type: 'integer' } };
    await node.put('/texts', { settings: { number_of_shards: 1 }, mappings: { properties } });
    const texts = ['the bird flu spreads', 'bird flu again', 'flu in winter', 'a winter in town', copied, copied];
    const lines = texts.flatMap((body, nth) => [{ index: { _id: String(nth) } }, { body, size: nth, lead: 'H5N1' }]);
    expect((await node.bulk('/texts/_bulk?refresh=true', lines)).json().errors).toBe(false);
  });

  async function words(options: Json, query: Json = { match: { body: 'bird' } }): Promise<Json> {
    const aggs = { words: { significant_text: { field: 'body', min_doc_count: 1, ...options } } };
    const answer = await node.post('/texts/_search', { size: 0, query, aggs });
    expect(answer.status, answer.text).toBe(200);
    return answer.json().aggregations.words;
  }
  const keys = ({ buckets }: Json): string[] => buckets.map(({ key }: Json) => key as string);

  it('compares the words of the texts with those of the index', async () => {
    const found = await words({});
    expect(found).toMatchObject({ doc_count: 2, bg_count: 6 });
    expect(found.buckets[0]).toMatchObject({ key: 'bird', doc_count: 2, bg_count: 2 });
    expect(found.buckets.find(({ key }: Json) => key === 'flu')).toMatchObject({ doc_count: 2, bg_count: 3 });
    const within = await words({ background_filter: { range: { size: { lt: 3 } } }, include: 'flu|bird' });
    expect(within).toMatchObject({ doc_count: 2, bg_count: 3, buckets: [{ key: 'bird', bg_count: 2 }] });
    expect(keys(await words({ source_fields: ['lead'] }))).toEqual(['h5n1']);
    expect(keys(await words({ field: 'nothing' }))).toEqual([]);
  });

  it('leaves out what was copied', async () => {
    const range = { range: { size: { gte: 4 } } };
    const counts = async (options: Json): Promise<number[]> =>
      (await words(options, range)).buckets.map(({ doc_count: count }: Json) => count as number);
    expect(new Set(await counts({}))).toEqual(new Set([2]));
    expect(new Set(await counts({ filter_duplicate_text: true }))).toEqual(new Set([1]));
  });

  it('is refused by name for fields without words', async () => {
    const aggs = { words: { significant_text: { field: 'size' } } };
    const answer = await node.post('/texts/_search', { size: 0, aggs });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Field [size] has no analyzer, but SignificantText requires an analyzed field');
  });
});

describe('pipelines over three shards', () => {
  const sizes = { size: { sum: { field: 'size' } } };
  const weeks = { date_histogram: { field: 'day', calendar_interval: 'week' } };

  it('give a result in each bucket, or one beside them', async () => {
    const aggs = {
      weeks: {
        ...weeks,
        aggs: {
          ...sizes,
          running: { cumulative_sum: { buckets_path: 'size', format: '0.0' } },
          step: { derivative: { buckets_path: 'size', unit: 'day' } },
        },
      },
      best: { max_bucket: { buckets_path: 'weeks>size' } },
      all: { stats_bucket: { buckets_path: 'weeks>size' } },
      parts: { percentiles_bucket: { buckets_path: 'weeks._count', percents: [50] } },
    };
    expect(await aggregate(aggs, {}, '?typed_keys=true')).toEqual({
      'date_histogram#weeks': {
        buckets: [
          {
            key_as_string: '2024-01-01T00:00:00.000Z',
            key: 1704067200000,
            doc_count: 7,
            'sum#size': { value: 21 },
            'simple_value#running': { value: 21, value_as_string: '21.0' },
          },
          {
            key_as_string: '2024-01-08T00:00:00.000Z',
            key: 1704672000000,
            doc_count: 5,
            'sum#size': { value: 45 },
            'simple_value#running': { value: 66, value_as_string: '66.0' },
            'derivative#step': { value: 24, normalized_value: 24 / 7 },
          },
        ],
      },
      'bucket_metric_value#best': { value: 45, keys: ['2024-01-08T00:00:00.000Z'] },
      'stats_bucket#all': { count: 2, min: 21, max: 45, avg: 33, sum: 66 },
      'percentiles_bucket#parts': { values: { '50.0': 7 } },
    });
  });

  it('merge percentiles over a window, and correlate counts', async () => {
    const percentiles = { field: 'size', percents: [50, 100] };
    const window = { moving_percentiles: { buckets_path: 'parts', window: 2, shift: 1 } };
    const aggs = {
      weeks: {
        ...weeks,
        aggs: {
          parts: { percentiles },
          exact: { percentiles: { ...percentiles, hdr: { number_of_significant_value_digits: 3 }, keyed: false } },
          moved: window,
          last: { moving_percentiles: { buckets_path: 'parts', window: 1 } },
          counted: { moving_percentiles: { buckets_path: 'exact', window: 2, shift: 1 } },
          most: { bucket_script: { buckets_path: { all: 'moved.100' }, script: 'params.all + 1' } },
        },
      },
      whole: { percentiles },
      along: {
        bucket_correlation: {
          buckets_path: 'weeks>_count',
          function: { count_correlation: { indicator: { expectations: [10, 20], doc_count: 24 } } },
        },
      },
    };
    const answer = await aggregate(aggs, {}, '?typed_keys=true');
    const [first, second] = answer['date_histogram#weeks'].buckets;
    expect(first['tdigest_percentiles#last']).toBeUndefined();
    expect(first['tdigest_percentiles#moved']).toEqual(first['tdigest_percentiles#parts']);
    expect(second['tdigest_percentiles#last']).toEqual(first['tdigest_percentiles#parts']);
    expect(second['tdigest_percentiles#moved']).toEqual(answer['tdigest_percentiles#whole']);
    expect(second['hdr_percentiles#counted'].values).toEqual([
      { key: 50, value: expect.closeTo(5, 1) },
      { key: 100, value: expect.closeTo(11, 1) },
    ]);
    expect(second['simple_value#most']).toEqual({ value: 12 });
    // Of two buckets with 12 expected documents each 7 and 5 were counted.
    expect(answer['simple_value#along'].value).toBeCloseTo(-1 / 6, 9);
    const refused = async (more: Json): Promise<string> => {
      const { text } = await node.post('/left,right/_search', {
        size: 0,
        aggs: { weeks: { ...weeks, aggs: sizes }, ...more },
      });
      return text;
    };
    const correlate = (indicator: Json, path = 'weeks>_count'): Json => ({
      c: { bucket_correlation: { buckets_path: path, function: { count_correlation: { indicator } } } },
    });
    expect(await refused(correlate({ expectations: [1, 2, 3], doc_count: 30 }))).toContain('number of buckets [2]');
    expect(await refused(correlate({ expectations: [1, 2], doc_count: 3 }))).toContain('indicator count [3]');
    expect(await refused(correlate({ expectations: [1], doc_count: 3 }))).toContain('length of at least 2');
    expect(await refused(correlate({ expectations: [1, 2], doc_count: 0 }))).toContain('must be a positive value');
    expect(await refused(correlate({ expectations: [1, 2], doc_count: 9 }, 'weeks>size'))).toContain(
      'points to bucket [_count]',
    );
    const inSizes = {
      weeks: { ...weeks, aggs: { ...sizes, m: { moving_percentiles: { buckets_path: 'size', window: 1 } } } },
    };
    expect(await refused(inSizes)).toContain('buckets_path must reference a percentiles aggregation');
  });

  it('test counts against what was expected', async () => {
    const shops = { shops: { terms: { field: 'shop' } } };
    const test = (more: object, path = 'shops>_count'): Json => ({
      ...shops,
      test: { bucket_count_ks_test: { buckets_path: path, ...more } },
    });
    const whole = (await aggregate(test({}), {}, '?typed_keys=true'))['bucket_count_ks_test#test'];
    expect(Object.keys(whole)).toEqual(['less', 'greater', 'two_sided']);
    const one = (await aggregate(test({ alternative: ['GREATER', 'less'], sampling_method: 'uniform' }))).test;
    expect(Object.keys(one)).toEqual(['less', 'greater']);
    for (const value of [...Object.values(whole), ...Object.values(one)]) {
      expect(value === 'NaN' || ((value as number) >= 0 && (value as number) <= 1)).toBe(true);
    }
    expect((await aggregate(test({}))).test).toEqual(whole);
    const nothing = { ...test({}), shops: { terms: { field: 'shop', include: ['none'] } } };
    expect((await aggregate(nothing)).test).toEqual({ less: 'NaN', greater: 'NaN', two_sided: 'NaN' });
    const refused = async (aggs: Json): Promise<string> => (await node.post('/left,right/_search', { aggs })).text;
    expect(await refused(test({ fractions: [1] }))).toContain('[fractions] has [1] values, but there are');
    expect(await refused(test({ alternative: [] }))).toContain(
      '[alternative] must not be empty for aggregation [test]',
    );
    expect(await refused(test({ alternative: ['more'] }))).toContain('Unrecognized alternative [more]');
    expect(await refused(test({ sampling_method: 'x' }))).toContain('Unrecognized sampling_method [x]');
    expect(await refused(test({ gap_policy: 'skip' }))).toContain('only [gap_policy] of [insert_zeros] is supported');
    expect(await refused(test({}, 'shops>size'))).toContain('points to bucket [_count]');
    expect(await refused(test({ more: 1 }))).toContain('more');
  });

  it('order buckets by what lies in them', async () => {
    const page = { bucket_sort: { sort: [{ size: { order: 'desc' } }], size: 2 } };
    const { shops } = await aggregate({ shops: { terms: { field: 'shop' }, aggs: { ...sizes, page } } });
    expect(shops.buckets.map((bucket: Json) => [bucket.key, bucket.size.value])).toEqual([
      ['c', 26],
      ['b', 22],
    ]);
  });

  it('name what is no number', async () => {
    const aggs = {
      shops: { terms: { field: 'shop' }, aggs: { inner: { terms: { field: 'size' } } } },
      bad: { max_bucket: { buckets_path: 'shops>inner' } },
    };
    const answer = await node.post('/left,right/_search', { aggs });
    expect(answer.status).toBe(400);
    expect(answer.json().error.reason).toBe(
      'buckets_path must reference either a number value or a single value numeric metric aggregation, got: [LongTerms] at ' +
        'aggregation [inner]',
    );
  });
});

describe('composite over three shards', () => {
  it('is read page by page', async () => {
    const sources = [
      { shop: { terms: { field: 'shop', order: 'desc' } } },
      { sold: { terms: { field: 'sold' } } },
      { week: { date_histogram: { field: 'day', calendar_interval: 'week', format: 'yyyy-MM-dd' } } },
    ];
    const keys: Json[] = [];
    let after: Json;
    for (let page = 0; page < 10; page++) {
      const composite = { size: 5, sources, ...(after === undefined ? {} : { after }) };
      const { pages } = await aggregate({ pages: { composite, aggs: { most: { max: { field: 'size' } } } } });
      keys.push(...pages.buckets.map((bucket: Json) => bucket.key));
      if (pages.after_key === undefined) break;
      expect(pages.after_key).toEqual(pages.buckets.at(-1).key);
      after = pages.after_key;
    }
    expect(keys.length).toBe(11);
    expect(keys.slice(0, 3)).toEqual([
      { shop: 'c', sold: false, week: '2024-01-01' },
      { shop: 'c', sold: false, week: '2024-01-08' },
      { shop: 'c', sold: true, week: '2024-01-01' },
    ]);
  });

  it('refuses more buckets than there may be', async () => {
    const composite = { size: 100_000, sources: [{ shop: { terms: { field: 'shop' } } }] };
    const answer = await node.post('/left/_search', { aggs: { c: { composite } } });
    expect(answer.status).toBe(400);
    expect(answer.json().error.root_cause[0].type).toBe('too_many_buckets_exception');
  });
});

describe('buckets over three shards', () => {
  it('are of several fields', async () => {
    const terms = [{ field: 'shop' }, { field: 'sold' }];
    const { both } = await aggregate({ both: { multi_terms: { terms, size: 2 } } });
    expect(both).toEqual({
      doc_count_error_upper_bound: 0,
      sum_other_doc_count: 8,
      buckets: [
        { key: ['a', false], key_as_string: 'a|false', doc_count: 2 },
        { key: ['a', true], key_as_string: 'a|true', doc_count: 2 },
      ],
    });
  });

  it('are rare, significant, sampled or of networks', async () => {
    const found = await aggregate(
      {
        rare: { rare_terms: { field: 'size', include: ['1', '2'] } },
        telling: { significant_terms: { field: 'shop', min_doc_count: 1 } },
        some: { sampler: { shard_size: 1 }, aggs: { count: { value_count: { field: 'size' } } } },
        nets: { ip_range: { field: 'client', ranges: [{ mask: '10.0.1.0/24' }], keyed: true } },
        prefixes: { ip_prefix: { field: 'client', prefix_length: 24, keyed: true } },
        clusters: { variable_width_histogram: { field: 'price', buckets: 1 } },
        months: { auto_date_histogram: { field: 'day', buckets: 2 } },
        matrix: { adjacency_matrix: { filters: { A: { term: { shop: 'a' } }, S: { term: { sold: true } } } } },
      },
      { query: { range: { size: { lt: 6 } } } },
    );
    expect(found.rare.buckets).toEqual([
      { key: 1, doc_count: 1 },
      { key: 2, doc_count: 1 },
    ]);
    expect(found.telling).toMatchObject({ doc_count: 6, bg_count: 12 });
    const script_heuristic = {
      script: { source: 'params._subset_freq * params.by + params._superset_size', params: { by: 100 } },
    };
    const { scripted } = await aggregate(
      { scripted: { significant_terms: { field: 'shop', min_doc_count: 1, script_heuristic } } },
      { query: { range: { size: { lt: 6 } } } },
    );
    expect(scripted.buckets.map(({ doc_count, score }: Json) => score === doc_count * 100 + 12)).not.toContain(false);
    expect(scripted.buckets.length).toBeGreaterThan(0);
    expect(found.some.doc_count).toBe(found.some.count.value);
    const p_value = { background_is_superset: false, normalize_above: 1000 };
    const { unlikely } = await aggregate(
      { unlikely: { significant_terms: { field: 'shop', min_doc_count: 1, p_value } } },
      { query: { term: { shop: 'a' } } },
    );
    expect(unlikely.buckets[0]).toMatchObject({ key: 'a', score: expect.closeTo(5.036616, 5) });
    expect(found.nets.buckets).toEqual({ '10.0.1.0/24': { from: '10.0.1.0', to: '10.0.2.0', doc_count: 3 } });
    expect(found.prefixes.buckets['10.0.1.0']).toEqual({
      is_ipv6: false,
      prefix_length: 24,
      netmask: '255.255.255.0',
      doc_count: 3,
    });
    expect(found.clusters.buckets).toEqual([{ min: 0, key: 3.75, max: 7.5, doc_count: 6 }]);
    expect(found.months).toMatchObject({ interval: '7d', buckets: [{ doc_count: 6 }] });
    expect(found.matrix.buckets).toEqual([
      { key: 'A', doc_count: 2 },
      { key: 'A&S', doc_count: 1 },
      { key: 'S', doc_count: 3 },
    ]);
  });
});

describe('metrics over three shards', () => {
  it('have the shapes of the API', async () => {
    const found = await aggregate({
      texts: { string_stats: { field: 'shop', show_distribution: true } },
      box: { boxplot: { field: 'size' } },
      hdr: { percentiles: { field: 'size', percents: [50], hdr: {} } },
      first: { top_metrics: { metrics: { field: 'shop' }, sort: { size: 'desc' }, size: 2 } },
      moments: { matrix_stats: { fields: ['size', 'price'] } },
      test: { t_test: { a: { field: 'size' }, b: { field: 'price' }, type: 'paired' } },
      days: {
        date_histogram: { field: 'day', calendar_interval: 'month' },
        aggs: { each: { rate: { unit: 'day' } }, values: { rate: { field: 'size', unit: 'year' } } },
      },
    });
    expect(found.texts).toMatchObject({ count: 12, min_length: 1, max_length: 1, avg_length: 1 });
    expect(found.texts.entropy).toBeCloseTo(Math.log2(3), 12);
    expect(found.texts.distribution).toEqual({ a: 1 / 3, b: 1 / 3, c: 1 / 3 });
    expect(found.box).toEqual({ min: 0, max: 11, q1: 3, q2: 6, q3: 9, lower: 0, upper: 11 });
    expect(found.hdr.values['50.0']).toBeCloseTo(5, 1);
    expect(found.first).toEqual({
      top: [
        { sort: [11], metrics: { shop: 'c' } },
        { sort: [10], metrics: { shop: 'b' } },
      ],
    });
    expect(found.moments.doc_count).toBe(12);
    expect(found.moments.fields[0]).toMatchObject({ name: 'size', count: 12 });
    expect(found.moments.fields[0].mean).toBeCloseTo(5.5, 12);
    expect(found.moments.fields[0].variance).toBeCloseTo(13, 12);
    expect(found.moments.fields[0].correlation.price).toBeCloseTo(1, 12);
    expect(found.test.value).toBeLessThan(0.01);
    expect(found.days.buckets[0].each.value).toBeCloseTo(12 / 31, 12);
    expect(found.days.buckets[0].values.value).toBe(66 * 12);
  });
});

describe('limits', () => {
  it('refuse matrix_stats of more than 500 fields, whose pairs each bucket keeps', async () => {
    const asked = (count: number): Promise<{ status: number; text: string }> =>
      node.post('/left,right/_search', {
        size: 0,
        aggs: { m: { matrix_stats: { fields: Array(count).fill('size') } } },
      });
    expect((await asked(500)).status).toBe(200);
    const answer = await asked(501);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('[fields] of [m] names [501] fields, but may name [500] at most');
  });

  it('refuse aggregations that take too much memory', async () => {
    const limit = (bytes: string | null): Promise<unknown> =>
      node.put('/_cluster/settings', { persistent: { 'indices.breaker.request.limit': bytes } });
    await limit('1kb');
    const answer = await node.post('/left,right/_search', { aggs: { t: { terms: { field: 'size' } } } });
    await limit(null);
    expect(answer.status).toBe(429);
    expect(answer.json().error.root_cause[0].type).toBe('circuit_breaking_exception');
    expect(answer.json().error.root_cause[0].reason).toContain('which is larger than the limit of [1024/1kb]');
  });
});
