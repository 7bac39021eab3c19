/** Dates by pattern letters, for index names: `yyyy.MM.dd`, `xxxx.ww`, `yyyy-MM-dd-HH`. */
import { illegalArgument } from '../../base/errors.js';
import { zoneOffsetMs } from './time-zone.js';

const DAY_MS = 86_400_000;

export function formatDate(millis: number, pattern: string, zone: string): string {
  const local = new Date(millis + zoneOffsetMs(zone, millis));
  let text = '';
  for (const [token, quoted, letter] of pattern.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g)) {
    if (quoted !== undefined) text += quoted === '' ? "'" : quoted.replaceAll("''", "'");
    else text += letter === undefined ? token : field(local, letter, token.length, pattern);
  }
  return text;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

function field(local: Date, letter: string, width: number, pattern: string): string {
  const padded = (value: number): string => String(value).padStart(width, '0');
  switch (letter) {
    case 'y':
    case 'u':
      return year(local.getUTCFullYear(), width);
    case 'Y':
    case 'x':
      return year(isoWeek(local).year, width);
    case 'M':
      return month(local.getUTCMonth(), width);
    case 'w':
      return padded(isoWeek(local).week);
    case 'd':
      return padded(local.getUTCDate());
    case 'D':
      return padded(Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / DAY_MS) + 1);
    case 'H':
      return padded(local.getUTCHours());
    case 'm':
      return padded(local.getUTCMinutes());
    case 's':
      return padded(local.getUTCSeconds());
    case 'S':
      return String(local.getUTCMilliseconds()).padStart(3, '0').slice(0, width).padEnd(width, '0');
    default:
      throw illegalArgument(`Invalid format: [${pattern}]: Unknown pattern letter: ${letter}`);
  }
}

function year(value: number, width: number): string {
  return width === 2 ? String(value % 100).padStart(2, '0') : String(value).padStart(width, '0');
}

function month(zeroBased: number, width: number): string {
  const name = MONTHS[zeroBased] ?? '';
  if (width >= 4) return name;
  return width === 3 ? name.slice(0, 3) : String(zeroBased + 1).padStart(width, '0');
}

/** Weeks begin on Monday; the first one of a year holds its first Thursday. */
function isoWeek(local: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(local.getTime());
  thursday.setUTCDate(local.getUTCDate() + 4 - ((local.getUTCDay() + 6) % 7) - 1);
  const yearStart = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return { year: thursday.getUTCFullYear(), week: Math.floor((thursday.getTime() - yearStart) / (7 * DAY_MS)) + 1 };
}
