/** The front alone, its worker a function: what becomes of bodies when a worker ends or the node stops. */
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.js';
import { systemClock, type Clock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import { silentLogger } from '../../src/base/logger.js';
import { SharedSum } from '../../src/base/shared-sum.js';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { AUTHENTICATING_BYTES_MAX, AUTHENTICATING_MAX } from '../../src/base/limits.js';
import type { Gate } from '../../src/http/gate.js';
import { NO_TIME, type NoTime } from '../../src/http/late-reads.js';
import { poolWords } from '../../src/http/pool-room.js';
import { HttpServer } from '../../src/http/server.js';
import { WaitingRoom } from '../../src/http/waiting-room.js';
import { addRow, emptyRow, RouteFigure } from '../../src/rest/route-figures.js';
import type { BareRequest, WireAnswer, WireRequest, WireRoute } from '../../src/rest/wire.js';
import { openListener } from '../../src/transport/app-listener.js';
import { taskTable } from '../base/tasks/support.js';

const BULK: WireRoute = {
  endpoint: 0,
  name: 'bulk',
  method: 'POST',
  path: '/_bulk',
  parameters: '',
  pool: 'write',
  placement: 'any',
  action: 'bulk',
  isCancellable: false,
  outlivesClient: false,
};
const REINDEX: WireRoute = { ...BULK, name: 'reindex', path: '/_reindex', outlivesClient: true };
const READ: WireRoute = {
  ...BULK,
  name: 'get',
  method: 'GET',
  path: '/{index}/_doc/{id}',
  pool: 'search',
  placement: 'near',
};
const HEAD: WireRoute = { ...READ, method: 'HEAD' };
const SEARCH: WireRoute = { ...READ, name: 'search', method: 'POST', path: '/{index}/_search' };
const ROUTES: readonly WireRoute[] = [BULK, REINDEX, READ, HEAD, SEARCH];
const OK: WireAnswer = { status: 200, headers: [], body: Buffer.from('{}') };

let server: HttpServer;
let port: number;
let bodies: Uint8Array[];
let serve: (request: WireRequest) => Promise<WireAnswer>;
let answerAtOnce: (
  request: BareRequest,
  isNext: boolean,
  body: Uint8Array | undefined,
) => WireAnswer | NoTime | undefined;
let lateMs: number;
let gate: Gate;

beforeEach(async () => {
  bodies = [];
  lateMs = 0;
  serve = () => Promise.resolve(OK);
  answerAtOnce = () => undefined;
  gate = () => '';
  const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + lateMs };
  server = new HttpServer({
    settings: parseNodeSettings(new Map([['http.port', '0']])),
    routes: ROUTES,
    workerCount: 1,
    admission: { front: { place: 0, count: 1 }, words: poolWords(1) },
    held: { bodies: new SharedSum(), answers: new SharedSum() },
    clock,
    logger: silentLogger,
    tasks: taskTable(),
    breakers: {
      inflightName: 'inflight_requests',
      inflightLimitBytes: () => 2 ** 30,
      checkParent: () => undefined,
    },
    entrance: { gate: (visitor) => gate(visitor), waitingRoom: new WaitingRoom() },
    tls: undefined,
    answerAtOnce: (request, body, _route, isNext) => answerAtOnce(request, isNext, body),
    serve: (request) => {
      if (request.body !== undefined) bodies.push(request.body);
      return serve(request);
    },
  });
  ({ port } = await server.listen(openListener));
});

afterEach(async () => {
  await server.stop();
});

async function send(body: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}/_bulk`, { method: 'POST', body });
  return { status: answer.status, text: await answer.text() };
}

/** A request of which only the first bytes of the body are sent. */
async function beginRequest(length: number, part: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const answer = once(socket, 'close').then(() => Buffer.concat(chunks).toString());
  socket.write(`POST /_bulk HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${part}`);
  while (server.breakerFigures().inflight_requests.usedBytes === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { socket, answer };
}

test('a body is never overwritten when its worker ended: others may still read it', async () => {
  serve = () => Promise.reject(new QuarryError('unavailable_shards_exception', 'it is being restarted'));
  expect((await send('first')).status).toBe(503);
  serve = () => Promise.resolve(OK);
  expect((await send('other')).status).toBe(200);
  expect((await send('third')).status).toBe(200);
  const [first, second, third] = bodies;
  expect(Buffer.from(first ?? []).toString()).toBe('first');
  expect(second?.buffer === first?.buffer).toBe(false);
  expect(third?.buffer === second?.buffer).toBe(true);
  expect(server.breakerFigures().inflight_requests).toMatchObject({ usedBytes: 0, refused: 0 });
});

test('a stopping node answers requests whose body is still on its way', async () => {
  const { socket, answer } = await beginRequest(6, 'abc');
  const stopped = server.stop();
  socket.write('def');
  expect(await answer).toContain('200 OK');
  await stopped;
  expect(bodies).toHaveLength(1);
});

test('a stopping node does not wait long for the rest of a body', async () => {
  const { answer } = await beginRequest(6, 'abc');
  const stopped = server.stop();
  lateMs = 6_000;
  await stopped;
  expect(await answer).toMatch(/503 .*node_closed_exception/s);
  expect(bodies).toEqual([]);
  expect(server.breakerFigures().inflight_requests).toMatchObject({ usedBytes: 0 });
});

test.each([
  [BULK.path, true],
  [REINDEX.path, false],
])('a client that goes away has %s cancelled: %j', async (path, isCancelled) => {
  const begun = deferred<WireRequest>();
  const answer = deferred<WireAnswer>();
  serve = (request) => {
    begun.resolve(request);
    return answer.promise;
  };
  const client = new AbortController();
  const sent = fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: '{}', signal: client.signal });
  const { cancellation } = await begun.promise;
  client.abort();
  await expect(sent).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(new Cancellation(cancellation).isCancelled).toBe(isCancelled);
  answer.resolve(OK);
});

/** All that comes for these requests, which are sent one behind the other, until the connection ends. */
async function pipelined(...requests: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(requests.map((line) => `${line} HTTP/1.1\r\nHost: x\r\nX-Opaque-Id: of ${line}\r\n`).join('\r\n'));
  socket.write('Connection: close\r\n\r\n');
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

test('what is answered at once is answered in order, and counted', async () => {
  answerAtOnce = ({ parts }) => ({ status: 200, headers: [['a', 'b']], body: Buffer.from(`[${parts['id']}]`) });
  serve = () => Promise.reject(new Error('nobody is asked'));
  const text = await pipelined('GET /i/_doc/1', 'GET /i/_doc/2', 'GET /i/_doc/3%20');
  expect(text.match(/\[.*?\]/g)).toEqual(['[1]', '[2]', '[3 ]']);
  expect(text.match(/X-Opaque-Id: of GET \/i\/_doc\/\d/g)).toHaveLength(3);
  expect(text.match(/HTTP\/1.1 200 OK\r\n/g)).toHaveLength(3);
  expect(server.traffic.requests()).toEqual({ get: 3 });
  const row = addRow(emptyRow(), server.traffic.figures()['/{index}/_doc/{id}'] ?? []);
  const { requests, requestSizes, answers, answerBytes, answerSizes, answerTimes } = RouteFigure;
  const counted = [requests, requestSizes, answers, answerBytes, answerSizes + 2, answerTimes].map((at) => row[at]);
  // The answers have 3, 3 and 4 bytes, of which the last is in the bucket from 4 on.
  expect(counted).toEqual([3, 3, 3, 10, 2, 3]);
  expect(server.poolFigures()['search']).toMatchObject({ completed: 3, active: 0, queue: 0, largest: 1 });
});

test('what is not answered at once, or is HEAD, takes the usual way', async () => {
  const asked: string[] = [];
  const served: string[] = [];
  answerAtOnce = ({ method, rawPath }) => {
    asked.push(`${method} ${rawPath}`);
    return undefined;
  };
  serve = ({ method, rawPath }) => {
    served.push(`${method} ${rawPath}`);
    return Promise.resolve(OK);
  };
  const url = `http://127.0.0.1:${port}`;
  await fetch(`${url}/i/_doc/1`);
  await fetch(`${url}/i/_doc/2`, { method: 'HEAD' });
  await fetch(`${url}/_bulk`, { method: 'POST' });
  await pipelined('GET /i/_doc/3 HTTP/1.1\r\nContent-Length: 0\r\nX:');
  await pipelined('GET /i/_doc/4 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /i/_doc/5');
  expect(asked).toEqual(['GET /i/_doc/1', 'GET /i/_doc/3']);
  expect(served.slice(0, 3)).toEqual(['GET /i/_doc/1', 'HEAD /i/_doc/2', 'POST /_bulk']);
  expect(server.traffic.requests()).toMatchObject({ bulk: 1 });
});

test('what has a body is answered at once as soon as the body is there, and errors are those of the request', async () => {
  const asked: string[] = [];
  answerAtOnce = ({ method, rawPath }, isNext, body) => {
    const text = Buffer.from(body ?? []).toString();
    asked.push(`${method} ${rawPath} ${text} ${isNext}`);
    if (text === 'wrong') throw new QuarryError('illegal_argument_exception', 'it is wrong');
    return text === 'later' ? undefined : { status: 200, headers: [], body: Buffer.from(`[${text}]`) };
  };
  const url = `http://127.0.0.1:${port}/i/_search`;
  const answers: string[] = [];
  for (const body of ['one', 'wrong', 'later', 'x'.repeat(100_000)]) {
    const answer = await fetch(url, { method: 'POST', body });
    answers.push(`${answer.status} ${(await answer.text()).slice(0, 10)}`);
  }
  expect(answers).toEqual(['200 [one]', '400 {"error":{', '200 {}', '200 [xxxxxxxxx']);
  expect(asked.slice(0, 3)).toEqual(['one', 'wrong', 'later'].map((text) => `POST /i/_search ${text} true`));
  // Only what takes the usual way has its body sent on; all of them are given back.
  expect(bodies).toHaveLength(1);
  expect(server.breakerFigures().inflight_requests.usedBytes).toBe(0);
  expect(server.poolFigures()['search']).toMatchObject({ completed: 3, active: 0, queue: 0 });
});

test('what this turn has no time for is answered in the next ones, in the order in which it came', async () => {
  const [came, answered] = [new Set<string>(), new Array<string>()];
  let hasTime = true;
  answerAtOnce = ({ rawPath }, isNext) => {
    came.add(rawPath);
    // The time of each turn is that of one answer.
    if (isNext) hasTime = !hasTime;
    if (!isNext || hasTime) return NO_TIME;
    answered.push(rawPath);
    return OK;
  };
  serve = () => Promise.reject(new Error('nobody is asked'));
  const paths = Array.from({ length: 20 }, (_, number) => `/i/_doc/${number}`);
  const sockets = paths.map(() => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const answers = paths.map(async (path, at) => {
    sockets[at]?.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const [bytes] = (await once(sockets[at] ?? new Socket(), 'data')) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1.1 200 OK/);
  });
  await Promise.all(answers);
  expect(answered).toHaveLength(paths.length);
  expect(answered).toEqual([...came]);
  expect(server.poolFigures()['search']).toMatchObject({ completed: paths.length, active: 0, queue: 0 });
});

test('what waits for a turn with time counts among what waits in its pool, and goes with its client', async () => {
  let hasTime = false;
  answerAtOnce = () => (hasTime ? OK : NO_TIME);
  const gone = connect(port, '127.0.0.1');
  gone.write('GET /i/_doc/1 HTTP/1.1\r\nHost: x\r\n\r\n');
  while (server.poolFigures()['search']?.queue !== 1) await new Promise((resolve) => setImmediate(resolve));
  gone.destroy();
  while (server.poolFigures()['search']?.queue !== 0) await new Promise((resolve) => setImmediate(resolve));
  const stays = fetch(`http://127.0.0.1:${port}/i/_doc/2`);
  while (server.poolFigures()['search']?.queue !== 1) await new Promise((resolve) => setImmediate(resolve));
  hasTime = true;
  expect((await stays).status).toBe(200);
  expect(server.poolFigures()['search']).toMatchObject({ completed: 1, queue: 0 });
});

test('what turns out to need a worker when its turn comes keeps its place, and what goes wrong is an error', async () => {
  let asked = 0;
  answerAtOnce = ({ rawPath }) => {
    if (asked++ % 2 === 0) return NO_TIME;
    if (rawPath === '/i/_doc/2') throw new QuarryError('illegal_argument_exception', 'it is wrong');
    return undefined;
  };
  const statuses: number[] = [];
  for (const id of [1, 2]) statuses.push((await fetch(`http://127.0.0.1:${port}/i/_doc/${id}`)).status);
  expect(statuses).toEqual([200, 400]);
  expect(server.poolFigures()['search']).toMatchObject({ completed: 1, queue: 0 });
});

test('what goes wrong at once is an error of its request', async () => {
  answerAtOnce = () => {
    throw new QuarryError('illegal_argument_exception', 'it is wrong');
  };
  expect(await pipelined('GET /i/_doc/1')).toMatch(/^HTTP\/1.1 400 .*"it is wrong"/s);
});

test.each([
  ['answers at once', 'GET /i/_doc/1', 1_000],
  ['large answers at once', 'GET /i/_doc/1', 100_000],
  ['answers at once to bodies', 'POST /i/_search', 1_000],
  ['large answers at once to bodies', 'POST /i/_search', 100_000],
  ['errors', 'GET /no/such/path/at/all', 0],
])('a client that asks on and on and does not read is not kept %s', async (_what, line, bytes) => {
  let made = 0;
  answerAtOnce = () => {
    made++;
    return { status: 200, headers: [], body: Buffer.alloc(bytes, ' ') };
  };
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  const body = line.startsWith('POST') ? 'Content-Length: 2\r\n\r\n{}' : '\r\n';
  const requests = Buffer.from(`${line} HTTP/1.1\r\nHost: x\r\n${body}`.repeat(10_000));
  while (!socket.destroyed) {
    await new Promise<void>((resolve) => {
      socket.once('close', resolve);
      socket.write(requests, () => setImmediate(resolve));
    });
  }
  // Answers that the system holds, and one that it does not.
  expect(made * bytes).toBeLessThan(64 * 1024 * 1024);
  expect(server.breakerFigures().in_flight_answers.usedBytes).toBe(0);
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

/** Sends a request and gives all that comes until the connection ends. */
function sendRaw(bytes: Uint8Array): { socket: Socket; answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(bytes);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return { socket, answer: closed.then(() => Buffer.concat(chunks).toString()) };
}

const head = (length: number): string =>
  `POST /_bulk HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;

/** Holds every request until it is let in; gives how many wait, and lets them in. */
function holding(): { count: () => number; letIn: () => void } {
  const waiting: (() => void)[] = [];
  gate = () => new Promise((resolve) => waiting.push(() => resolve('')));
  return {
    count: () => waiting.length,
    letIn: () => {
      gate = () => '';
      for (const resolve of waiting) resolve();
    },
  };
}

async function whenTrue(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('as many requests wait for authentication as may, and one more is refused', async () => {
  const held = holding();
  const answers = Array.from({ length: AUTHENTICATING_MAX }, () => sendRaw(Buffer.from(`${head(2)}{}`)));
  await whenTrue(() => held.count() === AUTHENTICATING_MAX);
  const refused = await send('{}');
  expect([refused.status, refused.text]).toEqual([
    429,
    expect.stringContaining(`the senders of [${AUTHENTICATING_MAX}] requests with [`),
  ]);
  held.letIn();
  for (const { answer } of answers) expect(await answer).toContain('200 OK');
  expect((await send('{}')).status).toBe(200);
});

test('bodies of requests that wait for authentication take no more memory than they may', async () => {
  const held = holding();
  const body = Buffer.alloc(4 * 1024 * 1024, 'x');
  const sent: ReturnType<typeof sendRaw>[] = [];
  let told = '';
  while (told === '' && sent.length < AUTHENTICATING_MAX) {
    // What comes with the head is there before anybody can say that no more shall come.
    sent.push(sendRaw(Buffer.concat([Buffer.from(head(body.length)), body])));
    await whenTrue(() => held.count() === sent.length);
    if (sent.length % 16 !== 0) continue;
    const probe = sendRaw(Buffer.from(`${head(2)}{}`));
    told = await Promise.race([probe.answer, new Promise<string>((resolve) => setTimeout(resolve, 100, ''))]);
    if (told === '') sent.push(probe);
  }
  expect(told).toContain(' 429 ');
  const bytes = Number(/requests with \[(\d+)\] bytes/.exec(told)?.[1]);
  // Beyond the limit by what came with the last of them.
  expect(bytes).toBeGreaterThan(AUTHENTICATING_BYTES_MAX);
  expect(bytes).toBeLessThan(AUTHENTICATING_BYTES_MAX + 16 * 1024 * 1024);
  held.letIn();
  for (const { socket } of sent) socket.destroy();
  expect((await send('{}')).status).toBe(200);
});
