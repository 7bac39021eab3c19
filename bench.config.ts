/**
 * The bench suites by name, each with a small size (that also runs as a test, so that no bench rots) and a full one.
 *
 * `npm run bench -- NAME [--full] [MEMBER=VALUE ...]` runs one, with other values for members of its size; `npm run bench` lists
 * them. Results print as ratios measured side by side in one run; dated records are kept in bench/records/.
 */
export interface BenchSuite {
  /** What is measured, in one sentence. */
  readonly about: string;
  /** File below bench/ whose default export runs the suite. */
  readonly file: string;
  readonly small: Readonly<Record<string, number>>;
  readonly full: Readonly<Record<string, number>>;
  /** Names of texts that may be given as well, each with what it says. */
  readonly texts?: Readonly<Record<string, string>>;
}

export const suites: Readonly<Record<string, BenchSuite>> = {
  'http-bulk': {
    about:
      '_bulk over HTTP with durability per request, prose and log lines, into plain and sorted indices, beside OpenSearch',
    file: 'http-bulk.ts',
    small: { documents: 2_000, searched: 2_000, passes: 1 },
    full: { documents: 140_000, searched: 500_000, passes: 2 },
  },
  'http-search': {
    about: 'latency of named searches and aggregations over HTTP on logs, cities, prose and flights, beside OpenSearch',
    file: 'http-search.ts',
    small: { documents: 500, warmUps: 1, turns: 1, rounds: 2 },
    full: { documents: 500_000, warmUps: 200, turns: 5, rounds: 40 },
    texts: { only: 'a part of the names of searches' },
  },
  percolate: {
    about: 'latency of percolate with stored queries of several kinds over prose, beside OpenSearch',
    file: 'percolate.ts',
    small: { queries: 200, documents: 20, warmUps: 1, turns: 1, rounds: 2 },
    full: { queries: 10_000, documents: 50, warmUps: 200, turns: 3, rounds: 20 },
  },
  compare: {
    about:
      'random searches and aggregations over random documents, answer by answer beside OpenSearch: what differs, not how fast',
    file: 'compare.ts',
    small: { documents: 120, requests: 360, from: 0, seed: 1 },
    full: { documents: 300, requests: 6_000, from: 0, seed: 1 },
    texts: {
      only: 'the beginning of the names of families of requests',
      quarry: 'URL of a node that runs',
      peer: 'URL of an OpenSearch that runs',
      keep: 'anything: the servers have the documents already',
    },
  },
  'in-process': {
    about: 'indexing and top-k queries in process on one thread, beside tantivy and Lucene',
    file: 'in-process.ts',
    small: { documents: 300, queries: 12, peers: 0 },
    full: { documents: 1_000_000, queries: 1_000, peers: 1 },
  },
  allocation: {
    about: 'CPU until all copies of many new indices are started on simulated nodes, and of one more change after that',
    file: 'allocation.ts',
    small: { indices: 20, nodes: 5 },
    full: { indices: 1_000, nodes: 50 },
  },
  'many-indices': {
    about: 'one more index, small requests, start to green and memory of a node with many small indices',
    file: 'many-indices.ts',
    small: { indices: 50, deleted: 10 },
    full: { indices: 10_000, deleted: 1_000 },
  },
  cluster: {
    about: 'three nodes: bulks with 0, 1 and 2 replicas, searches, recovery of a replica, failover after kills',
    file: 'cluster.ts',
    small: { kills: 1, documents: 2_000, searchSeconds: 1, recoveredDocuments: 500 },
    full: { kills: 10, documents: 140_000, searchSeconds: 10, recoveredDocuments: 200_000 },
  },
  reindex: {
    about: 'latency of searches while a reindex runs in the background, and how fast that is',
    file: 'reindex.ts',
    small: { documents: 3_000, idleSearches: 50 },
    full: { documents: 1_000_000, idleSearches: 2_000 },
  },
  'http-load': {
    about:
      'searches, documents by id and GET / over 1 to 1,000 connections, in a closed and an open loop, and beside a steady bulk',
    file: 'http-load.ts',
    small: { documents: 1_000, seconds: 0.2, rate: 50, connections: 4, fronts: 0 },
    full: { documents: 100_000, seconds: 10, rate: 500, connections: 1_000, fronts: 0 },
  },
  fairness: {
    about:
      'a document by id, a small search and a single write beside clients with a heavy aggregation on the same shard',
    file: 'fairness.ts',
    small: { documents: 1_000, heavyClients: 1, rounds: 3, seconds: 2 },
    full: { documents: 1_000_000, heavyClients: 2, rounds: 1_000, seconds: 30 },
  },
  'long-searches': {
    about: 'searches that take long, alone, with one thread and with all idle ones: equal answers, and how much sooner',
    file: 'long-searches.ts',
    small: { documents: 70_000, rounds: 2 },
    full: { documents: 1_000_000, rounds: 50 },
  },
  vectors: {
    about: 'the nearest vectors over HTTP: recall and latency of walks through graphs beside looking at every vector',
    file: 'vectors.ts',
    small: { documents: 5_000, dims: 16, queries: 10 },
    full: { documents: 100_000, dims: 128, queries: 500 },
  },
  rally: {
    about: 'races of esrally and opensearch-benchmark (installed by pip) with a track of log lines, beside OpenSearch',
    file: 'rally.ts',
    small: { documents: 200, bulkSize: 100, iterations: 5, races: 0 },
    full: { documents: 200_000, bulkSize: 2_000, iterations: 100, races: 1 },
  },
  growth: {
    about:
      'requests of every kind at a size and twice that size, by processor time: which grow faster than what they are asked for (a part of a name: QUARRY_GROWTH)',
    file: 'growth.ts',
    small: { enough: 1_000_000, largest: 64, only: 7 },
    full: { enough: 300, largest: 1_048_576, only: 1 },
  },
  snapshots: {
    about:
      'snapshots of the corpora into a directory and two S3 servers and back, what later ones add, searches meanwhile, and many shards',
    file: 'snapshots.ts',
    small: { documents: 1_000, shards: 10, runs: 1, rounds: 1, seconds: 1, servers: 0 },
    full: { documents: 140_000, shards: 1_000, runs: 3, rounds: 6, seconds: 5, servers: 2 },
  },
  soak: {
    about:
      'hours of mixed load on a node with security: every answer checked, and whether memory, files or threads grow (share: percent of a processor, 0 for all there is)',
    file: 'soak.ts',
    small: { seconds: 10, sampleSeconds: 1, share: 0, seed: 1 },
    full: { seconds: 7_200, sampleSeconds: 60, share: 0, seed: 1 },
    texts: {
      samples: 'a file that gets a line of JSON for each sample',
      only: 'the beginnings of the names of steps, with commas between them',
    },
  },
  footprint: {
    about:
      'time from process start to the first answer, and idle private memory; the same up to the first search of a large index',
    file: 'footprint.ts',
    small: { starts: 1, documents: 200, megabytes: 0 },
    full: { starts: 7, documents: 1_000_000, megabytes: 1_000 },
  },
  crossing: {
    about: 'the price of a native call, a message between threads, and whole HTTP requests',
    file: 'crossing.ts',
    small: { milliseconds: 20 },
    full: { milliseconds: 2_000 },
  },
};

/**
 * The experiments by name, run by `npm run experiment -- NAME [--size small|medium|full]`: the small size also runs as a test. What
 * they measure can be said on the command line; see docs/experiments.md.
 */
export interface ExperimentSuite {
  readonly about: string;
  /** File below bench/experiments/ whose default export is the experiment. */
  readonly file: string;
  readonly small: Readonly<Record<string, number>>;
  readonly medium: Readonly<Record<string, number>>;
  readonly full: Readonly<Record<string, number>>;
}

const SEARCHES = {
  small: { steps: 2, seconds: 0.2, rounds: 1, repeats: 1, idleMs: 0 },
  medium: { steps: 5, seconds: 1, rounds: 3, repeats: 2, idleMs: 2_000 },
  full: { steps: 7, seconds: 5, rounds: 5, repeats: 5, idleMs: 5_000 },
} as const;

export const experiments: Readonly<Record<string, ExperimentSuite>> = {
  capacity: {
    about: 'documents and shards against latency, memory, disk and restarts; what each field and setting costs',
    file: 'capacity.ts',
    small: { ...SEARCHES.small, documents: 400, shards: 2, processors: 1 },
    medium: { ...SEARCHES.medium, documents: 40_000, shards: 16 },
    full: { ...SEARCHES.full, documents: 1_000_000, shards: 256 },
  },
  merging: {
    about: 'settings of merging and refreshing against bytes written, segments over time and searches meanwhile',
    file: 'merging.ts',
    small: { ...SEARCHES.small, documents: 400, shards: 1, processors: 1, updatesPercent: 10 },
    medium: { ...SEARCHES.medium, documents: 60_000, shards: 1, rate: 3_000, updatesPercent: 10 },
    full: { ...SEARCHES.full, documents: 1_000_000, shards: 1, rate: 5_000, updatesPercent: 10 },
  },
  scaling: {
    about: 'processors, shards and nodes against the highest rate of searches, latency and indexing',
    file: 'scaling.ts',
    small: { ...SEARCHES.small, documents: 400, shards: 2, processors: 1, nodes: 2 },
    medium: { ...SEARCHES.medium, documents: 40_000, shards: 8, nodes: 3 },
    full: { ...SEARCHES.full, documents: 1_000_000, shards: 64, nodes: 4 },
  },
  tune: {
    about: 'merge settings on your documents as they come: which write least, and are searched and indexed fastest',
    file: 'tuning.ts',
    small: { ...SEARCHES.small, documents: 400, shards: 1, processors: 1 },
    medium: { ...SEARCHES.medium, documents: 60_000, shards: 1, rate: 3_000, repeats: 4 },
    full: { ...SEARCHES.full, documents: 1_000_000, shards: 1, rate: 5_000 },
  },
};

/** The sizes of `npm run plan`. */
export const plan: Pick<ExperimentSuite, 'small' | 'medium' | 'full'> = {
  small: { ...SEARCHES.small, documents: 800, steps: 3, streamSeconds: 0.2, streamRefreshMs: 100 },
  medium: { ...SEARCHES.medium, documents: 80_000, steps: 5, streamSeconds: 40, streamRefreshMs: 200 },
  full: { ...SEARCHES.full, documents: 2_000_000, steps: 7, streamSeconds: 600, streamRefreshMs: 1_000 },
};
