/** `quarry keystore` at a terminal: what is typed is asked for, twice where nobody can see it, and not shown. */
import { spawn, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ConfigFolder } from './keystore-harness.js';

const MAIN = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));
/** util-linux's program that runs a command at a terminal of its own. */
const hasTerminals = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
const test = it.skipIf(!hasTerminals);

let folder: ConfigFolder;

beforeEach(async () => {
  folder = await ConfigFolder.make();
});
afterEach(async () => {
  await rm(folder.directory, { recursive: true });
});

/** Types each answer when the prompt that it belongs to is there; `shown` is all that the terminal shows. */
function atTerminal(
  args: readonly string[],
  answers: readonly (readonly [prompt: string, typed: string])[],
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const quoted = [process.execPath, MAIN, 'keystore', '--config', folder.config, ...args].map((each) => `'${each}'`);
  const child = spawn('script', ['-qec', quoted.join(' '), '/dev/null']);
  let shown = '';
  let looked = 0;
  const left = [...answers];
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const [next] = left;
    const at = next === undefined ? -1 : shown.indexOf(next[0], looked);
    if (next === undefined || at === -1) return;
    left.shift();
    looked = at + next[0].length;
    child.stdin.write(`${next[1]}\r`);
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      resolve({ code, shown });
    });
  });
}

test('asks for a password twice and for values, and shows neither', { timeout: 60_000 }, async () => {
  const password = 'correct-horse';
  const made = await atTerminal(
    ['create', '--password'],
    [
      ['New password', password],
      ['The same password again', password],
    ],
  );
  expect(made.code, made.shown).toBe(0);
  const added = await atTerminal(
    ['add', 's3.client.default.secret_key'],
    [
      ['assword', password],
      ['Value of s3.client.default.secret_key', 'hidden-value'],
    ],
  );
  expect(added.code, added.shown).toBe(0);
  const shown = await atTerminal(['show', 's3.client.default.secret_key'], [['assword', password]]);
  expect([shown.code, shown.shown.trim().split(/\s+/).at(-1)]).toEqual([0, 'hidden-value']);
  for (const text of [made.shown, added.shown]) {
    expect(text).not.toContain(password);
    expect(text).not.toContain('hidden-value');
  }
});

test('refuses passwords that differ, a wrong one, and an end before an answer', { timeout: 60_000 }, async () => {
  const differ = await atTerminal(
    ['create', '--password'],
    [
      ['New password', 'one-password'],
      ['The same password again', 'another-one'],
    ],
  );
  expect(differ.code).not.toBe(0);
  expect(differ.shown).toContain('the passwords are not equal');
  await atTerminal(
    ['create', '--password'],
    [
      ['New password', 'one-password'],
      ['The same password again', 'one-password'],
    ],
  );
  const wrong = await atTerminal(['list'], [['assword', 'another-one']]);
  expect(wrong.code).not.toBe(0);
  const ended = await atTerminal(['list'], [['assword', '\u0004']]);
  expect(ended.code).not.toBe(0);
  expect(ended.shown).toContain('nothing was entered');
});
