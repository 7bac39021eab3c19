/** The severable network, in front of a transport server. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import type { QuarryError } from '../../src/base/errors.js';
import { ClientTraffic, trafficWords } from '../../src/transport/client-traffic.js';
import { TransportClient } from '../../src/transport/client.js';
import { TransportServer } from '../../src/transport/server.js';
import { freePorts } from './free-ports.js';
import { Links } from './links.js';
import { taskTable } from '../base/tasks/support.js';

let links: Links;
let server: TransportServer;
let left: TransportClient;
let right: TransportClient;
let address: string;

beforeEach(async () => {
  const [port = 0, published = 0] = await freePorts(2);
  server = new TransportServer({
    host: '127.0.0.1',
    port: { first: port, last: port },
    headerBytesMax: 32 * 1024,
    clusterName: 'c',
    nodeId: 'server-id',
    clock: systemClock,
    tasks: taskTable(),
    taskAction: ({ action }) => action,
    describe: () => {
      throw new Error('nobody asks');
    },
    deliver: ({ bytes }) => Promise.resolve(bytes.slice()),
  });
  await server.listen();
  links = new Links((nodeId) => nodeId.replace('-id', ''));
  await links.open('server', { host: '127.0.0.1', port: published }, port);
  address = `127.0.0.1:${published}`;
  left = new TransportClient({
    clusterName: 'c',
    nodeId: 'left-id',
    clock: systemClock,
    traffic: new ClientTraffic(trafficWords()),
  });
  right = new TransportClient({
    clusterName: 'c',
    nodeId: 'right-id',
    clock: systemClock,
    traffic: new ClientTraffic(trafficWords()),
  });
});

afterEach(async () => {
  await Promise.all([left.close(), right.close()]);
  links.stop();
  await server.stop();
});

async function echo(client: TransportClient, what: string): Promise<unknown> {
  return client.call({ address }, 'any', 'echo', what, { timeoutMs: 5_000 });
}

async function ask(client: TransportClient, timeoutMs = 5_000): Promise<string> {
  try {
    return (await client.call({ address }, 'any', 'echo', 'answered', { timeoutMs })) as string;
  } catch (error) {
    return (error as QuarryError).type;
  }
}

it('carries what is sent', async () => {
  expect(await ask(left)).toBe('answered');
  expect(await ask(right)).toBe('answered');
});

it('a cut link fails at once, the others go on', async () => {
  await ask(left);
  links.set('left', 'server', 'cut');
  expect(await ask(left)).toBe('node_disconnected_exception');
  expect(await ask(right)).toBe('answered');
  links.healAll();
  expect(await ask(left)).toBe('answered');
});

it('cutting a link is noticed by those who watch the other side', async () => {
  const watching = left.watch({ address }, new AbortController().signal);
  while (server.figures().watchers === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  links.set('server', 'left', 'cut');
  expect((await watching).type).toBe('node_disconnected_exception');
});

it('a link that hangs carries nothing until it is healed', async () => {
  await ask(left);
  links.set('left', 'server', 'hang');
  expect(await ask(left, 300)).toBe('receive_timeout_transport_exception');
  const waiting = ask(left);
  await new Promise((resolve) => setTimeout(resolve, 50));
  links.set('left', 'server', 'open');
  expect(await waiting).toBe('answered');
  expect(await ask(right)).toBe('answered');
});

it('carries every byte once, however often a link is healed', async () => {
  links.set('left', 'server', 'cut');
  links.set('left', 'server', 'open');
  await ask(left);
  links.healAll();
  links.healAll();
  for (let round = 0; round < 20; round++) expect(await echo(left, `${round}`)).toBe(`${round}`);
  expect(server.figures().completed).toBe(21);
});
