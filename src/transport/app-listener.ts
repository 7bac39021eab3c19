/** A port of the front thread, with or without TLS; its connections may be carried by several apps, also of other threads. */
import type { TemplatedApp } from 'uWebSockets.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { PortRange } from '../base/node-setting-kinds.js';
import type { TlsSettings } from '../base/tls-settings.js';
import { descriptorOf, ringOf, type AppRing } from './app-ring.js';
import { listenOnFirstFree, newApp } from './listen.js';

export interface AppOptions {
  /** See `newApp`. */
  readonly headerBytesMax: number;
  /** Undefined: no TLS. */
  readonly tls: TlsSettings | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Adds the routes. */
  readonly configure: (app: TemplatedApp) => void;
}

export interface AppListenerOptions extends AppOptions {
  readonly host: string;
  readonly port: PortRange;
  /** Other threads carry connections of this port as well: see {@link PortListener.ring}. */
  readonly isShared?: boolean;
}

export interface AppListener {
  /** Takes no more connections; those that are open stay. May be called again. */
  closeSocket(): void;
  /** Closes every connection. */
  close(): void;
}

export interface PortListener extends AppListener {
  readonly port: number;
  /** The apps that connections are handed to in turn; undefined: there is one app alone. */
  readonly ring: AppRing | undefined;
}

/** Listens on the first free port of the range. Refuses files of certificates that cannot be used. */
export async function openListener(options: AppListenerOptions): Promise<PortListener> {
  const { host, port, tls, configure, headerBytesMax, isShared = false } = options;
  if (tls !== undefined) {
    const { openTlsListener } = await import('./tls-listener.js');
    return openTlsListener(options, tls);
  }
  const app = await newApp(headerBytesMax);
  configure(app);
  const acceptor = isShared ? await newApp(headerBytesMax) : app;
  const ring = isShared ? ringOf(acceptor) : undefined;
  ring?.add(descriptorOf(app));
  const listening = await listenOnFirstFree(acceptor, host, port);
  let isListening = true;
  return {
    port: listening.port,
    ring,
    closeSocket: () => {
      if (isListening) listening.close();
      isListening = false;
    },
    close: () => {
      if (isShared) acceptor.close();
      app.close();
    },
  };
}
