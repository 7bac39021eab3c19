/** The proof of a cluster's secret: in one function after the other, then between a server and clients over real sockets. */
import { request } from 'node:http';
import { createServer, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import type { LogFields, Logger } from '../../src/base/logger.js';
import { seededRandom } from '../../src/base/random.js';
import { ClientTraffic, trafficWords } from '../../src/transport/client-traffic.js';
import { TransportClient } from '../../src/transport/client.js';
import {
  clientProof,
  digestOf,
  NONCE_BYTES,
  SECRET_LENGTH_MIN,
  secretKey,
  serverProof,
  sessionKey,
  signRequest,
  type Meeting,
} from '../../src/transport/cluster-secret.js';
import { encodeMessage } from '../../src/transport/codec.js';
import { TOLD_MAX } from '../../src/transport/peer-guard.js';
import { REPLAY_WINDOW, ReplayWindow } from '../../src/transport/replay-window.js';
import { PROOF_BYTES_MAX, TransportServer, type Delivery } from '../../src/transport/server.js';
import { CHALLENGE_MS_MAX, SESSIONS_MAX, SessionKeeper } from '../../src/transport/session-keeper.js';
import { taskTable } from '../base/tasks/support.js';
import { freePorts } from '../cluster-processes/free-ports.js';

const SECRET = 'x'.repeat(SECRET_LENGTH_MIN);
const KEY = secretKey(SECRET);
const OTHER_KEY = secretKey('y'.repeat(SECRET_LENGTH_MIN));
const OPTIONS = { timeoutMs: 10_000 };

it('a secret has so many characters at least, blanks at its ends aside', () => {
  expect(() => secretKey(`  ${'x'.repeat(SECRET_LENGTH_MIN - 1)}\n`)).toThrow(
    'the secret of the cluster has [31] characters, and needs [32] at least',
  );
  expect(secretKey(` ${SECRET}\n`)).toEqual(KEY);
});

describe('numbers of requests', () => {
  it('are taken once, in any order', () => {
    const window = new ReplayWindow();
    for (const number of [1, 3, 2, 7, 100]) expect(window.take(number)).toBe(true);
    for (const number of [1, 2, 3, 7, 100]) expect(window.take(number)).toBe(false);
    expect(window.take(4)).toBe(true);
  });

  it('are refused when they are too old to tell, up to the edge', () => {
    const window = new ReplayWindow();
    expect(window.take(REPLAY_WINDOW + 10)).toBe(true);
    expect(window.take(10)).toBe(false);
    expect(window.take(11)).toBe(true);
    expect(window.take(11)).toBe(false);
    // All former ones are forgotten: none of them is taken for a new one.
    expect(window.take(3 * REPLAY_WINDOW)).toBe(true);
    expect(window.take(REPLAY_WINDOW + 11)).toBe(false);
    expect(window.take(2 * REPLAY_WINDOW + 1)).toBe(true);
  });

  it.each([0, -1, 1.5, NaN, Infinity, 2 ** 53])('%d is none', (number) => {
    expect(new ReplayWindow().take(number)).toBe(false);
  });
});

describe('a session', () => {
  let nowMs: number;
  let keeper: SessionKeeper;
  const nonce = new Uint8Array(NONCE_BYTES).fill(7);

  beforeEach(() => {
    nowMs = 0;
    keeper = newKeeper();
  });

  function newKeeper(seed = 1): SessionKeeper {
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    return new SessionKeeper({ secretKey: KEY, clusterName: 'c', nodeId: 'server', clock, random: seededRandom(seed) });
  }

  function meet(clientId = 'client', to = keeper): Meeting {
    const { nodeId, challenge } = to.challenge(clientId, { nonce });
    return { clusterName: 'c', clientId, serverId: nodeId, nonce, challenge };
  }

  function prove(meeting: Meeting, key = KEY, proof: Uint8Array = clientProof(key, meeting)): string {
    const { challenge } = meeting;
    const answer = keeper.prove(meeting.clientId, { nonce: meeting.nonce, challenge, proof });
    expect(answer.proof).toEqual(serverProof(KEY, meeting));
    return answer.session;
  }

  it('begins with a proof, which is proved in return', () => {
    expect(prove(meet())).toMatch(/^[\w-]{43}$/);
  });

  it('begins with no other secret, cluster, node, nonce or challenge', () => {
    const wrong = 'node [client] does not know the secret of this cluster';
    expect(() => prove(meet(), OTHER_KEY)).toThrow(wrong);
    const meeting = meet();
    const others: Meeting[] = [
      { ...meeting, clusterName: 'd' },
      { ...meeting, clientId: 'clien' },
      { ...meeting, serverId: 'tserver' },
      { ...meeting, nonce: new Uint8Array(NONCE_BYTES) },
      { ...meeting, challenge: meet().challenge },
    ];
    for (const other of others) expect(() => prove(meeting, KEY, clientProof(KEY, other))).toThrow(wrong);
    // What this node itself would say is no proof either.
    expect(() => prove(meeting, KEY, serverProof(KEY, meeting))).toThrow(wrong);
    expect(() => prove(meeting, KEY, sessionKey(KEY, meeting))).toThrow(wrong);
    expect(keeper.size).toBe(0);
  });

  it('begins only with a challenge that this node gave to this one, which is not changed', () => {
    const none = 'the challenge is none that this node has given to this one';
    const meeting = meet();
    expect(() => prove({ ...meeting, clientId: 'other' })).toThrow(none);
    expect(() => prove({ ...meeting, nonce: new Uint8Array(NONCE_BYTES) })).toThrow(none);
    for (let at = 0; at < meeting.challenge.length; at++) {
      const challenge = Uint8Array.from(meeting.challenge);
      challenge[at] = (challenge[at] ?? 0) ^ 1;
      expect(() => prove({ ...meeting, challenge })).toThrow(none);
    }
    // Of the same node before it was started again.
    expect(() => prove(meet('client', newKeeper(2)))).toThrow(none);
  });

  it('begins once for each challenge, in its time', () => {
    const meeting = meet();
    prove(meeting);
    expect(() => prove(meeting)).toThrow('the answer to a challenge was sent before');
    const late = meet();
    nowMs += CHALLENGE_MS_MAX;
    const lateBy1 = meet();
    prove(late);
    nowMs += CHALLENGE_MS_MAX + 1;
    expect(() => prove(lateBy1)).toThrow('the challenge has expired');
  });

  it('begins with no message that is cut short or is none', () => {
    const { challenge } = meet();
    const proof = new Uint8Array(32);
    const messages: unknown[] = [
      ...[null, 7, 'a', [], {}, { nonce, challenge }, { nonce: 'a', challenge, proof }],
      ...[
        { nonce: nonce.subarray(1), challenge, proof },
        { nonce, challenge: challenge.subarray(1), proof },
      ],
      ...[
        { nonce, challenge, proof: proof.subarray(1) },
        { nonce, challenge, proof: [...proof] },
      ],
    ];
    for (const message of messages)
      expect(() => keeper.prove('client', message)).toThrow(/^a message of the handshake/);
    expect(() => keeper.challenge('client', { nonce: nonce.subarray(1) })).toThrow(/has no \[nonce\] of \[32\] bytes/);
  });

  it('takes each request once, and none that is changed', () => {
    const meeting = meet();
    const session = prove(meeting);
    const key = sessionKey(KEY, meeting);
    const head = {
      session,
      counter: '1',
      path: '/any/x',
      recipient: '',
      call: '1',
      task: '',
      operation: '',
      digest: 'd',
    };
    const signature = signRequest(key, head);
    for (const name of ['counter', 'path', 'recipient', 'call', 'task', 'operation', 'digest'] as const) {
      expect(() => keeper.admit('client', { ...head, [name]: `${head[name]}2` }, signature)).toThrow(
        /is not signed by it/,
      );
    }
    expect(() => keeper.admit('client', head, signature.slice(1))).toThrow(/is not signed by it/);
    expect(() => keeper.admit('client', head, '')).toThrow(/is not signed by it/);
    expect(() => keeper.admit('other', head, signature)).toThrow(/^there is no session/);
    expect(() => keeper.admit('client', { ...head, session: 'x' }, signature)).toThrow(/^there is no session/);
    expect(() => keeper.admit('client', { ...head, session: '' }, '')).toThrow(/have to know its secret/);
    expect(keeper.admit('client', head, signature).clientId).toBe('client');
    expect(() => keeper.admit('client', head, signature)).toThrow('request [1] of node [client] was sent before');
    // The same number in other letters.
    const again = { ...head, counter: '01' };
    expect(() => keeper.admit('client', again, signRequest(key, again))).toThrow(/is not signed by it/);
  });

  it('makes room for another when there are too many, but for those that have just begun', () => {
    const first = meet();
    const session = prove(first);
    for (let count = 1; count < SESSIONS_MAX; count++) prove(meet());
    expect(keeper.size).toBe(SESSIONS_MAX);
    expect(() => prove(meet())).toThrow(/^rejected execution: \[4096\] sessions of other nodes have just begun/);
    nowMs += CHALLENGE_MS_MAX + 1;
    const key = sessionKey(KEY, first);
    const head = { session, counter: '1', path: '/', recipient: '', call: '', task: '', operation: '', digest: '' };
    // What was used last stays.
    keeper.admit('client', head, signRequest(key, head));
    prove(meet());
    expect(keeper.size).toBe(SESSIONS_MAX);
    expect(
      keeper.admit('client', { ...head, counter: '2' }, signRequest(key, { ...head, counter: '2' })),
    ).toBeDefined();
  });
});

describe('between two nodes', () => {
  let server: TransportServer;
  let port: number;
  let deliveries: Delivery[];
  let logged: { readonly message: string; readonly fields: LogFields }[];
  const toClose: (() => unknown)[] = [];

  beforeEach(async () => {
    deliveries = [];
    logged = [];
    server = newServer(KEY);
    port = await server.listen();
  });

  afterEach(async () => {
    await server.stop();
    for (const close of toClose.splice(0)) await close();
  });

  function newServer(key: Uint8Array | undefined, atPort = 0): TransportServer {
    const logger: Logger = {
      log: (_level, message, fields = {}) => logged.push({ message, fields }),
    };
    return new TransportServer({
      host: '127.0.0.1',
      port: { first: atPort, last: atPort },
      headerBytesMax: 32 * 1024,
      clusterName: 'c',
      nodeId: 'server-id',
      clock: systemClock,
      security: { tls: undefined, secretKey: key },
      logger,
      tasks: taskTable(),
      taskAction: ({ action }) => action,
      describe: () => {
        throw new Error('nobody asks');
      },
      deliver: (delivery) => {
        deliveries.push(delivery);
        if (delivery.action === 'fail')
          return Promise.reject(new QuarryError('version_conflict_engine_exception', 'no'));
        return Promise.resolve(delivery.bytes.slice());
      },
    });
  }

  function newClient(key: Uint8Array | undefined, clusterName = 'c'): TransportClient {
    const client = new TransportClient({
      ...{ clusterName, nodeId: 'client-id', clock: systemClock },
      traffic: new ClientTraffic(trafficWords()),
      security: { tls: undefined, secretKey: key },
    });
    toClose.push(() => client.close());
    return client;
  }

  async function failure(client: TransportClient, address = `127.0.0.1:${port}`): Promise<QuarryError> {
    return client.call({ address }, 'any', 'x', 1, OPTIONS).then(
      () => expect.fail('it was answered'),
      (error: unknown) => error as QuarryError,
    );
  }

  /** A wire between the two whose bytes can be changed, and are kept. */
  async function wire(change: { answer?: (text: string) => string; request?: (text: string) => string }): Promise<{
    readonly address: string;
    readonly requests: string[];
  }> {
    const requests: string[] = [];
    const proxy = createServer((socket: Socket) => {
      const onward = connect(port, '127.0.0.1');
      for (const one of [socket, onward])
        one.on('error', () => undefined).on('close', () => (one === socket ? onward : socket).destroy());
      socket.on('data', (bytes) => {
        const text = bytes.toString('latin1');
        requests.push(text);
        onward.write(Buffer.from(change.request?.(text) ?? text, 'latin1'));
      });
      onward.on('data', (bytes) => {
        const text = bytes.toString('latin1');
        socket.write(Buffer.from(change.answer?.(text) ?? text, 'latin1'));
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    toClose.push(() => proxy.close());
    return { address: `127.0.0.1:${(proxy.address() as { port: number }).port}`, requests };
  }

  it('of one secret calls and errors cross, many at a time', async () => {
    const client = newClient(KEY);
    const peer = { address: `127.0.0.1:${port}`, nodeId: 'server-id' };
    const asked = Array.from({ length: 200 }, (_, at) => client.call(peer, 'any', 'x', { at }, OPTIONS));
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 200 }, (_, at) => ({ at })));
    const bytes = new Uint8Array(new SharedArrayBuffer(3_000_000)).fill(5);
    expect(Buffer.compare(await client.send(peer, 'any', 'x', bytes, OPTIONS), Buffer.from(bytes))).toBe(0);
    await expect(client.call(peer, 'any', 'fail', 1, OPTIONS)).rejects.toMatchObject({
      type: 'version_conflict_engine_exception',
    });
    expect(server.figures().refused).toBe(0);
  });

  it('one without the secret, or with another one, gets nothing, and both sides say why', async () => {
    const none = await failure(newClient(undefined));
    expect(none).toMatchObject({ type: 'connect_transport_exception' });
    expect(none.message).toBe('nodes of this cluster have to know its secret, see [cluster.secret_file]');
    const wrong = await failure(newClient(OTHER_KEY));
    expect(wrong).toMatchObject({ type: 'connect_transport_exception' });
    expect(wrong.message).toContain('node [client-id] does not know the secret of this cluster');
    const elsewhere = await failure(newClient(KEY, 'd'));
    // The name of the cluster is not told.
    expect(elsewhere.message).toContain('remote cluster name does not match local cluster name [d]');
    expect(deliveries).toEqual([]);
    expect(server.figures().refused).toBe(3);
    expect(logged.map(({ message }) => message)).toEqual([
      'a node was kept out',
      'a node was kept out',
      'a node was kept out',
    ]);
    expect(logged[1]?.fields).toMatchObject({ address: '127.0.0.1' });
    expect(JSON.stringify(logged)).not.toContain(SECRET);
  });

  it('one that expects a secret is told where the other has none', async () => {
    const open = newServer(undefined);
    toClose.push(() => open.stop());
    const error = await failure(newClient(KEY), `127.0.0.1:${await open.listen()}`);
    expect(error).toMatchObject({ type: 'connect_transport_exception' });
    expect(error.message).toContain('remote node has no secret of the cluster, local node has one');
  });

  it('one that only pretends to know the secret is not talked to', async () => {
    // It gives its own challenge, and for a proof what it was sent.
    const pretender = createServer((socket) => {
      socket.on('data', (bytes) => {
        const number = /quarry-call: (\d+)/i.exec(bytes.toString('latin1'))?.[1] ?? '';
        const isChallenge = bytes.includes('/front/challenge');
        const body = isChallenge
          ? encodeMessage({ nodeId: 'server-id', challenge: new Uint8Array(72) })
          : encodeMessage({ session: 's', proof: new Uint8Array(32) });
        const head = `HTTP/1.1 200 OK\r\nquarry-protocol: 1\r\nquarry-call: ${number}\r\ncontent-length: ${body.length}\r\n\r\n`;
        socket.write(Buffer.concat([Buffer.from(head), body]));
      });
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => pretender.listen(0, '127.0.0.1', resolve));
    toClose.push(() => pretender.close());
    const { port: at } = pretender.address() as { port: number };
    const error = await failure(newClient(KEY), `127.0.0.1:${at}`);
    expect(error).toMatchObject({ type: 'connect_transport_exception' });
    expect(error.message).toBe(`[127.0.0.1:${at}] does not know the secret of the cluster`);
  });

  it('a request that is sent a second time, or changed on its way, is refused', async () => {
    const { address, requests } = await wire({ request: (text) => text.replace('TAMPER-ME', 'TAMPERED!') });
    const client = newClient(KEY);
    await client.call({ address }, 'any', 'x', 'kept', OPTIONS);
    const recorded = requests.at(-1) ?? '';
    expect(recorded).toContain('/any/x');
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(recorded, 'latin1')));
      let text = '';
      socket.on('data', (bytes) => (text += bytes.toString('latin1')));
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden/);
    expect(answer).toContain('was sent before');
    expect(deliveries.length).toBe(1);
    const changed = await client.call({ address }, 'any', 'x', 'TAMPER-ME', OPTIONS).catch((error: unknown) => error);
    expect(changed).toMatchObject({ type: 'node_disconnected_exception' });
    expect((changed as Error).message).toContain(
      'the body of a request of node [client-id] is not the one that it has signed',
    );
    expect(deliveries.length).toBe(1);
    // It proves itself anew and goes on.
    expect(await client.call({ address }, 'any', 'x', 'more', OPTIONS)).toBe('more');
  });

  it.each([
    ['its body', (text: string) => text.replace('HONEST', 'FORGED')],
    [
      'an error for an answer',
      (text: string) => text.replace(/quarry-signature/i, 'quarry-failed: 1\r\nquarry-signature'),
    ],
    ['its signature', (text: string) => text.replace(/quarry-signature: /i, 'quarry-signature: A')],
    ['no signature', (text: string) => text.replace(/quarry-signature/i, 'quarry-no-signature')],
  ])('an answer that was changed on its way is none: %s', async (_, answer) => {
    const { address } = await wire({ answer });
    const error = await newClient(KEY)
      .call({ address }, 'any', 'x', 'HONEST', OPTIONS)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ type: 'node_disconnected_exception' });
    expect((error as Error).message).toContain('the answer is not signed by the node that was asked');
  });

  it('one that was started again is proved to anew', async () => {
    await server.stop();
    // Only a port that was asked for by its number can be had again at once.
    [port = 0] = await freePorts(1);
    server = newServer(KEY, port);
    await server.listen();
    const client = newClient(KEY);
    const address = `127.0.0.1:${port}`;
    await client.call({ address }, 'any', 'x', 1, OPTIONS);
    await server.stop();
    server = newServer(KEY, port);
    await server.listen();
    // The first may fail: whether the former process has carried it out is not known.
    await client.call({ address }, 'any', 'x', 1, OPTIONS).catch(() => undefined);
    await client.call({ address }, 'any', 'x', 1, OPTIONS).catch(() => undefined);
    expect(await client.call({ address }, 'any', 'x', 'back', OPTIONS)).toBe('back');
  });

  it('the end of one is noticed by those who watch it, once they have proved who they are', async () => {
    const watching = newClient(KEY).watch({ address: `127.0.0.1:${port}` }, new AbortController().signal);
    for (let round = 0; round < 1_000 && server.figures().watchers === 0; round++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(server.figures().watchers).toBe(1);
    await server.stop();
    expect(await watching).toMatchObject({ type: 'node_disconnected_exception' });
    server = newServer(KEY);
    port = await server.listen();
    const refused = await newClient(undefined).watch({ address: `127.0.0.1:${port}` }, new AbortController().signal);
    expect(refused).toMatchObject({ type: 'connect_transport_exception' });
  });

  it('a message of the handshake is short, and the log has so many lines of refusals', async () => {
    const post = (path: string, body: Buffer, headers: Record<string, string> = {}): Promise<string> =>
      new Promise((resolve, reject) => {
        const sent = request(
          { port, path, method: 'POST', headers: { 'quarry-protocol': '1', 'quarry-cluster': 'c', ...headers } },
          (answer) => {
            let text = '';
            answer.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
            answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
          },
        );
        sent.on('error', reject);
        sent.end(body);
      });
    expect(await post('/front/challenge', Buffer.alloc(PROOF_BYTES_MAX))).toContain('cannot be read');
    expect(await post('/front/challenge', Buffer.alloc(PROOF_BYTES_MAX + 1))).toContain('at most 4096 bytes');
    for (let count = 0; count <= TOLD_MAX; count++) {
      await post('/any/x', Buffer.alloc(0), { 'quarry-session': `s${count}`, 'quarry-sender': 'n' });
    }
    expect(logged.length).toBe(TOLD_MAX);
    expect(server.figures().refused).toBe(TOLD_MAX + 3);
    expect(digestOf(new Uint8Array(0))).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
  });
});
