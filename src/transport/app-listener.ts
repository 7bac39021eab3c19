/** A port of the front thread, with or without TLS. */
import type { TemplatedApp } from 'uWebSockets.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { PortRange } from '../base/node-setting-kinds.js';
import type { TlsSettings } from '../base/tls-settings.js';
import { listenOnFirstFree, newApp } from './listen.js';

export interface AppListenerOptions {
  readonly host: string;
  readonly port: PortRange;
  /** See `newApp`. */
  readonly headerBytesMax: number;
  /** Undefined: no TLS. */
  readonly tls: TlsSettings | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Adds the routes. */
  readonly configure: (app: TemplatedApp) => void;
}

export interface AppListener {
  readonly port: number;
  /** Takes no more connections; those that are open stay. May be called again. */
  closeSocket(): void;
  /** Closes every connection. */
  close(): void;
}

/** Listens on the first free port of the range. Refuses files of certificates that cannot be used. */
export async function openListener(options: AppListenerOptions): Promise<AppListener> {
  const { host, port, tls, configure } = options;
  if (tls !== undefined) {
    const { TlsListener } = await import('./tls-listener.js');
    return TlsListener.open(options, tls);
  }
  const app = await newApp(options.headerBytesMax);
  configure(app);
  const listening = await listenOnFirstFree(app, host, port);
  let isListening = true;
  return {
    port: listening.port,
    closeSocket: () => {
      if (isListening) listening.close();
      isListening = false;
    },
    close: () => {
      app.close();
    },
  };
}
