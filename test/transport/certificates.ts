/** Certificates of authorities that tests make, as files. */
import { createPrivateKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority, makeNodeCertificate, type CertifiedKey } from '../../src/cli/certs/certificates.js';

const LOCAL_HOSTS = ['localhost', '127.0.0.1'];

export class TestCertificates {
  readonly directory: string;
  private readonly authorities = new Map<string, Promise<CertifiedKey>>();

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async make(): Promise<TestCertificates> {
    return new TestCertificates(await mkdtemp(join(tmpdir(), 'quarry-certificates-')));
  }

  /** The file of this authority's certificate, which is made when it is named for the first time. */
  async authority(name = 'ca'): Promise<string> {
    const { certificate } = await this.authorityOf(name);
    return this.write(`${name}.crt`, certificate);
  }

  /** Files of a certificate of this name and its key; those of the same name are replaced. */
  async issue(
    name: string,
    authority = 'ca',
    hosts: readonly string[] = LOCAL_HOSTS,
    days = 100,
  ): Promise<{ readonly certificate: string; readonly key: string }> {
    const made = await makeNodeCertificate(await this.authorityOf(authority), hosts, days, Date.now());
    // In this order, as `quarry certs` does.
    const key = await this.write(`${name}.key`, made.key);
    return { certificate: await this.write(`${name}.crt`, made.certificate), key };
  }

  /** Encrypts the key of a certificate in its file. */
  async encrypt(name: string, passphrase: string): Promise<void> {
    const key = createPrivateKey(await readFile(join(this.directory, `${name}.key`)));
    const text = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase });
    await this.write(`${name}.key`, text.toString());
  }

  /** Settings of TLS between nodes. */
  async transportSettings(name: string, authority = 'ca'): Promise<Record<string, string>> {
    const { certificate, key } = await this.issue(name, authority);
    return {
      'transport.ssl.enabled': 'true',
      'transport.ssl.certificate': certificate,
      'transport.ssl.key': key,
      'transport.ssl.certificate_authorities': await this.authority(authority),
    };
  }

  async write(name: string, text: string, mode = 0o600): Promise<string> {
    const path = join(this.directory, name);
    await writeFile(path, text, { mode });
    return path;
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }

  private authorityOf(name: string): Promise<CertifiedKey> {
    const known = this.authorities.get(name) ?? makeAuthority(name, 100, Date.now());
    this.authorities.set(name, known);
    return known;
  }
}
