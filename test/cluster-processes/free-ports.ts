/**
 * Ports that nobody listens on now, for servers that must have the same one after a restart. They lie below those that systems give to
 * connections that go out: while a server is down, a connection of another test could have its port.
 */
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

const FIRST_PORT = 15_000;
const END_OF_PORTS = 32_000;
const TRIES_MAX = 100;

export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listening()));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listening(): Promise<Server> {
  let failure: unknown;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    try {
      return await listenOn(randomInt(FIRST_PORT, END_OF_PORTS));
    } catch (error) {
      failure = error;
    }
  }
  throw new Error('no free port', { cause: failure });
}

function listenOn(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      resolve(server);
    });
  });
}
