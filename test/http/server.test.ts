/** The front alone, its worker a function: what becomes of bodies when a worker ends or the node stops. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.js';
import { systemClock, type Clock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import { silentLogger } from '../../src/base/logger.js';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { HttpServer } from '../../src/http/server.js';
import type { WireAnswer, WireRequest, WireRoute } from '../../src/rest/wire.js';
import { taskTable } from '../base/tasks/support.js';

const BULK: WireRoute = {
  endpoint: 0,
  name: 'bulk',
  method: 'POST',
  path: '/_bulk',
  pool: 'write',
  placement: 'any',
  action: 'bulk',
  isCancellable: false,
  outlivesClient: false,
};
const REINDEX: WireRoute = { ...BULK, name: 'reindex', path: '/_reindex', outlivesClient: true };
const ROUTES: readonly WireRoute[] = [BULK, REINDEX];
const OK: WireAnswer = { status: 200, headers: [], body: Buffer.from('{}') };

let server: HttpServer;
let port: number;
let bodies: Uint8Array[];
let serve: (request: WireRequest) => Promise<WireAnswer>;
let lateMs: number;

beforeEach(async () => {
  bodies = [];
  lateMs = 0;
  serve = () => Promise.resolve(OK);
  const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + lateMs };
  server = new HttpServer({
    settings: parseNodeSettings(new Map([['http.port', '0']])),
    routes: ROUTES,
    workerCount: 1,
    clock,
    logger: silentLogger,
    tasks: taskTable(),
    breakers: {
      inflightName: 'inflight_requests',
      inflightLimitBytes: () => 2 ** 30,
      checkParent: () => undefined,
    },
    gate: undefined,
    serve: (request) => {
      if (request.body !== undefined) bodies.push(request.body);
      return serve(request);
    },
  });
  port = await server.listen();
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

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
