/** How much of a disk is left. */
import { statfs } from 'node:fs/promises';

export interface DiskUsage {
  readonly totalBytes: number;
  /** Available to this process. */
  readonly availableBytes: number;
}

/** Of the file system that holds the path. */
export async function diskUsage(path: string): Promise<DiskUsage> {
  const { blocks, bavail, bsize } = await statfs(path);
  return { totalBytes: blocks * bsize, availableBytes: bavail * bsize };
}
