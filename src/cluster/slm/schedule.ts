/** When something runs again and again: by a cron expression, or once in an interval since its definition. */
import { illegalArgument } from '../../base/errors.js';
import { parseTimeMs } from '../../base/units.js';
import { parseCron } from './cron.js';

export interface Schedule {
  /**
   * The first time after `afterMs` at which it is due; undefined: never again. Intervals begin at `sinceMs`. All in
   * milliseconds since 1970.
   */
  readonly nextAfter: (afterMs: number, sinceMs: number) => number | undefined;
}

/** `30m`, or a cron expression. Throws `illegal_argument_exception`. */
export function parseSchedule(text: string): Schedule {
  if (!/^\d+[a-zA-Z]+$/.test(text.trim())) return parseCron(text);
  const intervalMs = parseTimeMs(text, 'schedule');
  if (intervalMs < 1) throw illegalArgument('time unit must be at least 1 millisecond');
  return {
    nextAfter: (afterMs, sinceMs) =>
      sinceMs + intervalMs * Math.max(1, Math.floor((afterMs - sinceMs) / intervalMs) + 1),
  };
}

/** From its next time to the one after that; undefined: it is not due so often again. */
export function intervalOf(schedule: Schedule, nowMs: number): number | undefined {
  const first = schedule.nextAfter(nowMs, nowMs);
  const second = first === undefined ? undefined : schedule.nextAfter(first, nowMs);
  return first === undefined || second === undefined ? undefined : second - first;
}
