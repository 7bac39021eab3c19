import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMemoryBudget } from '../../src/cli/memory-options.js';
import { runCommand } from '../api/node-harness.js';

const GIGABYTE = 1024 ** 3;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'quarry-options-'));
  mkdirSync(join(home, 'jvm.options.d'));
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(home, 'jvm.options.d', name), text);
}

const budget = (machineGb = 64): number =>
  readMemoryBudget(join(home, 'jvm.options.d'), machineGb * GIGABYTE).budgetBytes;

describe('the memory budget', () => {
  it('is half of the memory, 32 GB at most, where no file says otherwise', () => {
    expect([budget(8), budget(64), budget(65)]).toEqual([4 * GIGABYTE, 32 * GIGABYTE, 32 * GIGABYTE]);
  });

  it.each([
    ['-Xms4g\n-Xmx4g', 4 * GIGABYTE],
    ['# the heap\n\n  -Xms512m  \n-Xmx512M\n', GIGABYTE / 2],
    ['-Xmx1048576k\r\n-Xms1g\r\n', GIGABYTE],
    ['-Xms1073741824\n-Xmx1g', GIGABYTE],
    ['-Xms32g\n-Xmx32g', 32 * GIGABYTE],
    ['-Xms256m\n-Xmx256m', GIGABYTE / 4],
  ])('is what %j says', (text, bytes) => {
    write('heap.options', text);
    expect(budget()).toBe(bytes);
  });

  it('is what the last file says, in the order of their names; others are no options', () => {
    write('a.options', '-Xms1g\n-Xmx1g');
    write('b.options', '-Xms2g\n-Xmx2g');
    write('c.txt', '-Xms3g\n-Xmx4g');
    expect(budget()).toBe(2 * GIGABYTE);
  });

  it.each([
    [
      '-Xms2g\n-Xmx4g',
      /^memory options: \[-Xms2g\] and \[-Xmx4g\] in \[.*heap\.options:1\] and \[.*:2\] must be equal$/,
    ],
    ['-Xmx4g', /\[-Xmx4g\] in \[.*:1\] needs \[-Xms\] of the same size beside it/],
    ['-Xms4g', /\[-Xms4g\] in \[.*:1\] needs \[-Xmx\] of the same size beside it/],
    ['-Xms4q\n-Xmx4q', /\[-Xms4q\] in \[.*:1\] is not a size of memory/],
    ['-Xms33g\n-Xmx33g', /\[-Xmx33g\] in \[.*\] is not within the \[256mb\] to \[32gb\] that a node may have/],
    ['-Xms255m\n-Xmx255m', /is not within the \[256mb\] to \[32gb\]/],
  ])('refuses %j', (text, reason) => {
    write('heap.options', text);
    expect(() => budget()).toThrow(reason);
  });

  it('refuses more than the machine has', () => {
    write('heap.options', '-Xms9g\n-Xmx9g');
    expect(() => budget(8)).toThrow('[256mb] to [8gb], all of the memory of this machine, that a node may have');
  });

  it('names options that mean nothing here', () => {
    write('gc.options', '-XX:+UseG1GC\n8-13:-Xmx2g\n-Des.x=1');
    expect(readMemoryBudget(join(home, 'jvm.options.d'), GIGABYTE).ignoredOptions).toEqual([
      '-XX:+UseG1GC',
      '8-13:-Xmx2g',
      '-Des.x=1',
    ]);
  });

  it('keeps a node from starting where its bounds differ, with one sentence', async () => {
    write('heap.options', '-Xms1g\n-Xmx2g');
    const config = join(home, 'quarry.yml');
    writeFileSync(config, '# nothing\n');
    const { code, output } = await runCommand(['start', '--config', config, '-E', `path.data=${join(home, 'data')}`]);
    expect(code).toBe(1);
    expect(output).toMatch(/^quarry: memory options: \[-Xms1g\] and \[-Xmx2g\] in \[.*\] must be equal\n$/);
  });
});
