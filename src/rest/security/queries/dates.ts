/** Dates as queries on records write them: milliseconds, ISO 8601, `now` and what is added to either. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonValue } from '../../../base/json-value.js';

const MATH = /^([+-]\d{1,6}|\/)([yMwdhHms])/;
const UNIT_MS: Readonly<Record<string, number>> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  H: 3_600_000,
  m: 60_000,
  s: 1_000,
};
/** The first Monday after 1970 began. */
const MONDAY_MS = 4 * 86_400_000;

/** Further from 1970 there are no dates. */
const DATE_MS_MAX = 8.64e15;

/** In milliseconds. `field` is what refusals name. */
export function parseDate(value: JsonValue | undefined, field: string, nowMs: number): number {
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  const ms = typeof value === 'number' ? value : readDate(text, nowMs);
  if (Math.abs(ms) <= DATE_MS_MAX) return ms;
  throw illegalArgument(`failed to parse date field [${field}] with the value [${text}]`);
}

/** Not a number for what is no date. */
function readDate(text: string, nowMs: number): number {
  const [anchor = '', math = ''] = text.startsWith('now') ? ['now', text.slice('now'.length)] : text.split('||', 2);
  let ms = anchor === 'now' ? nowMs : /^-?\d+$/.test(anchor) ? Number(anchor) : Date.parse(anchor);
  let rest = math;
  while (rest !== '' && !Number.isNaN(ms)) {
    const [whole = '', step = '', unit = ''] = MATH.exec(rest) ?? [];
    ms = whole === '' ? NaN : step === '/' ? rounded(ms, unit) : moved(ms, Number(step), unit);
    rest = rest.slice(whole.length);
  }
  return ms;
}

function moved(ms: number, count: number, unit: string): number {
  const size = UNIT_MS[unit];
  if (size !== undefined) return ms + count * size;
  const moment = new Date(ms);
  if (unit === 'y') moment.setUTCFullYear(moment.getUTCFullYear() + count);
  else moment.setUTCMonth(moment.getUTCMonth() + count);
  return moment.getTime();
}

function rounded(ms: number, unit: string): number {
  const moment = new Date(ms);
  if (unit === 'y') return Date.UTC(moment.getUTCFullYear(), 0);
  if (unit === 'M') return Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth());
  const size = UNIT_MS[unit] ?? 1;
  const start = unit === 'w' ? MONDAY_MS : 0;
  return Math.floor((ms - start) / size) * size + start;
}
