/** Small files of a node: read whole, written so that a crash leaves the old or the new contents and nothing else. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open, readFile, rename, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { QuarryError } from '../base/errors.js';

/** The text of a file; undefined when it is not there. */
export function readTextIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError('read', path, error);
  }
}

/** Makes the directory and those above it. */
export function makeDirectory(path: string): void {
  try {
    if (isMade(path)) return;
    makeDirectory(dirname(path));
    if (!isMade(path)) throw new Error('no directory can be made here');
  } catch (error) {
    throw error instanceof QuarryError ? error : fileError('create directory', path, error);
  }
}

/**
 * False where the directory above is missing. Node's own way to make those above never ends where one is there in which
 * none can be made, as in `/proc`.
 */
function isMade(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return true;
    throw error;
  }
}

/**
 * Writes beside, syncs, renames over, syncs the directory. The contents get a checksum line that {@link readChecked}
 * verifies.
 */
export async function writeChecked(path: string, text: string): Promise<void> {
  await replaceFile(path, `${checksumLine(text)}\n${text}`, 0o640);
}

/** As {@link writeChecked} without the checksum: a file that people edit. Only its owner may read it. */
export async function writeText(path: string, text: string): Promise<void> {
  await replaceFile(path, text, 0o600);
}

async function replaceFile(path: string, contents: string, mode: number): Promise<void> {
  const beside = `${path}.new`;
  try {
    const file = await open(beside, 'w', mode);
    try {
      await file.writeFile(contents, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    throw fileError('write', path, error);
  }
}

/** What {@link writeChecked} wrote; undefined when it is not there. Damage is a `corrupt_index_exception`. */
export async function readChecked(path: string): Promise<string | undefined> {
  let contents: string;
  try {
    contents = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError('read', path, error);
  }
  const lineEnd = contents.indexOf('\n');
  const text = contents.slice(lineEnd + 1);
  if (lineEnd === -1 || contents.slice(0, lineEnd) !== checksumLine(text)) {
    throw new QuarryError('corrupt_index_exception', `checksum of file [${path}] does not match its contents`);
  }
  return text;
}

/** All bytes of a file. */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw fileError('read', path, error);
  }
}

/** When the file was written last. */
export async function modifiedAtMs(path: string): Promise<number> {
  try {
    return Math.round((await stat(path)).mtimeMs);
  } catch (error) {
    throw fileError('read', path, error);
  }
}

/** Names of the files in a directory, sorted; none when it is not there. */
export function filesIn(path: string): readonly string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError('read directory', path, error);
  }
}

/** Removes a directory that holds nothing; any other stays. */
export async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT' && code !== 'EEXIST') throw fileError('remove', path, error);
  }
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function checksumLine(text: string): string {
  return `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

export function fileError(doing: string, path: string, error: unknown): QuarryError {
  const reason = error instanceof Error ? error.message : String(error);
  return new QuarryError('i_o_exception', `cannot ${doing} [${path}]: ${reason}`, { cause: error });
}
