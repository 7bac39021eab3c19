/**
 * Sets of patterns over names: of actions, indices, users, applications. `*` stands for any text, `?` for one character, a backslash takes the
 * meaning from the next character, and `/text/` is a regular expression over the whole name.
 *
 * A check takes time linear in the name for all exact names and prefixes together, and for each regular expression; a pattern with wildcards inside
 * takes at most the product of the lengths.
 */
import { illegalArgument } from '../../../base/errors.js';
import { LinearRegex } from '../../../base/linear-regex.js';

export interface NamePatterns {
  readonly patterns: readonly string[];
  matches(name: string): boolean;
  /** Whether one of the patterns matches everything that `pattern` does. Never true by mistake; may be false where only several together do. */
  covers(pattern: string): boolean;
}

/** Operators of the reference's expressions that ours do not have. */
const REGEX_OPERATORS = /[~&@#"<>^$]|\(\?/;
/** What stands for itself, and classes of characters. */
const ESCAPED = /\\.|\[\^?(?:\\.|[^\]])*\]/g;

/** Throws `illegal_argument_exception` for a regular expression that is none, or that cannot be matched in linear time. */
export function namePatterns(patterns: readonly string[]): NamePatterns {
  return new PatternSet(patterns);
}

class PatternSet implements NamePatterns {
  readonly #exact = new Set<string>();
  readonly #prefixes = new Set<string>();
  readonly #prefixLengths: readonly number[];
  readonly #others: ((name: string) => boolean)[] = [];
  readonly patterns: readonly string[];

  constructor(patterns: readonly string[]) {
    this.patterns = patterns;
    for (const pattern of patterns) this.#add(pattern);
    this.#prefixLengths = [...new Set([...this.#prefixes].map(({ length }) => length))];
  }

  #add(pattern: string): void {
    if (isRegex(pattern)) {
      this.#others.push(regexMatcher(pattern));
    } else if (!/[*?\\]/.test(pattern)) {
      this.#exact.add(pattern);
    } else if (/^[^*?\\]*\*$/.test(pattern)) {
      this.#prefixes.add(pattern.slice(0, -1));
    } else {
      this.#others.push(wildcardMatcher(pattern));
    }
  }

  matches(name: string): boolean {
    if (this.#exact.has(name)) return true;
    for (const length of this.#prefixLengths) {
      if (length <= name.length && this.#prefixes.has(name.slice(0, length))) return true;
    }
    return this.#others.some((matches) => matches(name));
  }

  covers(pattern: string): boolean {
    if (this.patterns.includes(pattern)) return true;
    if (isRegex(pattern)) return this.patterns.some((each) => /^\*+$/.test(each));
    if (!/[*?\\]/.test(pattern)) return this.matches(pattern);
    const covered = tokens(pattern);
    return this.patterns.some((each) => !isRegex(each) && covers(tokens(each), covered));
  }
}

function isRegex(pattern: string): boolean {
  return pattern.length > 1 && pattern.startsWith('/') && pattern.endsWith('/');
}

function regexMatcher(pattern: string): (name: string) => boolean {
  const source = pattern.slice(1, -1);
  if (REGEX_OPERATORS.test(source.replace(ESCAPED, ''))) {
    throw illegalArgument(`the pattern [${pattern}] has an operator that is not supported: one of [~&@#"<>^$] or [(?]`);
  }
  const regex = new LinearRegex(`^(?:${source})$`);
  return (name) => regex.test(name);
}

/** One character that stands for itself, or a wildcard. */
type Token = { readonly is: 'any' | 'one' } | { readonly is: 'character'; readonly character: string };

function tokens(pattern: string): readonly Token[] {
  const result: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '*') {
      if (result.at(-1)?.is !== 'any') result.push({ is: 'any' });
    } else if (character === '?') {
      result.push({ is: 'one' });
    } else {
      const isEscape = character === '\\' && at + 1 < pattern.length;
      result.push({ is: 'character', character: isEscape ? pattern.charAt(++at) : character });
    }
  }
  return result;
}

function wildcardMatcher(pattern: string): (name: string) => boolean {
  const wanted = tokens(pattern);
  return (name) =>
    covers(
      wanted,
      Array.from({ length: name.length }, (_, at) => ({ is: 'character', character: name.charAt(at) }) as const),
    );
}

/**
 * Whether all that `narrow` matches is matched by `wide`. Falls back to the last `*` where the rest does not fit, so that it takes at most the
 * product of the lengths.
 */
function covers(wide: readonly Token[], narrow: readonly Token[]): boolean {
  let at = 0;
  let star = -1;
  let taken = 0;
  for (let next = 0; next < narrow.length;) {
    const token = wide[at];
    if (token?.is === 'any') {
      star = at++;
      taken = next;
    } else if (token !== undefined && coversOne(token, narrow[next])) {
      at++;
      next++;
    } else if (star >= 0) {
      at = star + 1;
      next = ++taken;
    } else {
      return false;
    }
  }
  return wide.slice(at).every(({ is }) => is === 'any');
}

function coversOne(wide: Token, narrow: Token | undefined): boolean {
  if (narrow === undefined || narrow.is === 'any') return false;
  if (wide.is === 'one') return true;
  return wide.is === 'character' && narrow.is === 'character' && wide.character === narrow.character;
}
