/**
 * Latency of searches while a reindex of the searched index runs in the background, beside that of the idle node; and the pace of the
 * reindex. The copy must have the documents of the source, and no search may be refused or answer something else.
 */
import { logFields, readCorpus, type Corpus } from './corpus.js';
import { quantile } from './quantile.js';
import { startQuarry } from './servers.js';

const DOCUMENTS_PER_REQUEST = 2_000;
const SHARDS = 2;
const INDEX_SETTINGS = { number_of_shards: SHARDS, number_of_replicas: 0 };
/** Between two searches of a client, so that it is the latency that is measured and not how many fit in. */
const PAUSE_MS = 5;
/** Between two looks at the task. */
const POLL_MS = 500;

interface Answer {
  readonly [name: string]: unknown;
}

async function ask(url: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = body === undefined ? { method } : { method, body: text, headers: { 'content-type': type } };
  const response = await fetch(url + path, init);
  const answer = (await response.json()) as Answer;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

async function index(url: string, { lines }: Corpus): Promise<void> {
  for (const name of ['source', 'copy']) {
    await ask(url, 'PUT', `/${name}`, { settings: INDEX_SETTINGS, mappings: { properties: logFields } });
  }
  for (let from = 0; from < lines.length; from += DOCUMENTS_PER_REQUEST) {
    const part = lines.slice(from, from + DOCUMENTS_PER_REQUEST);
    const body = part.map((line) => `{"index":{}}\n${line.toString()}\n`).join('');
    if ((await ask(url, 'POST', '/source/_bulk', body))['errors'] !== false) throw new Error('a bulk failed');
  }
  await ask(url, 'POST', '/source/_refresh');
}

const SEARCHES = [
  { size: 10, track_total_hits: true, query: { match: { request: 'html' } } },
  { size: 0, track_total_hits: true, aggs: { status: { terms: { field: 'status' } } } },
];

/** Searches by turns until told to stop, or `count` times; milliseconds of each. */
async function searchUntil(url: string, isOver: () => boolean): Promise<readonly number[]> {
  const times: number[] = [];
  const expected = new Map<number, string>();
  while (!isOver()) {
    const which = times.length % SEARCHES.length;
    const startMs = performance.now();
    const { hits, aggregations } = await ask(url, 'POST', '/source/_search', SEARCHES[which]);
    times.push(performance.now() - startMs);
    const seen = JSON.stringify([(hits as Answer)['total'], aggregations]);
    if ((expected.get(which) ?? seen) !== seen) throw new Error(`a search answered ${seen}`);
    expected.set(which, seen);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return times;
}

/** Asks again and again: a client gives up a request that is not answered for minutes. */
async function whenCompleted(url: string, task: string): Promise<Answer> {
  for (;;) {
    const answer = await ask(url, 'GET', `/_tasks/${task}`);
    if (answer['completed'] === true) return answer;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Documents and the sum of one of their numbers: equal for equal content. */
async function content(url: string, name: string): Promise<string> {
  await ask(url, 'POST', `/${name}/_refresh`);
  const body = { size: 0, track_total_hits: true, aggs: { sum: { sum: { field: 'size' } } } };
  const { hits, aggregations } = await ask(url, 'POST', `/${name}/_search`, body);
  return JSON.stringify([(hits as Answer)['total'], aggregations]);
}

function describe(when: string, times: readonly number[]): string {
  const [half, most, worst] = [0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(2));
  return `${when}: p50 ${half} ms, p99 ${most} ms, max ${worst} ms of ${times.length} searches`;
}

/** So many documents: the corpus from its beginning again where it has fewer. */
function repeated(corpus: Corpus, count: number): Corpus {
  const { lines } = corpus;
  const missing = Math.max(0, count - lines.length);
  const more = Array.from({ length: missing }, (_, at) => lines[at % lines.length] ?? Buffer.from('{}'));
  return { ...corpus, lines: [...lines, ...more] };
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { documents = 1_000, idleSearches = 10 } = size;
  const node = await startQuarry();
  try {
    const { url } = node;
    const corpus = repeated(await readCorpus('logs', documents), documents);
    await index(url, corpus);
    let left = idleSearches;
    const idle = await searchUntil(url, () => left-- === 0);
    console.log(describe('idle', idle));
    const copy = { source: { index: 'source' }, dest: { index: 'copy' } };
    const { task } = await ask(url, 'POST', '/_reindex?wait_for_completion=false', copy);
    let isOver = false;
    const ended = whenCompleted(url, String(task)).finally(() => {
      isOver = true;
    });
    const [busy, { response }] = await Promise.all([searchUntil(url, () => isOver), ended]);
    const { created, took, failures } = response as Answer;
    const copied = await content(url, 'copy');
    if (copied !== (await content(url, 'source'))) throw new Error(`the copy is not its source: ${copied}`);
    if (created !== corpus.lines.length) throw new Error(`${String(created)} copied: ${JSON.stringify(failures)}`);
    if (busy.length > 0) {
      const ratio = (quantile(busy, 0.5) / quantile(idle, 0.5)).toFixed(2);
      const tail = (quantile(busy, 0.99) / quantile(idle, 0.99)).toFixed(2);
      console.log(`${describe('while a reindex runs', busy)}; ${ratio}x and ${tail}x of idle`);
    }
    const seconds = Number(took) / 1_000;
    const { source, lines } = corpus;
    console.log(`reindex: ${lines.length} ${source} documents, ${(lines.length / seconds).toFixed(0)} a second`);
  } finally {
    await node.stop();
  }
}
