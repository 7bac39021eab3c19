/** How a server that takes no more connections waits for the requests that it accepted, and tells of it. */
import type { Clock } from '../base/clock.js';
import { DRAIN_MS_MAX, DRAIN_RECEIVING_MS_MAX } from '../base/limits.js';
import { sum } from '../base/sum.js';
import type { TaskTable } from '../base/tasks/task-table.js';

/** How many requests there are, by how far they are. */
export interface RequestCounts {
  readonly authenticating: number;
  readonly receiving: number;
  readonly queued: number;
  readonly unanswered: number;
}

export interface DrainedServer {
  readonly clock: Clock;
  readonly tasks: TaskTable;
  readonly counts: () => RequestCounts;
  /** Answers requests whose bodies are still on their way. */
  readonly giveUpReceiving: () => void;
  /** Is told what is waited for, now and then. */
  readonly onWait: (what: string) => void;
}

const DRAIN_POLL_MS = 10;
/** How long a stop is silent about what it waits for. */
const DRAIN_SILENT_MS = 1_000;
const DRAIN_REPORT_MS = 5_000;
/** Requests that wait for the cluster to become otherwise: it will not, as far as this node can tell. */
const WAITING_ACTIONS: ReadonlySet<string> = new Set(['cluster:monitor/health', 'cluster:monitor/state']);

/** Resolves when there are no requests any more, or they had their time. */
export async function drain({ clock, tasks, counts, giveUpReceiving, onWait }: DrainedServer): Promise<void> {
  const startedMs = clock.monotonicMs();
  const elapsedMs = (): number => clock.monotonicMs() - startedMs;
  let reportMs = DRAIN_SILENT_MS;
  while (sum(Object.values(counts())) > 0 && elapsedMs() < DRAIN_MS_MAX) {
    tasks.cancelByStop(WAITING_ACTIONS);
    if (elapsedMs() >= reportMs) {
      reportMs += DRAIN_REPORT_MS;
      onWait(describeWaits(counts(), tasks.runningActions, DRAIN_MS_MAX - elapsedMs()));
    }
    if (elapsedMs() >= DRAIN_RECEIVING_MS_MAX) giveUpReceiving();
    await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  }
}

/** How many requests of each kind there are, and for how long they are waited for at most. */
function describeWaits(
  { authenticating, receiving, queued, unanswered }: RequestCounts,
  actions: Iterable<readonly [string, number]>,
  leftMs: number,
): string {
  const counts: readonly (readonly [number, string])[] = [
    [authenticating, 'whose senders are being authenticated'],
    [receiving, 'whose bodies are coming'],
    [queued, 'in queues'],
    [unanswered, `being served or sent${describeActions(actions)}`],
  ];
  const waits = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `requests: ${waits.join('; ')} (for ${Math.ceil(leftMs / 1_000)} s at most)`;
}

/** Names of actions with the number of tasks of each; empty without any. */
function describeActions(actions: Iterable<readonly [string, number]>): string {
  const serving = Array.from(actions, ([action, count]) => `${action} (${count})`);
  return serving.length === 0 ? '' : `: ${serving.join(', ')}`;
}
