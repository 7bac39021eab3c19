/** How much of a disk is left. */
import { readFile, statfs } from 'node:fs/promises';

export interface DiskUsage {
  readonly totalBytes: number;
  /** Available to this process. */
  readonly availableBytes: number;
  /** Of the file system as a whole, with what is kept for the superuser; a node of an earlier version does not tell. */
  readonly whole?: { readonly totalBytes: number; readonly freeBytes: number };
}

/**
 * Of the file system that holds the path. Blocks that are kept for the superuser are neither used nor to be used: the size is
 * what is used and what this process may use, as `df` reckons.
 */
export async function diskUsage(path: string): Promise<DiskUsage> {
  const { blocks, bfree, bavail, bsize } = await statfs(path);
  const whole = { totalBytes: blocks * bsize, freeBytes: bfree * bsize };
  return { totalBytes: (blocks - bfree + bavail) * bsize, availableBytes: bavail * bsize, whole };
}

/** Where a file system is, and of which kind it is. */
export interface Mount {
  readonly directory: string;
  readonly type: string;
}

/** Of the file system that holds the absolute path; undefined where the system does not tell. */
export async function mountOf(path: string): Promise<Mount | undefined> {
  const text = await readFile('/proc/self/mounts', 'utf8').catch(() => '');
  let found: Mount | undefined;
  for (const line of text.split('\n')) {
    const [, directory = '', type = ''] = line.split(' ').map(unescapeOctal);
    const isAbove = directory === '/' || path === directory || path.startsWith(`${directory}/`);
    // Of two in the same place the later one is seen.
    if (directory !== '' && isAbove && directory.length >= (found?.directory.length ?? 0)) found = { directory, type };
  }
  return found;
}

/** Blanks in names are written as `\\040`. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
