/** Files that belong to the program, and are only read. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of a directory by name, without those below it. Empty where it is missing. */
export async function readProgramFiles(directory: string): Promise<ReadonlyMap<string, Buffer>> {
  let entries;
  try {
    entries = await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw error;
  }
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name))] as const)));
}
