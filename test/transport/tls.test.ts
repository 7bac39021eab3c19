/** TLS between nodes: who is let in by his certificate, over real sockets. */
import { request } from 'node:https';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/base/clock.js';
import type { QuarryError } from '../../src/base/errors.js';
import type { Logger } from '../../src/base/logger.js';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { tlsSettings, type TlsSettings } from '../../src/base/tls-settings.js';
import { CERTIFICATE_LOOK_MS, FORMER_APPS_MAX } from '../../src/transport/tls-listener.js';
import { ClientTraffic, trafficWords } from '../../src/transport/client-traffic.js';
import { TransportClient } from '../../src/transport/client.js';
import { secretKey } from '../../src/transport/cluster-secret.js';
import { isConnectionFailure } from '../../src/transport/protocol.js';
import { TransportServer } from '../../src/transport/server.js';
import { taskTable } from '../base/tasks/support.js';
import { TestCertificates } from './certificates.js';

const OPTIONS = { timeoutMs: 10_000 };
const SECRET_KEY = secretKey('a secret that is long enough for nodes');

let certificates: TestCertificates;
const toClose: (() => unknown)[] = [];
const messages: string[] = [];
/** What waits for the time at which files are looked at. */
let looks: (() => void)[] = [];

beforeAll(async () => {
  certificates = await TestCertificates.make();
});

afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
  messages.length = 0;
  looks = [];
});

afterAll(() => certificates.remove());

async function tls(name: string, authority = 'ca', more: Readonly<Record<string, string>> = {}): Promise<TlsSettings> {
  const raw = { ...(await certificates.transportSettings(name, authority)), ...more };
  const settings = tlsSettings(parseNodeSettings(new Map(Object.entries(raw))).values, 'transport');
  return settings ?? expect.fail('TLS is off');
}

async function serve(settings: TlsSettings | undefined, key?: Uint8Array): Promise<string> {
  const clock: Clock = {
    ...systemClock,
    schedule(delayMs, action) {
      if (delayMs !== CERTIFICATE_LOOK_MS) return systemClock.schedule(delayMs, action);
      looks.push(action);
      return () => undefined;
    },
  };
  const logger: Logger = { log: (_level, message) => messages.push(message) };
  const server = new TransportServer({
    host: '127.0.0.1',
    port: { first: 0, last: 0 },
    headerBytesMax: 32 * 1024,
    clusterName: 'c',
    nodeId: 'server-id',
    clock,
    logger,
    security: { tls: settings, secretKey: key },
    tasks: taskTable(),
    taskAction: ({ action }) => action,
    describe: () => {
      throw new Error('nobody asks');
    },
    deliver: ({ bytes }) => Promise.resolve(bytes.slice()),
  });
  toClose.push(() => server.stop());
  return `127.0.0.1:${await server.listen()}`;
}

function clientWith(settings: TlsSettings | undefined, key?: Uint8Array): TransportClient {
  const client = new TransportClient({
    ...{ clusterName: 'c', nodeId: 'client-id', clock: systemClock },
    traffic: new ClientTraffic(trafficWords()),
    security: { tls: settings, secretKey: key },
  });
  toClose.push(() => client.close());
  return client;
}

async function failure(client: TransportClient, address: string): Promise<QuarryError> {
  return client.call({ address }, 'any', 'x', 1, OPTIONS).then(
    () => expect.fail('it was answered'),
    (error: unknown) => error as QuarryError,
  );
}

async function look(): Promise<void> {
  const [next] = looks.splice(0);
  next?.();
  for (let round = 0; round < 1_000 && looks.length === 0; round++)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

it('nodes of one authority talk, many megabytes and many calls at a time', async () => {
  const address = await serve(await tls('server'));
  const client = clientWith(await tls('client'));
  const bytes = new Uint8Array(new SharedArrayBuffer(12_000_000)).fill(3);
  const answer = await client.send({ address, nodeId: 'server-id' }, 'any', 'x', bytes, OPTIONS);
  expect(Buffer.compare(Buffer.from(answer), Buffer.from(bytes))).toBe(0);
  const calls = Array.from({ length: 100 }, (_, at) => client.call({ address }, 'any', 'x', at, OPTIONS));
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, (_, at) => at));
});

it('keys may be encrypted: the keystore has their passphrases', async () => {
  const raw = await certificates.transportSettings('server');
  await certificates.encrypt('server', 'open sesame');
  const { values } = parseNodeSettings(new Map(Object.entries(raw)));
  const secure = { 'transport.ssl.secure_key_passphrase': 'open sesame' } as Readonly<Record<string, string>>;
  const settings = tlsSettings(values, 'transport', { secureSetting: (name) => secure[name] });
  const address = await serve(settings);
  expect(await clientWith(settings).call({ address }, 'any', 'x', 'both', OPTIONS)).toBe('both');
  expect(await clientWith(await tls('client')).call({ address }, 'any', 'x', 'one', OPTIONS)).toBe('one');
});

it('a secret as well as certificates: both are needed', async () => {
  const [server, client] = [await tls('server'), await tls('client')];
  const address = await serve(server, SECRET_KEY);
  const peer = { address };
  expect(await clientWith(client, SECRET_KEY).call(peer, 'any', 'x', 'both', OPTIONS)).toBe('both');
  expect((await failure(clientWith(client), address)).message).toContain('have to know its secret');
});

it('one without a certificate of the authority gets nothing', async () => {
  const address = await serve(await tls('server'));
  const ca = readFileSync(await certificates.authority());
  const { status, text } = await new Promise<{ status?: number; text: string }>((resolve, reject) => {
    const headers = { 'quarry-protocol': '1', 'quarry-cluster': 'c', 'quarry-sender': 'x' };
    const sent = request(`https://${address}/any/x`, { method: 'POST', ca, headers, agent: false }, (answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
      answer.on('end', () =>
        resolve({ ...(answer.statusCode === undefined ? {} : { status: answer.statusCode }), text: body }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
  expect(status).toBe(403);
  expect(text).toContain('have to show a certificate of its authority');
  expect(messages).toContain('a node was kept out');
  const foreign = await failure(clientWith(await tls('foreign', 'other')), address);
  expect(foreign).toMatchObject({ type: 'connect_transport_exception' });
  expect(foreign.message).toMatch(
    /^there is no trust between this node and \[.*\] by their certificates: unable to verify/,
  );
  // One that trusts this authority, and has a certificate of another one.
  const { certificate, key } = await tls('foreign', 'other');
  const half = await failure(clientWith({ ...(await tls('client')), certificate, key }), address);
  // By the alert, or by the end of the connection, whichever it sees first.
  expect(isConnectionFailure(half)).toBe(true);
  expect((await failure(clientWith(undefined), address)).type).toBe('node_disconnected_exception');
});

it('a node is who its certificate says, unless only the authority is to be verified', async () => {
  const { certificate, key } = await certificates.issue('elsewhere', 'ca', ['n7.example.org']);
  const address = await serve({ ...(await tls('server')), certificate, key });
  const full = await failure(clientWith(await tls('client')), address);
  expect(full).toMatchObject({ type: 'connect_transport_exception' });
  expect(full.message).toContain("IP: 127.0.0.1 is not in the cert's list");
  const client = clientWith(await tls('client', 'ca', { 'transport.ssl.verification_mode': 'certificate' }));
  expect(await client.call({ address }, 'any', 'x', 'known', OPTIONS)).toBe('known');
});

it('a node that speaks no TLS is told of by type', async () => {
  const error = await failure(clientWith(await tls('client')), await serve(undefined));
  expect(error).toMatchObject({ type: 'connect_transport_exception' });
  expect(error.message).toMatch(/by their certificates: wrong version number/);
});

it('both sides take changed certificates, and those of another authority let nobody in any more', async () => {
  const [server, client] = [await tls('server'), await tls('client')];
  const address = await serve(server);
  const asking = clientWith(client);
  expect(await asking.call({ address }, 'any', 'x', 1, OPTIONS)).toBe(1);
  // The whole cluster gets another authority.
  const names = [server, client].map(({ certificate }) => /(\w+)\.crt$/.exec(certificate)?.[1] ?? '');
  for (const name of names) await certificates.issue(name, 'next');
  await certificates.write('ca.crt', readFileSync(await certificates.authority('next'), 'utf8'));
  await look();
  expect(messages).toContain('certificates were read again');
  asking.forget(address);
  expect(await asking.call({ address }, 'any', 'x', 2, OPTIONS)).toBe(2);
  const former = await tls('former', 'ca');
  const { certificate, key } = former;
  expect(isConnectionFailure(await failure(clientWith({ ...client, certificate, key }), address))).toBe(true);
});

it('connections of former certificates stay, up to a limit', async () => {
  const address = await serve(await tls('server'));
  const [host, port] = address.split(':');
  const open: { isClosed: boolean }[] = [];
  for (let count = 0; count <= FORMER_APPS_MAX + 1; count++) {
    const seen = { isClosed: false };
    const socket = connect(Number(port), host);
    socket.on('error', () => undefined).on('close', () => (seen.isClosed = true));
    toClose.push(() => socket.destroy());
    await new Promise((resolve) => socket.once('connect', resolve));
    open.push(seen);
    // Accepted by the app of now, before that is replaced.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await certificates.issue('server');
    await look();
  }
  for (let round = 0; round < 400 && !open[1]?.isClosed; round++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(open.slice(0, 3).map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
});

it('whoever only opens a connection is cut off', { timeout: 60_000 }, async () => {
  const address = await serve(await tls('server'));
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
});
