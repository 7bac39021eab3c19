/** When a policy of snapshot management is to be seen to. Pure: the clock is the caller's. */
import { parseUnixCron, type CronExpression } from '../slm/cron.js';
import { hasRunFor } from '../slm/due.js';
import type { SmPolicy, SmTimes, SmWorkflow, SmWorkflowName } from './types.js';

/** All policies are looked at whenever one changes. */
const schedules = new WeakMap<SmTimes, CronExpression>();

/** The next time of the schedule; far off where there is none. */
export function nextDueMs(times: SmTimes, afterMs: number): number {
  const known = schedules.get(times) ?? parseUnixCron(times.expression, times.timezone);
  schedules.set(times, known);
  return known.nextAfter(afterMs) ?? Number.MAX_SAFE_INTEGER;
}

/**
 * The time for which it runs next. A clock that was wrong may have noted a time that is far off: what the schedule says
 * comes first then, unless it has run for that time.
 */
export function dueMs(times: SmTimes, workflow: SmWorkflow, nowMs: number): number {
  if (workflow.dueMs <= nowMs) return workflow.dueMs;
  const next = nextDueMs(times, nowMs);
  return hasRunFor(workflow.lastDueMs, next, nowMs) ? workflow.dueMs : Math.min(next, workflow.dueMs);
}

/** When somebody has to see to the workflow: at once if not after `nowMs`; never: `Infinity`. */
export function workMs(policy: SmPolicy, name: SmWorkflowName, nowMs: number): number {
  const times = policy.definition[name];
  const workflow = policy.workflows[name];
  if (times === undefined || workflow === undefined) return Infinity;
  if (workflow.run !== undefined) return workflow.run.retry?.atMs ?? nowMs;
  return policy.enabledAtMs === undefined ? Infinity : dueMs(times, workflow, nowMs);
}
