/** Writes samples of threads in the layout of the API. There are no stacks: the states of a thread stand in their place. */
import { formatTime } from '../../base/units.js';
import type { ThreadSample, ThreadState } from '../../store/threads.js';

export type HotThreadsType = 'cpu' | 'wait' | 'block';

export interface HotThreadsOptions {
  readonly threads: number;
  readonly intervalMs: number;
  readonly snapshots: number;
  /** Time on a processor; time asleep; time waiting for a disk. */
  readonly type: HotThreadsType;
  readonly ignoreIdleThreads: boolean;
}

export interface ThreadSamples {
  readonly nodeName: string;
  readonly atMs: number;
  /** Between `before` and `after`; longer than was asked for when the node is busy. */
  readonly elapsedMs: number;
  readonly before: readonly ThreadSample[];
  readonly after: readonly ThreadSample[];
  /** The states of the threads, seen shortly after one another. */
  readonly snapshots: readonly (readonly ThreadSample[])[];
}

/** A thread that used less than this share of the time and was never seen at work is idle. */
const IDLE_PERCENT_MAX = 1;

interface Usage {
  readonly thread: ThreadSample;
  readonly cpuMs: number;
  readonly usedMs: number;
}

export function hotThreadsText(samples: ThreadSamples, options: HotThreadsOptions): string {
  const { atMs, elapsedMs } = samples;
  const interval = formatTime(options.intervalMs);
  const head =
    `Hot threads at ${new Date(atMs).toISOString()}, interval=${interval}, busiestThreads=${options.threads}, ` +
    `ignoreIdleThreads=${options.ignoreIdleThreads}:\n`;
  const former = new Map(samples.before.map((thread) => [thread.id, thread]));
  const usages = samples.after.flatMap((thread) => {
    const begin = former.get(thread.id);
    return begin === undefined ? [] : [usageOf(begin, thread, elapsedMs, options.type)];
  });
  const shown = usages
    .filter((usage) => !options.ignoreIdleThreads || !isIdle(usage, samples))
    .sort((left, right) => right.usedMs - left.usedMs || left.thread.id - right.thread.id)
    .slice(0, options.threads);
  return head + shown.map((usage) => threadText(usage, samples, options.type)).join('');
}

function usageOf(begin: ThreadSample, end: ThreadSample, elapsedMs: number, type: HotThreadsType): Usage {
  const cpuMs = end.cpuMs - begin.cpuMs;
  const diskMs = end.diskMs - begin.diskMs;
  const waitMs = Math.max(0, elapsedMs - cpuMs - diskMs - (end.runnableMs - begin.runnableMs));
  const usedMs = { cpu: cpuMs, wait: waitMs, block: diskMs }[type];
  return { thread: end, cpuMs, usedMs: Math.min(usedMs, elapsedMs) };
}

function isIdle({ thread, cpuMs }: Usage, { elapsedMs, snapshots }: ThreadSamples): boolean {
  if ((100 * cpuMs) / elapsedMs >= IDLE_PERCENT_MAX) return false;
  return snapshots.every((threads) => {
    const seen = threads.find(({ id }) => id === thread.id);
    return seen === undefined || seen.state === 'sleeping' || seen.state === 'sampling';
  });
}

function threadText({ thread, usedMs }: Usage, samples: ThreadSamples, type: HotThreadsType): string {
  const { nodeName, elapsedMs, snapshots } = samples;
  const percent = ((100 * usedMs) / elapsedMs).toFixed(1).padStart(4);
  const times = `${formatTime(roundTenth(usedMs))} out of ${formatTime(Math.round(elapsedMs))}`;
  const name = `quarry[${nodeName}][${thread.name}][T#${thread.id}]`;
  const lines = [...countStates(thread.id, snapshots)].map(
    ([state, count]) => `  ${count}/${snapshots.length} snapshots ${state}\n`,
  );
  return `\n${percent}% (${times}) ${type} usage by thread '${name}'\n${lines.join('')}`;
}

/** The commonest state first. */
function countStates(
  threadId: number,
  snapshots: readonly (readonly ThreadSample[])[],
): readonly (readonly [ThreadState | 'ended', number])[] {
  const counts = new Map<ThreadState | 'ended', number>();
  for (const threads of snapshots) {
    const state = threads.find(({ id }) => id === threadId)?.state ?? 'ended';
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return [...counts].sort(([, left], [, right]) => right - left);
}

function roundTenth(millis: number): number {
  return Math.round(millis * 10) / 10;
}
