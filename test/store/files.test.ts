import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDirectory } from '../../src/store/files.js';
import { editText, requireEditable, requireWritableDirectory } from '../../src/store/node-files.js';

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

describe('what is tried out before', () => {
  it('leaves no directory behind', async () => {
    await mkdir(join(home, 'kept'));
    await requireWritableDirectory(join(home, 'kept', 'x', 'y'));
    await requireWritableDirectory(join(home, 'kept'));
    expect(await readdir(join(home, 'kept'))).toEqual([]);
    await writeFile(join(home, 'kept', 'file'), '');
    await expect(requireWritableDirectory(join(home, 'kept', 'file', 'x'))).rejects.toThrow('cannot create directory');
    expect(await readdir(join(home, 'kept'))).toEqual(['file']);
  });

  it('leaves a file and links to it as they are, and so does a change of its text', async () => {
    const directory = join(home, 'edited');
    const file = join(directory, 'file');
    const named = join(directory, 'named');
    await mkdir(directory);
    await writeFile(file, 'former');
    await chmod(file, 0o664);
    if (process.getuid?.() === 0) await chown(file, 65_534, 65_533);
    await symlink(file, named);
    const before = await stat(file);
    await requireEditable(named);
    expect(await stat(file)).toMatchObject({ ino: before.ino, mode: before.mode });
    await editText(named, 'later');
    const { uid, gid, mode } = before;
    expect(await stat(file)).toMatchObject({ uid, gid, mode });
    expect((await lstat(named)).isSymbolicLink()).toBe(true);
    expect(await readFile(file, 'utf8')).toBe('later');
    expect((await readdir(directory)).sort()).toEqual(['file', 'named']);
  });

  it('follows no link that somebody put beside it', async () => {
    const [directory, theirs] = [join(home, 'linked'), join(home, 'theirs')];
    const file = join(directory, 'file');
    await mkdir(directory);
    await writeFile(file, 'former');
    await writeFile(theirs, 'untouched');
    const before = await stat(theirs);
    for (const name of ['file.new', '.probe', '.probe.new']) await symlink(theirs, join(directory, name));
    await requireEditable(file);
    await requireWritableDirectory(directory);
    await editText(file, 'later');
    expect(await readFile(theirs, 'utf8')).toBe('untouched');
    expect(await stat(theirs)).toMatchObject({ uid: before.uid, mode: before.mode, mtimeMs: before.mtimeMs });
  });

  it('finds out where nothing can be written', async () => {
    // Its own mount, as a file of a container may be.
    await expect(requireEditable('/proc/self/comm')).rejects.toThrow('cannot write');
  });
});
