/** Commands whose reader goes away, as `quarry --help | head -1` has it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/program/main.js', import.meta.url));

it.each(['--help', '--version', 'check --help'])('%s ends quietly', async (args) => {
  const child = spawn(process.execPath, [MAIN, ...args.split(' ')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, complaints]).toEqual([0, '']);
});
