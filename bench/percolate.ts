/**
 * `percolate` over HTTP: stored queries made of the words of prose, and documents of the same prose put to them, one at a time
 * with and without scores, and ten at a time. An index of one shard and one segment, without request cache.
 *
 * Which queries a document matches is told by an index of the documents, where each query is searched for: every server's answers
 * have to name the same, with the places of the documents.
 */
import { Client } from 'undici';
import { call, mergeToOne, sendBulk } from './bulk-load.js';
import { readCorpus, type Corpus } from './corpus.js';
import { buildProgram } from './programs.js';
import { mappings } from './search/requests.js';
import { makeQueries, type StoredQuery } from './search/stored-queries.js';
import { timeSearch, type Effort, type Latency } from './search/timing.js';
import { startOpenSearch, startQuarry } from './servers.js';

const QUERIES_PER_REQUEST = 1_000;
/** Documents of a request that has several. */
const TOGETHER = 10;
/** As many as a server gives. */
const HITS_MAX = 10_000;
const SETTINGS = { number_of_shards: 1, number_of_replicas: 0 };

/** Names of queries with the places of the documents that they match. */
type Matches = ReadonlyMap<string, readonly number[]>;

async function makeIndex(client: Client, name: string, properties: object): Promise<void> {
  await call(
    client,
    'PUT',
    `/${name}`,
    JSON.stringify({ settings: SETTINGS, mappings: { dynamic: false, properties } }),
  );
}

/** The seconds that it took to index the queries. */
async function store(client: Client, queries: readonly StoredQuery[]): Promise<number> {
  await makeIndex(client, 'alerts', { ...mappings.wiki, query: { type: 'percolator' } });
  let seconds = 0;
  for (let from = 0; from < queries.length; from += QUERIES_PER_REQUEST) {
    const some = queries.slice(from, from + QUERIES_PER_REQUEST);
    const lines = some.map(({ id, query }) => `{"index":{"_id":"${id}"}}\n${JSON.stringify({ query })}\n`);
    const started = performance.now();
    const sent = await sendBulk(client, 'alerts', { body: Buffer.from(lines.join('')), documents: some.length });
    seconds += (performance.now() - started) / 1_000;
    sent.check();
  }
  await mergeToOne(client, 'alerts');
  return seconds;
}

interface Hits {
  readonly hits: {
    readonly hits: readonly {
      readonly _id: string;
      readonly fields?: { readonly _percolator_document_slot: number[] };
    }[];
  };
}

async function search(client: Client, index: string, body: object): Promise<Hits['hits']['hits']> {
  const path = `/${index}/_search?request_cache=false&size=${HITS_MAX}`;
  const answer = await call(client, 'POST', path, JSON.stringify({ _source: false, ...body }));
  return (JSON.parse(answer.toString()) as Hits).hits.hits;
}

/** What an index of the documents says. */
async function expectedMatches(client: Client, queries: readonly StoredQuery[], corpus: Corpus): Promise<Matches> {
  await makeIndex(client, 'documents', mappings.wiki);
  const numbered = corpus.lines.map((line, place) => `{"index":{"_id":"${place}"}}\n${line.toString()}\n`);
  const body = Buffer.from(numbered.join(''));
  (await sendBulk(client, 'documents', { body, documents: corpus.lines.length })).check();
  await mergeToOne(client, 'documents');
  const matches = new Map<string, readonly number[]>();
  for (const { id, query } of queries) {
    const places = (await search(client, 'documents', { query })).map(({ _id }) => Number(_id));
    if (places.length > 0)
      matches.set(
        id,
        places.sort((left, right) => left - right),
      );
  }
  await call(client, 'DELETE', '/documents');
  return matches;
}

/** Throws where a server finds others. `from`: the place of the first document among all. */
async function check(client: Client, documents: readonly string[], from: number, expected: Matches): Promise<number> {
  const found = await search(client, 'alerts', { query: percolate(documents) });
  const told = new Map(found.map(({ _id, fields }) => [_id, fields?._percolator_document_slot ?? []]));
  let count = 0;
  for (const [id, places] of expected) {
    const slots = places.map((place) => place - from).filter((slot) => slot >= 0 && slot < documents.length);
    if (String(told.get(id) ?? []) !== String(slots)) {
      throw new Error(`query ${id}: documents ${String(told.get(id))} of those from ${from} on, not ${String(slots)}`);
    }
    if (slots.length > 0) count++;
  }
  if (count === found.length) return count;
  throw new Error(`${found.length} queries match the documents from ${from} on, not ${count}`);
}

function percolate(documents: readonly string[]): object {
  return { percolate: { field: 'query', documents: documents.map((document) => JSON.parse(document) as unknown) } };
}

interface Kind {
  readonly name: string;
  /** Documents in a request. */
  readonly together: number;
  readonly body: (documents: readonly string[]) => object;
}

const asFilter: Kind['body'] = (documents) => ({ query: { constant_score: { filter: percolate(documents) } } });

const kinds: readonly Kind[] = [
  {
    name: 'one document, by score',
    together: 1,
    body: (documents) => ({ query: percolate(documents) }),
  },
  { name: 'one document, as a filter', together: 1, body: asFilter },
  { name: `${TOGETHER} documents, as a filter`, together: TOGETHER, body: asFilter },
];

/** The documents of each request. */
function groupsOf(documents: readonly string[], together: number): readonly (readonly string[])[] {
  const count = Math.floor(documents.length / together);
  return Array.from({ length: count }, (_, group) => documents.slice(group * together, (group + 1) * together));
}

/** Prints the mean of the medians of all requests of a kind. */
function report(kind: Kind, latencies: readonly (readonly Latency[])[]): void {
  const mean = (server: number, of: (latency: Latency) => number): number =>
    latencies.reduce(
      (sum, each) => sum + of(each[server] ?? { medianMs: NaN, p99Ms: NaN, answer: Buffer.alloc(0) }),
      0,
    ) / latencies.length;
  const told = (server: number): string =>
    `${mean(server, ({ medianMs }) => medianMs).toFixed(2)} ms (p99 ${mean(server, ({ p99Ms }) => p99Ms).toFixed(2)})`;
  const line = `  ${kind.name.padEnd(28)} quarry ${told(0)}`;
  const hasPeer = (latencies[0]?.length ?? 0) > 1;
  const ratio = mean(1, ({ medianMs }) => medianMs) / mean(0, ({ medianMs }) => medianMs);
  console.log(hasPeer ? `${line}; opensearch ${told(1)}: ${ratio.toFixed(1)}x` : line);
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { queries: count = 200, documents: documentCount = 20 } = size;
  const effort: Effort = { warmUps: size['warmUps'] ?? 1, turns: size['turns'] ?? 1, rounds: size['rounds'] ?? 2 };
  const program = buildProgram('quarry-timing');
  const prose = await readCorpus('wiki', documentCount);
  const documents = prose.lines.map((line) => line.toString());
  const queries = makeQueries(await readCorpus('wiki', Math.max(count, documentCount)), count);
  const quarry = await startQuarry();
  const peer = await startOpenSearch('4g');
  const servers = [quarry, peer].filter((server) => server !== undefined);
  const clients = servers.map(({ url }) => new Client(url, { headersTimeout: 0, bodyTimeout: 0 }));
  try {
    console.log(`${count} stored queries over prose (${prose.source}), ${documentCount} documents put to them`);
    for (const [at, client] of clients.entries()) {
      const seconds = await store(client, queries);
      console.log(`  ${servers[at]?.name ?? ''}: ${(count / seconds).toFixed(0)} queries/s indexed`);
    }
    const [own] = clients;
    if (own === undefined) return;
    const expected = await expectedMatches(own, queries, prose);
    let matching = 0;
    for (const client of clients) {
      for (const { together } of kinds.slice(1)) {
        for (const [group, some] of groupsOf(documents, together).entries()) {
          matching += await check(client, some, group * together, expected);
        }
      }
    }
    console.log(`  ${matching} matches checked`);
    for (const kind of kinds) {
      const urls = servers.map(({ url }) => url);
      const path = '/alerts/_search?request_cache=false';
      const latencies: Latency[][] = [];
      for (const some of groupsOf(documents, kind.together)) {
        latencies.push(await timeSearch(program, urls, path, JSON.stringify(kind.body(some)), effort));
      }
      report(kind, latencies);
    }
  } finally {
    for (const client of clients) await client.close();
    await quarry.stop();
    await peer?.stop();
  }
}
