/** A package runs where there is nothing but Node.js. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

let home: string;
let node: ChildProcess | undefined;

const inHome = (...path: string[]): string => join(home, ...path);
const installed = (...path: string[]): string => inHome('prefix/lib/node_modules/quarry', ...path);

/** The address that the node prints when it is ready. */
async function started(): Promise<string> {
  const settings = ['http.port=0', 'transport.port=0'].flatMap((setting) => ['-E', setting]);
  node = spawn(inHome('prefix/bin/quarry'), ['start', ...settings], {
    cwd: home,
    env: { PATH: inHome('only-node') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of node.stdout ?? []) {
    text += String(chunk);
    const address = /is ready at (\S+)/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`the node ended before it was ready: ${text}`);
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('an installed package', () => {
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'quarry-package-'));
    const { stdout } = await run('npm', ['run', '--silent', 'package', '--', '--as-built'], { cwd: ROOT });
    const tarball = join(ROOT, stdout.trim().split('\n').at(-1) ?? '');
    const flags = ['--offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', '--global', '--prefix', inHome('prefix'), ...flags, tarball], { cwd: home });
    await mkdir(inHome('only-node'));
    await symlink(process.execPath, inHome('only-node/node'));
  }, 300_000);

  afterAll(async () => {
    if (node?.kill() === true) await once(node, 'exit');
    await rm(home, { recursive: true, force: true });
  });

  it('says its version', async () => {
    const env = { PATH: inHome('only-node') };
    const { stdout } = await run(inHome('prefix/bin/quarry'), ['--version'], { env });
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(stdout).toBe(`${version}\n`);
  });

  it('starts a node with a PATH of nothing but Node.js, which indexes, finds and shows its console', async () => {
    const url = await started();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ title: 'a packed engine' });
    const indexed = await fetch(`${url}/books/_doc/1?refresh=true`, { method: 'PUT', headers, body });
    expect(indexed.status).toBe(201);
    const found = await fetch(`${url}/books/_search?q=title:packed&filter_path=hits.hits._id`);
    expect(await found.json()).toEqual({ hits: { hits: [{ _id: '1' }] } });
    expect((await fetch(`${url}/_console/`)).status).toBe(200);
  });

  it('has the licence of every package and crate in it', async () => {
    const crates = await readFile(installed('LICENSES-OF-CRATES.txt'), 'utf8');
    const linked = crates.split('\n').filter((line) => /^# \S+ \d+\.\d+\.\d+/.test(line));
    expect(linked.length).toBeGreaterThan(50);
    expect(linked.filter((line) => line.startsWith('# quarry-'))).toEqual([]);
    const inside = await readFile(installed('LICENSES-OF-PACKAGES.txt'), 'utf8');
    expect(inside).toMatch(/^# cbor-x [\d.]+\n\nMIT$/m);
    await access(installed('dist/program/console/licences.txt'));
    const names = await readdir(installed('node_modules'));
    expect(names).toEqual(expect.arrayContaining(['piscina', 'uWebSockets.js', 'uap-core']));
    // Nothing that only builds or tests.
    expect(names.filter((name) => ['typescript', 'vitest', 'rolldown'].includes(name))).toEqual([]);
  });
});
