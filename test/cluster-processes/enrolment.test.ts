/** A node joins a running cluster with one string: it fetches its certificate, and nobody else can use or change what is meant for it. */
import { X509Certificate } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askSecurely, type SecureAnswer } from '../../src/cli/enrolment/ask-securely.js';
import { decodeToken, encodeToken } from '../../src/cli/enrolment/enrolment-token.js';
import { runCommand, TestNode, type Json } from '../api/node-harness.js';
import { ADMIN, PASSWORD, SECURED } from '../api/security-helpers.js';
import { TestCertificates } from '../transport/certificates.js';
import { freePorts } from './free-ports.js';

let home: string;
let node: TestNode;
let authority: string;
let ports: readonly number[];
let foreign: TestCertificates;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quarry-enrolment-'));
  foreign = await TestCertificates.make();
  ports = await freePorts(3);
  const made = await runCommand(['certs', '--out', certs()]);
  expect(made, made.output).toMatchObject({ code: 0 });
  authority = await readFile(join(certs(), 'ca.crt'), 'utf8');
  const files = Object.fromEntries(
    ['http', 'transport'].flatMap((port) => [
      [`${port}.ssl.enabled`, 'true'],
      [`${port}.ssl.certificate`, join(certs(), 'node.crt')],
      [`${port}.ssl.key`, join(certs(), 'node.key')],
    ]),
  ) as Record<string, string>;
  const settings = {
    ...SECURED,
    ...files,
    'transport.ssl.certificate_authorities': join(certs(), 'ca.crt'),
    'cluster.secret_file': await secretFile(),
    'transport.port': String(ports[0]),
    'cluster.name': 'enrolling',
    'node.name': 'first',
    'cluster.initial_master_nodes': 'first',
    'node.processors': '1',
  };
  node = await TestNode.start(settings, join(home, 'first'), [], { QUARRY_BOOTSTRAP_PASSWORD: PASSWORD });
}, 120_000);

afterAll(async () => {
  await node.stop();
  await rm(home, { recursive: true, force: true });
  await foreign.remove();
});

/** Nodes of this cluster prove it as well. */
async function secretFile(): Promise<string> {
  const file = join(home, 'secret');
  await writeFile(file, 'the secret of this cluster, long enough\n', { mode: 0o600 });
  return file;
}

const certs = (): string => join(home, 'certs');

async function token(...more: readonly string[]): Promise<string> {
  const { code, output } = await createToken('--url', node.url, '-p', PASSWORD, ...more);
  expect(code, output).toBe(0);
  return output.trim();
}

function createToken(...more: readonly string[]): Promise<{ code: number | null; output: string }> {
  const usual = ['-s', 'node', '--ca', certs(), '--host', 'localhost', '--secret-file', join(home, 'secret')];
  return runCommand(['create-enrollment-token', ...usual, ...more]);
}

function ask(method: 'GET' | 'POST', path: string, authorization = ADMIN, body?: Json): Promise<SecureAnswer> {
  const address = node.url.replace('https://', '');
  return askSecurely({ address, method, path, authorization, authority, ...(body === undefined ? {} : { body }) });
}

/** A folder of its own for the configuration of a node that is to join. */
async function place(
  name: string,
  linked = 'of-somebody.yml',
): Promise<{ readonly config: string; readonly directory: string }> {
  const directory = join(home, name);
  await mkdir(join(directory, 'config'), { recursive: true });
  const config = join(directory, 'config', 'quarry.yml');
  const target = join(directory, linked);
  await writeFile(target, '# Of this node.\nnode.name: second\n');
  await chmod(target, 0o664);
  await rm(config, { force: true });
  await symlink(target, config);
  return { config, directory };
}

/** Neither another owner nor other permissions, and no plain file in place of a link. */
async function expectLinkedFile(config: string): Promise<void> {
  expect((await lstat(config)).isSymbolicLink()).toBe(true);
  expect((await stat(config)).mode & 0o777).toBe(0o664);
}

async function tryToJoin(name: string, text: string): Promise<string> {
  const { config, directory } = await place(name);
  const settings = ['-E', 'http.port=0', '-E', `path.data=${join(directory, 'data')}`];
  const { code, output } = await runCommand(['start', '--config', config, '--enrollment-token', text, ...settings]);
  expect(code, output).toBe(1);
  expect(await readFile(config, 'utf8')).toBe('# Of this node.\nnode.name: second\n');
  await expectLinkedFile(config);
  expect(await readdir(join(directory, 'config'))).toEqual(['quarry.yml']);
  return output;
}

it('a node joins with one string, once', { timeout: 180_000 }, async () => {
  const text = await token('--host', '127.0.0.1');
  expect(text.split('\n').length).toBe(1);
  const { config, directory } = await place('second');
  const file = join(home, 'token');
  await writeFile(file, `${text}\n`, { mode: 0o600 });
  const settings = { 'transport.port': String(ports[1]), 'node.processors': '1', 'path.config': undefined };
  const second = await TestNode.start(settings, directory, ['--config', config, '--enrollment-token-file', file]);
  try {
    expect(second.printed).toContain('enrolled for the cluster [enrolling]');
    const health = await ask('GET', '/_cluster/health?wait_for_nodes=2&timeout=60s');
    expect(health.body).toMatchObject({ cluster_name: 'enrolling', number_of_nodes: 2, timed_out: false });
    const own = new X509Certificate(await readFile(join(directory, 'config', 'certs', 'node.crt')));
    expect(own.verify(new X509Certificate(authority).publicKey)).toBe(true);
    expect(own.subjectAltName).toContain('DNS:localhost, IP Address:127.0.0.1');
    expect((await stat(join(directory, 'config', 'certs', 'node.key'))).mode & 0o777).toBe(0o600);
    const written = await readFile(config, 'utf8');
    expect(written).toMatch(/^# Of this node\.\nnode\.name: second\n/);
    expect(written).toContain('discovery.seed_hosts: ["');
    await expectLinkedFile(config);
    expect(await readFile(join(directory, 'config', 'certs', 'cluster.secret'), 'utf8')).toContain('long enough');
    const asked = { authority, authorization: ADMIN, method: 'GET', path: '/_cat/nodes' } as const;
    expect((await askSecurely({ ...asked, address: second.url.replace('https://', '') })).status).toBe(200);
    expect(await tryToJoin('again', text)).toContain('was used already');
    // A node that is set up asks nobody.
    const other = await token();
    const twice = await runCommand(['start', '--config', config, '--enrollment-token', other]);
    expect(twice.output).toMatch(/has the setting \[\S+\] already: this node was set up before/);
    // By their names in the reference as well.
    const named = join(directory, 'named.yml');
    await writeFile(named, 'xpack.security.http.ssl.enabled: true\n');
    const refused = await runCommand(['start', '--config', named, '--enrollment-token', other]);
    expect(refused.output).toContain('has the setting [xpack.security.http.ssl.enabled] already');
    expect((await ask('GET', '/_security/enroll/node', keyOf(other))).status).toBe(200);
  } finally {
    await second.stop();
  }
});

function keyOf(text: string, secret?: string): string {
  const [id = '', own = ''] = decodeToken(text).apiKey.split(':');
  return `ApiKey ${Buffer.from(`${id}:${secret ?? own}`).toString('base64')}`;
}

it(
  'a token may come by the standard input, and no file of it may be read by others',
  { timeout: 180_000 },
  async () => {
    const { config } = await place('by-input');
    const start = ['start', '--config', config, '--enrollment-token-file'];
    const gone = await token();
    const { apiKey } = decodeToken(gone);
    const wrong = encodeToken({ ...decodeToken(gone), apiKey: `${apiKey.split(':')[0] ?? ''}:wrong` });
    const byInput = await runCommand([...start, '-'], `${wrong}\n`);
    expect([byInput.code, byInput.output]).toEqual([1, expect.stringContaining('does not enrol this node')]);
    // Who supervises it may leave the input open.
    const leftOpen = await runCommand([...start, '-'], `${wrong}\r\n`, true);
    expect([leftOpen.code, leftOpen.output]).toEqual([1, byInput.output]);
    expect((await runCommand([...start, '-'], '')).output).toContain(
      'Enrolment token is expected on the standard input',
    );
    const open = join(home, 'open-token');
    await writeFile(open, gone, { mode: 0o644 });
    expect((await runCommand([...start, open])).output).toContain('can be read by others than its owner');
    expect((await runCommand([...start, join(home, 'none')])).output).toContain('the file does not exist');
    const both = await runCommand([...start, open, '--enrollment-token', gone]);
    expect([both.code, both.output]).toEqual([1, expect.stringContaining('cannot be used with option')]);
  },
);

it('a token is not used up where nothing can be written', { timeout: 180_000 }, async () => {
  const text = await token();
  const certificates = await place('no-certificates');
  // Nobody, not even root, can write there.
  await symlink('/proc', join(certificates.directory, 'config', 'certs'));
  // So long that nothing of a longer name fits beside it.
  const settings = await place('no-settings', `${'x'.repeat(240)}.yml`);
  for (const { config } of [certificates, settings]) {
    const { code, output } = await runCommand(['start', '--config', config, '--enrollment-token', text]);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^quarry: cannot write .* The enrolment token was not used\n$/s),
    ]);
    expect(await readFile(config, 'utf8')).toBe('# Of this node.\nnode.name: second\n');
  }
  expect(await readdir(join(settings.directory, 'config'))).toEqual(['quarry.yml']);
  expect((await ask('GET', '/_security/enroll/node', keyOf(text))).status).toBe(200);
});

it('a token that has expired, was altered or cut is refused, and says so', { timeout: 180_000 }, async () => {
  const text = await token();
  for (const wrong of [text.slice(0, -1), text.slice(1), `${text.slice(0, 40)}x${text.slice(41)}`, 'text', '']) {
    expect(await tryToJoin('altered', wrong === '' ? ' ' : wrong)).toContain('the enrolment token is not as');
  }
  const parts = decodeToken(text);
  const otherKey = encodeToken({ ...parts, sealKey: new Uint8Array(32) });
  expect(await tryToJoin('other-key', otherKey)).toContain('cannot be opened with the enrolment token');

  // What half an hour does is what a shorter time does.
  const [id = ''] = decodeToken(await token()).apiKey.split(':');
  const keys = (await ask('GET', `/_security/api_key?id=${id}`)).body as Json;
  const lifetimeMs = keys.api_keys[0].expiration - keys.api_keys[0].creation;
  expect(lifetimeMs).toBe(30 * 60_000);
  const { metadata } = keys.api_keys[0];
  expect(metadata.enrollment.hosts).toEqual(['localhost']);
  const brief = (await ask('POST', '/_security/api_key', ADMIN, { name: 'brief', expiration: '1ms', metadata }))
    .body as Json;
  const expired = encodeToken({ ...parts, apiKey: `${brief.id}:${brief.api_key}` });
  expect(await tryToJoin('expired', expired)).toContain('has expired: make another');
  expect(await tryToJoin('unknown', encodeToken({ ...parts, apiKey: 'none:none' }))).toContain('does not know');
});

it('a token may be tried a few times only, and serves for nothing else', { timeout: 180_000 }, async () => {
  const text = await token();
  expect((await ask('GET', '/_cluster/health', keyOf(text))).status).toBe(403);
  for (let tries = 0; tries < 5; tries++) {
    const wrong = await ask('GET', '/_security/enroll/node', keyOf(text, `wrong-${tries}`));
    expect([wrong.status, JSON.stringify(wrong.body)]).toEqual([401, expect.stringContaining('invalid credentials')]);
  }
  const right = await ask('GET', '/_security/enroll/node', keyOf(text));
  expect([right.status, JSON.stringify(right.body)]).toEqual([
    401,
    expect.stringContaining('was tried [5] times with a wrong secret'),
  ]);
  const another = await token();
  const both = await Promise.all([0, 1, 2, 3].map(() => ask('GET', '/_security/enroll/node', keyOf(another))));
  expect(both.filter(({ status }) => status === 200).length).toBe(1);
  const admin = await ask('GET', '/_security/enroll/node');
  expect([admin.status, JSON.stringify(admin.body)]).toEqual([400, expect.stringContaining('that takes a token of')]);
});

it('one who stands between is refused before anything was sent', { timeout: 180_000 }, async () => {
  const text = await token();
  const { certificate, key } = await foreign.issue('between');
  const seen: string[] = [];
  const files = { cert: await readFile(certificate), key: await readFile(key) };
  const between: Server = createServer(files, (request, response) => {
    seen.push(String(request.headers.authorization));
    response.end('{}');
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(between.address() as AddressInfo).port}`;
  const parts = decodeToken(text);
  const said = await tryToJoin('between', encodeToken({ ...parts, addresses: [address] }));
  expect(said).toContain('a certificate that the authority of the cluster did not sign');
  expect(seen).toEqual([]);
  between.close();
  // The token was not spent.
  expect((await ask('GET', '/_security/enroll/node', keyOf(text))).status).toBe(200);
});

it('a node without TLS is told of, wherever it stands', { timeout: 180_000 }, async () => {
  const plain = await TestNode.start({ ...SECURED, 'node.processors': '1' }, undefined, [], {
    QUARRY_BOOTSTRAP_PASSWORD: PASSWORD,
  });
  try {
    const { code, output } = await createToken('--url', plain.url, '-p', PASSWORD);
    expect([code, output]).toEqual([1, expect.stringContaining('nodes are enrolled by TLS only')]);
    const parts = decodeToken(await token());
    const said = await tryToJoin('plain', encodeToken({ ...parts, addresses: [plain.url.replace('http://', '')] }));
    expect(said).toContain('does not speak TLS');
    const refused = await plain.get('/_security/enroll/node', { authorization: ADMIN });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('this node has no TLS, see [http.ssl.enabled] and [transport.ssl.enabled]'),
    ]);
  } finally {
    await plain.stop();
  }
  const gone = decodeToken(await token());
  const said = await tryToJoin('gone', encodeToken({ ...gone, addresses: [`127.0.0.1:${ports[2]}`] }));
  expect(said).toContain('no node of the cluster can be reached');
});

it('a token is made only by who may, with the authority at hand', { timeout: 180_000 }, async () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['--url', node.url, '-p', 'a-wrong-password'], 'makes no enrolment token: unable to authenticate user [admin]'],
    [['--url', node.url, '-p', PASSWORD, '--ca', join(home, 'nowhere')], 'does not exist'],
    [['--url', node.url, '-p', PASSWORD, '--host', 'not a name'], 'is no host name'],
    [['--url', node.url, '-p', PASSWORD, '--secret-file', join(home, 'none')], 'the file does not exist'],
    [
      ['--url', node.url.replace('127.0.0.1', '0.0.0.0').replace('localhost', '0.0.0.0'), '-p', PASSWORD],
      'is not for that name',
    ],
    [['-s', 'kibana', '-p', PASSWORD], 'only [node] is expected'],
  ];
  for (const [more, words] of cases) {
    const { code, output } = await createToken(...more);
    expect([code, output]).toEqual([1, expect.stringContaining(words)]);
  }
});
