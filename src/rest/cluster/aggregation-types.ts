/** The aggregations that searches may name, each with the kinds of values that it works on. */
import type { JsonObject } from '../../base/json-value.js';
import { AGGREGATION_PARSERS } from '../../search/aggs/aggregation-parsers.js';

const ANY = ['boolean', 'bytes', 'date', 'ip', 'numeric'];
const NUMBERS = ['boolean', 'date', 'numeric'];

/** What is not listed takes no values of its own. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  avg: NUMBERS,
  cardinality: ANY,
  date_histogram: NUMBERS,
  date_range: NUMBERS,
  extended_stats: NUMBERS,
  histogram: NUMBERS,
  max: NUMBERS,
  min: NUMBERS,
  missing: ANY,
  range: NUMBERS,
  stats: NUMBERS,
  sum: NUMBERS,
  terms: ANY,
  value_count: ANY,
};

export function aggregationTypes(): JsonObject {
  const names = [...AGGREGATION_PARSERS.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, { types: VALUES[name] ?? ['other'] }]));
}
