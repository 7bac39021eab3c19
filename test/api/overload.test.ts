/** More than the node can take: full queues, clients that leave, clients that do not read. */
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let sockets: Socket[];

beforeEach(() => {
  sockets = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await node.stop();
});

/** Sends a request on a connection of its own and reads nothing of the answer. */
async function sendOnly(method: string, path: string, body: unknown): Promise<Socket> {
  const { hostname, port } = new URL(node.url);
  const json = JSON.stringify(body);
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.write(head + json, () => resolve()));
  return socket;
}

interface PoolRow {
  readonly active: number;
  readonly queue: number;
  readonly rejected: number;
  readonly completed: number;
}

async function pool(name: string): Promise<PoolRow> {
  const answer = await node.get(`/_cat/thread_pool/${name}?format=json&h=active,queue,rejected,completed`);
  const [row] = answer.json() as Record<string, string>[];
  return {
    active: Number(row?.active),
    queue: Number(row?.queue),
    rejected: Number(row?.rejected),
    completed: Number(row?.completed),
  };
}

/** Longer than an answer takes from a worker that is not busy. */
const ANSWER_MS_MAX = 1_000;

/** Asks again where an answer does not come: a worker that was asked just before the slow search came to it answers after that. */
function whenPool(name: string, holds: (row: PoolRow) => boolean): Promise<PoolRow> {
  return node.until(async () => {
    const row = await Promise.race([pool(name), setTimeout(ANSWER_MS_MAX, undefined)]);
    return row !== undefined && holds(row) ? row : undefined;
  });
}

const WORDS = ['red', 'green', 'blue'];
const DOCUMENTS = 60_000;

/** Documents on which {@link SLOW_SEARCH} takes much longer than the test. */
async function indexForSlowSearches(): Promise<void> {
  await node.put('/slow', {
    settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' },
    mappings: { properties: { text: { type: 'text' } } },
  });
  const random = seededRandom(3);
  const source = JSON.stringify({ text: Array.from({ length: 20 }, () => WORDS[random.below(3)]).join(' ') });
  const lines = `{"index":{}}\n${source}\n`.repeat(DOCUMENTS / 20);
  for (let part = 0; part < 20; part++) {
    const answer = await node.post('/slow/_bulk?filter_path=errors', lines, { 'content-type': 'application/x-ndjson' });
    expect(answer.json().errors).toBe(false);
  }
  await node.post('/slow/_refresh');
}

const SLOW_SEARCH = {
  size: 1,
  track_total_hits: true,
  query: {
    bool: {
      should: Array.from({ length: 1_000 }, (_, at) => ({
        match_phrase: { text: { query: 'red blue green red', slop: 10 + (at % 5) } },
      })),
    },
  },
};

async function searchesFinished(): Promise<number> {
  return (await node.get('/slow/_stats/search')).json()._all.total.search.query_total as number;
}

describe('searches', () => {
  it('are refused with 429 when the queue is full, and given up when their clients leave', async () => {
    node = await TestNode.start({ 'thread_pool.search.size': '1', 'thread_pool.search.queue_size': '1' });
    await indexForSlowSearches();
    const running = await sendOnly('POST', '/slow/_search', SLOW_SEARCH);
    await whenPool('search', ({ active }) => active === 1);
    const waiting = await sendOnly('POST', '/slow/_search', SLOW_SEARCH);
    // The second is let in as soon as the first turned out to take long, and counts as waiting all the same: there is one place.
    await whenPool('search', ({ active, queue }) => active === 1 && queue === 1);
    const refused = await node.post('/slow/_search', {});
    expect(refused.status).toBe(429);
    const { error } = refused.json();
    expect(error.type).toBe('es_rejected_execution_exception');
    expect(error.root_cause[0].type).toBe('es_rejected_execution_exception');
    expect((await node.post('/_count')).status).toBe(429);
    expect(await pool('search')).toMatchObject({ active: 1, queue: 1, rejected: 2 });

    running.destroy();
    waiting.destroy();
    await whenPool('search', ({ active, queue }) => active === 0 && queue === 0);
    expect(await searchesFinished()).toBe(0);
    expect((await node.post('/slow/_search', { size: 1 })).json().hits.hits).toHaveLength(1);
    expect(await searchesFinished()).toBe(1);
  });
});

describe('writes', () => {
  it('are refused whole with 429 when the queue is full, and others go on', async () => {
    node = await TestNode.start({
      'thread_pool.write.size': '1',
      'thread_pool.write.queue_size': '1',
      'compatibility.distribution': 'opensearch',
    });
    await node.put('/w', { settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' } });
    // It waits for a refresh, which comes when asked for.
    let isAnswered = false;
    const first = node.put('/w/_doc/1?refresh=wait_for', { n: 1 }).finally(() => (isAnswered = true));
    await whenPool('write', ({ active }) => active === 1);
    const second = node.put('/w/_doc/2', { n: 2 });
    await whenPool('write', ({ queue }) => queue === 1);
    const refused = await node.bulk('/w/_bulk', [{ index: { _id: '3' } }, { n: 3 }]);
    expect(refused.status).toBe(429);
    expect(refused.json().error.type).toBe('rejected_execution_exception');
    expect(await pool('write')).toMatchObject({ active: 1, queue: 1, rejected: 1 });
    expect((await node.post('/w/_search', {})).status).toBe(200);

    // Again and again: the first refreshes may come before the document, which first needs its field mapped.
    await node.until(async () => {
      await node.post('/w/_refresh');
      return isAnswered ? true : undefined;
    });
    expect([(await first).status, (await second).status]).toEqual([201, 201]);
    expect((await node.put('/w/_doc/3', { n: 3 })).status).toBe(201);
    expect(await pool('write')).toMatchObject({ active: 0, queue: 0, rejected: 1, completed: 3 });
  });
});

describe('slow readers', () => {
  it('get their answer in their own time, hold up nobody, and have a limit together', async () => {
    node = await TestNode.start();
    await node.put('/large', {
      settings: { number_of_shards: 1, number_of_replicas: 0 },
      mappings: { properties: { blob: { type: 'keyword', index: false, doc_values: false } } },
    });
    const blob = 'x'.repeat(8 * 1024 * 1024);
    for (let id = 0; id < 8; id++) await node.put(`/large/_doc/${id}`, { blob });
    await node.post('/large/_refresh');

    const slow = await sendOnly('POST', '/large/_search', { size: 8 });
    const begun = readSlowly(slow);
    await sendOnly('POST', '/large/_search', { size: 8 });
    await whenPool('search', ({ completed }) => completed === 2);
    expect((await node.get('/large/_doc/1?_source=false')).json().found).toBe(true);

    // 64 MB each: the fifth is more than may wait.
    for (let reader = 2; reader < 5; reader++) await sendOnly('POST', '/large/_search', { size: 8 });
    const refused = await node.until(async () => {
      const answer = await node.get('/large/_doc/1?_source=false');
      return answer.status === 200 ? undefined : answer;
    });
    expect(refused.status).toBe(429);
    expect(refused.json().error).toMatchObject({
      type: 'circuit_breaking_exception',
      bytes_limit: 256 * 1024 * 1024,
    });

    const whole = readAnswer(slow, begun());
    const other = sockets.filter((socket) => socket !== slow);
    for (const socket of other) socket.destroy();
    const { hits } = (await whole).hits as { hits: { _source: { blob: string } }[] };
    expect(hits.map(({ _source }) => _source.blob === blob)).toEqual(Array(8).fill(true));
    await node.until(async () => ((await node.get('/large/_count')).status === 200 ? true : undefined));
  }, 180_000);
});

/** Reads a little now and then: a connection on which nothing moves for ten seconds is closed. The end gives what came. */
function readSlowly(socket: Socket): () => Buffer {
  const chunks: Buffer[] = [];
  const timer = setInterval(() => {
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) chunks.push(chunk);
  }, 100);
  return () => {
    clearInterval(timer);
    return Buffer.concat(chunks);
  };
}

/** The body of the answer on this connection, of which `begun` was read before. */
function readAnswer(socket: Socket, begun: Buffer): Promise<Json> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let missing: number | undefined;
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      if (missing === undefined) {
        const start = Buffer.concat(chunks);
        const end = start.indexOf('\r\n\r\n');
        if (end === -1) return;
        const length = /content-length: (\d+)/i.exec(start.subarray(0, end).toString())?.[1];
        const body = start.subarray(end + 4);
        chunks.splice(0, chunks.length, body);
        missing = Number(length) - body.length;
      } else missing -= chunk.length;
      if (missing === 0) resolve(JSON.parse(Buffer.concat(chunks).toString()));
    };
    take(begun);
    socket.on('data', take);
    socket.on('close', () => {
      reject(new Error(`the connection was closed, ${missing} bytes are missing`));
    });
  });
}
