/**
 * Disks that are full: a small file system of its own for a node's data where the system lets us mount one, else a limit on the size
 * of the files that its process writes.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestMember } from '../cluster-harness.js';
import { mountSmallDisk, unmountSmallDisk } from '../small-disks.js';

export interface NodeDisk {
  /** The disk takes no more from now on. */
  fill(): void;
  free(): void;
  /** For good. */
  remove(): void;
}

const DISK_MEGABYTES = 256;
const MEGABYTE = 1024 * 1024;
/** Larger than the files of the coordinator and the log, smaller than those of a loaded shard. */
const FILE_BYTES_MAX = 64 * 1024;
const BALLAST = 'ballast';

/** To be called before the node's first start. */
export function nodeDisk(member: TestMember): NodeDisk {
  const directory = join(member.home, 'data');
  return mountSmallDisk(directory, DISK_MEGABYTES) ? smallFileSystem(directory) : limitedFiles(member);
}

function smallFileSystem(directory: string): NodeDisk {
  const ballast = join(directory, BALLAST);
  return {
    fill() {
      const { bavail, bsize } = statfsSync(directory);
      // What the node writes meanwhile may take the last block first.
      for (let bytes = bavail * bsize; bytes > 0; bytes -= MEGABYTE) {
        try {
          writeFileSync(ballast, Buffer.alloc(bytes));
          return;
        } catch {
          rmSync(ballast, { force: true });
        }
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      unmountSmallDisk(directory);
    },
  };
}

/** Of the process that runs when the disk fills: a node that is started again has a disk with room. */
function limitedFiles(member: TestMember): NodeDisk {
  const limit = (bytes: number | 'unlimited'): void => {
    if (member.isAlive) spawnSync('prlimit', ['--pid', String(member.node.process.pid), `--fsize=${bytes}:`]);
  };
  return {
    fill: () => limit(FILE_BYTES_MAX),
    free: () => limit('unlimited'),
    remove: () => undefined,
  };
}
