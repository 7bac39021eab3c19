/** Offsets of time zones. */
import { illegalArgument } from '../../base/errors.js';

/** Milliseconds that the zone's clock is ahead of UTC at that instant. Zones: `UTC`, `+01:00`, `Europe/Paris`. */
export function zoneOffsetMs(zone: string, atMs: number): number {
  const fixed = /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/.exec(zone);
  if (fixed !== null) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3] ?? 0);
    return (fixed[1] === '-' ? -1 : 1) * minutes * 60_000;
  }
  if (zone === 'UTC' || zone === 'Z' || zone === 'GMT') return 0;
  const parts = Object.fromEntries(
    zonedFormat(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000;
}

function zonedFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw illegalArgument(`Unknown time-zone ID: ${timeZone}`);
  }
}
