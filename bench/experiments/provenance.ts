/** Where figures come from: the machine, the program, the command. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { arch, cpus, hostname, release, totalmem, type } from 'node:os';

export interface Machine {
  readonly name: string;
  readonly system: string;
  readonly processor: string;
  readonly processors: number;
  readonly memoryBytes: number;
  /** Of the directory where nodes keep their data. */
  readonly fileSystem: string;
}

export interface Provenance {
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  /** With `, changed` where the tree had changes; `unknown` without a repository. */
  readonly commit: string;
  /** Repeats the run. */
  readonly command: string;
  readonly startedAt: string;
}

/** `now`: milliseconds since the epoch. `folder`: where nodes keep their data. */
export function provenanceOf(command: string, folder: string, now: number): Provenance {
  return {
    machine: machineOf(folder),
    versions: { quarry: packageVersion(), node: process.version },
    commit: commitOf(),
    command,
    startedAt: new Date(now).toISOString(),
  };
}

/** Benches run in the root of the project. */
function packageVersion(): string {
  return (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
}

function machineOf(folder: string): Machine {
  const all = cpus();
  return {
    name: hostname(),
    system: `${type()} ${release()} ${arch()}`,
    processor: all[0]?.model.trim() ?? 'unknown',
    processors: all.length,
    memoryBytes: totalmem(),
    fileSystem: output('df', ['--output=fstype', folder])?.split('\n')[1]?.trim() ?? 'unknown',
  };
}

function commitOf(): string {
  const commit = output('git', ['rev-parse', '--short=12', 'HEAD']);
  if (commit === undefined) return 'unknown';
  const changes = output('git', ['status', '--porcelain', '--untracked-files=no']) ?? '';
  return changes === '' ? commit : `${commit}, changed`;
}

function output(program: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** Mean number of threads that ran or wanted to, of the last minute: more than processors, and times are those of a busy machine. */
export function loadOfMachine(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]);
  } catch {
    return NaN;
  }
}
