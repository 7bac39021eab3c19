/**
 * Query strings over names of policies: names with `*` and `?`, in quotes, of the field `sm_policy.name`, with `AND`, `OR`,
 * `NOT`, `+`, `-` and parentheses. What stands side by side must all hold.
 */
import { illegalArgument } from '../../base/errors.js';
import { wildcardMatcher } from './wildcards.js';

type Matcher = (name: string) => boolean;

const LENGTH_MAX = 10_000;
const DEPTH_MAX = 50;
const FIELD = 'sm_policy.name';
const TOKEN = /\s+|\(|\)|&&|\|\||"(?:[^"\\]|\\.)*"|(?:[^\s()"\\:&|]|\\.)+:?|./gsu;
/** Of the language of query strings, and of no use for names. */
const UNSUPPORTED = /^[/[{]|[~^]\d*$|^[<>]/;

/** Throws `illegal_argument_exception` that names what is not understood. */
export function nameMatcher(query: string): Matcher {
  if (query.length > LENGTH_MAX) throw illegalArgument(`[queryString] has at most [${LENGTH_MAX}] characters`);
  const parser = new NameQuery(query);
  const matcher = parser.either(0);
  parser.end();
  return matcher;
}

class NameQuery {
  private readonly tokens: readonly string[];
  private at = 0;

  constructor(query: string) {
    this.tokens = [...query.matchAll(TOKEN)].map(([token]) => token).filter((token) => token.trim() !== '');
  }

  either(depth: number): Matcher {
    if (depth > DEPTH_MAX)
      throw illegalArgument(`[queryString] has more than [${DEPTH_MAX}] parentheses in each other`);
    const choices = [this.all(depth)];
    while (this.takes('OR', '||')) choices.push(this.all(depth));
    return (name) => choices.some((matches) => matches(name));
  }

  end(): void {
    const token = this.tokens[this.at];
    if (token !== undefined) throw notUnderstood(token);
  }

  private all(depth: number): Matcher {
    const parts: Matcher[] = [];
    for (;;) {
      this.takes('AND', '&&');
      const token = this.tokens[this.at];
      if (token === undefined || token === ')' || token === 'OR' || token === '||') break;
      parts.push(this.one(depth));
    }
    if (parts.length === 0) throw notUnderstood(this.tokens[this.at] ?? '');
    return (name) => parts.every((matches) => matches(name));
  }

  private one(depth: number): Matcher {
    const token = this.tokens[this.at++] ?? '';
    if (token === 'NOT' || token === '!' || token === '-') return not(this.one(depth));
    if (token === '+') return this.one(depth);
    if (token === '(') {
      const inner = this.either(depth + 1);
      if (!this.takes(')')) throw notUnderstood('(');
      return inner;
    }
    if (token.endsWith(':') && !token.endsWith('\\:')) {
      if (token.slice(0, -1) === FIELD) return this.one(depth);
      throw illegalArgument(`[queryString] may ask for the field [${FIELD}] only, found [${token.slice(0, -1)}]`);
    }
    if (token.startsWith('"') && token.length > 1) {
      const text = token.slice(1, -1).replaceAll(/\\(.)/gsu, '$1');
      return (name) => name === text;
    }
    return this.term(token);
  }

  private term(token: string): Matcher {
    const [sign, rest] = /^[-+!]./su.test(token) ? [token.slice(0, 1), token.slice(1)] : ['', token];
    if (UNSUPPORTED.test(rest) || /^[)&|":\\]$/.test(rest)) throw notUnderstood(token);
    const matches = wildcardMatcher(rest.replaceAll(/\\(.)/gsu, '$1'));
    return sign === '' || sign === '+' ? matches : not(matches);
  }

  private takes(...words: readonly string[]): boolean {
    if (!words.includes(this.tokens[this.at] ?? '')) return false;
    this.at++;
    return true;
  }
}

function not(matches: Matcher): Matcher {
  return (name) => !matches(name);
}

function notUnderstood(token: string): Error {
  return illegalArgument(`Failed to parse query [queryString]: [${token}] is not understood there`);
}
