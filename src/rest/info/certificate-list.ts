/** Certificates as the files hold them now, which are those that new connections get within seconds. */
import { X509Certificate } from 'node:crypto';
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { tlsSettings } from '../../base/tls-settings.js';
import { readPemFiles } from '../../store/pem-files.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** By path, and in the order of the file. A file that two ports use is there once. */
export function certificatesOf({ values }: NodeSettings): readonly JsonObject[] {
  const found = new Map<string, JsonObject>();
  for (const port of ['http', 'transport'] as const) {
    const tls = tlsSettings(values, port);
    if (tls === undefined) continue;
    const { certificate, authorities } = readPemFiles(tls);
    add(found, tls.certificate, certificate, true);
    if (tls.authorities !== undefined) add(found, tls.authorities, authorities ?? '', false);
  }
  return [...found.values()];
}

function add(found: Map<string, JsonObject>, path: string, text: string, hasKey: boolean): void {
  for (const [at, pem] of [...text.matchAll(CERTIFICATE)].entries()) {
    const { subject, issuer, serialNumber, validTo } = parsed(path, pem[0]);
    found.set(`${path} ${serialNumber}`, {
      path,
      format: 'PEM',
      alias: null,
      subject_dn: nameText(subject),
      serial_number: serialNumber.toLowerCase(),
      // The first is that of the key, the others lead from it to an authority.
      has_private_key: hasKey && at === 0,
      expiry: new Date(validTo).toISOString(),
      issuer: nameText(issuer),
    });
  }
}

function parsed(path: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    const { message } = asQuarryError(cause);
    throw new QuarryError('settings_exception', `file [${path}] holds a certificate that cannot be read: ${message}`, {
      cause,
    });
  }
}

/** The most special part first, as the reference prints names. */
function nameText(name: string): string {
  return name.split('\n').reverse().join(', ');
}
