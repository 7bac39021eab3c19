import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/base/json-value.js';
import { parse, refusalOr } from './helpers.js';

const HISTOGRAM = { histogram: { field: 'n', interval: 5 } };

function plans(aggs: JsonValue): unknown {
  return refusalOr(() => parse({ aggs }).aggregations);
}

function below(aggs: JsonValue, parent: Record<string, JsonValue> = HISTOGRAM): unknown {
  return refusalOr(() => parse({ aggs: { h: { ...parent, aggs } } }).aggregations?.[0]?.aggs.at(-1)?.kind);
}

describe('pipelines', () => {
  it('read paths, gap policies and formats', () => {
    const sum = { s: { sum: { field: 'd' } } };
    expect(below({ ...sum, p: { derivative: { buckets_path: 's.value', unit: '1d', format: '0.0' } } })).toEqual({
      pipeline: {
        derivative: { input: { path: ['s', 'value'], gaps: 'skip', format: '0.0' }, unit: 86_400_000 },
      },
    });
    expect(below({ p: { serial_diff: { buckets_path: '_count', lag: 2, gap_policy: 'insert_zeros' } } })).toEqual({
      pipeline: { serial_diff: { input: { path: ['_count'], gaps: 'insert_zeros' }, lag: 2 } },
    });
    expect(below({ p: { cumulative_sum: { buckets_path: ['_count'] } } })).toEqual({
      pipeline: { cumulative_sum: { path: ['_count'], gaps: 'skip' } },
    });
  });

  it('are computed behind what they stand on', () => {
    const level = {
      second: { derivative: { buckets_path: 'first' } },
      first: { cumulative_sum: { buckets_path: 's' } },
      s: { sum: { field: 'd' } },
    };
    const parsed = parse({ aggs: { h: { ...HISTOGRAM, aggs: level } } });
    expect(parsed.aggregations?.[0]?.aggs.map(({ name }) => name)).toEqual(['s', 'first', 'second']);
  });

  it('may stand on each other in a chain of thousands', () => {
    const count = 5_000;
    const chain = Array.from({ length: count }, (_, at): [string, JsonValue] => [
      `p${at}`,
      { cumulative_sum: { buckets_path: at === count - 1 ? '_count' : `p${at + 1}` } },
    ]);
    const level = (more: Record<string, JsonValue>): JsonValue => ({ ...Object.fromEntries(chain), ...more });
    const parsed = parse({ aggs: { h: { ...HISTOGRAM, aggs: level({}) } } });
    const names = parsed.aggregations?.[0]?.aggs.map(({ name }) => name);
    expect(names).toEqual(chain.map(([name]) => name).reverse());
    const ring = { [`p${count - 1}`]: { cumulative_sum: { buckets_path: 'p0' } } };
    expect(below(level(ring) as Record<string, JsonValue>)).toContain(
      'Cyclical dependency found with pipeline aggregator [p0]',
    );
  });

  it('hand scripts down unread', () => {
    const script = { source: 'MovingFunctions.ewma(values, params.a)', params: { a: 0.5 } };
    const plan = { source: script.source, params: '{"a":0.5}' };
    expect(below({ p: { moving_fn: { buckets_path: '_count', window: 10, script } } })).toEqual({
      pipeline: {
        moving_fn: { input: { path: ['_count'], gaps: 'skip' }, window: 10, shift: 0, script: plan },
      },
    });
    const buckets_path = { c: '_count' };
    expect(
      below({ p: { bucket_script: { buckets_path, script, gap_policy: 'insert_zeros', format: '0.0' } } }),
    ).toEqual({
      pipeline: {
        bucket_script: {
          inputs: [{ name: 'c', path: ['_count'] }],
          gaps: 'insert_zeros',
          format: '0.0',
          script: plan,
        },
      },
    });
  });

  it.each<[JsonValue, string]>([
    [
      { p: { derivative: { buckets_path: '_count' } } },
      'action_request_validation_exception: Validation Failed: 1: derivative aggregation [p] must have a histogram, ' +
        "date_histogram or auto_date_histogram as parent but doesn't have a parent;",
    ],
    [
      { t: { terms: { field: 'k' }, aggs: { p: { cumulative_sum: { buckets_path: '_count' } } } } },
      'action_request_validation_exception: Validation Failed: 1: cumulative_sum aggregation [p] must have a histogram, ' +
        'date_histogram or auto_date_histogram as parent;',
    ],
    [
      {
        h: {
          histogram: { field: 'n', interval: 1, min_doc_count: 1 },
          aggs: { p: { serial_diff: { buckets_path: '_count' } } },
        },
      },
      'action_request_validation_exception: Validation Failed: 1: parent histogram of serial_diff aggregation [p] must ' +
        'have min_doc_count of 0;',
    ],
    [
      { p: { bucket_sort: { size: 1 } } },
      'action_request_validation_exception: Validation Failed: 1: bucket_sort aggregation [p] must be declared inside of ' +
        'another aggregation;',
    ],
    [
      { p: { max_bucket: { buckets_path: 'none>x' } } },
      'action_request_validation_exception: Validation Failed: 1: buckets_path aggregation does not exist for aggregation ' +
        '[p]: none>x;',
    ],
    [
      { h: { ...HISTOGRAM, aggs: { p: { derivative: { buckets_path: 'none' } } } } },
      'illegal_argument_exception: No aggregation found for path [none]',
    ],
    [
      {
        h: {
          ...HISTOGRAM,
          aggs: { a: { derivative: { buckets_path: 'b' } }, b: { derivative: { buckets_path: 'a' } } },
        },
      },
      'illegal_argument_exception: Cyclical dependency found with pipeline aggregator [a]',
    ],
    [
      { h: HISTOGRAM, p: { avg_bucket: { buckets_path: 'h', gap_policy: 'none' } } },
      'parsing_exception: Invalid gap policy: [none], accepted values: [insert_zeros, skip, keep_values]',
    ],
    [
      { h: HISTOGRAM, p: { avg_bucket: { buckets_path: 'h>_count' }, aggs: { s: { sum: { field: 'n' } } } } },
      'illegal_argument_exception: Aggregation [p] cannot define sub-aggregations',
    ],
    [
      { h: { ...HISTOGRAM, aggs: { p: { bucket_script: { buckets_path: {} } } } } },
      'parsing_exception: Missing required field [script] for bucket_script aggregation [p]',
    ],
  ])('refuse %j', (aggs, refusal) => {
    expect(plans(aggs)).toBe(refusal);
  });
});

describe('composite', () => {
  const source = (name: string): JsonValue => ({ [name]: { terms: { field: name } } });

  it('orders missing values as it orders the others', () => {
    const composite = {
      size: 5,
      sources: [
        source('a'),
        { b: { terms: { field: 'b', order: 'desc', missing_bucket: true } } },
        { c: { histogram: { field: 'c', interval: 2, missing_bucket: true, missing_order: 'last' } } },
        { d: { date_histogram: { field: 'd', calendar_interval: '1M', offset: '+1d', format: 'yyyy' } } },
      ],
      after: { a: 'x', b: null, c: 4, d: '2020' },
    };
    const plan = parse({ aggs: { c: { composite } } }).aggregations?.[0]?.kind;
    expect(plan).toEqual({
      composite: {
        size: 5,
        sources: [
          {
            name: 'a',
            source: { field: 'a' },
            keys: 'terms',
            ascending: true,
            missing_bucket: false,
            missing_first: true,
          },
          {
            name: 'b',
            source: { field: 'b' },
            keys: 'terms',
            ascending: false,
            missing_bucket: true,
            missing_first: false,
          },
          {
            name: 'c',
            source: { field: 'c' },
            keys: { histogram: { interval: 2 } },
            ascending: true,
            missing_bucket: true,
            missing_first: false,
          },
          {
            name: 'd',
            source: { field: 'd', format: 'yyyy' },
            keys: { date_histogram: { interval: { calendar: 'month' }, offset_ms: 86_400_000 } },
            ascending: true,
            missing_bucket: false,
            missing_first: true,
          },
        ],
        after: ['x', null, 4, '2020'],
      },
    });
  });

  it.each<[JsonValue, string]>([
    [{ size: 1 }, 'illegal_argument_exception: Required [sources]'],
    [{ sources: [] }, 'illegal_argument_exception: Composite [sources] cannot be null or empty'],
    [
      { sources: [source('a'), source('a')] },
      'illegal_argument_exception: Composite source names must be unique, found duplicates: [a]',
    ],
    [
      { sources: [source('a'), source('b')], after: { a: 1 } },
      'illegal_argument_exception: [after] has 1 value(s) but [sources] has 2',
    ],
    [{ sources: [source('a')], after: { b: 1 } }, 'illegal_argument_exception: Missing value for [after.a]'],
  ])('refuses %j', (composite, refusal) => {
    expect(plans({ c: { composite } })).toBe(refusal);
  });

  it('lies in single buckets only', () => {
    const aggs = { c: { composite: { sources: [source('a')] } } };
    expect(below(aggs, { filter: { match_all: {} } })).toHaveProperty('composite');
    expect(below(aggs, { terms: { field: 'k' } })).toBe(
      'illegal_argument_exception: [composite] aggregation cannot be used with a parent aggregation of type: ' +
        '[TermsAggregatorFactory]',
    );
  });
});

describe('what other aggregations take', () => {
  it.each<[JsonValue, unknown]>([
    [
      { ip_range: { field: 'a', ranges: [{ mask: '10.0.0.0/8' }, { from: '::1' }] } },
      { ip_range: { source: { field: 'a' }, ranges: [{ mask: '10.0.0.0/8' }, { from: '::1' }], keyed: false } },
    ],
    [
      { auto_date_histogram: { field: 't', minimum_interval: 'day' } },
      { auto_date_histogram: { source: { field: 't' }, buckets: 10, minimum_unit: 3 } },
    ],
    [{ sampler: {} }, { sampler: { shard_size: 100 } }],
    [{ string_stats: { field: 'k' } }, { string_stats: { source: { field: 'k' }, show_distribution: false } }],
    [{ rare_terms: { field: 'k', max_doc_count: 2 } }, { rare_terms: { source: { field: 'k' }, max_doc_count: 2 } }],
    [
      { percentiles: { field: 'n', percents: [50], hdr: { number_of_significant_value_digits: 2 } } },
      { percentiles: { source: { field: 'n' }, keys: [50], keyed: true, compression: 100, hdr_digits: 2 } },
    ],
    [
      { matrix_stats: { fields: ['a', 'b'], missing: { a: 1 } } },
      { matrix_stats: { sources: [{ field: 'a', missing: 1 }, { field: 'b' }], mode: 'avg' } },
    ],
    [
      { percentiles: { field: 'n', hdr: {}, tdigest: {} } },
      'illegal_argument_exception: Only one percentiles method type should be declared.',
    ],
    [
      { multi_terms: { terms: [{ field: 'a' }] } },
      'illegal_argument_exception: The [terms] parameter in the aggregation [a] must be present and have at least 2 fields or scripts.',
    ],
    [
      { rate: { unit: 'day' } },
      'illegal_argument_exception: The rate aggregation [a] can only be used inside a date histogram or composite aggregation',
    ],
    [
      { ip_prefix: { field: 'a', prefix_length: 33 } },
      'illegal_argument_exception: [prefix_length] must be in range [0, 32] while value is [33] in [a]',
    ],
  ])('%j', (body, plan) => {
    expect(refusalOr(() => parse({ aggs: { a: body } }).aggregations?.[0]?.kind)).toEqual(plan);
  });
});
