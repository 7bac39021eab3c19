/**
 * Files that commands write for a node, which may run as another user than they do: a service beside root. Whoever may write in the folder may
 * not be trusted by root, and could have put links there.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';
import { link, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { QuarryError } from '../base/errors.js';
import { fileError, makeDirectory, missingDirectories, removeIfEmpty, syncDirectory } from './files.js';

export interface NodeFileOptions {
  /** Of a new file. */
  readonly mode?: number;
  /** No node reads it: it is its writer's, whoever had one of this name before. */
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
/** As much as what is to be written there later. */
const PROBE = ' '.repeat(64 * 1024);
/** Who may not give files away, or not to that user, stays the owner. */
const NOT_GIVEN: readonly (string | undefined)[] = ['EPERM', 'EINVAL'];

/**
 * A crash leaves the old or the new contents. A file that is replaced keeps its owner, its group and its permissions. A new one that root
 * makes gets the owner and the group of its folder, so that the node can read it.
 */
export function writeNodeFile(path: string, text: string, options: NodeFileOptions = {}): Promise<void> {
  return reported(path, async () => {
    const beside = await writeBeside(path, text, options);
    try {
      await options.beforeReplacing?.();
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
    await syncDirectory(dirname(path));
  });
}

/** As {@link writeNodeFile}, of a file that is there and that people edit: links to it stay. */
export async function editText(path: string, text: string): Promise<void> {
  await writeNodeFile(await targetOf(path), text);
}

/** Throws unless {@link editText} can write there. The file is not touched. */
export async function requireEditable(path: string): Promise<void> {
  const target = await targetOf(path);
  await tryToWrite(target);
  await requireNoMount(target);
}

/** Throws unless files can be written in the directory, or in one that can be made there. Leaves nothing behind. */
export async function requireWritableDirectory(path: string): Promise<void> {
  const made = missingDirectories(path);
  try {
    makeDirectory(path);
    await tryToWrite(join(path, '.probe'));
  } finally {
    for (const directory of made) await removeIfEmpty(directory);
  }
}

function tryToWrite(path: string): Promise<void> {
  return reported(path, async () => {
    await rm(await writeBeside(path, PROBE, {}));
  });
}

/** A file that is mounted by itself cannot be replaced, whatever its directory allows; nor has it a second name there. */
async function requireNoMount(path: string): Promise<void> {
  const second = newBeside(path);
  try {
    await link(path, second);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EXDEV') throw fileError('write', path, error);
    return;
  }
  await rm(second);
}

async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw fileError('read', path, error);
  }
}

async function reported(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw error instanceof QuarryError ? error : fileError('write', path, error);
  }
}

/** A name that nobody knew, and that must be free: no link of somebody else is followed. */
function newBeside(path: string): string {
  return `${path}.new-${randomUUID()}`;
}

/** Gives where the contents are, on the disk. */
async function writeBeside(path: string, text: string, options: NodeFileOptions): Promise<string> {
  const beside = newBeside(path);
  const likeness = await likenessOf(path, options);
  const file = await open(beside, 'wx', OWNER_ONLY);
  try {
    await liken(file, likeness);
    await file.writeFile(text, 'utf8');
    await file.sync();
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return beside;
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
  if (isOfWriter) return { owner: undefined, mode };
  try {
    const former = await stat(path);
    return { owner: former, mode: former.mode & PERMISSIONS };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return { owner: isRoot() ? await stat(dirname(path)) : undefined, mode };
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
