/** Files in one archive, `tar.gz`. */
import { createWriteStream, existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { QuarryError } from '../../base/errors.js';
import type { CollectedFile } from './collect.js';

/** Only its owner may read it. */
const MODE = 0o600;

/** Throws where nothing can be written: a node need not be asked for what has no place. */
export function requirePlace(path: string): void {
  if (existsSync(path)) throw unwritable(path, 'it exists, and is not written over');
  const folder = dirname(path);
  const fault = faultOf(folder);
  if (fault !== undefined) throw unwritable(path, `the folder [${folder}] ${fault}`);
}

function faultOf(folder: string): string | undefined {
  try {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined) return 'does not exist';
    return found.isDirectory() ? undefined : 'is a file';
  } catch (error) {
    return `cannot be looked into: ${(error as Error).message}`;
  }
}

/** In a folder of this name. Refuses to write over a file. */
export async function writeArchive(
  path: string,
  folder: string,
  files: readonly CollectedFile[],
  nowMs: number,
): Promise<void> {
  const { pack } = await import('tar-stream');
  const tar = pack();
  for (const { name, contents } of files) {
    const entry = tar.entry({ name: `${folder}/${name}`, mode: MODE, mtime: new Date(nowMs) }, contents);
    // The pipeline tells why the archive was given up: each entry that waits for it says so, too.
    entry.on('error', () => undefined);
  }
  tar.finalize();
  try {
    await pipeline(tar, createGzip(), createWriteStream(path, { flags: 'wx', mode: MODE }));
  } catch (error) {
    // What somebody else put there meanwhile is his.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true });
    throw unwritable(path, error instanceof Error ? error.message : String(error));
  }
}

function unwritable(path: string, why: string): QuarryError {
  return new QuarryError('settings_exception', `cannot write [${path}]: ${why}`);
}
