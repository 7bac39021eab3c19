import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDirectory } from '../../src/store/files.js';

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quarry-files-'));
});

afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

describe('a directory', () => {
  it('is made with those above it, or is there already', async () => {
    const path = join(home, 'a', 'b', 'c');
    makeDirectory(path);
    makeDirectory(path);
    makeDirectory(home);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('is refused by name where none can be made', async () => {
    const file = join(home, 'file');
    await writeFile(file, '');
    expect(() => {
      makeDirectory(file);
    }).toThrow(`cannot create directory [${file}]`);
    expect(() => {
      makeDirectory(join(file, 'below'));
    }).toThrow(`cannot create directory [${join(file, 'below')}]`);
    expect(() => {
      makeDirectory('/proc/quarry/data');
    }).toThrow('cannot create directory [/proc/quarry]');
  });
});
