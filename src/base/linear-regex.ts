/**
 * Regular expressions of pipelines and mappings, matched in time that is linear in the text: no pattern hangs a worker. Written as the
 * reference writes them; atomic groups and possessive repetitions are taken for plain ones, which match no less. What
 * cannot be matched so, lookahead and references to groups, is refused by name.
 */
import type { RE2JS } from 're2js';
import { illegalArgument } from './errors.js';
import { PATTERN_LENGTH_MAX, PATTERN_TEXT_LENGTH_MAX } from './limits.js';
import { onDemand } from './on-demand.js';

const engine = onDemand('re2js');

export interface Match {
  readonly start: number;
  readonly end: number;
  /** By number; 0 is all of it. Undefined for a group that took no part. */
  readonly groups: readonly (string | undefined)[];
  /** Where each begins. */
  readonly starts: readonly number[];
}

export class LinearRegex {
  readonly source: string;
  readonly #compiled: RE2JS;

  /** Throws `illegal_argument_exception` for a pattern that is none, or that has what is not supported. */
  constructor(source: string) {
    this.source = source;
    if (source.length > PATTERN_LENGTH_MAX) {
      throw illegalArgument(`a pattern of [${source.length}] characters is longer than [${PATTERN_LENGTH_MAX}]`);
    }
    this.#compiled = compile(translate(source));
  }

  /** Whether some part of the text matches. */
  test(text: string): boolean {
    return this.match(text) !== undefined;
  }

  /** The first match. */
  match(text: string): Match | undefined {
    for (const found of this.matches(text)) return found;
    return undefined;
  }

  /** All matches that do not overlap. */
  *matches(text: string): Generator<Match> {
    if (text.length > PATTERN_TEXT_LENGTH_MAX) {
      const limit = `patterns are matched against at most [${PATTERN_TEXT_LENGTH_MAX}]`;
      throw illegalArgument(`the text has [${text.length}] characters, ${limit}`);
    }
    const matcher = this.#compiled.matcher(text);
    while (matcher.find()) {
      const groups: (string | undefined)[] = [];
      const starts: number[] = [];
      for (let at = 0; at <= matcher.groupCount(); at++) {
        groups.push(matcher.group(at) ?? undefined);
        starts.push(matcher.start(at));
      }
      yield { start: matcher.start(0), end: matcher.end(0), groups, starts };
    }
  }

  /** The number of each named group. */
  get names(): Readonly<Record<string, number>> {
    return this.#compiled.namedGroups();
  }
}

function compile(pattern: string): RE2JS {
  const { RE2JS } = engine();
  const flags = /\(\?<[=!]/.test(pattern) ? RE2JS.LOOKBEHINDS : 0;
  try {
    return RE2JS.compile(pattern, flags);
  } catch (error) {
    throw illegalArgument(`invalid or unsupported pattern [${pattern}]: ${(error as Error).message}`);
  }
}

/** Escapes of the reference that the package does not know. */
const ESCAPES: Readonly<Record<string, string>> = {
  h: '[ \\t]',
  Z: '(?:\\n?\\z)',
  e: '\\x1b',
  R: '(?:\\r\\n|[\\n\\r])',
};
const POSIX_CLASSES = /^p\{(Alpha|Digit|Alnum|Upper|Lower|Punct|Space|Blank|XDigit|Cntrl|Graph|Print|ASCII)\}/;

function translate(source: string): string {
  let out = '';
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\\') {
      const { text, length } = escape(source.slice(at + 1, at + 12), inClass);
      out += text;
      at += length;
    } else if (inClass) {
      inClass = character !== ']';
      out += character;
    } else if (character === '[') {
      inClass = true;
      out += character;
      // A bracket that closes nothing yet stands for itself.
      for (const first of ['^', ']']) if (source.charAt(at + 1) === first) out += source.charAt(++at);
    } else if (source.startsWith('(?>', at)) {
      out += '(?:';
      at += 2;
    } else if (character === '+' && /[*+?}]/.test(source.charAt(at - 1)) && source.charAt(at - 2) !== '\\') {
      // Possessive: the sign behind a repetition goes.
    } else {
      out += character;
    }
  }
  return out;
}

function escape(rest: string, inClass: boolean): { readonly text: string; readonly length: number } {
  const posix = POSIX_CLASSES.exec(rest);
  if (posix !== null) {
    const named = `[:${(posix[1] ?? '').toLowerCase()}:]`;
    return { text: inClass ? named : `[${named}]`, length: posix[0].length };
  }
  const letter = rest.charAt(0);
  const known = inClass ? undefined : ESCAPES[letter];
  return { text: known ?? `\\${letter}`, length: 1 };
}
