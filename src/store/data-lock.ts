/**
 * One node per data directory: a lock file that names the process holding it. A file left by a process that is gone
 * (killed, or before a reboot) is taken over.
 */
import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { QuarryError } from '../base/errors.js';
import { fileError, readTextIfPresent } from './files.js';

const LOCK_FILE = 'node.lock';
/** Stale files that can be met in a row when several nodes start at once. */
const ATTEMPTS_MAX = 5;

export interface DataLock {
  release(): void;
}

/** Fails with one sentence when another node uses the directory. */
export function lockDataDirectory(directory: string): DataLock {
  const path = join(directory, LOCK_FILE);
  const self = describeProcess(process.pid);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    if (createExclusively(path, self))
      return {
        release: () => {
          releaseIfOwn(path, self);
        },
      };
    const holder = readTextIfPresent(path);
    if (holder === undefined) continue;
    const pid = Number(holder.split(' ')[0]);
    if (Number.isInteger(pid) && pid > 0 && describeProcess(pid) === holder && pid !== process.pid) {
      throw new QuarryError(
        'illegal_state_exception',
        `data directory [${directory}] is in use by the node with process id [${pid}]`,
      );
    }
    releaseIfOwn(path, holder);
  }
  throw new QuarryError(
    'illegal_state_exception',
    `cannot lock data directory [${directory}]: other nodes are starting in it`,
  );
}

function createExclusively(path: string, text: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o640);
    writeSync(file, text);
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fileError('write', path, error);
  }
}

function releaseIfOwn(path: string, contents: string): void {
  if (readTextIfPresent(path) === contents) unlinkSync(path);
}

/**
 * A text that differs between two processes of the same id: with the start time where the system tells it. Empty when
 * there is no such process, or one that has ended and that nobody has asked about yet.
 */
function describeProcess(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return '';
  }
  const [state, startTime] = statusOf(pid);
  return state === 'Z' || state === 'X' ? '' : `${pid} ${startTime}`;
}

/** State and start time of a process. */
function statusOf(pid: number): readonly [state: string, startTime: string] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields 3 and 22, counted after the name, which may itself hold spaces and is in parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [fields[0] ?? '', fields[19] ?? ''];
  } catch {
    return ['', 'unknown'];
  }
}
