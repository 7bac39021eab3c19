/** Grok: patterns with names, `%{NAME:field:type}`, compiled to one regular expression whose groups are fields. */
import { double } from '../../base/double.js';
import { illegalArgument } from '../../base/errors.js';
import type { IngestValue } from '../document/values.js';
import { grokPatterns } from '../../native/scripts.js';
import { PATTERN_LENGTH_MAX } from '../../base/limits.js';
import { LinearRegex } from '../../base/linear-regex.js';

let known: Readonly<Record<string, string>> | undefined;

/** The patterns that have names: the kernels have them, whose scripts extract fields too. */
export function namedPatterns(): Readonly<Record<string, string>> {
  known ??= grokPatterns();
  return known;
}

export interface Captured {
  readonly field: string;
  readonly value: IngestValue;
}

interface Group {
  readonly name: string;
  readonly field: string;
  readonly read: (text: string) => IngestValue;
}

const READERS: Readonly<Record<string, (text: string) => IngestValue>> = {
  int: (text) => integer(text, 0x8000_0000),
  long: (text) => integer(text, Number.MAX_SAFE_INTEGER),
  float: decimal,
  double: decimal,
  boolean: (text) => text.toLowerCase() === 'true',
};

export class Grok {
  readonly #regex: LinearRegex;
  readonly #groups: readonly (Group & { readonly number: number })[];

  /** Throws `illegal_argument_exception` for unknown names, circles, and what is no regular expression. */
  constructor(expression: string, definitions: Readonly<Record<string, string>>) {
    const expansion = new Expansion(definitions);
    this.#regex = new LinearRegex(expansion.expand(expression, []));
    const { names } = this.#regex;
    this.#groups = expansion.groups.flatMap((group) => {
      const number = names[group.name];
      return number === undefined ? [] : [{ ...group, number }];
    });
  }

  /** Fields and their values, a field as often as it took part; undefined when the text does not match. */
  captures(text: string): readonly Captured[] | undefined {
    const match = this.#regex.match(text);
    if (match === undefined) return undefined;
    return this.#groups.flatMap(({ field, number, read }) => {
      const captured = match.groups[number];
      return captured === undefined ? [] : [{ field, value: read(captured) }];
    });
  }

  /** Where the fields of all matches are. */
  *regions(text: string): Generator<Region> {
    for (const match of this.#regex.matches(text)) {
      for (const { field, number } of this.#groups) {
        const [captured, start] = [match.groups[number], match.starts[number]];
        if (captured !== undefined && start !== undefined) yield { field, start, end: start + captured.length };
      }
    }
  }
}

/** A part of a text that is the value of a field. */
export interface Region {
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

/** `%{NAME}`, `%{NAME:field}`, `%{NAME:field:type}`, `%{NAME=definition}`. */
const REFERENCE = /%\{([A-Za-z0-9_]+)(?::([\p{L}\p{N}@\-_:.[\]]+))?(?:=((?:[^{}\\]|\\.)+))?\}/gu;
const NAMED_GROUP = /\(\?P?<([A-Za-z_@][^>=!]*)>/g;

class Expansion {
  readonly groups: Group[] = [];
  readonly #definitions: Readonly<Record<string, string>>;
  #length = 0;

  constructor(definitions: Readonly<Record<string, string>>) {
    this.#definitions = definitions;
  }

  /** `inside` names the patterns that are being expanded. */
  expand(expression: string, inside: readonly string[]): string {
    this.#length += expression.length;
    if (this.#length > PATTERN_LENGTH_MAX) {
      throw illegalArgument(`a pattern that stands for more than [${PATTERN_LENGTH_MAX}] characters is not supported`);
    }
    const named = expression.replaceAll(NAMED_GROUP, (_all, field: string) => `(?P<${this.#group(field)}>`);
    return named.replaceAll(REFERENCE, (_all, name: string, field?: string, definition?: string) => {
      if (inside.includes(name)) {
        const way = [...inside, name].join('=>');
        throw illegalArgument(`circular reference detected in grok patterns: [${way}]`);
      }
      const pattern = definition ?? this.#definition(name);
      const expanded = this.expand(pattern, [...inside, name]);
      return field === undefined ? `(?:${expanded})` : `(?P<${this.#group(field)}>${expanded})`;
    });
  }

  #definition(name: string): string {
    const own = Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : undefined;
    const patterns = namedPatterns();
    const pattern = own ?? (Object.hasOwn(patterns, name) ? patterns[name] : undefined);
    if (pattern === undefined) throw illegalArgument(`Unable to find pattern [${name}] in Grok's pattern dictionary`);
    return pattern;
  }

  #group(text: string): string {
    const [, field = text, type] = /^(.*?)(?::(int|long|float|double|boolean|string))?$/.exec(text) ?? [];
    const name = `g${this.groups.length}`;
    const read = type === undefined ? undefined : READERS[type];
    this.groups.push({ name, field, read: read ?? ((captured) => captured) });
    return name;
  }
}

function integer(text: string, bound: number): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
  if (value >= -bound && value < bound) return value;
  throw illegalArgument(`For input string: "${text}"`);
}

function decimal(text: string): IngestValue {
  const value = text.trim() === '' ? NaN : Number(text);
  if (Number.isNaN(value)) throw illegalArgument(`For input string: "${text}"`);
  return double(value);
}
