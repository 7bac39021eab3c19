/** Names of time zones in requests, in the forms that the kernels take (`parse_time_zone` of the crate `base`). */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { Place } from './place.js';
import { readText } from './read.js';

/** Hours and, with or without colons, minutes and seconds. */
const OFFSET = /^(?:UTC|GMT|UT)?[+-](?<hours>\d{1,2})(?::?(?<minutes>[0-5]\d)(?::?(?<seconds>[0-5]\d))?)?$/;
const OFFSET_SECONDS_MAX = 18 * 3_600;

/** Throws `illegal_argument_exception` with the name of a zone that there is not. */
export function readTimeZone(place: Place): string {
  const zone = readText(place);
  if (isTimeZone(zone)) return zone;
  throw illegalArgument(unknownZone(zone));
}

/** As an aggregation of that kind reads its member: a number is hours ahead of UTC. */
export function readTimeZoneOrHours(place: Place, kind: string): string {
  const zone = typeof place.value === 'number' ? hoursAhead(Math.trunc(place.value)) : readText(place);
  if (isTimeZone(zone)) return zone;
  throw place.errorWithPlace(
    `[${kind}] failed to parse field [${place.step}]`,
    'x_content_parse_exception',
    new QuarryError('zone_rules_exception', unknownZone(zone)),
  );
}

function hoursAhead(hours: number): string {
  return `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
}

function unknownZone(zone: string): string {
  return `Unknown time-zone ID: ${zone}`;
}

function isTimeZone(text: string): boolean {
  if (['Z', 'UTC', 'GMT', 'UT'].includes(text)) return true;
  const offset = OFFSET.exec(text)?.groups;
  if (offset === undefined) return isNamedZone(text);
  const { hours, minutes = 0, seconds = 0 } = offset;
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) <= OFFSET_SECONDS_MAX;
}

function isNamedZone(text: string): boolean {
  // It takes offsets as well, of other forms.
  if (!/^[a-z]/i.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
