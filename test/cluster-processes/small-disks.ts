/** Small file systems of their own, where the system lets us have them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The directory becomes a file system of that size. Gives whether it did. */
export function mountSmallDisk(directory: string, megabytes: number): boolean {
  mkdirSync(directory, { recursive: true });
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory]).status === 0;
}

export function unmountSmallDisk(directory: string): void {
  // Lazily: a process that was killed may still be seen to use it.
  spawnSync('umount', ['--lazy', directory]);
}

/** Only the superuser may mount. */
export function canMountSmallDisks(): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'quarry-disk-'));
  const isMounted = mountSmallDisk(directory, 1);
  if (isMounted) unmountSmallDisk(directory);
  rmSync(directory, { recursive: true, force: true });
  return isMounted;
}
