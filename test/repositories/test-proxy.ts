/** A proxy for tests, which asks for a name and a password, and counts the connections that it makes. */
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

export const PROXY_USER = 'through';
export const PROXY_PASSWORD = 'the-password-of-the-proxy';
const EXPECTED = `Basic ${Buffer.from(`${PROXY_USER}:${PROXY_PASSWORD}`).toString('base64')}`;

export class TestProxy {
  readonly port: number;
  connections = 0;
  refusals = 0;
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connect', (request, client, head) => {
      if (request.headers['proxy-authorization'] !== EXPECTED) {
        this.refusals++;
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      this.connections++;
      const [host = '', port = ''] = (request.url ?? '').split(':');
      const target = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        target.write(head);
        target.pipe(client).pipe(target);
      });
      for (const socket of [target, client]) socket.on('error', () => target.destroy());
    });
  }

  static async start(): Promise<TestProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TestProxy(server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
