/** Certificates of a cluster's own authority: ECDSA over P-256, signed with SHA-256, as PEM. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { QuarryError } from '../../base/errors.js';

/** A certificate and its private key (PKCS #8), both as PEM. */
export interface CertifiedKey {
  readonly certificate: string;
  readonly key: string;
}

/** From when to when a certificate is valid. */
interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Clocks of other machines may be late. */
const EARLIER_MS = 3_600_000;
/** RFC 5280 allows 20 bytes whose number is positive. */
const SERIAL_BYTES = 16;

/** An authority that signs itself. */
export async function makeAuthority(commonName: string, days: number, nowMs: number): Promise<CertifiedKey> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    name: [{ CN: [commonName] }],
    ...validity(days, nowMs),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(keyCertSign | cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return asPem(certificate, keys.privateKey);
}

/**
 * A certificate for servers and clients, which nodes are to each other, for all of `hosts`: names and IP addresses. It is
 * valid for `days`, and no longer than that of the authority.
 */
export async function makeNodeCertificate(
  authority: CertifiedKey,
  hosts: readonly string[],
  days: number,
  nowMs: number,
): Promise<CertifiedKey> {
  x509.cryptoProvider.set(webcrypto);
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await newKeys();
  const { notBefore, notAfter } = validity(days, nowMs);
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: [{ CN: [hosts[0] ?? 'node'] }],
    issuer: issuer.subjectName,
    notBefore,
    notAfter: notAfter < issuer.notAfter ? notAfter : issuer.notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([serverAuth, clientAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return asPem(certificate, keys.privateKey);
}

/** Refuses what cannot sign: no certificate of an authority, or a key that is not its key. */
async function signingKey({ certificate, key }: CertifiedKey): Promise<webcrypto.CryptoKey> {
  try {
    const issuer = new X509Certificate(certificate);
    const privateKey = createPrivateKey(key);
    if (!issuer.ca) throw new Error('its certificate is not that of an authority');
    if (!issuer.checkPrivateKey(privateKey)) throw new Error('the key is not that of its certificate');
    if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
      throw new Error('its key is no ECDSA key of P-256');
    const der = privateKey.export({ type: 'pkcs8', format: 'der' });
    return await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
  } catch (error) {
    const reason = `the certificate authority cannot be used: ${(error as Error).message}`;
    throw new QuarryError('settings_exception', reason, { cause: error });
  }
}

function validity(days: number, nowMs: number): Validity {
  return { notBefore: new Date(nowMs - EARLIER_MS), notAfter: new Date(nowMs + days * DAY_MS) };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function newSerialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(SERIAL_BYTES));
  // Positive, and without a leading zero.
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

async function asPem(certificate: x509.X509Certificate, key: webcrypto.CryptoKey): Promise<CertifiedKey> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return { certificate: `${certificate.toString('pem')}\n`, key: `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n` };
}
