/** An instant with nanoseconds, and its parts on the clock of a zone. */
import { zoneOffsetMs } from '../../cluster/names/time-zone.js';

export interface Moment {
  readonly epochSeconds: number;
  /** 0 to 999,999,999. */
  readonly nanos: number;
}

/** Parts of a local date and time; what a text does not say has its first value. */
export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanos: number;
}

export function momentOfMs(ms: number): Moment {
  const epochSeconds = Math.floor(ms / 1_000);
  return { epochSeconds, nanos: Math.round((ms - epochSeconds * 1_000) * 1e6) };
}

export function msOf({ epochSeconds, nanos }: Moment): number {
  return epochSeconds * 1_000 + Math.floor(nanos / 1e6);
}

/** `zone` is `UTC`, an offset, or a name such as `Europe/Paris`; throws `illegal_argument_exception` for another. */
export function momentOfLocal(local: LocalTime, zone: string): Moment {
  const date = new Date(0);
  date.setUTCFullYear(local.year, local.month - 1, local.day);
  date.setUTCHours(local.hour, local.minute, local.second);
  const localMs = date.getTime();
  const guess = localMs - zoneOffsetMs(zone, localMs);
  return { epochSeconds: (localMs - zoneOffsetMs(zone, guess)) / 1_000, nanos: local.nanos };
}

/** The local clock as the UTC parts of a date, and how far it is ahead of UTC. */
export function localClock(moment: Moment, zone: string): { readonly date: Date; readonly offsetMs: number } {
  const ms = moment.epochSeconds * 1_000;
  const offsetMs = zoneOffsetMs(zone, ms);
  return { date: new Date(ms + offsetMs), offsetMs };
}
