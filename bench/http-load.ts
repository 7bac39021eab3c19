/**
 * Many clients at once: searches in ever other words, documents by id, the root, each over few and many connections; searches at a fixed rate, and
 * beside a steady bulk. One index of one shard. Servers are asked in turn, case by case.
 *
 * Before anything is measured each request is asked once of each server: the totals of searches must be the same, documents what was indexed. An answer
 * without success ends the bench.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { call, mergeToOne } from './bulk-load.js';
import { readCorpus, type Corpus } from './corpus.js';
import { bulkRequests, documentRequests, encodeRequests, searchRequests, type LoadRequest } from './load/requests.js';
import { runLoad, type Measured } from './load/run.js';
import { buildProgram } from './programs.js';
import { parseAnswer, totalOf } from './search/answers.js';
import { mappings } from './search/requests.js';
import { processorMs, startOpenSearch, startQuarry, type Server } from './servers.js';

const INDEX = 'load';
/** Different ones of each kind. */
const REQUESTS = 600;
const DOCUMENTS_PER_FILL = 1_000;
/** Of the steady bulk. */
const BULK_DOCUMENTS = 100;
const BULKS_PER_SECOND = 10;

interface Case {
  readonly name: string;
  readonly requests: Buffer;
  readonly connections: number;
  /** Requests a second; 0: one follows the answer to the one before. */
  readonly rate?: number;
  /** What is sent beside it, at a rate of its own. */
  readonly beside?: Buffer;
}

class Load {
  private readonly program: string;
  private readonly seconds: number;

  constructor(program: string, seconds: number) {
    this.program = program;
    this.seconds = seconds;
  }

  /** Prints one case of one server; its rate. */
  async measure(server: Server, { name, requests, connections, rate = 0, beside }: Case): Promise<Measured> {
    await runLoad(this.program, server.url, { requests, connections, rate, seconds: this.seconds / 4 });
    const before = processorMs(server.pid);
    const running = runLoad(this.program, server.url, { requests, connections, rate, seconds: this.seconds });
    const bulks =
      beside === undefined
        ? undefined
        : runLoad(this.program, server.url, {
            requests: beside,
            connections: 1,
            rate: BULKS_PER_SECOND,
            seconds: this.seconds,
          });
    const measured = await running;
    if (measured.answers === 0) throw new Error('nothing was answered');
    const busyMs = (processorMs(server.pid) - before) / measured.answers;
    const told = [
      `${(measured.answers / measured.seconds).toFixed(0)}/s`,
      `p50 ${(measured.p50 / 1_000).toFixed(2)} ms`,
      `p99 ${(measured.p99 / 1_000).toFixed(2)} ms`,
      `${busyMs.toFixed(3)} ms of processors`,
    ];
    const bulk = await bulks;
    if (bulk !== undefined) {
      const documents = (bulk.answers * BULK_DOCUMENTS) / bulk.seconds;
      told.push(`${documents.toFixed(0)} documents/s indexed (p99 ${(bulk.p99 / 1_000).toFixed(1)} ms)`);
    }
    console.log(`  ${server.name.padEnd(10)} ${name.padEnd(44)} ${told.join(', ')}`);
    return measured;
  }
}

async function fill(client: Client, { lines }: Corpus): Promise<void> {
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  const body = { settings: { index: settings }, mappings: { dynamic: false, properties: mappings.wiki } };
  await call(client, 'PUT', `/${INDEX}`, JSON.stringify(body));
  for (let from = 0; from < lines.length; from += DOCUMENTS_PER_FILL) {
    const part = lines.slice(from, from + DOCUMENTS_PER_FILL);
    const items = part.map((line, at) => `{"index":{"_id":"${from + at}"}}\n${line.toString()}\n`).join('');
    const answer = await call(client, 'POST', `/${INDEX}/_bulk?filter_path=errors`, items);
    if (answer.toString() !== '{"errors":false}') throw new Error('a bulk failed');
  }
  await mergeToOne(client, INDEX);
}

async function ask(client: Client, { method, path, body }: LoadRequest): Promise<Buffer> {
  return call(client, method, path, body === undefined ? undefined : JSON.stringify(body));
}

async function checkSearches(clients: readonly Client[], requests: readonly LoadRequest[]): Promise<void> {
  for (const request of requests) {
    const answers = await Promise.all(clients.map((client) => ask(client, request)));
    const totals = answers.map((answer) => totalOf(parseAnswer(answer)).value);
    const isSame = totals.every((total) => total === totals[0]);
    if (!isSame) throw new Error(`${JSON.stringify(request.body)}: ${totals.join(' and ')} documents found`);
  }
}

async function checkDocuments(client: Client, requests: readonly LoadRequest[], { lines }: Corpus): Promise<void> {
  for (const request of requests) {
    const { _source, _id } = JSON.parse((await ask(client, request)).toString()) as { _source: unknown; _id: string };
    const expected: unknown = JSON.parse(lines[Number(_id)]?.toString() ?? 'null');
    if (JSON.stringify(_source) !== JSON.stringify(expected)) throw new Error(`document [${_id}] is another one`);
  }
}

function casesOf(corpus: Corpus, rate: number, manyConnections: readonly number[]): readonly Case[] {
  const searches = encodeRequests(searchRequests(corpus.lines, REQUESTS, INDEX));
  const documents = encodeRequests(documentRequests(corpus.lines.length, REQUESTS, INDEX));
  const beside = encodeRequests(bulkRequests(corpus.lines, BULK_DOCUMENTS, INDEX));
  const root = encodeRequests([{ method: 'GET', path: '/' }]);
  const [one = 1, some = 8, many = 64, most = 1_000] = manyConnections;
  const over = (connections: number): string => `over ${connections} connections`;
  const closed = (name: string, requests: Buffer, counts: readonly number[]): Case[] =>
    counts.map((connections) => ({ name: `${name} ${over(connections)}`, requests, connections }));
  return [
    ...closed('searches', searches, [one, some, many]),
    { name: `${rate} searches a second ${over(many)}`, requests: searches, connections: many, rate },
    { name: `searches ${over(some)} beside a bulk`, requests: searches, connections: some, beside },
    ...closed('documents by id', documents, [one, many, most]),
    ...closed('GET /', root, [one, many]),
  ];
}

function reportRatio(name: string, ours: Measured, theirs: Measured): void {
  const rate = ours.answers / ours.seconds / (theirs.answers / theirs.seconds);
  console.log(`  ${name}: ${rate.toFixed(1)}x the requests, p99 ${(ours.p99 / theirs.p99).toFixed(2)} of OpenSearch's`);
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { documents = 1_000, seconds = 0.2, rate = 50, connections = 4, fronts = 0 } = size;
  const corpus = await readCorpus('wiki', documents);
  console.log(`${corpus.source} wiki, ${corpus.lines.length} documents, one shard, ${REQUESTS} different requests`);
  const load = new Load(buildProgram('quarry-load'), seconds);
  const quarry = await startQuarry(fronts === 0 ? [] : [`http.front_threads=${fronts}`]);
  const peer = await startOpenSearch('4g');
  const servers = [quarry, peer].filter((server) => server !== undefined);
  const clients = servers.map(({ url }) => new Client(url, { headersTimeout: 0, bodyTimeout: 0 }));
  try {
    for (const client of clients) await fill(client, corpus);
    await checkSearches(clients, searchRequests(corpus.lines, REQUESTS, INDEX));
    for (const client of clients) {
      await checkDocuments(client, documentRequests(corpus.lines.length, REQUESTS, INDEX), corpus);
    }
    const counts = [1, 8, 64, 1_000].map((count) => Math.min(count, connections));
    for (const each of casesOf(corpus, rate, counts)) {
      const measured: Measured[] = [];
      for (const server of servers) {
        measured.push(await load.measure(server, each));
        // What a bulk leaves to merge is not measured with the next case.
        if (each.beside !== undefined) await sleep(seconds * 500);
      }
      const [ours, theirs] = measured;
      if (ours !== undefined && theirs !== undefined) reportRatio(each.name, ours, theirs);
    }
  } finally {
    for (const client of clients) await client.close();
    await quarry.stop();
    await peer?.stop();
  }
}
