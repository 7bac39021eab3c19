/** What lies in the directories of shards, as the file system tells it: nobody's claim is needed for that. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from './files.js';
import { indexDirectory, shardNumber, type ShardPlace } from './layout.js';

/** Directories of all shards of a node, whether anybody has them open or not; in order of their names. */
export async function shardPlaces(indicesPath: string): Promise<readonly ShardPlace[]> {
  const places: ShardPlace[] = [];
  for (const indexUuid of await directoryNames(indicesPath)) places.push(...(await placesOf(indicesPath, indexUuid)));
  return places;
}

/** Those of one index. */
export async function placesOf(indicesPath: string, indexUuid: string): Promise<readonly ShardPlace[]> {
  const names = await directoryNames(indexDirectory(indicesPath, indexUuid));
  return names.flatMap((name) => {
    const shard = shardNumber(name);
    return shard === undefined ? [] : { indexUuid, shard };
  });
}

/** Names of the directories in a directory, sorted; none when it is not there, or not any more. */
export async function directoryNames(path: string): Promise<readonly string[]> {
  const entries = await orNone(readdir(path, { withFileTypes: true }), path, []);
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** Bytes of the files in a directory; files that are removed meanwhile count nothing. */
export async function directoryBytes(path: string): Promise<number> {
  let sum = 0;
  for (const name of await orNone(readdir(path), path, [])) {
    const file = join(path, name);
    sum += await orNone(
      stat(file).then(({ size }) => size),
      file,
      0,
    );
  }
  return sum;
}

async function orNone<T>(reading: Promise<T>, path: string, none: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw fileError('read', path, error);
  }
}
