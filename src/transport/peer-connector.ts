/** Opens TLS connections to other nodes, with the certificates that the files hold now. */
import type { buildConnector } from 'undici';
import type { TlsSettings } from '../base/tls-settings.js';
import { stampOf } from '../store/pem-files.js';
import { loadTls } from './tls-files.js';

type Connect = buildConnector.connector;

/**
 * Files that have changed and cannot be used change nothing: the front tells of them (`app-listener.ts`). Throws where they
 * cannot be used at the first time.
 */
export async function peerConnector(tls: TlsSettings, timeoutMs: number): Promise<Connect> {
  const { buildConnector: build } = await import('undici');
  const make = (): { readonly stamp: string; readonly connect: Connect } => {
    const { certificate: cert, key, authorities, stamp } = loadTls(tls);
    const connect = build({
      cert,
      key,
      ...(tls.passphrase === undefined ? {} : { passphrase: tls.passphrase }),
      ...(authorities === undefined ? {} : { ca: authorities }),
      minVersion: tls.versions.includes('TLSv1.2') ? 'TLSv1.2' : 'TLSv1.3',
      rejectUnauthorized: true,
      ...(tls.verifiesHosts ? {} : { checkServerIdentity: () => undefined }),
      timeout: timeoutMs,
      noDelay: true,
      // A session that is resumed would not be checked against the authorities of now.
      maxCachedSessions: 0,
    });
    return { stamp, connect };
  };
  let current = make();
  let triedStamp = current.stamp;
  return (options, callback) => {
    const stamp = stampOf(tls);
    if (stamp !== undefined && stamp !== triedStamp) {
      triedStamp = stamp;
      try {
        current = make();
      } catch {
        // The former ones stay.
      }
    }
    current.connect(options, callback);
  };
}
