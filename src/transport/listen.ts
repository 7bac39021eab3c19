/** Listening sockets of the front thread. */
import type { AppOptions, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { QuarryError } from '../base/errors.js';
import type { PortRange } from '../base/node-setting-kinds.js';

export interface Listening {
  readonly port: number;
  /** Takes no more connections; those that are open stay. */
  close(): void;
}

/** What uWebSockets.js calls "fail when the port is taken". */
const EXCLUSIVE_PORT = 1;

/**
 * Without routes yet; of TLS where its options are given. Throws where files or names in these cannot be used. A request
 * line with headers of `headerBytesMax` or more ends its connection with 431.
 */
export async function newApp(headerBytesMax: number, tls?: AppOptions): Promise<TemplatedApp> {
  // Read once, when the library is loaded: the same for all apps of a process.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(headerBytesMax);
  const { App, SSLApp } = await import('uWebSockets.js');
  return tls === undefined ? App() : SSLApp(tls);
}

/** The first port of the range that is free; port 0 is any free one. */
export async function listenOnFirstFree(app: TemplatedApp, host: string, range: PortRange): Promise<Listening> {
  const { us_listen_socket_close, us_socket_local_port } = await import('uWebSockets.js');
  const { first, last } = range;
  for (let port = first; port <= last; port++) {
    const socket = await listenOn(app, host, port);
    if (socket === undefined) continue;
    const close = (): void => {
      us_listen_socket_close(socket);
    };
    return { port: us_socket_local_port(socket), close };
  }
  const ports = first === last ? `port [${first}] is` : `all ports of [${first}-${last}] are`;
  throw new QuarryError('i_o_exception', `cannot listen on [${host}]: ${ports} in use or not permitted`);
}

function listenOn(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket | undefined> {
  // The installed version takes the options between port and callback; its declarations know only two of the forms.
  type Listen = (host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void) => void;
  const listen = app.listen.bind(app) as unknown as Listen;
  return new Promise((resolve) => {
    listen(host, port, EXCLUSIVE_PORT, (socket) => {
      resolve(socket || undefined);
    });
  });
}
