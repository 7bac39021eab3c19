/** HTTP over TLS: what clients see of it, and what a node with it refuses to start with. */
import { Client } from '@elastic/elasticsearch';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Agent, request, type RequestOptions } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ConfigFolder } from '../cli/keystore-harness.js';
import { TestCertificates } from '../transport/certificates.js';
import { runCommand, TestNode } from './node-harness.js';

let certificates: TestCertificates;
let node: TestNode | undefined;
let settings: Record<string, string>;
let ca: string;

beforeAll(async () => {
  certificates = await TestCertificates.make();
});

afterEach(async () => {
  await node?.stop();
  node = undefined;
});

afterAll(() => certificates.remove());

async function start(more: Readonly<Record<string, string>> = {}): Promise<TestNode> {
  const { certificate, key } = await certificates.issue('node');
  ca = readFileSync(await certificates.authority(), 'utf8');
  settings = {
    'transport.port': '0',
    'http.ssl.enabled': 'true',
    'http.ssl.certificate': certificate,
    'http.ssl.key': key,
  };
  node = await TestNode.start({ ...settings, ...more });
  return node;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

function ask(url: string, options: RequestOptions = {}, body?: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca, agent: false, ...options }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() });
      });
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => expect.fail('it was answered'),
    (error: unknown) => `${(error as NodeJS.ErrnoException).code ?? ''} ${String(error)}`,
  );
}

it('clients that trust the authority work as without TLS', async () => {
  const { url } = await start({ 'http.cors.enabled': 'true', 'http.cors.allow-origin': 'https://app.example.org' });
  expect(url).toMatch(/^https:/);
  const client = new Client({ node: url, tls: { ca } });
  const operations = Array.from({ length: 3_000 }, (_, at) => [
    { index: { _id: String(at) } },
    { at, text: 'a'.repeat(100) },
  ]).flat();
  expect((await client.bulk({ index: 'films', refresh: true, operations })).errors).toBe(false);
  const found = await client.search({ index: 'films', size: 3_000, sort: [{ at: 'asc' }] });
  expect(found.hits.hits.map(({ _id }) => _id)).toEqual(Array.from({ length: 3_000 }, (_, at) => String(at)));
  await client.close();
  const head = await ask(`${url}/films`, { method: 'HEAD' });
  expect(head).toMatchObject({ status: 200, text: '' });
  const origin = { origin: 'https://app.example.org' };
  expect((await ask(url, { headers: origin })).headers['access-control-allow-origin']).toBe(origin.origin);
  expect((await ask(url, { headers: { origin: 'https://evil.example.org' } })).status).toBe(403);
  const compressed = await ask(`${url}/films/_search`, { headers: { 'accept-encoding': 'gzip' } });
  expect(compressed.headers['content-encoding']).toBe('gzip');
});

it('limits hold as without TLS', async () => {
  const { url } = await start({ 'http.max_content_length': '1kb' });
  const json = { method: 'PUT', headers: { 'content-type': 'application/json' } };
  const text = (length: number): string => JSON.stringify({ a: 'x'.repeat(length - 8) });
  expect((await ask(`${url}/films/_doc/1`, json, text(1_024))).status).toBe(201);
  expect((await ask(`${url}/films/_doc/2`, json, text(1_025))).status).toBe(413);
  const long = await ask(`${url}/`, { headers: { 'x-long': 'x'.repeat(200_000) } }).catch(() => ({ status: 431 }));
  expect(long.status).toBeGreaterThanOrEqual(400);
  expect((await ask(url)).status).toBe(200);
});

it('whoever does not trust the authority, speaks no TLS or an old one gets nothing, and the node goes on', async () => {
  const { url } = await start();
  const { port } = new URL(url);
  const other = readFileSync(await certificates.authority('other'), 'utf8');
  expect(await failureOf(ask(url, { ca: other }))).toMatch(/^UNABLE_TO_VERIFY_LEAF_SIGNATURE/);
  expect(
    await failureOf(ask(url, { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })),
  ).toMatch(/protocol version/);
  const plain = await new Promise<string>((resolve) => {
    const socket = connectPlain(Number(port), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(text);
    });
  });
  expect(plain).toBe('');
  expect((await ask(url)).status).toBe(200);
});

it('clients may, or have to, show a certificate', async () => {
  const authorities = await certificates.authority('clients');
  const known = await certificates.issue('client', 'clients');
  const unknown = await certificates.issue('nobody', 'other');
  const shown = ({ certificate, key }: { certificate: string; key: string }): RequestOptions => ({
    cert: readFileSync(certificate),
    key: readFileSync(key),
  });
  const trust = { 'http.ssl.certificate_authorities': authorities };
  const optional = await start({ ...trust, 'http.ssl.client_authentication': 'optional' });
  expect((await ask(optional.url)).status).toBe(200);
  expect((await ask(optional.url, shown(known))).status).toBe(200);
  expect(await failureOf(ask(optional.url, shown(unknown)))).toMatch(/UNKNOWN_CA|unknown ca/i);
  await optional.stop();
  const required = await start({ ...trust, 'http.ssl.client_authentication': 'required' });
  expect((await ask(required.url, shown(known))).status).toBe(200);
  const without = await ask(required.url);
  expect(without.status).toBe(403);
  expect(JSON.parse(without.text).error).toMatchObject({
    type: 'security_exception',
    reason: 'this node answers only clients that show a certificate of its authorities',
  });
  expect(await failureOf(ask(required.url, shown(unknown)))).toMatch(/UNKNOWN_CA|unknown ca/i);
});

it('the certificates of a node are listed, with when they end', async () => {
  const authorities = await certificates.authority();
  const more: Record<string, string> = {
    ...(await certificates.transportSettings('between-nodes')),
    'http.ssl.client_authentication': 'optional',
    'http.ssl.certificate_authorities': authorities,
  };
  const { url } = await start(more);
  const listed = JSON.parse((await ask(`${url}/_ssl/certificates`)).text) as Readonly<Record<string, unknown>>[];
  const own = new X509Certificate(readFileSync(String(settings['http.ssl.certificate'])));
  expect(listed.map(({ path, has_private_key }) => [path, has_private_key])).toEqual([
    [settings['http.ssl.certificate'], true],
    [authorities, false],
    [more['transport.ssl.certificate'], true],
  ]);
  expect(listed[0]).toEqual({
    path: settings['http.ssl.certificate'],
    format: 'PEM',
    alias: null,
    subject_dn: 'CN=localhost',
    serial_number: own.serialNumber.toLowerCase(),
    has_private_key: true,
    expiry: new Date(own.validTo).toISOString(),
    issuer: 'CN=ca',
  });
});

it('versions and suites are those that were chosen', async () => {
  const only13 = await start({ 'http.ssl.supported_protocols': 'TLSv1.3' });
  expect(await failureOf(ask(only13.url, { maxVersion: 'TLSv1.2' }))).toMatch(/handshake failure/);
  expect((await ask(only13.url)).status).toBe(200);
  await only13.stop();
  const suite = 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384';
  const chosen = await start({ 'http.ssl.cipher_suites': suite });
  const of12 = { maxVersion: 'TLSv1.2' } as const;
  expect(await failureOf(ask(chosen.url, { ...of12, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }))).toMatch(
    /handshake failure/,
  );
  expect((await ask(chosen.url, { ...of12, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' })).status).toBe(200);
});

it.each(['1', '3'])('replaced certificates are taken by %s fronts; open connections go on', async (fronts) => {
  const running = await start({ 'http.front_threads': fronts });
  const { port } = new URL(running.url);
  const serialOf = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket: TLSSocket = connect({ host: '127.0.0.1', port: Number(port), ca }, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      });
      socket.on('error', reject);
    });
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const keptOptions = { agent: kept };
  expect((await ask(running.url, keptOptions)).status).toBe(200);
  const former = await serialOf();
  // Half of a pair is no reason to stop.
  await certificates.write('node.key', 'no key at all');
  await running.until(async () =>
    (await running.logged()).some(({ msg }) => msg.startsWith('changed certificates cannot be used'))
      ? true
      : undefined,
  );
  expect(await serialOf()).toBe(former);
  await certificates.issue('node');
  await running.until(async () => {
    // The connection that was opened before is used all the time.
    expect((await ask(running.url, keptOptions)).status).toBe(200);
    // Fronts get connections in turn, and each reads the files for itself.
    const serials = [await serialOf(), await serialOf(), await serialOf()];
    return serials.includes(former) ? undefined : true;
  });
  expect((await ask(running.url, keptOptions)).status).toBe(200);
  expect(Object.values(kept.freeSockets).flat().length).toBe(1);
  kept.destroy();
  expect(await running.signal('SIGTERM')).toBe(0);
});

it('an encrypted key is opened by the passphrase in the keystore, which nothing shows', async () => {
  await start();
  await node?.stop();
  await certificates.encrypt('node', 'open sesame');
  const folder = await ConfigFolder.make();
  await folder.add({ 'http.ssl.secure_key_passphrase': 'open sesame' });
  node = await TestNode.start(settings, join(folder.directory, 'node'), ['--config', folder.config]);
  expect((await ask(node.url)).status).toBe(200);
  for (const path of ['/_nodes/settings', '/_cluster/settings?include_defaults=true', '/_nodes/stats']) {
    expect((await ask(`${node.url}${path}`)).text).not.toContain('open sesame');
  }
  await node.stop();
  await folder.add({ 'http.ssl.secure_key_passphrase': 'open barley' });
  const options = Object.entries(settings).flatMap(([key, value]) => ['-E', `${key}=${value}`]);
  const { code, output } = await runCommand(['start', '--config', folder.config, ...options]);
  expect(output).toMatch(/setting \[http\.ssl\.key\]: file .* cannot be used: .*bad decrypt/);
  expect(output).not.toContain('open barley');
  expect(code).toBe(1);
  await rm(folder.directory, { recursive: true, force: true });
});

it('a node refuses to start with files or settings that cannot be used, in one sentence', async () => {
  await start();
  await node?.stop();
  const foreign = await certificates.issue('foreign');
  const text = await certificates.write('text', 'no PEM');
  const encrypted = await certificates.write('encrypted', encryptedKey());
  const wrong: [Record<string, string>, RegExp][] = [
    [{ 'http.ssl.key': '' }, /setting \[http\.ssl\.key\]: one value is expected/],
    [
      { 'http.ssl.certificate': '/does/not/exist' },
      /setting \[http\.ssl\.certificate\]: file \[\/does\/not\/exist\] cannot be read/,
    ],
    [{ 'http.ssl.certificate': text }, /setting \[http\.ssl\.certificate\]: file \[.*text\] is not in PEM/],
    [{ 'http.ssl.key': foreign.key }, /setting \[http\.ssl\.key\]: the key in \[.*\] is not that of the certificate/],
    [
      { 'http.ssl.key': encrypted },
      /setting \[http\.ssl\.key\]: file .* it is encrypted, and the keystore has no \[http\.ssl\.secure_key_passphrase\]/,
    ],
    [{ 'http.ssl.cipher_suites': 'NONSENSE' }, /TLS cannot be offered with \[http\.ssl\.cipher_suites\]/],
  ];
  for (const [more, expected] of wrong) {
    const pairs = Object.entries({ ...settings, 'http.port': '0', ...more }).flatMap(([key, value]) => [
      '-E',
      `${key}=${value}`,
    ]);
    const home = ['-E', `path.data=${certificates.directory}/data`, '-E', `path.logs=${certificates.directory}/logs`];
    const { code, output } = await runCommand(['start', ...home, ...pairs]);
    expect(output).toMatch(expected);
    expect(output.trim().split('\n').length).toBe(1);
    expect(code).toBe(1);
  }
});

function encryptedKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' }).toString();
}
