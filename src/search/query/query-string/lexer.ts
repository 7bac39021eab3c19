/** Lucene's query syntax cut into tokens. */
import { QuarryError } from '../../../base/errors.js';

export type QueryToken =
  | { readonly kind: 'and' | 'or' | 'not' | 'plus' | 'minus' | 'open' | 'close' | 'colon' | 'end' }
  /** Unescaped text; `raw` still has its escapes. `hasOperators`: an unescaped `*` or `?` is in it. */
  | { readonly kind: 'term'; readonly text: string; readonly raw: string; readonly hasOperators: boolean }
  | { readonly kind: 'quoted'; readonly text: string }
  | { readonly kind: 'regex'; readonly text: string }
  | { readonly kind: 'range'; readonly from: RangeEnd; readonly to: RangeEnd }
  /** `^2`, `~`, `~2` */
  | { readonly kind: 'boost' | 'tilde'; readonly value: number | undefined };

/** One end of `[a TO b}`; `*` is an open end. */
export interface RangeEnd {
  readonly text: string | undefined;
  readonly inclusive: boolean;
}

const SPACE = /[\s\u3000]/;
const WORD_OPERATORS: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
]);

export function tokenize(query: string): readonly QueryToken[] {
  const lexer = new Lexer(query);
  const tokens: QueryToken[] = [];
  for (;;) {
    const token = lexer.next();
    tokens.push(token);
    if (token.kind === 'end') return tokens;
  }
}

export function cannotParse(query: string, why: string, cause?: unknown): QuarryError {
  const options = cause === undefined ? {} : { cause };
  return new QuarryError('query_shard_exception', `Failed to parse query [${query}]: ${why}`, options);
}

class Lexer {
  readonly #query: string;
  #at = 0;

  constructor(query: string) {
    this.#query = query;
  }

  next(): QueryToken {
    while (this.#at < this.#query.length && SPACE.test(this.#query.charAt(this.#at))) this.#at++;
    const character = this.#query.charAt(this.#at);
    switch (character) {
      case '':
        return { kind: 'end' };
      case '(':
        return this.#single('open');
      case ')':
        return this.#single('close');
      case ':':
        return this.#single('colon');
      case '+':
        return this.#single('plus');
      case '-':
        return this.#single('minus');
      case '!':
        return this.#single('not');
      case '"':
        return { kind: 'quoted', text: this.#delimited('"') };
      case '/':
        return { kind: 'regex', text: this.#delimited('/') };
      case '[':
      case '{':
        return this.#range();
      case '^':
      case '~':
        return this.#suffix(character);
      default:
        return this.#operatorOrTerm();
    }
  }

  #single(kind: 'open' | 'close' | 'colon' | 'plus' | 'minus' | 'not'): QueryToken {
    this.#at++;
    return { kind };
  }

  #operatorOrTerm(): QueryToken {
    for (const [sign, kind] of [
      ['&&', 'and'],
      ['||', 'or'],
    ] as const) {
      if (this.#query.startsWith(sign, this.#at)) {
        this.#at += sign.length;
        return { kind };
      }
    }
    return this.#term();
  }

  #term(): QueryToken {
    let text = '';
    let raw = '';
    let hasOperators = false;
    while (this.#at < this.#query.length) {
      const character = this.#query.charAt(this.#at);
      if (SPACE.test(character) || '()[]{}:^~"'.includes(character)) break;
      if (character === '\\') {
        const escaped = this.#query.charAt(this.#at + 1);
        if (escaped === '') throw cannotParse(this.#query, 'Term can not end with escape character.');
        text += escaped;
        raw += character + escaped;
        this.#at += 2;
        continue;
      }
      hasOperators ||= character === '*' || character === '?';
      text += character;
      raw += character;
      this.#at++;
    }
    if (raw === '') throw cannotParse(this.#query, `unexpected character [${this.#query.charAt(this.#at)}]`);
    const operator = WORD_OPERATORS.get(raw);
    return operator === undefined ? { kind: 'term', text, raw, hasOperators } : { kind: operator };
  }

  /** Text up to the closing delimiter, with escapes of the delimiter and of backslashes undone in quotes. */
  #delimited(delimiter: '"' | '/'): string {
    let text = '';
    for (let at = this.#at + 1; at < this.#query.length; at++) {
      const character = this.#query.charAt(at);
      if (character === '\\' && at + 1 < this.#query.length) {
        at++;
        const escaped = this.#query.charAt(at);
        text += delimiter === '/' && escaped !== '/' ? `\\${escaped}` : escaped;
      } else if (character === delimiter) {
        this.#at = at + 1;
        return text;
      } else text += character;
    }
    throw cannotParse(this.#query, `a [${delimiter}] is not closed`);
  }

  #range(): QueryToken {
    const match = /^([[{])\s*("(?:[^"\\]|\\.)*"|[^\s\]}]+)\s+TO\s+("(?:[^"\\]|\\.)*"|[^\s\]}]+)\s*([\]}])/.exec(
      this.#query.slice(this.#at),
    );
    if (match === null) throw cannotParse(this.#query, 'a range must have the form [min TO max]');
    const [whole, open, from = '', to = '', close] = match;
    this.#at += whole.length;
    return { kind: 'range', from: rangeEnd(from, open === '['), to: rangeEnd(to, close === ']') };
  }

  #suffix(sign: '^' | '~'): QueryToken {
    const match = /^[\^~](\d+(?:\.\d+)?|\.\d+)?/.exec(this.#query.slice(this.#at));
    const [whole = sign, digits] = match ?? [];
    this.#at += whole.length;
    if (sign === '^' && digits === undefined) throw cannotParse(this.#query, 'a boost must be a number');
    return { kind: sign === '^' ? 'boost' : 'tilde', value: digits === undefined ? undefined : Number(digits) };
  }
}

function rangeEnd(text: string, inclusive: boolean): RangeEnd {
  if (text === '*') return { text: undefined, inclusive: true };
  const unquoted = text.startsWith('"') ? text.slice(1, -1) : text;
  return { text: unquoted.replaceAll(/\\(.)/g, '$1'), inclusive };
}
