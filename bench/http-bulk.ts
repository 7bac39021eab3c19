/**
 * `_bulk` over HTTP: one index of one shard, one client, one request at a time, durability per request; then the same into a sorted one.
 *
 * At last both corpora once more, alone and beside searches that keep a processor busy.
 *
 * The same bodies go to each server, warmed by a first pass into an index that is thrown away; every answer is checked for item count
 * and errors, and the final count must equal the documents sent.
 */
import { Client } from 'undici';
import { bulkBodies, type BulkBody, call, mergeToOne, sendBulk } from './bulk-load.js';
import { readCorpus, type Corpus, type CorpusName } from './corpus.js';
import { fillLogs, startHeavySearches } from './heavy-searches.js';
import { quantile } from './quantile.js';
import { privateMegabytes, startOpenSearch, startQuarry, type Server } from './servers.js';

interface Measured {
  readonly documentsPerSecond: number;
  readonly megabytesPerSecond: number;
}

const mappings: Readonly<Record<string, object>> = {
  wiki: {
    properties: {
      title: { type: 'text' },
      body: { type: 'text' },
      category: { type: 'keyword' },
      source: { type: 'keyword' },
      id: { type: 'keyword' },
      page_id: { type: 'long' },
      part: { type: 'integer' },
      chars: { type: 'integer' },
    },
  },
  logs: {
    properties: {
      '@timestamp': { type: 'date' },
      clientip: { type: 'keyword' },
      request: { type: 'text', fields: { raw: { type: 'keyword', ignore_above: 256 } } },
      status: { type: 'integer' },
      size: { type: 'long' },
    },
  },
};

/** Documents of a sorted index of which the order is checked. */
const ORDER_LOOKED_AT = 1_000;

/** Fields by which an index is sorted, and whether their values descend. */
interface Sorting {
  readonly field: readonly string[];
  readonly order: readonly ('asc' | 'desc')[];
}

/** In no order in which documents come. */
const sortings: Readonly<Record<string, Sorting>> = {
  wiki: { field: ['category', 'chars'], order: ['asc', 'desc'] },
  logs: { field: ['status', 'size'], order: ['asc', 'desc'] },
};

/** Loads all bodies into a new index and returns the seconds spent in bulk requests. */
async function load(
  client: Client,
  corpus: Corpus,
  bodies: readonly BulkBody[],
  sorting: Sorting | undefined,
): Promise<number> {
  const plain = { 'index.number_of_shards': 1, 'index.number_of_replicas': 0 };
  const settings =
    sorting === undefined ? plain : { ...plain, 'index.sort.field': sorting.field, 'index.sort.order': sorting.order };
  await call(client, 'PUT', '/bench', JSON.stringify({ settings, mappings: mappings[corpus.name] ?? {} }));
  let seconds = 0;
  for (const body of bodies) {
    const started = performance.now();
    const answer = await sendBulk(client, 'bench', body);
    seconds += (performance.now() - started) / 1_000;
    answer.check();
  }
  await call(client, 'POST', '/bench/_refresh');
  const { count } = JSON.parse((await call(client, 'GET', '/bench/_count')).toString()) as { count: number };
  if (count !== corpus.lines.length) throw new Error(`${count} documents counted, ${corpus.lines.length} sent`);
  if (sorting !== undefined) await checkOrder(client, sorting);
  await call(client, 'DELETE', '/bench');
  return seconds;
}

/** Throws where the first documents of the index do not lie in its order. */
async function checkOrder(client: Client, { field, order }: Sorting): Promise<void> {
  await mergeToOne(client, 'bench');
  const found = async (sort: object): Promise<string> => {
    const body = { size: ORDER_LOOKED_AT, sort, _source: false, docvalue_fields: field };
    const answer = await call(client, 'POST', '/bench/_search', JSON.stringify(body));
    const { hits } = JSON.parse(answer.toString()) as { hits: { hits: { fields?: object }[] } };
    return JSON.stringify(hits.hits.map(({ fields = {} }) => fields));
  };
  const sorted = await found(field.map((name, at) => ({ [name]: order[at] })));
  if ((await found(['_doc'])) !== sorted) throw new Error('the documents of a sorted index are not in its order');
}

async function measure(
  server: Server,
  corpus: Corpus,
  passes: number,
  sorting: Sorting | undefined,
): Promise<Measured> {
  const client = new Client(server.url, { headersTimeout: 0, bodyTimeout: 0 });
  const bodies = bulkBodies(corpus);
  let best = Infinity;
  for (let pass = 0; pass <= passes; pass++) {
    const seconds = await load(client, corpus, bodies, sorting);
    if (pass > 0) best = Math.min(best, seconds);
  }
  await client.close();
  return { documentsPerSecond: corpus.lines.length / best, megabytesPerSecond: corpus.bytes / best / 1e6 };
}

async function compare(
  quarry: Server,
  peer: Server | undefined,
  corpus: Corpus,
  passes: number,
  sorting: Sorting | undefined,
): Promise<void> {
  const ours = await measure(quarry, corpus, passes, sorting);
  const order = sorting === undefined ? '' : `, sorted by ${sorting.field.join(' and ')}`;
  const about = `${corpus.name} (${corpus.source}, ${corpus.lines.length} documents${order})`;
  const line = `${about}: quarry ${ours.documentsPerSecond.toFixed(0)} documents/s, ${ours.megabytesPerSecond.toFixed(1)} MB/s`;
  if (peer === undefined) {
    console.log(line);
    return;
  }
  const theirs = await measure(peer, corpus, passes, sorting);
  const ratio = ours.documentsPerSecond / theirs.documentsPerSecond;
  console.log(`${line}; opensearch ${theirs.documentsPerSecond.toFixed(0)} documents/s: ${ratio.toFixed(1)}x`);
}

/** What is left of the rate beside a client that searches another index again and again, on one thread of the server. */
async function measureBesideSearches(server: Server, size: Readonly<Record<string, number>>): Promise<void> {
  const client = new Client(server.url, { headersTimeout: 0, bodyTimeout: 0 });
  await fillLogs(client, 'searched', await readCorpus('logs', size['searched'] ?? 1_000));
  for (const name of ['wiki', 'logs'] satisfies CorpusName[]) {
    const corpus = await readCorpus(name, size['documents'] ?? 1_000);
    const alone = await measure(server, corpus, size['passes'] ?? 1, undefined);
    const searches = startHeavySearches(server.url, 'searched', 1);
    let beside: Measured;
    let times: readonly number[];
    try {
      beside = await measure(server, corpus, size['passes'] ?? 1, undefined);
    } finally {
      times = await searches.stop();
    }
    if (times.length === 0) throw new Error('no search was answered');
    const left = beside.documentsPerSecond / alone.documentsPerSecond;
    console.log(
      `${name}: ${server.name} ${alone.documentsPerSecond.toFixed(0)} documents/s alone, ` +
        `${beside.documentsPerSecond.toFixed(0)} beside searches of ${quantile(times, 0.5).toFixed(0)} ms: ${left.toFixed(2)}`,
    );
  }
  await client.close();
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const quarry = await startQuarry(['search.max_concurrent_slices=1']);
  console.log(
    `quarry ready after ${quarry.readyMs.toFixed(0)} ms, idle private memory ${privateMegabytes(quarry.pid).toFixed(0)} MB`,
  );
  const peer = await startOpenSearch('4g');
  try {
    for (const name of ['wiki', 'logs'] satisfies CorpusName[]) {
      const corpus = await readCorpus(name, size['documents'] ?? 1_000);
      for (const sorting of [undefined, sortings[name]]) {
        await compare(quarry, peer, corpus, size['passes'] ?? 1, sorting);
      }
    }
    for (const server of [quarry, peer]) if (server !== undefined) await measureBesideSearches(server, size);
  } finally {
    await quarry.stop();
    await peer?.stop();
  }
}
