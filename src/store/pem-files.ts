/** Files of certificates and keys: read whole, and looked at for changes. */
import { readFileSync, statSync } from 'node:fs';
import { QuarryError } from '../base/errors.js';
import type { TlsSettings } from '../base/tls-settings.js';

/** Contents as text, in PEM. */
export interface PemFiles {
  readonly certificate: string;
  readonly key: string;
  readonly authorities: string | undefined;
}

/** More is no certificate. */
const PEM_BYTES_MAX = 4 * 1024 * 1024;

/** Throws with the setting and the file that cannot be read. */
export function readPemFiles({ port, certificate, key, authorities }: TlsSettings): PemFiles {
  return {
    certificate: readPem(`${port}.ssl.certificate`, certificate),
    key: readPem(`${port}.ssl.key`, key),
    authorities: authorities === undefined ? undefined : readPem(`${port}.ssl.certificate_authorities`, authorities),
  };
}

/** Another text whenever one of the files was written or replaced; undefined while one of them is not there. */
export function stampOf({ certificate, key, authorities }: TlsSettings): string | undefined {
  try {
    const paths = [certificate, key, ...(authorities === undefined ? [] : [authorities])];
    return paths.map(stampOfFile).join(' ');
  } catch {
    return undefined;
  }
}

function readPem(setting: string, path: string): string {
  let text: string;
  try {
    const { size } = statSync(path);
    text = size > PEM_BYTES_MAX ? '' : readFileSync(path, 'utf8');
  } catch (error) {
    const reason = `setting [${setting}]: file [${path}] cannot be read: ${(error as Error).message}`;
    throw new QuarryError('settings_exception', reason, { cause: error });
  }
  if (text.includes('-----BEGIN ')) return text;
  throw new QuarryError('settings_exception', `setting [${setting}]: file [${path}] is not in PEM`);
}

function stampOfFile(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino}:${size}:${mtimeNs}`;
}
