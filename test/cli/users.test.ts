/** `quarry users` and `quarry setup-passwords` beside a node that runs. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand, TestNode } from '../api/node-harness.js';
import { basic, SECURED } from '../api/security-helpers.js';
import { freePorts } from '../cluster-processes/free-ports.js';
import { TestCertificates } from '../transport/certificates.js';

let node: TestNode;
let config: string;

beforeAll(async () => {
  node = await TestNode.start(SECURED);
  config = join(node.directory, 'config', 'quarry.yml');
});

afterAll(async () => {
  await node.stop();
});

const users = (...args: string[]): ReturnType<typeof runCommand> => runCommand(['users', '--config', config, ...args]);

const unknownRole = (name: string): string =>
  `quarry: WARNING: [${name}] is no built-in role: it grants nothing unless the cluster has a role of that name\n`;

async function statusOf(authorization: string): Promise<number> {
  return (await node.get('/_security/_authenticate', { authorization })).status;
}

test('users of files are added, listed, given roles and passwords, and removed', async () => {
  expect(await users('useradd', 'jane', '-p', 'janes-password', '-r', 'superuser,other')).toEqual({
    code: 0,
    output: unknownRole('other'),
  });
  expect((await users('list')).output).toBe('jane           : superuser,other\n');
  await node.until(async () => ((await statusOf(basic('jane', 'janes-password'))) === 200 ? true : undefined));
  expect((await users('useradd', 'jane', '-p', 'janes-password')).output).toContain('user [jane] already exists');
  expect((await users('useradd', 'a:b', '-p', 'janes-password')).output).toContain('[a:b] is no name of a user');
  expect((await users('useradd', 'x', '-p', 'short')).output).toContain(
    'passwords must be at least [6] characters long',
  );
  expect((await users('roles', 'jane', '-a', 'third', '-r', 'other')).output).toBe(
    `jane           : superuser,third\n${unknownRole('third')}`,
  );
  await users('passwd', 'jane', '-p', 'another-password');
  await node.until(async () => ((await statusOf(basic('jane', 'another-password'))) === 200 ? true : undefined));
  // Each front looks at the files for itself: one that has not yet may answer the next request.
  await node.until(async () => ((await statusOf(basic('jane', 'janes-password'))) === 401 ? true : undefined));
  await users('userdel', 'jane');
  await node.until(async () => ((await statusOf(basic('jane', 'another-password'))) === 401 ? true : undefined));
  expect((await users('userdel', 'jane')).output).toContain('user [jane] does not exist');
});

test('names that could never log in, or that the files would say otherwise, are refused', async () => {
  const file = join(node.directory, 'config', 'users');
  const before = await readFile(file, 'utf8');
  expect(await users('useradd', 'admin', '-p', 'any-password')).toEqual({
    code: 1,
    output: 'quarry: Invalid username [admin]... Username [admin] is reserved and may not be used.\n',
  });
  expect((await users('useradd', '#joe', '-p', 'joes-password')).output).toContain('[#joe] is no name of a user');
  for (const role of ['a:b', '#a']) {
    const refused = await users('useradd', 'joe', '-p', 'joes-password', '-r', role);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining(`[${role}] is no name of a role`)]);
  }
  expect(await readFile(file, 'utf8')).toBe(before);
  // One of an earlier version can be taken away.
  await writeFile(file, `admin:${await hash('any-password', 4)}\n`);
  expect(await users('userdel', 'admin')).toEqual({ code: 0, output: '' });
});

test('files with lines that say nothing are left alone', async () => {
  const file = join(node.directory, 'config', 'users');
  await writeFile(file, 'no hash here\n');
  expect((await users('useradd', 'joe', '-p', 'joes-password')).output).toContain('[users:1]');
  expect(await readFile(file, 'utf8')).toBe('no hash here\n');
  await writeFile(file, '');
});

test('the built-in user without a password gets one', async () => {
  expect(JSON.stringify(await node.logged())).toContain('nobody can log in as [admin]');
  const setup = ['setup-passwords', '--config', config, '--url', node.url, '-p', 'set-up-by-command'];
  expect(await runCommand(setup)).toEqual({ code: 0, output: 'the password of [admin] is set\n' });
  expect(await statusOf(basic('admin', 'set-up-by-command'))).toBe(200);
  expect((await users('list')).output).toBe('');
});

test('the configuration file says where the node answers, to setup-passwords and to diagnose', async () => {
  const [port = 0, other = 0] = await freePorts(2);
  const home = await mkdtemp(join(tmpdir(), 'quarry-test-'));
  const file = join(home, 'config', 'quarry.yml');
  await mkdir(join(home, 'config'));
  const certificates = await TestCertificates.make();
  const { certificate, key } = await certificates.issue('node');
  const authority = ['--ca', await certificates.authority()];
  const tls = { 'http.ssl.enabled': true, 'http.ssl.certificate': certificate, 'http.ssl.key': key };
  const plain = { 'http.host': '0.0.0.0', 'http.port': `${port}-${port + 1}`, 'security.allow_insecure_bind': true };
  const secured = { 'network.host': 'localhost', http: { port: other }, ...tls };
  try {
    for (const [settings, more] of [
      [plain, []],
      [secured, authority],
    ] as const) {
      // The parser takes JSON as well.
      await writeFile(file, JSON.stringify(settings));
      const unset = { 'http.port': undefined, 'path.config': undefined };
      const found = await TestNode.start({ ...SECURED, ...unset }, home, ['--config', file]);
      const setup = ['setup-passwords', '--config', file, '-p', 'set-up-by-command', ...more];
      expect(await runCommand(setup)).toEqual({ code: 0, output: 'the password of [admin] is set\n' });
      const archive = join(home, `${found.url.length}.tar.gz`);
      const diagnosed = await runCommand(['diagnose', '--config', file, '--output', archive, ...more]);
      expect(diagnosed.output).toMatch(/\d+ files, \d\d answers of the node/);
      await found.signal('SIGTERM');
    }
    const absent = join(home, 'absent.yml');
    const { output } = await runCommand(['setup-passwords', '--config', absent, '-p', 'set-up-by-command']);
    expect(output).toBe(`quarry: configuration file [${absent}] does not exist\n`);
  } finally {
    await rm(home, { recursive: true, force: true });
    await certificates.remove();
  }
});

test('a path of the address stays, and nobody is left behind by a command that is interrupted', async () => {
  const paths: (string | undefined)[] = [];
  let isReady = false;
  let tell: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (tell = resolve));
  const proxy = createServer((request, response) => {
    paths.push(request.url);
    tell();
    if (isReady) response.end('{}');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const setup = ['setup-passwords', '--config', config, '-p', 'set-up-by-command'];
  const setupAt = (path: string): string[] => [...setup, '--url', `http://127.0.0.1:${port}${path}`];
  try {
    const interrupted = runCommand(setupAt('/prefix'), undefined, false, (child) => {
      void asked.then(() => child.kill('SIGINT'));
    });
    await asked;
    const { code, output } = await interrupted;
    expect([code, output]).toEqual([1, 'quarry: interrupted by SIGINT: no password was set\n']);
    expect((await users('list')).output).toBe('');
    isReady = true;
    expect(await runCommand(setupAt('/prefix/'))).toMatchObject({ code: 0 });
    expect(await runCommand(setupAt(''))).toMatchObject({ code: 0 });
    const path = '/_security/user/admin/_password';
    expect(paths).toEqual([`/prefix${path}`, `/prefix${path}`, path]);
  } finally {
    proxy.close();
  }
});

test('he gets one through a port with TLS as well, from a command that knows its authority', async () => {
  const certificates = await TestCertificates.make();
  const { certificate, key } = await certificates.issue('node');
  const tls = { 'http.ssl.enabled': 'true', 'http.ssl.certificate': certificate, 'http.ssl.key': key };
  const secured = await TestNode.start({ ...SECURED, ...tls });
  try {
    const file = join(secured.directory, 'config', 'quarry.yml');
    const setup = ['setup-passwords', '--config', file, '--url', secured.url, '-p', 'set-up-by-command'];
    const authority = await certificates.authority();
    const foreign = await runCommand(setup);
    expect([foreign.code, foreign.output]).toEqual([
      1,
      expect.stringContaining('name the authority of the cluster with --ca'),
    ]);
    expect(await runCommand([...setup, '--ca', authority])).toEqual({
      code: 0,
      output: 'the password of [admin] is set\n',
    });
    const wrong = await runCommand([...setup, '--ca', file]);
    expect(wrong.output).toContain('the file does not exist');
  } finally {
    await secured.stop();
    await certificates.remove();
  }
});
