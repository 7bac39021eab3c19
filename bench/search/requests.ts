/**
 * Named searches of the kinds that Rally's tracks geonames and http_logs send, and more of prose and flights.
 *
 * `matches` says which documents a request finds, by the plainest means; it is absent where that would need an analyzer, and answers are
 * then held against the peer's alone.
 */
import type { CorpusName } from '../corpus.js';
import { cardinalityOf, percentilesOf, type Document, type Estimate } from './estimates.js';

export interface NamedSearch {
  readonly name: string;
  readonly corpus: CorpusName;
  readonly body: object;
  readonly matches?: (document: Document) => boolean;
  /** Of searches whose aggregations are estimates: these are held against the documents, not against the peer's estimates. */
  readonly estimate?: Estimate;
}

export const mappings: Readonly<Record<CorpusName, object>> = {
  logs: {
    '@timestamp': { type: 'date' },
    clientip: { type: 'keyword' },
    request: { type: 'text', fields: { raw: { type: 'keyword', ignore_above: 256 } } },
    status: { type: 'integer' },
    size: { type: 'long' },
  },
  cities: {
    id: { type: 'long' },
    name: { type: 'text', fields: { raw: { type: 'keyword' } } },
    country_code: { type: 'keyword' },
    country: { type: 'text', fields: { raw: { type: 'keyword' } } },
    timezone: { type: 'keyword' },
    population: { type: 'long' },
  },
  wiki: {
    title: { type: 'text' },
    body: { type: 'text' },
    category: { type: 'keyword' },
    chars: { type: 'integer' },
  },
  flights: {
    '@timestamp': { type: 'date' },
    carrier: { type: 'keyword' },
    origin: { type: 'keyword' },
    dest: { type: 'keyword' },
    dep_delay: { type: 'integer' },
    air_time: { type: 'integer' },
    distance: { type: 'integer' },
  },
};

const all = (): boolean => true;
const number = (value: unknown): number => (typeof value === 'number' ? value : NaN);
const agg = (aggregation: object): object => ({ size: 0, aggs: { a: aggregation } });
const inner = (outer: object, aggregation: object): object => agg({ ...outer, aggs: { b: aggregation } });
const hourly = { date_histogram: { field: '@timestamp', fixed_interval: '1h' } };

function logs(name: string, body: object, matches?: NamedSearch['matches'], estimate?: Estimate): NamedSearch {
  return search('logs', name, body, matches, estimate);
}

function search(
  corpus: CorpusName,
  name: string,
  body: object,
  matches?: NamedSearch['matches'],
  estimate?: Estimate,
): NamedSearch {
  return {
    corpus,
    name,
    body,
    ...(matches === undefined ? {} : { matches }),
    ...(estimate === undefined ? {} : { estimate }),
  };
}

const LOGS: readonly NamedSearch[] = [
  logs('default', { query: { match_all: {} } }, all),
  logs('term', { query: { term: { status: 404 } } }, ({ status }) => status === 404),
  logs('match', { query: { match: { request: 'gif' } } }),
  logs('status-in-range', { query: { range: { status: { gte: 200, lt: 300 } } } }, ({ status }) => {
    return number(status) >= 200 && number(status) < 300;
  }),
  logs(
    'bool-filters',
    { query: { bool: { filter: [{ term: { status: 200 } }, { range: { size: { gte: 10_000 } } }] } } },
    ({ status, size }) => status === 200 && number(size) >= 10_000,
  ),
  logs('sort-timestamp-descending', { sort: [{ '@timestamp': 'desc' }] }, all),
  logs('sort-timestamp-ascending', { sort: [{ '@timestamp': 'asc' }] }, all),
  logs('sort-size-descending', { sort: [{ size: 'desc' }] }, all),
  logs('hourly', agg(hourly), all),
  logs('hourly-average', inner(hourly, { avg: { field: 'size' } }), all),
  logs('terms-of-clients', agg({ terms: { field: 'clientip', size: 10 } }), all),
  logs('terms-of-requests', agg({ terms: { field: 'request.raw', size: 10 } }), all),
  logs('terms-with-stats', inner({ terms: { field: 'status', size: 10 } }, { stats: { field: 'size' } }), all),
  logs('percentiles', agg({ percentiles: { field: 'size', percents: [50, 90, 99] } }), all, percentilesOf('size')),
  logs('cardinality', agg({ cardinality: { field: 'clientip' } }), all, cardinalityOf('clientip')),
];

const CITIES: readonly NamedSearch[] = [
  // OpenSearch 3 gives every match in a keyword field the score 1, Elasticsearch and Quarry that of the word.
  search(
    'cities',
    'term',
    { query: { constant_score: { filter: { term: { country_code: 'AT' } } } } },
    ({ country_code: code }) => code === 'AT',
  ),
  search('cities', 'phrase', { query: { match_phrase: { name: 'san juan' } } }),
  search('cities', 'fuzzy', { query: { fuzzy: { name: { value: 'santiago', fuzziness: 1 } } } }),
  search('cities', 'prefix', { query: { prefix: { 'name.raw': 'San' } } }, ({ name }) =>
    String(name).startsWith('San'),
  ),
  search('cities', 'wildcard', { query: { wildcard: { 'name.raw': '*ville' } } }, ({ name }) =>
    String(name).endsWith('ville'),
  ),
  search(
    'cities',
    'country-populations',
    inner({ terms: { field: 'country.raw', size: 300 } }, { sum: { field: 'population' } }),
    all,
  ),
  search('cities', 'sort-population', { sort: [{ population: 'desc' }], query: { match_all: {} } }, all),
  search(
    'cities',
    'timezones-of-large',
    { ...agg({ terms: { field: 'timezone', size: 10 } }), query: { range: { population: { gte: 10_000 } } } },
    ({ population }) => number(population) >= 10_000,
  ),
  search('cities', 'population-as-score', {
    query: {
      function_score: {
        query: { match: { name: 'new' } },
        field_value_factor: { field: 'population', modifier: 'log1p', missing: 1 },
      },
    },
  }),
];

const WIKI: readonly NamedSearch[] = [
  search('wiki', 'one-word', { query: { match: { body: 'particle' } } }),
  search('wiki', 'four-words', { query: { match: { body: 'history of quantum physics' } } }),
  search('wiki', 'all-words', { query: { match: { body: { query: 'president united states', operator: 'and' } } } }),
  search('wiki', 'phrase', { query: { match_phrase: { body: 'the united states' } } }),
  search('wiki', 'bool-with-filter', {
    query: {
      bool: {
        must: [{ match: { body: 'music' } }],
        should: [{ match: { title: 'album' } }],
        filter: [{ range: { chars: { gte: 1_000 } } }],
      },
    },
  }),
  search('wiki', 'multi-match', { query: { multi_match: { query: 'world war', fields: ['title^2', 'body'] } } }),
  search('wiki', 'highlight', { query: { match: { body: 'ancient rome' } }, highlight: { fields: { body: {} } } }),
];

const FLIGHTS: readonly NamedSearch[] = [
  search(
    'flights',
    'histogram-of-distances',
    inner({ histogram: { field: 'distance', interval: 250 } }, { avg: { field: 'dep_delay' } }),
    all,
  ),
  search(
    'flights',
    'carriers-by-month',
    inner({ date_histogram: { field: '@timestamp', calendar_interval: 'month' } }, { terms: { field: 'carrier' } }),
    all,
  ),
  search(
    'flights',
    'ranges-of-delays',
    inner(
      { range: { field: 'dep_delay', ranges: [{ to: 0 }, { from: 0, to: 15 }, { from: 15 }] } },
      { extended_stats: { field: 'air_time' } },
    ),
    all,
  ),
  search(
    'flights',
    'composite',
    agg({
      composite: { size: 100, sources: [{ o: { terms: { field: 'origin' } } }, { d: { terms: { field: 'dest' } } }] },
    }),
    all,
  ),
];

export const searches: readonly NamedSearch[] = [...LOGS, ...CITIES, ...WIKI, ...FLIGHTS];
