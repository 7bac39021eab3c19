/** File descriptors and threads of this process. */
import { readdirSync, readFileSync } from 'node:fs';

export interface OpenFiles {
  readonly current: number;
  /** As many as the process may open. */
  readonly max: number;
}

/** Undefined where the system does not say. */
export function openFiles(): OpenFiles | undefined {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const max = /^Max open files +(\d+)/m.exec(limits)?.[1];
    return max === undefined ? undefined : { current: readdirSync('/proc/self/fd').length, max: Number(max) };
  } catch {
    return undefined;
  }
}

/** Threads of this process; undefined where the system does not say. */
export function threadCount(): number | undefined {
  try {
    return readdirSync('/proc/self/task').length;
  } catch {
    return undefined;
  }
}
