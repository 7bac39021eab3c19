/** The threads of this process, as Linux tells of them in `/proc` (see proc(5)). */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { NANOS_PER_MS } from '../base/units.js';

export interface ThreadSample {
  readonly id: number;
  readonly name: string;
  readonly state: ThreadState;
  /** On a processor, in milliseconds since the thread began. */
  readonly cpuMs: number;
  /** Ready to run but without a processor. */
  readonly runnableMs: number;
  /** Waiting for a disk. */
  readonly diskMs: number;
}

/** `sampling`: the thread that looks; what else it would do now cannot be seen. */
export type ThreadState = 'running' | 'sleeping' | 'waiting for the disk' | 'stopped' | 'sampling';

/** The kernel cuts longer names. */
const NAME_LENGTH_MAX = 15;
const TASKS = '/proc/self/task';
/** Ticks are hundredths of a second for programs, on every architecture. */
const MS_PER_TICK = 10;

/** Places in the line of `stat` behind the name, which may hold anything. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const DISK_TICKS = 39;

/** Names the calling thread, for hot threads and for tools of the system. Does nothing where that is not possible. */
export function nameThisThread(name: string): void {
  try {
    writeFileSync('/proc/thread-self/comm', name.slice(0, NAME_LENGTH_MAX));
  } catch {
    // A name is a convenience.
  }
}

/** All threads; undefined where the system does not tell. */
export function sampleThreads(): readonly ThreadSample[] | undefined {
  let ids: readonly string[];
  let ownId: string;
  try {
    ids = readdirSync(TASKS);
    ownId = basename(readlinkSync('/proc/thread-self'));
  } catch {
    return undefined;
  }
  return ids.flatMap((id) => {
    try {
      const sample = sampleThread(id);
      return [id === ownId ? { ...sample, state: 'sampling' } : sample];
    } catch {
      return []; // It ended meanwhile.
    }
  });
}

function sampleThread(id: string): ThreadSample {
  const stat = readFileSync(`${TASKS}/${id}/stat`, 'utf8');
  const nameEnd = stat.lastIndexOf(')');
  const name = stat.slice(stat.indexOf('(') + 1, nameEnd);
  const fields = stat.slice(nameEnd + 2).split(' ');
  const ticks = (place: number): number => Number(fields[place] ?? '0') * MS_PER_TICK;
  const isMain = Number(id) === process.pid;
  return {
    id: Number(id),
    name: isMain ? 'main' : name,
    state: stateOf(fields[0] ?? ''),
    cpuMs: ticks(USER_TICKS) + ticks(SYSTEM_TICKS),
    runnableMs: 0,
    diskMs: ticks(DISK_TICKS),
    ...preciseTimes(id),
  };
}

/** In nanoseconds, where the kernel was built to count them. */
function preciseTimes(id: string): { cpuMs: number; runnableMs: number } | undefined {
  try {
    const [cpu, runnable] = readFileSync(`${TASKS}/${id}/schedstat`, 'utf8').split(' ').map(Number);
    if (cpu === undefined || runnable === undefined || cpu === 0) return undefined;
    return { cpuMs: cpu / NANOS_PER_MS, runnableMs: runnable / NANOS_PER_MS };
  } catch {
    return undefined;
  }
}

function stateOf(letter: string): ThreadState {
  if (letter === 'R') return 'running';
  if (letter === 'D') return 'waiting for the disk';
  return letter === 'S' || letter === 'I' ? 'sleeping' : 'stopped';
}
