/** The commit point of a shard directory that nobody may have open. */
import { join } from 'node:path';
import { filesIn, modifiedAtMs, readBytes } from '../store/files.js';
import { readCommitDescription, type StoredCommit } from './commit-file.js';

const COMMIT_FILE = /^commit_(\d+)$/;

export function hasCommit(directory: string): boolean {
  return newestFile(directory) !== undefined;
}

/** Whether segments that the commit point names lie in a repository; see `ELSEWHERE` of the kernels. */
export function lacksSegments(directory: string): boolean {
  return filesIn(directory).includes('segments-elsewhere');
}

/** The one with the highest generation; the older ones, if any, are about to be removed. Undefined where there is none. */
export async function newestCommit(directory: string): Promise<StoredCommit | undefined> {
  const name = newestFile(directory);
  if (name === undefined) return undefined;
  const file = join(directory, name);
  const description = readCommitDescription(await readBytes(file), file);
  return { ...description, writtenAtMs: await modifiedAtMs(file) };
}

function newestFile(directory: string): string | undefined {
  const generations = filesIn(directory).flatMap((name) => COMMIT_FILE.exec(name)?.[1] ?? []);
  if (generations.length === 0) return undefined;
  return `commit_${generations.map(BigInt).reduce((best, each) => (each > best ? each : best), 0n)}`;
}
