/**
 * Files that commands write for a node, which may run as another user than they do: a service beside root. Whoever may write in the folder may
 * not be trusted by root, and could have put links there.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';
import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { QuarryError } from '../base/errors.js';
import { fileError, makeDirectory, missingDirectories, syncDirectory } from './files.js';

export interface NodeFileOptions {
  /** Of a new file. */
  readonly mode?: number;
  /** A new file that no node reads stays with whoever makes it. */
  readonly isOfWriter?: boolean;
  /** Called when the new contents are on the disk. Where it throws, the former ones stay. */
  readonly beforeReplacing?: () => Promise<void>;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

interface Likeness {
  readonly owner: Owner | undefined;
  readonly mode: number;
}

const OWNER_ONLY = 0o600;
const PERMISSIONS = 0o777;
const ROOT = 0;
/** Who may not give files away, or not to that user, stays the owner. */
const NOT_GIVEN: readonly (string | undefined)[] = ['EPERM', 'EINVAL'];

/**
 * A crash leaves the old or the new contents. A file that is replaced keeps its owner, its group and its permissions. A new one that root
 * makes gets the owner and the group of its folder, so that the node can read it.
 */
export async function writeNodeFile(path: string, text: string, options: NodeFileOptions = {}): Promise<void> {
  // A name that nobody knew, and that must be free: no link of somebody else is followed.
  const beside = `${path}.new-${randomUUID()}`;
  try {
    const likeness = await likenessOf(path, options);
    const file = await open(beside, 'wx', OWNER_ONLY);
    try {
      await liken(file, likeness);
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    await options.beforeReplacing?.();
    await rename(beside, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error instanceof QuarryError ? error : fileError('write', path, error);
  }
}

/** As {@link writeNodeFile}, of a file that is there and that people edit: links to it stay. */
export async function editText(path: string, text: string): Promise<void> {
  let target: string;
  try {
    target = await realpath(path);
  } catch (error) {
    throw fileError('read', path, error);
  }
  await writeNodeFile(target, text);
}

/** Makes the directory and those above it. Those that root makes get the owner and the group of the one that was there. */
export function makeNodeDirectory(path: string): void {
  const made = [...missingDirectories(path)].reverse();
  makeDirectory(path);
  const [first] = made;
  if (first === undefined || !isRoot()) return;
  try {
    const owner = statSync(dirname(first));
    for (const directory of made) giveDirectory(directory, owner);
  } catch (error) {
    throw fileError('create directory', path, error);
  }
}

async function likenessOf(path: string, { mode = OWNER_ONLY, isOfWriter = false }: NodeFileOptions): Promise<Likeness> {
  try {
    const former = await stat(path);
    return { owner: former, mode: former.mode & PERMISSIONS };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const isGiven = isRoot() && !isOfWriter;
  return { owner: isGiven ? await stat(dirname(path)) : undefined, mode };
}

async function liken(file: FileHandle, { owner, mode }: Likeness): Promise<void> {
  try {
    if (owner !== undefined) await file.chown(owner.uid, owner.gid);
  } catch (error) {
    if (!isNotGiven(error)) throw error;
  }
  // The mask of the process does not count here.
  await file.chmod(mode);
}

/** What is opened is a directory, and no link to one. */
function giveDirectory(path: string, { uid, gid }: Owner): void {
  const directory = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    fchownSync(directory, uid, gid);
  } catch (error) {
    if (!isNotGiven(error)) throw error;
  } finally {
    closeSync(directory);
  }
}

function isNotGiven(error: unknown): boolean {
  return NOT_GIVEN.includes((error as NodeJS.ErrnoException).code);
}

function isRoot(): boolean {
  return process.geteuid?.() === ROOT;
}
