/** What the control group of this process may use, and uses: how Linux confines containers and services. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ControlGroup {
  readonly cpuAccounting: { readonly path: string; readonly usageNanos: number };
  readonly cpu: {
    readonly path: string;
    readonly periodMicros: number;
    /** -1: no limit. */
    readonly quotaMicros: number;
    readonly elapsedPeriods: number;
    readonly throttledTimes: number;
    readonly throttledNanos: number;
  };
  /** As the system writes them: a number, or `max` for no limit. */
  readonly memory: { readonly path: string; readonly limit: string; readonly usage: string };
}

const NANOS_PER_MICRO = 1_000;
/** Of the second version, where all controllers share one hierarchy. */
const UNIFIED = '';

/** Undefined where the system does not say all of it. The places are those of Linux but in tests. */
export function controlGroup(membership = '/proc/self/cgroup', root = '/sys/fs/cgroup'): ControlGroup | undefined {
  try {
    const paths = pathsByController(readFileSync(membership, 'utf8'));
    return paths.has('cpu') ? ofHierarchies(root, paths) : ofOneHierarchy(root, paths.get(UNIFIED) ?? '/');
  } catch {
    return undefined;
  }
}

/** Of lines `4:cpu,cpuacct:/path` and `0::/path`. */
function pathsByController(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  return new Map(
    lines.flatMap((match) => (match?.[1] ?? '?').split(',').map((name) => [name, match?.[2] ?? '/'] as const)),
  );
}

function ofOneHierarchy(root: string, path: string): ControlGroup {
  const read = (name: string): string => readFileSync(join(root, path, name), 'utf8').trim();
  const stat = numbersOf(read('cpu.stat'));
  const [quota, period] = read('cpu.max').split(' ');
  return {
    cpuAccounting: { path, usageNanos: known(stat.get('usage_usec')) * NANOS_PER_MICRO },
    cpu: {
      path,
      periodMicros: known(Number(period)),
      quotaMicros: quota === 'max' ? -1 : known(Number(quota)),
      elapsedPeriods: known(stat.get('nr_periods')),
      throttledTimes: known(stat.get('nr_throttled')),
      throttledNanos: known(stat.get('throttled_usec')) * NANOS_PER_MICRO,
    },
    memory: { path, limit: read('memory.max'), usage: read('memory.current') },
  };
}

/** The first version: a hierarchy for each controller. */
function ofHierarchies(root: string, paths: ReadonlyMap<string, string>): ControlGroup {
  const pathOf = (controller: string): string => paths.get(controller) ?? '/';
  const read = (controller: string, name: string): string => readIn(join(root, controller), pathOf(controller), name);
  const stat = numbersOf(read('cpu', 'cpu.stat'));
  return {
    cpuAccounting: { path: pathOf('cpuacct'), usageNanos: known(Number(read('cpuacct', 'cpuacct.usage'))) },
    cpu: {
      path: pathOf('cpu'),
      periodMicros: known(Number(read('cpu', 'cpu.cfs_period_us'))),
      quotaMicros: known(Number(read('cpu', 'cpu.cfs_quota_us'))),
      elapsedPeriods: known(stat.get('nr_periods')),
      throttledTimes: known(stat.get('nr_throttled')),
      throttledNanos: known(stat.get('throttled_time')),
    },
    memory: {
      path: pathOf('memory'),
      limit: read('memory', 'memory.limit_in_bytes'),
      usage: read('memory', 'memory.usage_in_bytes'),
    },
  };
}

/** Inside a container the path is that of the machine, and what the container sees begins at its own group. */
function readIn(hierarchy: string, path: string, name: string): string {
  try {
    return readFileSync(join(hierarchy, path, name), 'utf8').trim();
  } catch {
    return readFileSync(join(hierarchy, name), 'utf8').trim();
  }
}

function numbersOf(text: string): ReadonlyMap<string, number> {
  return new Map(text.split('\n').map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])] as const));
}

function known(value: number | undefined): number {
  if (value === undefined || !Number.isFinite(value)) throw new Error('the system does not say it');
  return value;
}
