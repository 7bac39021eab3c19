/**
 * What lies in the directories of shards, as the file system tells it: nobody's claim is needed for that.
 *
 * It is read on the thread that asks: the system has the names and sizes of a shard in memory and gives them in some
 * microseconds, while each call of the thread pool wakes two threads. Between shards, others have their turn.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnOfLoop } from '../base/turn-of-loop.js';
import { fileError } from './files.js';
import { indexDirectory, shardNumber, type ShardPlace } from './layout.js';

/** Directories of all shards of a node, whether anybody has them open or not; in order of their names. */
export async function shardPlaces(indicesPath: string, loop: TurnOfLoop): Promise<readonly ShardPlace[]> {
  const places: ShardPlace[] = [];
  for (const indexUuid of directoryNames(indicesPath)) {
    await loop.leaveTime();
    places.push(...placesOf(indicesPath, indexUuid));
  }
  return places;
}

/** Those of one index. */
export function placesOf(indicesPath: string, indexUuid: string): readonly ShardPlace[] {
  const names = directoryNames(indexDirectory(indicesPath, indexUuid));
  return names.flatMap((name) => {
    const shard = shardNumber(name);
    return shard === undefined ? [] : { indexUuid, shard };
  });
}

/** Names of the directories in a directory, sorted; none when it is not there, or not any more. */
export function directoryNames(path: string): readonly string[] {
  const entries = orNone(() => readdirSync(path, { withFileTypes: true }), path, []);
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** Bytes of the files in a directory; files that are removed meanwhile count nothing. */
export function directoryBytes(path: string): number {
  let sum = 0;
  for (const name of orNone(() => readdirSync(path), path, [])) {
    const file = join(path, name);
    sum += orNone(() => statSync(file, { throwIfNoEntry: false })?.size ?? 0, file, 0);
  }
  return sum;
}

function orNone<T>(read: () => T, path: string, none: T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw fileError('read', path, error);
  }
}
