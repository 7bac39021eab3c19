/** Requests of a load, each in other words than the one before: made of words that the documents have. */
import { seededRandom, type Random } from '../../src/base/random.js';

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** A text goes as it is. */
  readonly body?: object | string;
}

interface Passage {
  readonly body: string;
}

/** Words that are searched for come from here. */
const WORDS = /[a-z]{2,}/g;
/** Of a passage, words behind it are not looked at. */
const WORDS_READ = 60;
/** Documents that bulks bring, again and again. */
const BULK_LINES_MAX = 10_000;

/** One word, all of two, one of three, a phrase: a quarter each. */
export function searchRequests(lines: readonly Buffer[], count: number, index: string): LoadRequest[] {
  const random = seededRandom(7);
  const requests: LoadRequest[] = [];
  while (requests.length < count) {
    const words = wordsOf(lines, random);
    if (words.length < 3) continue;
    const query = queryOf(requests.length % 4, words);
    requests.push({
      method: 'POST',
      path: `/${index}/_search?request_cache=false`,
      body: { query, _source: ['title'], track_total_hits: 1_000 },
    });
  }
  return requests;
}

function wordsOf(lines: readonly Buffer[], random: Random): readonly string[] {
  const line = lines[random.below(lines.length)];
  if (line === undefined) return [];
  const { body } = JSON.parse(line.toString()) as Passage;
  const words = (body.toLowerCase().match(WORDS) ?? []).slice(0, WORDS_READ);
  const from = random.below(Math.max(1, words.length - 3));
  return words.slice(from, from + 3);
}

function queryOf(kind: number, [first = '', second = '', third = '']: readonly string[]): object {
  switch (kind) {
    case 0:
      return { match: { body: first } };
    case 1:
      return { match: { body: { query: `${first} ${second}`, operator: 'and' } } };
    case 2:
      return { match: { body: `${first} ${second} ${third}` } };
    default:
      return { match_phrase: { body: `${first} ${second}` } };
  }
}

/** Documents by id, in no order. */
export function documentRequests(documents: number, count: number, index: string): LoadRequest[] {
  const random = seededRandom(11);
  return Array.from({ length: count }, () => ({ method: 'GET', path: `/${index}/_doc/${random.below(documents)}` }));
}

/** Bulks of so many documents each, under ids of their own, so that the index does not grow for ever. */
export function bulkRequests(lines: readonly Buffer[], documents: number, index: string): LoadRequest[] {
  const requests: LoadRequest[] = [];
  for (let from = 0; from + documents <= Math.min(lines.length, BULK_LINES_MAX); from += documents) {
    const part = lines.slice(from, from + documents);
    const items = part.map((line, at) => `{"index":{"_id":"b${from + at}"}}\n${line.toString()}\n`);
    requests.push({ method: 'POST', path: `/${index}/_bulk?filter_path=errors`, body: items.join('') });
  }
  return requests;
}

/** As they go over the wire, each behind its length: what `quarry-load` reads. */
export function encodeRequests(requests: readonly LoadRequest[]): Buffer {
  return Buffer.concat(
    requests.flatMap(({ method, path, body }) => {
      const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
      const head = [`${method} ${path} HTTP/1.1`, 'Host: bench'];
      if (body !== undefined) {
        head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`);
      }
      const request = Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
      return [Buffer.from(`${request.length}\n`), request];
    }),
  );
}
