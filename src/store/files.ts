/** Small files of a node: read whole, written so that a crash leaves the old or the new contents and nothing else. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsync,
  lstatSync,
  mkdirSync,
  open,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFile,
} from 'node:fs';
import { readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { QuarryError } from '../base/errors.js';

/** What may wait for the disk goes to the thread pool; opening to read and closing do not, and are done at once. */
const openLater = promisify(open);
const writeLater = promisify(writeFile);
const syncLater = promisify(fsync);

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

/** The directory and those above it that are not there, the deepest first. */
export function missingDirectories(path: string): readonly string[] {
  try {
    lstatSync(path);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' && dirname(path) !== path ? [path, ...missingDirectories(dirname(path))] : [];
  }
}

async function replaceFile(path: string, contents: string, mode: number): Promise<void> {
  const beside = `${path}.new`;
  try {
    await writeSynced(beside, contents, mode);
    await rename(beside, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    throw fileError('write', path, error);
  }
}

async function writeSynced(path: string, contents: string, mode: number): Promise<void> {
  const file = await openLater(path, 'w', mode);
  try {
    await writeLater(file, contents, 'utf8');
    await syncLater(file);
  } finally {
    closeSync(file);
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
  return verified(path, contents);
}

/** As {@link readChecked}, on the calling thread: for a small file, which the thread pool would take four calls to read. */
export function readCheckedNow(path: string): string | undefined {
  const contents = readTextIfPresent(path);
  return contents === undefined ? undefined : verified(path, contents);
}

/** As {@link readCheckedNow}; undefined also when it is damaged. */
export function readIfWhole(path: string): string | undefined {
  try {
    return readCheckedNow(path);
  } catch {
    return undefined;
  }
}

function verified(path: string, contents: string): string {
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

/** One that is not there is as good as removed. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch((error: unknown) => {
    throw fileError('remove', path, error);
  });
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = openSync(path, 'r');
  try {
    await syncLater(directory);
  } finally {
    closeSync(directory);
  }
}

function checksumLine(text: string): string {
  return `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

export function fileError(doing: string, path: string, error: unknown): QuarryError {
  const reason = error instanceof Error ? error.message : String(error);
  return new QuarryError('i_o_exception', `cannot ${doing} [${path}]: ${reason}`, { cause: error });
}
