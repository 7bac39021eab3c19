/** Server and client over real sockets, the threads behind them functions. */
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.js';
import { systemClock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import { ClientTraffic, trafficWords } from '../../src/transport/client-traffic.js';
import { TransportClient } from '../../src/transport/client.js';
import { decodeMessage, encodeMessage } from '../../src/transport/codec.js';
import type { HandshakeAnswer } from '../../src/transport/handshake.js';
import { isConnectionFailure } from '../../src/transport/protocol.js';
import { TransportServer, type Delivery } from '../../src/transport/server.js';
import { taskTable } from '../base/tasks/support.js';

const CLUSTER = 'prüfstand';
const SELF: HandshakeAnswer = {
  nodeId: 'server-id',
  ephemeralId: 'e1',
  name: 'n1',
  version: '0.1.0',
  roles: ['master', 'data'],
  address: '127.0.0.1:9300',
  clusterUuid: null,
  clusterName: CLUSTER,
  isFresh: true,
  master: null,
  knownAddresses: ['127.0.0.1:9301'],
};
const OPTIONS = { timeoutMs: 10_000 };

let server: TransportServer;
let traffic: ClientTraffic;
let client: TransportClient;
let address: string;
let deliveries: Delivery[];
let deliver: (delivery: Delivery) => Promise<Uint8Array>;
const toClose: (() => unknown)[] = [];

async function startServer(port = 0): Promise<number> {
  server = new TransportServer({
    host: '127.0.0.1',
    port: { first: port, last: port },
    headerBytesMax: 32 * 1024,
    clusterName: CLUSTER,
    nodeId: 'server-id',
    clock: systemClock,
    tasks: taskTable(),
    taskAction: ({ action }) => action,
    describe: () => SELF,
    deliver: (delivery) => {
      deliveries.push(delivery);
      return deliver(delivery);
    },
  });
  return server.listen();
}

beforeEach(async () => {
  traffic = new ClientTraffic(trafficWords());
  deliveries = [];
  deliver = ({ bytes }) => Promise.resolve(bytes.slice());
  address = `127.0.0.1:${await startServer()}`;
  client = new TransportClient({
    clusterName: CLUSTER,
    nodeId: 'client-id',
    clock: systemClock,
    traffic,
  });
});

afterEach(async () => {
  await client.close();
  await server.stop();
  for (const close of toClose.splice(0)) await close();
});

async function failure(work: Promise<unknown>): Promise<QuarryError> {
  const error: unknown = await work.then(
    (value) => expect.fail(`it gave ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(QuarryError);
  return error as QuarryError;
}

async function listenRaw(onSocket: (socket: Socket) => void): Promise<string> {
  const raw: Server = createServer(onSocket);
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
  toClose.push(() => raw.close());
  return `127.0.0.1:${(raw.address() as { port: number }).port}`;
}

/** Only a port that was asked for by its number can be had again at once. */
async function freePort(): Promise<number> {
  const found = createServer();
  await new Promise<void>((resolve) => found.listen(0, '127.0.0.1', resolve));
  const { port } = found.address() as { port: number };
  await new Promise((resolve) => found.close(resolve));
  return port;
}

async function eventually(holds: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000 && !holds(); round++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(holds()).toBe(true);
}

describe('a call', () => {
  it('reaches the addressed thread undecoded and brings its answer', async () => {
    deliver = ({ bytes, sender }) => Promise.resolve(encodeMessage({ got: decodeMessage(bytes), sender }));
    const message = { index: 'a', bytes: Uint8Array.of(1, 2), at: 7n };
    const answer = await client.call({ address }, 'worker-3', 'shard', message, OPTIONS);
    expect(answer).toEqual({ got: message, sender: 'client-id' });
    expect(deliveries[0]).toMatchObject({ target: 'worker-3', action: 'shard' });
  });

  it('carries many megabytes both ways, from and into shared memory', async () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(24 * 1024 * 1024));
    bytes.forEach((_, at) => (bytes[at] = at % 251));
    const answer = await client.send({ address }, 'any', 'file', bytes, OPTIONS);
    expect(Buffer.compare(Buffer.from(answer), Buffer.from(bytes))).toBe(0);
    expect(server.figures()).toMatchObject({ active: 0, completed: 1, requestBytes: { usedBytes: 0 } });
    expect(server.figures().answerBytes.usedBytes).toBe(0);
  });

  it('rejects with the error that was thrown there', async () => {
    deliver = () =>
      Promise.reject(new QuarryError('version_conflict_engine_exception', 'conflict', { details: { shard: 2 } }));
    const error = await failure(client.call({ address }, 'coordinator', 'submit', null, OPTIONS));
    expect(error).toMatchObject({ type: 'version_conflict_engine_exception', message: 'conflict', status: 409 });
    expect(error.details).toEqual({ shard: 2 });
    expect(isConnectionFailure(error)).toBe(false);
  });

  it('is answered by type when what it asks for is not there', async () => {
    const error = await failure(client.send({ address }, 'worker-x' as 'any', 'shard', new Uint8Array(0), OPTIONS));
    expect(error).toMatchObject({ type: 'action_not_found_transport_exception' });
  });

  it('ends when its time is over, and the other node is told', async () => {
    deliver = () => new Promise(() => undefined);
    const error = await failure(client.call({ address }, 'any', 'slow', 1, { timeoutMs: 100 }));
    expect(error.type).toBe('receive_timeout_transport_exception');
    expect(error.message).toBe(`[${address}][/any/slow] did not answer within [100ms]`);
    await eventually(() => deliveries[0]?.task.isCancelled === true);
  });

  it('ends when it is cancelled, by signal or by word', async () => {
    deliver = () => new Promise(() => undefined);
    const stop = new AbortController();
    const word = new Cancellation();
    const bySignal = failure(client.call({ address }, 'any', 'slow', 1, { ...OPTIONS, signal: stop.signal }));
    const byWord = failure(client.call({ address }, 'any', 'slow', 1, { ...OPTIONS, cancellation: word }));
    await eventually(() => deliveries.length === 2);
    stop.abort();
    word.cancel();
    expect((await bySignal).type).toBe('task_cancelled_exception');
    expect((await byWord).type).toBe('task_cancelled_exception');
    await eventually(() => deliveries.every(({ task }) => task.isCancelled));
  });

  it('fails by type when nobody listens, or the connection is lost', async () => {
    const nobody = await failure(client.call({ address: '127.0.0.1:1' }, 'any', 'x', 1, OPTIONS));
    expect(nobody.type).toBe('node_not_connected_exception');
    const lost = await listenRaw((socket) => socket.once('data', () => socket.destroy()));
    const disconnected = await failure(client.call({ address: lost }, 'any', 'x', 1, OPTIONS));
    expect(disconnected.type).toBe('node_disconnected_exception');
    expect([nobody, disconnected].every(isConnectionFailure)).toBe(true);
  });

  it('fails by type when something else listens', async () => {
    const other = await listenRaw((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')),
    );
    const error = await failure(client.call({ address: other }, 'any', 'x', 1, OPTIONS));
    expect(error).toMatchObject({ type: 'connect_transport_exception' });
    expect(error.message).toBe(`[${other}] does not answer like a node of a cluster`);
  });

  it('never takes the answer to another call for its own', async () => {
    const late = 'HTTP/1.1 200 OK\r\nquarry-protocol: 1\r\nquarry-call: 7777\r\ncontent-length: 1\r\n\r\n\0';
    const other = await listenRaw((socket) => socket.on('data', () => socket.write(late)));
    const error = await failure(client.call({ address: other }, 'any', 'x', 1, OPTIONS));
    expect(error).toMatchObject({ type: 'node_disconnected_exception' });
    expect(error.message).toBe(`[${other}][/any/x] disconnected: the answer is that to another request`);
    expect(traffic.figures()).toMatchObject({ misanswered: 1, failed: 1 });
  });

  it('goes through after the other node was restarted on its port', async () => {
    await server.stop();
    const port = await freePort();
    address = `127.0.0.1:${await startServer(port)}`;
    await client.call({ address }, 'any', 'x', 1, OPTIONS);
    await server.stop();
    await failure(client.call({ address }, 'any', 'x', 1, OPTIONS));
    await startServer(port);
    expect(await client.call({ address }, 'any', 'x', 'back', OPTIONS)).toBe('back');
  });

  it('counts what it does', async () => {
    await client.call({ address }, 'any', 'x', 1, OPTIONS);
    await failure(client.call({ address: '127.0.0.1:1' }, 'any', 'x', 1, OPTIONS));
    const figures = traffic.figures();
    expect(figures).toMatchObject({ opened: 1, sent: 2, completed: 1, failed: 1, rejected: 0 });
    expect(figures.sentBytes).toBe(2 * encodeMessage(1).length);
    expect(figures.receivedBytes).toBe(encodeMessage(1).length);
  });
});

describe('a node', () => {
  it('tells who it is', async () => {
    expect(await client.handshake(address, SELF, OPTIONS)).toEqual(SELF);
    expect(deliveries).toEqual([]);
  });

  it('refuses a handshake that cannot be read', async () => {
    const error = await failure(client.call({ address }, 'front', 'handshake', { nodeId: 1 }, OPTIONS));
    expect(error.type).toBe('transport_serialization_exception');
  });

  it('refuses nodes of another cluster', async () => {
    const stranger = new TransportClient({
      clusterName: 'other',
      nodeId: 'x',
      clock: systemClock,
      traffic: new ClientTraffic(trafficWords()),
    });
    toClose.push(() => stranger.close());
    const error = await failure(stranger.call({ address }, 'any', 'x', 1, OPTIONS));
    expect(error.message).toBe(`remote cluster name [${CLUSTER}] does not match local cluster name [other]`);
  });

  it('refuses what is meant for another node', async () => {
    const error = await failure(client.call({ address, nodeId: 'former-id' }, 'any', 'x', 1, OPTIONS));
    expect(error).toMatchObject({ type: 'node_not_connected_exception' });
    expect(await client.call({ address, nodeId: 'server-id' }, 'any', 'x', 1, OPTIONS)).toBe(1);
  });

  it('says what its port is for', async () => {
    const answer = await fetch(`http://${address}/`);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: string };
    expect(error).toContain('Clients use that of HTTP');
  });

  it('that ends is noticed by those who watch it', async () => {
    const watching = client.watch({ address, nodeId: 'server-id' }, new AbortController().signal);
    await eventually(() => server.figures().watchers === 1);
    await server.stop();
    expect(await watching).toMatchObject({ type: 'node_disconnected_exception' });
  });

  it('is watched until the watcher gives up', async () => {
    const stop = new AbortController();
    const watching = client.watch({ address }, stop.signal);
    await eventually(() => server.figures().watchers === 1);
    stop.abort(new QuarryError('node_closed_exception', 'enough'));
    expect((await watching).type).toBe('node_closed_exception');
    await eventually(() => server.figures().watchers === 0);
  });
});
