/**
 * Latency of named searches over HTTP: one connection, one request at a time, indices of one shard and one segment, without request cache.
 *
 * Every answer is held against what the documents themselves say, where that is plain, and against the peer's answer where there is one:
 * a request that differs ends the bench.
 */
import { Client } from 'undici';
import { bulkBodies, call, mergeToOne, sendBulk } from './bulk-load.js';
import { readCorpus, type Corpus, type CorpusName } from './corpus.js';
import { buildProgram } from './programs.js';
import { differenceOf, parseAnswer, totalOf } from './search/answers.js';
import type { Document } from './search/estimates.js';
import { mappings, searches, type NamedSearch } from './search/requests.js';
import { timeSearch, type Latency } from './search/timing.js';
import { startOpenSearch, startQuarry } from './servers.js';

async function fill(client: Client, corpus: Corpus): Promise<void> {
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  const properties = mappings[corpus.name];
  const body = { settings: { index: settings }, mappings: { dynamic: false, properties } };
  await call(client, 'PUT', `/${corpus.name}`, JSON.stringify(body));
  for (const each of bulkBodies(corpus)) (await sendBulk(client, corpus.name, each)).check();
  await mergeToOne(client, corpus.name);
}

/** Throws where the documents say otherwise: of every server's total, and of our own estimates. */
function checkAgainst(documents: readonly Document[], search: NamedSearch, answers: readonly Buffer[]): void {
  for (const answer of answers) checkTotal(search, answer, documents);
  const { corpus, name, matches, estimate } = search;
  const [ours] = answers;
  if (estimate === undefined || ours === undefined) return;
  const found = documents.filter(matches ?? (() => true));
  const wrong = estimate(found, parseAnswer(ours).aggregations);
  if (wrong !== undefined) throw new Error(`${corpus} ${name}: ${wrong}`);
}

function checkTotal({ corpus, name, matches }: NamedSearch, answer: Buffer, documents: readonly Document[]): void {
  if (matches === undefined) return;
  const expected = documents.filter(matches).length;
  const { value, isExact } = totalOf(parseAnswer(answer));
  const isRight = isExact ? value === expected : value <= expected;
  if (!isRight) throw new Error(`${corpus} ${name}: ${value} documents found, there are ${expected}`);
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function summary(ratios: readonly number[]): string {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  return (
    `${ratios.length} searches: mean ratio ${mean.toFixed(1)}x, geometric ${geometricMean(ratios).toFixed(1)}x, ` +
    `lowest ${Math.min(...ratios).toFixed(1)}x`
  );
}

export default async function main(
  size: Readonly<Record<string, number>>,
  { only }: Readonly<Record<string, string>> = {},
): Promise<void> {
  const wanted = searches.filter(({ corpus, name }) => only === undefined || `${corpus} ${name}`.includes(only));
  const effort = { warmUps: size['warmUps'] ?? 1, turns: size['turns'] ?? 1, rounds: size['rounds'] ?? 1 };
  const program = buildProgram('quarry-timing');
  const quarry = await startQuarry();
  const peer = await startOpenSearch('4g');
  const servers = [quarry, peer].filter((server) => server !== undefined);
  const urls = servers.map(({ url }) => url);
  const clients = servers.map(({ url }) => new Client(url, { headersTimeout: 0, bodyTimeout: 0 }));
  const ratios: number[] = [];
  try {
    for (const name of new Set(wanted.map(({ corpus }) => corpus)) satisfies Set<CorpusName>) {
      const corpus = await readCorpus(name, size['documents'] ?? 1_000);
      for (const client of clients) await fill(client, corpus);
      console.log(`${name} (${corpus.source}, ${corpus.lines.length} documents)`);
      const measured: { search: NamedSearch; answers: Buffer[] }[] = [];
      for (const search of wanted.filter((each) => each.corpus === name)) {
        const path = `/${name}/_search?request_cache=false`;
        const latencies = await timeSearch(program, urls, path, JSON.stringify(search.body), effort);
        const ratio = report(search, latencies);
        if (ratio !== undefined) ratios.push(ratio);
        measured.push({ search, answers: latencies.map(({ answer }) => answer) });
      }
      const documents = corpus.lines.map((line) => JSON.parse(line.toString()) as Document);
      for (const { search, answers } of measured) checkAgainst(documents, search, answers);
      for (const client of clients) await call(client, 'DELETE', `/${name}`);
    }
    if (ratios.length > 0) console.log(summary(ratios));
  } finally {
    for (const client of clients) await client.close();
    await quarry.stop();
    await peer?.stop();
  }
}

/** Prints one search; the ratio, where there is a peer. Throws where the answers differ. */
function report(search: NamedSearch, [ours, theirs]: readonly Latency[]): number | undefined {
  if (ours === undefined) return undefined;
  const told = `  ${search.name.padEnd(26)} quarry ${ours.medianMs.toFixed(2)} ms (p99 ${ours.p99Ms.toFixed(2)})`;
  if (theirs === undefined) {
    console.log(told);
    return undefined;
  }
  const different = differenceOf(parseAnswer(ours.answer), parseAnswer(theirs.answer), search.estimate !== undefined);
  if (different !== undefined) throw new Error(`${search.corpus} ${search.name}: answers differ at ${different}`);
  const ratio = theirs.medianMs / ours.medianMs;
  console.log(
    `${told}; opensearch ${theirs.medianMs.toFixed(2)} ms (p99 ${theirs.p99Ms.toFixed(2)}): ${ratio.toFixed(1)}x`,
  );
  return ratio;
}
