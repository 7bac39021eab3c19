/** The code that the engine made of the program when it was built: starts take it, and do without where it does not fit. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = mkdtempSync(path.join(tmpdir(), 'quarry-code-cache-'));
const program = path.join(scratch, 'dist/program');
const run = promisify(execFile);
const THREADS = ['coordinator-thread', 'main', 'side-front-thread', 'worker-thread'];

beforeAll(() => {
  cpSync(path.join(root, 'dist/program'), program, { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(scratch, 'package.json'));
  symlinkSync(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'));
});

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** The scripts that the kind of thread loads with kept code, as paths. */
function scriptsOf(thread: string): readonly string[] {
  const folder = path.join(program, thread);
  const kept = readdirSync(folder).filter((name) => name.endsWith('.code'));
  return kept.map((name) => path.join(folder, name.replace(/\.code$/, '')));
}

/** What the engine says of the code that `--version` takes, a word for each file. */
async function taken(): Promise<readonly string[]> {
  const watcher = path.join(scratch, 'watcher.cjs');
  writeFileSync(
    watcher,
    `const vm = require('node:vm');
    vm.Script = class extends vm.Script {
      constructor(code, options) {
        super(code, options);
        console.error(options.cachedData === undefined ? 'none' : this.cachedDataRejected ? 'rejected' : 'taken');
      }
    };`,
  );
  const args = ['--require', watcher, path.join(program, 'main.js'), '--version'];
  const { stdout, stderr } = await run(process.execPath, args, { env: { PATH: process.env['PATH'] } });
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  expect(stdout).toBe(`${version}\n`);
  return stderr.trim().split('\n');
}

it.each(THREADS)('%s has that of what it begins with', (thread) => {
  const scripts = scriptsOf(thread);
  expect(scripts.filter((script) => !existsSync(script))).toEqual([]);
  expect(scripts.some((script) => path.basename(script).startsWith(`entry-of-${thread}.`))).toBe(true);
});

it('scripts are as strict as modules', () => {
  for (const thread of THREADS) {
    const names = readdirSync(path.join(program, thread)).filter((name) => name.endsWith('.cjs'));
    const beginnings = names.map((name) => readFileSync(path.join(program, thread, name), 'utf8').slice(0, 100));
    expect(beginnings.filter((text) => !/^\(function\([\w,]*\)\{"use strict";/.test(text))).toEqual([]);
  }
});

it('the engine takes it', async () => {
  expect(new Set(await taken())).toEqual(new Set(['taken']));
});

it('a script that was changed is compiled, though it is as long as before', async () => {
  const [script = ''] = scriptsOf('main').filter((each) => path.basename(each).startsWith('entry-of-main.'));
  const source = readFileSync(script, 'utf8');
  const changed = source.replace('print the version', 'print its version');
  expect(changed).toHaveLength(source.length);
  writeFileSync(script, changed);
  expect((await taken()).filter((word) => word !== 'taken')).toEqual(['none']);
  writeFileSync(script, source);
});

it('what is damaged or lost is compiled', async () => {
  const [first = '', second = ''] = scriptsOf('main').filter((script) =>
    /^(entry-of-)?main/.test(path.basename(script)),
  );
  const bytes = readFileSync(`${first}.code`);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
  writeFileSync(`${first}.code`, bytes);
  rmSync(`${second}.code`);
  const words = await taken();
  expect(words.filter((word) => word === 'none')).toHaveLength(2);
  expect(words.filter((word) => word === 'rejected')).toEqual([]);
});
