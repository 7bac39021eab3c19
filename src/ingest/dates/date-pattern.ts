/** Dates by pattern letters (`dd/MMM/yyyy:HH:mm:ss Z`): reads texts and writes them. Optional parts stand in brackets. */
import { illegalArgument } from '../../base/errors.js';
import { momentOfLocal, localClock, type Moment } from './moment.js';
import { namesOf, type Names } from './names.js';

type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'field'; readonly letter: string; readonly width: number }
  | { readonly kind: 'optional'; readonly tokens: readonly Token[] };

/** What a text says; numbers by pattern letter. */
interface Read {
  readonly fields: Map<string, number>;
  zone: string | undefined;
}

/** What a text leaves open is taken from here. */
export interface DateDefaults {
  readonly zone: string;
  readonly nowMs: number;
}

const LETTERS = /^[yuYxMLdDHhKkmsSnaEeczZXVOw]$/;

export class DatePattern {
  readonly #tokens: readonly Token[];
  readonly #names: Names;
  readonly #source: string;

  /** Throws `illegal_argument_exception` for letters that mean nothing. */
  constructor(source: string, locale = 'en') {
    this.#source = source;
    this.#names = namesOf(locale);
    this.#tokens = tokenize(source);
  }

  /** Throws `illegal_argument_exception` when the text is not of this form. */
  parse(text: string, defaults: DateDefaults): Moment {
    const read: Read = { fields: new Map(), zone: undefined };
    const end = this.#read(this.#tokens, text, 0, read);
    if (end !== text.length) throw this.#mismatch(text);
    return toMoment(read, defaults);
  }

  format(moment: Moment, zone: string): string {
    return this.#write(this.#tokens, moment, zone);
  }

  #mismatch(text: string): Error {
    return illegalArgument(`failed to parse date field [${text}] with format [${this.#source}]`);
  }

  /** Where the text goes on; -1 when it is not of this form. */
  #read(tokens: readonly Token[], text: string, start: number, read: Read): number {
    let at = start;
    for (const [place, token] of tokens.entries()) {
      if (token.kind === 'text') {
        if (!text.startsWith(token.text, at)) return -1;
        at += token.text.length;
      } else if (token.kind === 'optional') {
        const attempt: Read = { fields: new Map(read.fields), zone: read.zone };
        const end = this.#read(token.tokens, text, at, attempt);
        if (end < 0) continue;
        for (const [letter, value] of attempt.fields) read.fields.set(letter, value);
        read.zone = attempt.zone;
        at = end;
      } else {
        at = this.#readField(token, text, at, read, isFollowedByDigits(tokens[place + 1]));
        if (at < 0) return -1;
      }
    }
    return at;
  }

  #readField(
    { letter, width }: { readonly letter: string; readonly width: number },
    text: string,
    at: number,
    read: Read,
    isAdjacent: boolean,
  ): number {
    if ('zZXxVO'.includes(letter) && !(letter === 'x' && width > 3)) return readZone(text, at, read);
    if (letter === 'a') return readName(['AM', 'PM'], text, at, (value) => read.fields.set('a', value));
    if ('Eec'.includes(letter) && width >= 1 && !/\d/.test(text.charAt(at))) {
      return readName([...this.#names.days, ...this.#names.shortDays], text, at, () => undefined);
    }
    if ((letter === 'M' || letter === 'L') && width >= 3) {
      const names = width === 3 ? this.#names.shortMonths : this.#names.months;
      return readName(names, text, at, (value) => read.fields.set('M', value + 1));
    }
    const digits = digitsOf(letter, width, text, at, isAdjacent);
    if (digits === undefined) return -1;
    read.fields.set(letter, numberOf(letter, width, digits));
    return at + digits.length;
  }

  #write(tokens: readonly Token[], moment: Moment, zone: string): string {
    return tokens
      .map((token) => {
        if (token.kind === 'text') return token.text;
        if (token.kind === 'optional') return this.#write(token.tokens, moment, zone);
        return this.#writeField(token.letter, token.width, moment, zone);
      })
      .join('');
  }

  #writeField(letter: string, width: number, moment: Moment, zone: string): string {
    const { date, offsetMs } = localClock(moment, zone);
    const padded = (value: number): string => String(value).padStart(width, '0');
    switch (letter) {
      case 'y':
      case 'u':
      case 'Y': {
        const year = letter === 'Y' ? isoWeekOf(date).year : date.getUTCFullYear();
        return width === 2 ? String(year % 100).padStart(2, '0') : padded(year);
      }
      case 'M':
      case 'L': {
        const month = date.getUTCMonth();
        if (width < 3) return padded(month + 1);
        return (width === 3 ? this.#names.shortMonths : this.#names.months)[month] ?? '';
      }
      case 'w':
        return padded(isoWeekOf(date).week);
      case 'd':
        return padded(date.getUTCDate());
      case 'D':
        return padded(Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1);
      case 'E':
        return (width < 4 ? this.#names.shortDays : this.#names.days)[(date.getUTCDay() + 6) % 7] ?? '';
      case 'e':
      case 'c':
        return padded(((date.getUTCDay() + 6) % 7) + 1);
      case 'H':
        return padded(date.getUTCHours());
      case 'k':
        return padded(date.getUTCHours() || 24);
      case 'K':
        return padded(date.getUTCHours() % 12);
      case 'h':
        return padded(date.getUTCHours() % 12 || 12);
      case 'm':
        return padded(date.getUTCMinutes());
      case 's':
        return padded(date.getUTCSeconds());
      case 'S':
        return String(moment.nanos).padStart(9, '0').slice(0, width).padEnd(width, '0');
      case 'n':
        return padded(moment.nanos);
      case 'a':
        return date.getUTCHours() < 12 ? 'AM' : 'PM';
      default:
        return writeZone(letter, width, zone, offsetMs);
    }
  }
}

/** A pattern is at most this deep in brackets. */
const BRACKETS_MAX = 20;

function tokenize(source: string): readonly Token[] {
  const open: Token[][] = [[]];
  const add = (token: Token): void => {
    open.at(-1)?.push(token);
  };
  for (const [text, quoted, letter] of source.matchAll(/'((?:[^']|'')*)'|([A-Za-z])\2*|./gsu)) {
    if (quoted !== undefined) add({ kind: 'text', text: quoted === '' ? "'" : quoted.replaceAll("''", "'") });
    else if (letter !== undefined) {
      if (!LETTERS.test(letter))
        throw illegalArgument(`Invalid format: [${source}]: Unknown pattern letter: ${letter}`);
      add({ kind: 'field', letter, width: text.length });
    } else if (text === '[') {
      if (open.length > BRACKETS_MAX) throw illegalArgument(`Invalid format: [${source}]: too many brackets`);
      open.push([]);
    } else if (text === ']') {
      const tokens = open.length > 1 ? open.pop() : undefined;
      if (tokens === undefined)
        throw illegalArgument(`Invalid format: [${source}]: Pattern invalid as it contains ] without previous [`);
      add({ kind: 'optional', tokens });
    } else if (text === "'")
      throw illegalArgument(`Invalid format: [${source}]: Pattern ends with an incomplete string literal`);
    else add({ kind: 'text', text });
  }
  // Brackets that are still open end with the pattern.
  while (open.length > 1) {
    const tokens = open.pop() ?? [];
    add({ kind: 'optional', tokens });
  }
  return open[0] ?? [];
}

function isFollowedByDigits(next: Token | undefined): boolean {
  if (next?.kind !== 'field') return false;
  return !'azZXxVOE'.includes(next.letter) && !('ML'.includes(next.letter) && next.width >= 3);
}

/** One letter takes as many digits as there are; more take so many, years perhaps more. */
function digitsOf(letter: string, width: number, text: string, at: number, isAdjacent: boolean): string | undefined {
  const sign = 'yu'.includes(letter) ? '[+-]?' : '';
  const least = width;
  const most =
    letter === 'S'
      ? 9
      : width === 1 && !isAdjacent
        ? 19
        : 'yuY'.includes(letter) && width > 2 && !isAdjacent
          ? 10
          : width;
  const lenient = letter === 'S' && !isAdjacent ? 1 : least;
  const pattern = new RegExp(`${sign}\\d{${lenient},${Math.max(most, lenient)}}`, 'y');
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function numberOf(letter: string, width: number, digits: string): number {
  if (letter === 'S') return Number(digits.padEnd(9, '0'));
  if ('yuY'.includes(letter) && width === 2) return 2_000 + Number(digits);
  return Number(digits);
}

/** The longest name that is there. */
function readName(names: readonly string[], text: string, at: number, found: (place: number) => unknown): number {
  let [best, length] = [-1, 0];
  for (const [place, name] of names.entries()) {
    const isHere = text.slice(at, at + name.length).toLowerCase() === name.toLowerCase();
    if (isHere && name.length > length) [best, length] = [place, name.length];
  }
  if (best < 0) return -1;
  found(best);
  return at + length;
}

function readZone(text: string, at: number, read: Read): number {
  const pattern = /Z|(?:UTC|GMT)?[+-]\d{2}:?\d{2}(?::?\d{2})?|(?:UTC|GMT)?[+-]\d{2}|[A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*/y;
  pattern.lastIndex = at;
  const zone = pattern.exec(text)?.[0];
  if (zone === undefined) return -1;
  const offset = /([+-])(\d{2}):?(\d{2})?/.exec(zone);
  read.zone =
    offset === null || /[A-Za-z]\/|\//.test(zone)
      ? (ABBREVIATIONS[zone] ?? zone)
      : `${offset[1]}${offset[2]}:${offset[3] ?? '00'}`;
  return at + zone.length;
}

/** Short names that are no names of the time-zone database. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  Z: 'UTC',
  PST: 'America/Los_Angeles',
  PDT: 'America/Los_Angeles',
  MDT: 'America/Denver',
  CST: 'America/Chicago',
  CDT: 'America/Chicago',
  EDT: 'America/New_York',
  CEST: 'Europe/Paris',
  BST: 'Europe/London',
};

function toMoment({ fields, zone }: Read, defaults: DateDefaults): Moment {
  const place = zone ?? defaults.zone;
  const field = (letter: string, fallback: number): number => fields.get(letter) ?? fallback;
  let hour = field('H', field('k', 0) % 24);
  if (!fields.has('H') && !fields.has('k')) {
    hour = (field('h', field('K', 0)) % 12) + (fields.get('a') === 1 ? 12 : 0);
  }
  const knowsYear = ['y', 'u', 'Y'].some((letter) => fields.has(letter));
  const thisYear = localClock(
    { epochSeconds: Math.floor(defaults.nowMs / 1_000), nanos: 0 },
    place,
  ).date.getUTCFullYear();
  const year = knowsYear ? field('y', field('u', field('Y', 1970))) : thisYear;
  const nanos = field('S', field('n', 0));
  const time = { hour, minute: field('m', 0), second: field('s', 0), nanos };
  checkRanges(time, field('M', field('L', 1)), field('d', 1), year);
  if (fields.has('w')) return momentOfLocal({ ...firstOfWeek(year, field('w', 1)), ...time }, place);
  const day = fields.has('D')
    ? { month: 1, day: field('D', 1) }
    : { month: field('M', field('L', 1)), day: field('d', 1) };
  return momentOfLocal({ year, ...day, ...time }, place);
}

function checkRanges(
  time: { hour: number; minute: number; second: number },
  month: number,
  day: number,
  year: number,
): void {
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const isValid = time.hour <= 23 && time.minute <= 59 && time.second <= 59 && month >= 1 && month <= 12 && day >= 1;
  if (!isValid || day > lastDay) throw illegalArgument('a part of the date is out of its range');
}

function firstOfWeek(year: number, week: number): { year: number; month: number; day: number } {
  const fourth = new Date(Date.UTC(year, 0, 4));
  const monday = new Date(fourth.getTime() + ((week - 1) * 7 - ((fourth.getUTCDay() + 6) % 7)) * 86_400_000);
  return { year: monday.getUTCFullYear(), month: monday.getUTCMonth() + 1, day: monday.getUTCDate() };
}

function isoWeekOf(date: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(date.getTime() + (3 - ((date.getUTCDay() + 6) % 7)) * 86_400_000);
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / 604_800_000) + 1 };
}

function writeZone(letter: string, width: number, zone: string, offsetMs: number): string {
  if (letter === 'V' || letter === 'z') return zone;
  if (offsetMs === 0 && (letter === 'X' || (letter === 'Z' && width === 5))) return 'Z';
  const minutes = Math.abs(Math.round(offsetMs / 60_000));
  const [hours, rest] = [String(Math.floor(minutes / 60)).padStart(2, '0'), String(minutes % 60).padStart(2, '0')];
  const sign = offsetMs < 0 ? '-' : '+';
  if (letter === 'O' || (letter === 'Z' && width === 4)) return offsetMs === 0 ? 'GMT' : `GMT${sign}${hours}:${rest}`;
  if (letter === 'Z') return width === 5 ? `${sign}${hours}:${rest}` : `${sign}${hours}${rest}`;
  if (width === 1) return rest === '00' ? `${sign}${hours}` : `${sign}${hours}${rest}`;
  return width % 2 === 0 ? `${sign}${hours}${rest}` : `${sign}${hours}:${rest}`;
}
