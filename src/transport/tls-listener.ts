/**
 * A port with TLS. Changed certificates are taken without a restart: the library reads them when an app is made, so each
 * time there is a new app for the connections to come, and former ones keep theirs.
 */
import type { AppOptions as LibraryOptions, TemplatedApp } from 'uWebSockets.js';
import { QuarryError } from '../base/errors.js';
import type { TlsSettings } from '../base/tls-settings.js';
import { stampOf } from '../store/pem-files.js';
import type { AppListener, AppListenerOptions, AppOptions, PortListener } from './app-listener.js';
import { descriptorOf, ringOf, type AppRing } from './app-ring.js';
import { listenOnFirstFree, newApp } from './listen.js';
import { loadTls, type LoadedTls } from './tls-files.js';

/** How often the files of certificates are looked at. */
export const CERTIFICATE_LOOK_MS = 5_000;
/** Apps of former certificates that connections still use; beyond it the connections of the oldest are closed. */
export const FORMER_APPS_MAX = 8;
/** A certificate that ends sooner is told of in the log. */
const EXPIRY_WARNING_MS = 30 * 86_400_000;
/** Of TLS 1.2, and never chosen: with it alone connections have TLS 1.3. The library has no other way to say so. */
const NO_SUITE_OF_1_2 = 'ECDHE-PSK-AES128-CBC-SHA';

interface Served {
  readonly app: TemplatedApp;
  open: number;
}

/** Listens on the first free port of the range; an app of its own holds the port. */
export async function openTlsListener(options: AppListenerOptions, tls: TlsSettings): Promise<PortListener> {
  // What is wrong with files is told better than by the library.
  loadTls(tls);
  const acceptor = await newTlsApp(tls, options.headerBytesMax);
  const ring = ringOf(acceptor);
  const apps = await TlsApps.open(options, tls, ring);
  const listening = await listenOnFirstFree(acceptor, options.host, options.port).catch((error: unknown) => {
    apps.close();
    throw error;
  });
  let isListening = true;
  return {
    port: listening.port,
    ring,
    closeSocket: () => {
      apps.closeSocket();
      if (isListening) listening.close();
      isListening = false;
    },
    close: () => {
      acceptor.close();
      apps.close();
    },
  };
}

/** The apps of one thread: that of the current certificates, and former ones. */
export class TlsApps implements AppListener {
  private readonly options: AppOptions;
  private readonly ring: AppRing;
  private current: Served | undefined;
  private former: Served[] = [];
  /** Of the files that were tried last, whether they could be used or not. */
  private triedStamp: string;
  private stopTimer: () => void = () => undefined;

  private constructor(options: AppOptions, ring: AppRing, current: Served, triedStamp: string) {
    this.options = options;
    this.ring = ring;
    this.current = current;
    this.triedStamp = triedStamp;
  }

  static async open(options: AppOptions, tls: TlsSettings, ring: AppRing): Promise<TlsApps> {
    const loaded = loadTls(tls);
    tellExpiry(options, loaded);
    const current = await serve(options, tls);
    ring.add(descriptorOf(current.app));
    const apps = new TlsApps(options, ring, current, loaded.stamp);
    apps.lookLater(tls);
    return apps;
  }

  /** Connections come as long as the ring gets any; certificates are not looked at any more. */
  closeSocket(): void {
    this.stopTimer();
  }

  close(): void {
    this.stopTimer();
    for (const { app } of [...this.former, ...(this.current === undefined ? [] : [this.current])]) app.close();
    this.current = undefined;
    this.former = [];
  }

  private lookLater(tls: TlsSettings): void {
    this.stopTimer = this.options.clock.schedule(CERTIFICATE_LOOK_MS, () => {
      void this.look(tls).finally(() => {
        if (this.current !== undefined) this.lookLater(tls);
      });
    });
  }

  /** Files that cannot be used change nothing: they may be half written, or wrong. */
  private async look(tls: TlsSettings): Promise<void> {
    const stamp = stampOf(tls);
    if (stamp === this.triedStamp || stamp === undefined) return;
    this.triedStamp = stamp;
    const { logger } = this.options;
    try {
      const loaded = loadTls(tls);
      const next = await serve(this.options, tls);
      this.replace(next);
      const notAfter = new Date(loaded.notAfterMs).toISOString();
      logger.log('info', 'certificates were read again', { port: tls.port, subject: loaded.subject, notAfter });
      tellExpiry(this.options, loaded);
    } catch (error) {
      const reason = (error as Error).message;
      logger.log('warn', 'changed certificates cannot be used; the former ones stay', { port: tls.port, reason });
    }
  }

  private replace(next: Served): void {
    const { current } = this;
    if (current === undefined) {
      next.app.close();
      return;
    }
    this.ring.replace(descriptorOf(current.app), descriptorOf(next.app));
    this.current = next;
    this.former = [...this.former.filter(({ open }) => open > 0), current];
    while (this.former.length > FORMER_APPS_MAX) this.former.shift()?.app.close();
  }
}

async function serve(options: AppOptions, tls: TlsSettings): Promise<Served> {
  const app = await newTlsApp(tls, options.headerBytesMax);
  const served: Served = { app, open: 0 };
  options.configure(app);
  app.filter((_response, change) => {
    served.open += change;
  });
  return served;
}

/** The library reads the files itself, by their names. */
async function newTlsApp(tls: TlsSettings, headerBytesMax: number): Promise<TemplatedApp> {
  const { certificate, key, passphrase, authorities, versions, cipherSuites } = tls;
  const suites = versions.includes('TLSv1.2') ? cipherSuites.join(':') : NO_SUITE_OF_1_2;
  const options: LibraryOptions = {
    cert_file_name: certificate,
    key_file_name: key,
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(authorities === undefined ? {} : { ca_file_name: authorities }),
    ...(suites === '' ? {} : { ssl_ciphers: suites }),
  };
  try {
    return await newApp(headerBytesMax, options);
  } catch (error) {
    const what = cipherSuites.length === 0 ? `[${certificate}] and [${key}]` : `[${tls.port}.ssl.cipher_suites]`;
    const reason = `TLS cannot be offered with ${what}: the library refuses them`;
    throw new QuarryError('settings_exception', reason, { cause: error });
  }
}

function tellExpiry({ clock, logger }: AppOptions, { notAfterMs, subject }: LoadedTls): void {
  if (notAfterMs - clock.nowMs() > EXPIRY_WARNING_MS) return;
  logger.log('warn', 'the certificate ends soon', { subject, notAfter: new Date(notAfterMs).toISOString() });
}
