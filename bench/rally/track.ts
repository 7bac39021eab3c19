/** The track that races go: a bulk of log lines, then searches and aggregations over them. Both tools read the same form. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { logFields, type Corpus } from '../corpus.js';

export interface TrackSize {
  readonly bulkSize: number;
  readonly iterations: number;
}

const INDEX = 'lines';
const BULK_CLIENTS = 2;

/** By the names under which the tools report them. */
export const SEARCHES: Readonly<Record<string, object>> = {
  'match-all': { query: { match_all: {} } },
  term: { query: { term: { status: 404 } } },
  phrase: { query: { match_phrase: { request: 'GET images' } } },
  range: { query: { range: { size: { gte: 1_000, lt: 2_000 } } }, sort: [{ '@timestamp': 'desc' }] },
  'hourly-sizes': {
    size: 0,
    aggs: {
      hours: {
        date_histogram: { field: '@timestamp', fixed_interval: '1h' },
        aggs: { size: { avg: { field: 'size' } } },
      },
    },
  },
  'statuses-and-clients': {
    size: 0,
    aggs: { statuses: { terms: { field: 'status' }, aggs: { clients: { cardinality: { field: 'clientip' } } } } },
  },
};

/** Writes the track to a folder of its own below that of the system, and gives the folder. */
export function writeTrack({ lines, bytes }: Corpus, { bulkSize, iterations }: TrackSize): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'quarry-track-'));
  const documents = {
    ...{ 'target-index': INDEX, 'source-file': 'documents.json' },
    ...{ 'document-count': lines.length, 'uncompressed-bytes': bytes },
  };
  const track = {
    version: 2,
    description: 'Log lines: a bulk, then searches and aggregations',
    indices: [{ name: INDEX, body: 'index.json' }],
    corpora: [{ name: INDEX, documents: [documents] }],
    schedule: [
      ...['delete-index', 'create-index'].map((type) => ({ operation: { 'operation-type': type } })),
      { operation: { 'operation-type': 'cluster-health', 'request-params': { wait_for_status: 'green' } } },
      { operation: { name: 'bulk', 'operation-type': 'bulk', 'bulk-size': bulkSize }, clients: BULK_CLIENTS },
      { operation: { 'operation-type': 'refresh' } },
      ...Object.entries(SEARCHES).map(([name, body]) => ({
        operation: { name, 'operation-type': 'search', cache: false, body },
        'warmup-iterations': iterations,
        iterations,
      })),
    ],
  };
  const index = {
    settings: { number_of_shards: 1, number_of_replicas: 0 },
    mappings: { properties: logFields },
  };
  // One tool calls it a track, the other a workload.
  for (const name of ['track.json', 'workload.json']) writeFileSync(path.join(folder, name), JSON.stringify(track));
  writeFileSync(path.join(folder, 'index.json'), JSON.stringify(index));
  writeFileSync(path.join(folder, 'documents.json'), `${lines.map(String).join('\n')}\n`);
  return folder;
}
