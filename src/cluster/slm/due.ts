/** What of snapshot lifecycle management is due at a time. Pure: the clock is the caller's. */
import { parseSchedule, type Schedule } from './schedule.js';
import type { SlmPolicy, SlmPolicyBody } from './types.js';

/** Clocks of masters differ by less: a run noted for a later time than this was noted by a clock that was wrong. */
const CLOCK_DIFFERENCE_MS_MAX = 300_000;

/** When a policy is due for the first time after this one; undefined: never. */
export function nextRunMs({ policy, modifiedAtMs }: SlmPolicy, afterMs: number): number | undefined {
  return scheduleOf(policy).nextAfter(afterMs, modifiedAtMs);
}

/** All policies are looked at whenever one changes. */
const schedules = new WeakMap<SlmPolicyBody, Schedule>();

function scheduleOf(policy: SlmPolicyBody): Schedule {
  const known = schedules.get(policy);
  if (known !== undefined) return known;
  const schedule = parseSchedule(policy.schedule);
  schedules.set(policy, schedule);
  return schedule;
}

/** Whether a run for the time has been made already, or for a later one. */
export function hasRunFor(lastDueMs: number | undefined, dueMs: number, nowMs: number): boolean {
  return lastDueMs !== undefined && dueMs <= lastDueMs && lastDueMs <= nowMs + CLOCK_DIFFERENCE_MS_MAX;
}
