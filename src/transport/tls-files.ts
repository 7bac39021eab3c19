/** Certificates and keys of TLS as files hold them now: checked, and read again when they have changed. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { QuarryError } from '../base/errors.js';
import type { TlsSettings } from '../base/tls-settings.js';
import { readPemFiles, stampOf, type PemFiles } from '../store/pem-files.js';

export interface LoadedTls extends PemFiles {
  /** Of the files when they were read; see `stampOf`. */
  readonly stamp: string;
  readonly subject: string;
  /** Of the node's certificate. */
  readonly notAfterMs: number;
}

/** Throws a `settings_exception` that names the setting, the file and what is wrong there. */
export function loadTls(settings: TlsSettings): LoadedTls {
  // Before the files are read: what changes meanwhile is seen by the next look.
  const stamp = stampOf(settings) ?? '';
  const files = readPemFiles(settings);
  const { passphrase = '' } = settings;
  if (passphrase === '' && /^-----BEGIN ENCRYPTED|^Proc-Type: .*ENCRYPTED/m.test(files.key)) {
    throw unusable(
      settings,
      'key',
      `it is encrypted, and the keystore has no [${settings.port}.ssl.secure_key_passphrase]`,
    );
  }
  const certificate = parsed(settings, 'certificate', () => new X509Certificate(files.certificate));
  const key = parsed(settings, 'key', () => createPrivateKey({ key: files.key, passphrase }));
  if (!certificate.checkPrivateKey(key)) {
    const { port, certificate: path, key: keyPath } = settings;
    const reason = `setting [${port}.ssl.key]: the key in [${keyPath}] is not that of the certificate in [${path}]`;
    throw new QuarryError('settings_exception', reason);
  }
  const { authorities: ca } = files;
  if (ca !== undefined) parsed(settings, 'authorities', () => new X509Certificate(ca));
  parsed(settings, 'certificate', () =>
    createSecureContext({ cert: files.certificate, key: files.key, passphrase, ...(ca === undefined ? {} : { ca }) }),
  );
  const { subject, validTo } = certificate;
  return { ...files, stamp, subject: subject.replaceAll('\n', ', '), notAfterMs: Date.parse(validTo) };
}

const SETTINGS = { certificate: 'certificate', key: 'key', authorities: 'certificate_authorities' } as const;

function parsed<T>(settings: TlsSettings, which: keyof typeof SETTINGS, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw unusable(settings, which, (error as Error).message, error);
  }
}

function unusable(settings: TlsSettings, which: keyof typeof SETTINGS, why: string, cause?: unknown): QuarryError {
  const reason = `setting [${settings.port}.ssl.${SETTINGS[which]}]: file [${settings[which] ?? ''}] cannot be used: ${why}`;
  return new QuarryError('settings_exception', reason, { cause });
}
