/** Dates as queries on records write them: milliseconds, ISO 8601, `now` and what is added to either. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonValue } from '../../../base/json-value.js';
import { addUnits, roundDown } from '../../../cluster/names/date-steps.js';

const MATH = /^([+-]\d{1,6}|\/)([yMwdhHms])/;

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
    ms = whole === '' ? NaN : step === '/' ? roundDown(ms, unit, 'UTC') : addUnits(ms, Number(step), unit, 'UTC');
    rest = rest.slice(whole.length);
  }
  return ms;
}
