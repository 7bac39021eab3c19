/** Commands of root beside a node that runs as another user, as under systemd: what they write is for that user to read. */
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, type TestContext } from 'vitest';
import { runCommand, TestNode } from '../api/node-harness.js';
import { basic, SECURED } from '../api/security-helpers.js';

const MAIN = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));
const SERVICE = 65_534;
const GROUP = 65_533;
const UNREADABLE = 'the files of users cannot be read';
const READABLE = 'the files of users can be read again';

let home: string;
let folder: string;
let config: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'quarry-service-'));
  folder = join(home, 'config');
  config = join(folder, 'quarry.yml');
  await mkdir(folder);
  await writeFile(config, '# nothing\n');
});

afterEach(() => rm(home, { recursive: true, force: true }));

function needRoot({ skip }: TestContext): void {
  skip(process.geteuid?.() !== 0, 'only root runs commands for another user');
}

async function giveFolder(): Promise<void> {
  for (const path of [home, folder]) await chown(path, SERVICE, SERVICE);
}

const quarry = (...args: string[]): ReturnType<typeof runCommand> => runCommand(args);

async function startAsService(settings: Readonly<Record<string, string>> = {}): Promise<TestNode> {
  const all = { ...SECURED, 'path.config': undefined, 'http.front_threads': '2', ...settings };
  return TestNode.start(all, home, ['--config', config], {}, SERVICE);
}

async function lookOf(...path: string[]): Promise<readonly [uid: number, gid: number, mode: number]> {
  const { uid, gid, mode } = await stat(join(folder, ...path));
  return [uid, gid, mode & 0o777];
}

async function statusOf(node: TestNode, name: string, password: string): Promise<number> {
  return (await node.get('/_security/_authenticate', { authorization: basic(name, password) })).status;
}

/** What the log says of the files of users, in order: why they cannot be read, or that they can be again. */
async function saidOfFiles(node: TestNode): Promise<readonly string[]> {
  const lines = (await node.logged()) as readonly { readonly msg: string; readonly reason?: string }[];
  return lines.filter(({ msg }) => msg === UNREADABLE || msg === READABLE).map(({ msg, reason }) => reason ?? msg);
}

/** Until the files can be read again, each reason is told once. */
function expectNothingTwice(said: readonly string[]): void {
  for (const [at, each] of said.entries()) {
    const before = said.slice(said.lastIndexOf(READABLE, at - 1) + 1, at);
    expect(before).not.toContain(each);
  }
}

test('a node reads the users, the keystore and the certificates that root made in its folder', async (context) => {
  needRoot(context);
  await giveFolder();
  expect(await quarry('keystore', '--config', config, 'create')).toMatchObject({ code: 0 });
  const certs = join(folder, 'of', 'certs');
  expect(await quarry('certs', '--out', certs)).toMatchObject({ code: 0 });
  const [key, certificate] = [join(certs, 'node.key'), join(certs, 'node.crt')];
  const tls = { 'transport.ssl.enabled': 'true', 'transport.ssl.key': key, 'transport.ssl.certificate': certificate };
  const authority = { 'transport.ssl.certificate_authorities': join(certs, 'ca.crt') };
  const node = await startAsService({ ...tls, ...authority });
  try {
    expect(await quarry('users', '--config', config, 'useradd', 'u1', '-p', 'secret12')).toEqual({
      code: 0,
      output: '',
    });
    await node.until(async () => ((await statusOf(node, 'u1', 'secret12')) === 200 ? true : undefined));
    const setup = await quarry('setup-passwords', '--config', config, '--url', node.url, '-p', 'set-by-root');
    expect(setup).toEqual({ code: 0, output: 'the password of [admin] is set\n' });
    expect(await statusOf(node, 'admin', 'set-by-root')).toBe(200);
  } finally {
    await node.stop();
  }
});

test('new files belong to whom the folder does, and those that are replaced keep owner, group and mode', async (context) => {
  needRoot(context);
  await giveFolder();
  const users = (...args: string[]): ReturnType<typeof runCommand> => quarry('users', '--config', config, ...args);
  await users('useradd', 'u1', '-p', 'secret12');
  await quarry('keystore', '--config', config, 'create');
  await quarry('certs', '--out', join(folder, 'certs'));
  for (const name of ['users', 'users_roles', 'quarry.keystore']) {
    expect([name, await lookOf(name)]).toEqual([name, [SERVICE, SERVICE, 0o600]]);
  }
  expect((await lookOf('certs')).slice(0, 2)).toEqual([SERVICE, SERVICE]);
  expect(await lookOf('certs', 'node.key')).toEqual([SERVICE, SERVICE, 0o600]);
  expect(await lookOf('certs', 'node.crt')).toEqual([SERVICE, SERVICE, 0o644]);
  // No node needs the key of the authority.
  expect(await lookOf('certs', 'ca.key')).toEqual([0, 0, 0o600]);
  const renewal = [MAIN, 'certs', '--out', join(folder, 'certs'), '--renew'];
  const { status, stderr } = spawnSync(process.execPath, renewal, { uid: SERVICE, gid: SERVICE, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^quarry: cannot read \[.*\/ca\.key\]: EACCES: permission denied[^\n]*\n$/),
  ]);

  for (const name of ['users', 'certs/node.key']) {
    await chown(join(folder, name), SERVICE, GROUP);
    await chmod(join(folder, name), 0o640);
  }
  await chown(join(folder, 'quarry.keystore'), SERVICE, GROUP);
  await users('passwd', 'u1', '-p', 'secret13');
  await quarry('certs', '--out', join(folder, 'certs'), '--renew');
  const added = ['add', 's3.client.default.access_key'];
  expect(await runCommand(['keystore', '--config', config, ...added], 'x\n')).toMatchObject({ code: 0 });
  for (const name of ['users', 'certs/node.key']) {
    expect([name, await lookOf(name)]).toEqual([name, [SERVICE, GROUP, 0o640]]);
  }
  expect(await lookOf('quarry.keystore')).toEqual([SERVICE, GROUP, 0o600]);
  expect((await readdir(folder)).sort()).toEqual(['certs', 'quarry.keystore', 'quarry.yml', 'users', 'users_roles']);
});

test('a link that somebody put beside the files of users leads root nowhere', async (context) => {
  needRoot(context);
  await giveFolder();
  const other = join(home, 'of-root');
  await writeFile(other, 'as it was');
  for (const name of ['users.new', 'users_roles.new']) await symlink(other, join(folder, name));
  await quarry('users', '--config', config, 'useradd', 'u1', '-p', 'secret12');
  expect(await readFile(other, 'utf8')).toBe('as it was');
  expect((await stat(other)).uid).toBe(0);
});

test('a node that may not read the users says so once, and that it may again; a command that fails leaves nothing', async (context) => {
  needRoot(context);
  await chown(home, SERVICE, SERVICE);
  const node = await startAsService();
  try {
    const setup = ['setup-passwords', '--config', config, '--url', node.url, '-p', 'set-by-root'];
    const { code, output } = await runCommand(setup);
    expect([code, output]).toEqual([1, expect.stringContaining(`It sees no users of [${folder}]`)]);
    expect(await readdir(folder)).toEqual(['quarry.yml']);
    await node.until(async () => ((await saidOfFiles(node)).includes(READABLE) ? true : undefined));
    // Each front looked ten times. One file was there before the other, and was gone after it.
    expectNothingTwice(await saidOfFiles(node));

    await quarry('users', '--config', config, 'useradd', 'u1', '-p', 'secret12');
    await node.until(async () => ((await saidOfFiles(node)).at(-1) === READABLE ? undefined : true));
    for (const name of ['users', 'users_roles']) await chown(join(folder, name), SERVICE, SERVICE);
    await node.until(async () => ((await statusOf(node, 'u1', 'secret12')) === 200 ? true : undefined));
    await node.until(async () => ((await saidOfFiles(node)).at(-1) === READABLE ? true : undefined));
    expectNothingTwice(await saidOfFiles(node));
  } finally {
    await node.stop();
  }
});

test('a command that is refused before it asks anybody leaves no folder behind', async () => {
  const absent = join(home, 'absent', 'quarry.yml');
  const setup = ['setup-passwords', '--config', absent, '--url', 'http://127.0.0.1:9', '-p', 'set-by-root'];
  expect(await runCommand(setup)).toMatchObject({ code: 1, output: expect.stringContaining('does not answer') });
  expect((await readdir(home)).sort()).toEqual(['config']);
});
