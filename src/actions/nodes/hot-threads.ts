/** The busiest threads of a node, as text: what they did in an interval, and in which states they were seen then. */
import type { Clock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { sampleThreads, type ThreadSample } from '../../store/threads.js';
import { hotThreadsText, type HotThreadsOptions } from './hot-threads-text.js';
import { defineNodeAction } from './node-action.js';

export type HotThreadsInput = HotThreadsOptions;

/** Between two looks at the states of the threads. */
const SNAPSHOT_PAUSE_MS = 10;

export const hotThreads = defineNodeAction('hot-threads', async (context, input: HotThreadsInput): Promise<string> => {
  const { clock, node, cancellation } = context;
  const atMs = clock.nowMs();
  const startedMs = clock.monotonicMs();
  const before = samples();
  await sleep(clock, input.intervalMs);
  const after = samples();
  const elapsedMs = clock.monotonicMs() - startedMs;
  const snapshots: (readonly ThreadSample[])[] = [];
  while (snapshots.length < input.snapshots) {
    cancellation.throwIfCancelled();
    snapshots.push(samples());
    if (snapshots.length < input.snapshots) await sleep(clock, SNAPSHOT_PAUSE_MS);
  }
  return hotThreadsText({ nodeName: node.name, atMs, elapsedMs, before, after, snapshots }, input);
});

function samples(): readonly ThreadSample[] {
  const threads = sampleThreads();
  if (threads !== undefined) return threads;
  throw new QuarryError('illegal_state_exception', 'thread CPU time is not supported on this system');
}

function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(delayMs, resolve);
  });
}
