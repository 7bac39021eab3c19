/** Aggregations. */
import { list, named, searching, type Probe } from './probe.js';

const SIBLINGS: Readonly<Record<string, (at: number) => unknown>> = {
  terms: () => ({ terms: { field: 'k' } }),
  'terms of a number': () => ({ terms: { field: 'n' } }),
  sum: () => ({ sum: { field: 'n' } }),
  percentiles: () => ({ percentiles: { field: 'n' } }),
  cardinality: () => ({ cardinality: { field: 'k' } }),
  histogram: () => ({ histogram: { field: 'n', interval: 10 } }),
  date_histogram: () => ({ date_histogram: { field: 'd', calendar_interval: 'month' } }),
  filter: (at) => ({ filter: { term: { k: `v${at}` } } }),
  top_hits: () => ({ top_hits: { size: 1 } }),
  significant_terms: () => ({ significant_terms: { field: 'k' } }),
  nested: () => ({ nested: { path: 'o' }, aggs: { k: { terms: { field: 'o.k' } } } }),
  global: () => ({ global: {} }),
  composite: () => ({ composite: { sources: [{ k: { terms: { field: 'k' } } }] } }),
  'script of a metric': (at) => ({ sum: { script: `doc['n'].value + ${at}` } }),
  'sum_bucket of one': () => ({ sum_bucket: { buckets_path: 'base>s' } }),
};

const siblings = Object.entries(SIBLINGS).map(([name, made]) =>
  searching(`siblings: ${name}`, (n) => ({
    size: 0,
    aggs: { base: { terms: { field: 'k' }, aggs: { s: { sum: { field: 'n' } } } }, ...named(n, made) },
  })),
);

const below = (name: string, made: (n: number) => unknown): Probe =>
  searching(name, (n) => ({ size: 0, aggs: { base: { terms: { field: 'k', size: 5 }, aggs: made(n) } } }));

const ofOne: readonly Probe[] = [
  below('below terms: sums', (n) => named(n, () => ({ sum: { field: 'n' } }))),
  below('below terms: bucket_scripts', (n) => ({
    s: { sum: { field: 'n' } },
    ...named(n, () => ({ bucket_script: { buckets_path: { s: 's' }, script: 'params.s + 1' } })),
  })),
  below('below terms: a chain of bucket_scripts', (n) => ({
    p: { sum: { field: 'n' } },
    ...named(n, (at) => ({
      bucket_script: { buckets_path: { s: at === 0 ? 'p' : `p${at - 1}` }, script: 'params.s + 1' },
    })),
  })),
  below('below terms: a chain of bucket_scripts, backwards', (n) => ({
    p: { sum: { field: 'n' } },
    ...named(n, (at) => ({
      bucket_script: { buckets_path: { s: at === n - 1 ? 'p' : `p${at + 1}` }, script: 'params.s + 1' },
    })),
  })),
  below('bucket_script, paths', (n) => ({
    s: { sum: { field: 'n' } },
    b: { bucket_script: { buckets_path: named(n, () => 's'), script: 'params.p0' } },
  })),
  below('bucket_sort, sorts', (n) => ({
    s: { sum: { field: 'n' } },
    b: { bucket_sort: { sort: list(n, () => ({ s: 'desc' })) } },
  })),
  searching('terms, orders', (n) => ({
    size: 0,
    aggs: { a: { terms: { field: 'k', order: list(n, () => ({ s: 'desc' })) }, aggs: { s: { sum: { field: 'n' } } } } },
  })),
  searching('terms, include', (n) => ({
    size: 0,
    aggs: { a: { terms: { field: 'k', include: list(n, (at) => `v${at}`) } } },
  })),
  searching('terms, include, alternatives', (n) => ({
    size: 0,
    aggs: { a: { terms: { field: 'k', include: list(n, (at) => `v${at}`).join('|') } } },
  })),
  searching('filters', (n) => ({
    size: 0,
    aggs: { a: { filters: { filters: named(n, (at) => ({ term: { k: `v${at}` } })) } } },
  })),
  searching('filters, below', (n) => ({
    size: 0,
    aggs: { a: { filters: { filters: named(n, () => ({ match_all: {} })) }, aggs: { s: { terms: { field: 'k' } } } } },
  })),
  searching('adjacency_matrix', (n) => ({
    size: 0,
    aggs: { a: { adjacency_matrix: { filters: named(n, (at) => ({ term: { k: `v${at}` } })) } } },
  })),
  searching('range, ranges', (n) => ({
    size: 0,
    aggs: { a: { range: { field: 'n', ranges: list(n, (at) => ({ from: at, to: at + 1 })) } } },
  })),
  searching('range, overlapping ranges', (n) => ({
    size: 0,
    aggs: { a: { range: { field: 'n', ranges: list(n, (at) => ({ from: -at, to: at + 1 })) } } },
  })),
  searching('date_range, ranges', (n) => ({
    size: 0,
    aggs: { a: { date_range: { field: 'd', ranges: list(n, (at) => ({ from: `now-${at + 1}d/d` })) } } },
  })),
  searching('ip_range, ranges', (n) => ({
    size: 0,
    aggs: { a: { ip_range: { field: 'i', ranges: list(n, (at) => ({ from: `10.0.${at >> 8}.${at & 255}` })) } } },
  })),
  searching('geo_distance, ranges', (n) => ({
    size: 0,
    aggs: { a: { geo_distance: { field: 'g', origin: '1,1', ranges: list(n, (at) => ({ from: at, to: at + 1 })) } } },
  })),
  searching('composite, sources', (n) => ({
    size: 0,
    aggs: { a: { composite: { sources: list(n, (at) => ({ [`s${at}`]: { terms: { field: `f${at}.k` } } })) } } },
  })),
  searching('multi_terms, terms', (n) => ({
    size: 0,
    aggs: { a: { multi_terms: { terms: list(n, (at) => ({ field: `f${at}.k` })) } } },
  })),
  searching('matrix_stats, fields', (n) => ({
    size: 0,
    aggs: { a: { matrix_stats: { fields: list(n, () => 'n') } } },
  })),
  searching('percentiles, percents', (n) => ({
    size: 0,
    aggs: { a: { percentiles: { field: 'n', percents: list(n, (at) => (100 * at) / n) } } },
  })),
  searching('percentile_ranks, values', (n) => ({
    size: 0,
    aggs: { a: { percentile_ranks: { field: 'n', values: list(n, (at) => at) } } },
  })),
  searching('top_metrics, metrics', (n) => ({
    size: 0,
    aggs: { a: { top_metrics: { metrics: list(n, () => ({ field: 'n' })), sort: 'n' } } },
  })),
  searching(
    'histogram, buckets',
    (n) => ({
      size: 0,
      aggs: { a: { histogram: { field: 'n', interval: 1, extended_bounds: { min: 0, max: n } } } },
    }),
    60_000,
  ),
  searching(
    'histogram, moving_fn',
    (n) => ({
      size: 0,
      aggs: {
        a: {
          histogram: { field: 'n', interval: 1, extended_bounds: { min: 0, max: n } },
          aggs: { m: { moving_fn: { buckets_path: '_count', window: 10, script: 'MovingFunctions.sum(values)' } } },
        },
      },
    }),
    30_000,
  ),
  searching(
    'histogram, cumulative_sum and derivative',
    (n) => ({
      size: 0,
      aggs: {
        a: {
          histogram: { field: 'n', interval: 1, extended_bounds: { min: 0, max: n } },
          aggs: { c: { cumulative_sum: { buckets_path: '_count' } }, d: { derivative: { buckets_path: 'c' } } },
        },
      },
    }),
    30_000,
  ),
  searching(
    'histogram, percentiles_bucket',
    (n) => ({
      size: 0,
      aggs: {
        a: { histogram: { field: 'n', interval: 1, extended_bounds: { min: 0, max: n } } },
        p: { percentiles_bucket: { buckets_path: 'a>_count' } },
      },
    }),
    60_000,
  ),
  searching('significant_text, exclude', (n) => ({
    size: 0,
    aggs: { a: { significant_text: { field: 't', exclude: list(n, (at) => `w${at}`) } } },
  })),
  searching('weighted and scripted params', (n) => ({
    size: 0,
    aggs: {
      a: {
        scripted_metric: {
          params: named(n, String),
          init_script: 'state.x = 0',
          map_script: 'state.x += 1',
          combine_script: 'return state.x',
          reduce_script: 'return states',
        },
      },
    },
  })),
];

export const aggregationProbes: readonly Probe[] = [...siblings, ...ofOne];
