/** Documents to measure with: real corpora where they are to be had, else generated ones of the same shape. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type CorpusName = 'wiki' | 'logs' | 'cities' | 'flights';

export interface Corpus {
  readonly name: CorpusName;
  /** `generated` figures are not comparable with those of the real corpus. */
  readonly source: 'real' | 'generated';
  /** One JSON document each, without line ends. */
  readonly lines: readonly Buffer[];
  readonly bytes: number;
}

/** Fields of log lines where their full text is searched and nothing else of it is. */
export const logFields = {
  '@timestamp': { type: 'date' },
  clientip: { type: 'keyword' },
  request: { type: 'text' },
  status: { type: 'integer' },
  size: { type: 'long' },
} as const;

const folder = path.resolve(process.env['QUARRY_CORPORA'] ?? '../shared/corpora');
const words = Array.from({ length: 5_000 }, (_, rank) => `w${rank.toString(36)}${'aeiou'[rank % 5] ?? ''}n`);

/** A small linear congruential generator: the same documents in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function generate(name: CorpusName, count: number): Buffer[] {
  const next = generator(42);
  const word = (): string => words[Math.floor(words.length * next() ** 3)] ?? 'word';
  const text = (length: number): string => Array.from({ length }, word).join(' ');
  const documents: Readonly<Record<CorpusName, (id: number) => object>> = {
    wiki: (id) => ({ id, title: text(3), body: text(250), category: word(), chars: Math.floor(next() * 3_000) }),
    logs: (id) => ({
      '@timestamp': new Date(Date.UTC(2024, 0, 1) + id * 500).toISOString(),
      clientip: `10.0.${Math.floor(next() * 256)}.${Math.floor(next() * 256)}`,
      request: `GET /${word()}/${word()}.html HTTP/1.0`,
      status: next() < 0.9 ? 200 : 404,
      size: Math.floor(next() * 20_000),
    }),
    cities: (id) => ({
      id,
      name: text(2),
      country_code: word().slice(-2).toUpperCase(),
      country: word(),
      timezone: `Area/${word()}`,
      population: Math.floor(1e6 * next() ** 8),
    }),
    flights: (id) => ({
      '@timestamp': new Date(Date.UTC(2013, 0, 1) + id * 90_000).toISOString(),
      carrier: word().slice(-2).toUpperCase(),
      origin: word().slice(-3).toUpperCase(),
      dest: word().slice(-3).toUpperCase(),
      dep_delay: Math.floor(60 * next()) - 10,
      air_time: 30 + Math.floor(400 * next()),
      distance: 80 + Math.floor(4_900 * next()),
    }),
  };
  return Array.from({ length: count }, (_, id) => Buffer.from(JSON.stringify(documents[name](id))));
}

async function decompress(file: string, count: number): Promise<Buffer[]> {
  const zstd = spawn('zstd', ['-dc', file], { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines: Buffer[] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of zstd.stdout as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(10, start); end >= 0 && lines.length < count; end = rest.indexOf(10, start)) {
      lines.push(Buffer.from(rest.subarray(start, end)));
      start = end + 1;
    }
    rest = rest.subarray(start);
    if (lines.length >= count) break;
  }
  zstd.kill();
  return lines;
}

/** The first `count` documents of a corpus; the folder is `QUARRY_CORPORA`, else `../shared/corpora`. */
export async function readCorpus(name: CorpusName, count: number): Promise<Corpus> {
  const file = path.join(folder, `${name}.ndjson.zst`);
  const real = existsSync(file);
  const lines = real ? await decompress(file, count) : generate(name, count);
  return {
    name,
    source: real ? 'real' : 'generated',
    lines,
    bytes: lines.reduce((sum, line) => sum + line.length + 1, 0),
  };
}

/**
 * Lines for `query_corpus`: those of the corpora's folder for the real prose, else some made from its words. Terms, and
 * intersections, unions and phrases of neighbouring words.
 */
export function corpusQueries(corpus: Corpus, count: number): string {
  const file = path.join(folder, 'queries_wiki.jsonl');
  if (corpus.source === 'real' && existsSync(file)) {
    return `${readFileSync(file, 'utf8').trim().split('\n').slice(0, count).join('\n')}\n`;
  }
  const next = generator(7);
  const kinds = ['term', 'intersection', 'union', 'phrase'];
  const lines = Array.from({ length: count }, (_, number) => {
    const line = corpus.lines[Math.floor(next() * corpus.lines.length)]?.toString() ?? '{}';
    const { body } = JSON.parse(line) as { body: string };
    const bodyWords = body.split(' ');
    const kind = kinds[number % kinds.length] ?? 'term';
    const at = Math.floor(next() * (bodyWords.length - 2));
    return JSON.stringify({ q: bodyWords.slice(at, at + (kind === 'term' ? 1 : 2)), kind, hits: null });
  });
  return `${lines.join('\n')}\n`;
}
