/** Connections of a port that another thread listens on. */
import type { AppListener, AppOptions } from './app-listener.js';
import { descriptorOf, type AppRing } from './app-ring.js';
import { newApp } from './listen.js';

/** Carries those that `ring` hands out. */
export async function joinListener(options: AppOptions, ring: AppRing): Promise<AppListener> {
  if (options.tls !== undefined) {
    const { TlsApps } = await import('./tls-listener.js');
    return TlsApps.open(options, options.tls, ring);
  }
  const app = await newApp(options.headerBytesMax);
  options.configure(app);
  ring.add(descriptorOf(app));
  return {
    // The thread that listens closes the socket.
    closeSocket: () => undefined,
    close: () => {
      app.close();
    },
  };
}
