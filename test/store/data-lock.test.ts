/** Who holds a data directory. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDataDirectory } from '../../src/store/data-lock.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quarry-lock-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** State and start time of a process, as the system tells them. */
function statusOf(pid: number): readonly [string | undefined, string | undefined] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [fields[0], fields[19]];
}

test('a process that runs holds its directory, one that has ended does not, though nobody has asked about it yet', async () => {
  // The shell becomes a program that never asks what became of its child.
  const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const pid = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (line: Buffer) => {
        resolve(Number(line.toString()));
      });
    });
    const [, startTime] = statusOf(pid);
    writeFileSync(join(directory, 'node.lock'), `${pid} ${startTime ?? ''}`);
    expect(() => lockDataDirectory(directory)).toThrow(`is in use by the node with process id [${pid}]`);
    while (statusOf(pid)[0] !== 'Z') await new Promise((resolve) => setTimeout(resolve, 20));
    lockDataDirectory(directory).release();
  } finally {
    parent.kill('SIGKILL');
  }
});
