/**
 * What idle processors bring to a search that takes long: the same searches with one thread, and with all that are idle, one client and nothing beside it. Two nodes
 * have the same index; they are asked one after the other, and their answers must be the same.
 */
import { Client } from 'undici';
import { bulkBodies, call, mergeToOne } from './bulk-load.js';
import { logFields, readCorpus, type Corpus } from './corpus.js';
import { quantile } from './quantile.js';
import { startQuarry } from './servers.js';

const INDEX = 'long';
/** Of each search, before anything is measured. */
const WARM_UPS = 10;

const DECODED = "doc['size'].size() == 0 ? 0 : doc['size'].value % 7";

const SEARCHES: Readonly<Record<string, object>> = {
  'four aggregations, two with sub-aggregations': {
    size: 0,
    aggs: {
      statuses: { terms: { field: 'status' }, aggs: { sizes: { percentiles: { field: 'size' } } } },
      hours: {
        date_histogram: { field: '@timestamp', fixed_interval: '1h' },
        aggs: { sizes: { sum: { field: 'size' } } },
      },
      clients: { cardinality: { field: 'clientip' } },
      all: { stats: { field: 'size' } },
    },
  },
  'terms with percentiles': {
    size: 0,
    aggs: { statuses: { terms: { field: 'status' }, aggs: { sizes: { percentiles: { field: 'size' } } } } },
  },
  'stats below hours': {
    size: 0,
    aggs: {
      hours: {
        date_histogram: { field: '@timestamp', fixed_interval: '1h' },
        aggs: { sizes: { stats: { field: 'size' } } },
      },
    },
  },
  'a report: percentiles, clients and times of sizes and statuses': {
    size: 0,
    aggs: {
      classes: {
        range: { field: 'size', ranges: [0, 1e3, 1e4, 1e5, 1e6].map((from) => ({ from, to: from * 10 + 1e3 })) },
        aggs: {
          sizes: { percentiles: { field: 'size' } },
          times: { percentiles: { field: '@timestamp' } },
          clients: { cardinality: { field: 'clientip' } },
          all: { extended_stats: { field: 'size' } },
        },
      },
      statuses: {
        terms: { field: 'status' },
        aggs: {
          sizes: { percentiles: { field: 'size' } },
          times: { percentiles: { field: '@timestamp' } },
          clients: { cardinality: { field: 'clientip' } },
        },
      },
      hours: {
        date_histogram: { field: '@timestamp', fixed_interval: '1h' },
        aggs: { sizes: { extended_stats: { field: 'size' } }, statuses: { stats: { field: 'status' } } },
      },
    },
  },
  script_score: {
    query: { script_score: { query: { match_all: {} }, script: { source: DECODED } } },
    docvalue_fields: ['@timestamp'],
    _source: false,
  },
  'script query': {
    size: 0,
    track_total_hits: true,
    query: { bool: { filter: { script: { script: { source: `(${DECODED}) == 3` } } } } },
  },
  'runtime field': {
    size: 0,
    runtime_mappings: { decoded: { type: 'long', script: { source: `emit(${DECODED})` } } },
    aggs: { decoded: { terms: { field: 'decoded' } } },
  },
};

async function fill(client: Client, corpus: Corpus): Promise<void> {
  const index = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' };
  await call(client, 'PUT', `/${INDEX}`, JSON.stringify({ settings: { index }, mappings: { properties: logFields } }));
  for (const { body } of bulkBodies(corpus)) {
    const answer = await call(client, 'POST', `/${INDEX}/_bulk?filter_path=errors`, body);
    if (answer.toString() !== '{"errors":false}') throw new Error('a bulk failed');
  }
  await mergeToOne(client, INDEX);
}

/** The answer without the time that it took and without ids, which the nodes make up; and milliseconds. */
async function ask(client: Client, search: object): Promise<{ readonly answer: string; readonly ms: number }> {
  const startMs = performance.now();
  const bytes = await call(client, 'POST', `/${INDEX}/_search?request_cache=false`, JSON.stringify(search));
  const ms = performance.now() - startMs;
  return {
    answer: bytes
      .toString()
      .replace(/^\{"took":\d+,/, '{')
      .replace(/"_id":"[^"]*",/g, ''),
    ms,
  };
}

interface Measured {
  readonly answer: string;
  /** Milliseconds. */
  readonly times: readonly number[];
}

async function measure(client: Client, search: object, rounds: number): Promise<Measured> {
  for (let round = 0; round < WARM_UPS; round++) await ask(client, search);
  const times: number[] = [];
  let last = '';
  for (let round = 0; round < rounds; round++) {
    const { answer, ms } = await ask(client, search);
    times.push(ms);
    last = answer;
  }
  return { answer: last, times };
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { documents = 1_000, rounds = 3 } = size;
  const corpus = await readCorpus('logs', documents);
  console.log(`${corpus.source} logs, ${corpus.lines.length} documents, one shard, one segment`);
  const nodes = [await startQuarry(['search.max_concurrent_slices=1']), await startQuarry()];
  const clients = nodes.map(({ url }) => new Client(url, { headersTimeout: 0, bodyTimeout: 0 }));
  try {
    for (const client of clients) await fill(client, corpus);
    for (const [name, search] of Object.entries(SEARCHES)) {
      const measured = [];
      for (const client of clients) measured.push(await measure(client, search, rounds));
      const [alone, helped] = measured.map(({ answer }) => answer);
      if (alone !== helped) throw new Error(`${name}: ${alone} and ${helped}`);
      const [one = NaN, several = NaN] = measured.map(({ times }) => quantile(times, 0.5));
      const told = `one thread ${one.toFixed(1)} ms, with idle ones ${several.toFixed(1)} ms`;
      console.log(`  ${name.padEnd(46)} ${told}: ${(one / several).toFixed(2)}x`);
    }
  } finally {
    for (const client of clients) await client.close();
    for (const node of nodes) await node.stop();
  }
}
