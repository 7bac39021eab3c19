import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/base/json-value.js';
import { parse, parseText, refusalOr } from './helpers.js';

function kind(body: JsonValue): unknown {
  return refusalOr(() => parse({ aggs: { a: body } }).aggregations?.[0]?.kind);
}

describe('top_hits', () => {
  it('takes what a search says of its hits', () => {
    const body = {
      from: 2,
      size: 5,
      sort: [{ n: 'desc' }, '_score'],
      track_scores: true,
      _source: ['a*'],
      docvalue_fields: ['n'],
      stored_fields: ['s'],
      version: true,
      seq_no_primary_term: true,
    };
    expect(kind({ top_hits: body })).toEqual({
      top_hits: {
        from: 2,
        size: 5,
        sort: [{ field: { field: 'n', order: 'desc', missing: 'last' } }, { score: { order: 'desc' } }],
        track_scores: true,
        fetch: {
          source: { enabled: true, includes: ['a*'] },
          docvalue_fields: [{ field: 'n' }],
          stored_fields: ['s'],
          no_stored_fields: false,
          version: true,
          seq_no_primary_term: true,
        },
      },
    });
  });

  it('shows three hits with their source by default', () => {
    expect(kind({ top_hits: {} })).toEqual({
      top_hits: { from: 0, size: 3, sort: [], track_scores: false, fetch: { source: { enabled: true } } },
    });
  });

  it('refuses a window that is too large, with the setting that bounds it', () => {
    expect(kind({ top_hits: { from: 90, size: 11 } })).toBe(
      "illegal_argument_exception: Top hits result window is too large, the top hits aggregator [a]'s from + size must " +
        'be less than or equal to: [100] but was [101]. This limit can be set by changing the ' +
        '[index.max_inner_result_window] index level setting.',
    );
    const wide = () =>
      parseText('{"aggs":{"a":{"top_hits":{"from":90,"size":11}}}}', {}, { maxInnerResultWindow: 101 });
    expect(wide).not.toThrow();
  });

  it.each([
    [{ size: -1 }, 'illegal_argument_exception: [size] must be greater than or equal to 0. Found [-1] in [a]'],
    [{ from: -2 }, 'illegal_argument_exception: [from] must be greater than or equal to 0. Found [-2] in [a]'],
    [{ explain: true }, 'illegal_argument_exception: [explain] is not supported'],
    [{ sizes: 3 }, 'parsing_exception: Unknown key for a VALUE_NUMBER in [sizes].'],
    [
      { stored_fields: '_none_', _source: true },
      'illegal_argument_exception: [stored_fields] cannot be disabled if [_source] is requested',
    ],
  ])('refuses %j', (body, refusal) => {
    expect(kind({ top_hits: body })).toBe(refusal);
  });

  it('has no aggregations below it', () => {
    expect(kind({ top_hits: {}, aggs: { b: { max: { field: 'n' } } } })).toBe(
      'aggregation_initialization_exception: Aggregator [a] of type [top_hits] cannot accept sub-aggregations',
    );
  });
});

describe('global', () => {
  it('stands at the top level only', () => {
    expect(kind({ global: {} })).toEqual({ global: {} });
    expect(kind({ missing: { field: 'f' }, aggs: { g: { global: {} } } })).toBe(
      'illegal_argument_exception: Aggregation [a] cannot have a global sub-aggregation [g]. Global aggregations can only ' +
        'be defined as top level aggregations',
    );
  });

  it('has no options', () => {
    expect(kind({ global: { field: 'f' } })).toMatch(/\[global\] unknown field \[field\]/);
  });
});

describe('terms', () => {
  const include = (selection: JsonValue, more: Record<string, JsonValue> = {}): unknown =>
    kind({ terms: { field: 'f', include: selection, ...more } });

  it('takes one of several partitions', () => {
    expect(include({ partition: 1, num_partitions: 4 })).toMatchObject({
      terms: { include: { partition: { partition: 1, partitions: 4 } } },
    });
  });

  it.each([
    [{ num_partitions: 2 }, 'illegal_argument_exception: Missing [partition] parameter for partition-based include'],
    [{ partition: 0 }, 'illegal_argument_exception: Missing [num_partitions] parameter for partition-based include'],
    [
      { partition: 2, num_partitions: 2 },
      'illegal_argument_exception: Partition must be >=0 and < numPartition which is 2',
    ],
    [
      { partition: -1, num_partitions: 2 },
      'illegal_argument_exception: Partition must be >=0 and < numPartition which is 2',
    ],
    [{ part: 1 }, 'parse_exception: Unknown parameter in Include/Exclude clause: part'],
    [true, 'illegal_argument_exception: Unrecognized token for an include [VALUE_BOOLEAN]'],
  ])('refuses to include %j', (selection, refusal) => {
    expect(include(selection)).toBe(refusal);
  });

  it('refuses excludes beside a partition, and a partition to exclude', () => {
    expect(include({ partition: 0, num_partitions: 2 }, { exclude: 'a' })).toBe(
      'illegal_argument_exception: Cannot specify any excludes when using a partition-based include',
    );
    expect(kind({ terms: { field: 'f', exclude: { partition: 0, num_partitions: 2 } } })).toBe(
      'illegal_argument_exception: Unrecognized token for an exclude [START_OBJECT]',
    );
  });

  it('refuses a regular expression that is too long', () => {
    expect(include('a'.repeat(1001))).toBe(
      'illegal_argument_exception: The length of regex [1001] used in the request has exceeded the allowed maximum of ' +
        '[1000]. This maximum can be set by changing the [index.max_regex_length] index level setting.',
    );
  });
});

describe('value_type', () => {
  it('says what a field that is not mapped is taken for', () => {
    const type = (name: string): unknown => kind({ terms: { field: 'f', value_type: name } });
    expect(type('date')).toMatchObject({ terms: { source: { field: 'f', value_type: 'date' } } });
    for (const name of ['byte', 'long', 'float', 'double', 'number', 'numeric']) {
      expect(type(name)).toMatchObject({ terms: { source: { value_type: 'number' } } });
    }
    expect(type('text')).toBe('illegal_argument_exception: Unknown value type [text]');
  });
});

describe('weighted_avg', () => {
  it('takes two fields', () => {
    const body = { value: { field: 'v', missing: 1 }, weight: { field: 'w' }, format: '0.0' };
    expect(kind({ weighted_avg: body })).toEqual({
      weighted_avg: { value: { field: 'v', missing: 1, format: '0.0' }, weight: { field: 'w' } },
    });
  });

  it.each([
    [{ weight: { field: 'w' } }, /\[value\] is required in \[a\]/],
    [{ value: { field: 'v' } }, /\[weight\] is required in \[a\]/],
    [{ value: {}, weight: { field: 'w' } }, /Required one of fields \[field, script\], but none were specified/],
    [{ value: { field: 'v', format: 'x' }, weight: { field: 'w' } }, /\[value\] unknown field \[format\]/],
  ])('refuses %j', (body, refusal) => {
    expect(kind({ weighted_avg: body })).toMatch(refusal);
  });
});

describe('percentiles', () => {
  it('has percents of its own, sorts others, and takes a compression', () => {
    expect(kind({ percentiles: { field: 'f' } })).toEqual({
      percentiles: { source: { field: 'f' }, keys: [1, 5, 25, 50, 75, 95, 99], keyed: true, compression: 100 },
    });
    const body = { field: 'f', percents: [95, 5.5], keyed: false, tdigest: { compression: 200 } };
    expect(kind({ percentiles: body })).toEqual({
      percentiles: { source: { field: 'f' }, keys: [5.5, 95], keyed: false, compression: 200 },
    });
  });

  it.each([
    [{ percents: [] }, /illegal_argument_exception: \[percents\] must not be an empty array: \[a\]/],
    [{ percents: null }, /\[percents\] must be an array of numbers but was \[VALUE_NULL\]/],
    [{ percents: ['foo'] }, /x_content_parse_exception: .*\[percentiles\] failed to parse field \[percents\]/],
    [{ percents: [101] }, /percent must be in \[0,100\], got \[101.0\]: \[a\]/],
    [{ tdigest: { compression: -1 } }, /\[compression\] must be greater than or equal to 0. Found \[-1.0\] in \[a\]/],
    [{ hdr: { number_of_significant_value_digits: 6 } }, /must be between 0 and 5: \[a\]/],
  ])('refuses %j', (body, refusal) => {
    expect(kind({ percentiles: { field: 'f', ...body } })).toMatch(refusal);
  });

  it('asks ranks of values', () => {
    expect(kind({ percentile_ranks: { field: 'f', values: [3, 1] } })).toMatchObject({
      percentile_ranks: { keys: [1, 3] },
    });
    expect(kind({ percentile_ranks: { field: 'f' } })).toBe(
      'illegal_argument_exception: [values] must not be null: [a]',
    );
  });
});

describe('median_absolute_deviation', () => {
  it('takes a compression above zero', () => {
    expect(kind({ median_absolute_deviation: { field: 'f' } })).toEqual({
      median_absolute_deviation: { source: { field: 'f' }, compression: 1000 },
    });
    expect(kind({ median_absolute_deviation: { field: 'f', compression: 0 } })).toBe(
      'illegal_argument_exception: [compression] must be greater than 0. Found [0.0] in [a]',
    );
  });
});

describe('values that are no numbers', () => {
  it('fail as members of their aggregation', () => {
    expect(kind({ extended_stats: { field: 'f', sigma: 'foo' } })).toMatch(
      /^x_content_parse_exception: .*\[extended_stats\] failed to parse field \[sigma\]/,
    );
  });
});
