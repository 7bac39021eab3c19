/**
 * What a node keeps of an index beside the files of its shards: its mapping and settings, as the cluster last said them. Should no
 * master know the index any more, it can be taken back by this.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError, readChecked, readIfWhole, removeIfEmpty, writeChecked } from './files.js';
import { indexDirectory } from './layout.js';
import { directoryNames } from './shard-directories.js';

const FILE = 'index';

function recordPath(indicesPath: string, indexUuid: string): string {
  return join(indexDirectory(indicesPath, indexUuid), FILE);
}

/** Undefined when there is none. Damage is a `corrupt_index_exception`. */
export function readIndexRecord(indicesPath: string, indexUuid: string): Promise<string | undefined> {
  return readChecked(recordPath(indicesPath, indexUuid));
}

/** False when the index has no directory here (yet, or any more): none is made. What is there already is left. */
export async function writeIndexRecord(indicesPath: string, indexUuid: string, text: string): Promise<boolean> {
  const path = recordPath(indicesPath, indexUuid);
  try {
    // A damaged one is written anew.
    if (readIfWhole(path) !== text) await writeChecked(path, text);
    return true;
  } catch (error) {
    const { cause } = error as Error;
    if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return false;
    throw error;
  }
}

/** Removes the directory of an index that holds no shard any more. */
export async function removeIndexDirectoryIfEmpty(indicesPath: string, indexUuid: string): Promise<void> {
  const directory = indexDirectory(indicesPath, indexUuid);
  if (directoryNames(directory).length > 0) return;
  const path = recordPath(indicesPath, indexUuid);
  try {
    await rm(path, { force: true });
    await rm(`${path}.new`, { force: true });
  } catch (error) {
    throw fileError('remove', path, error);
  }
  await removeIfEmpty(directory);
}
