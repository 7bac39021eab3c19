/** Bodies of JSON by the million, as requests are parsed: the same verdict and the same value as the language's own parser. */
import { isDeepStrictEqual } from 'node:util';
import { test } from 'vitest';
import type { Chance } from '../../bench/compare/chance.js';
import { QuarryError } from '../../src/base/errors.js';
import { parseExactJson, parseJson, parseJsonBytes, stringifyJson } from '../../src/base/json.js';
import { damaged, fuzz, FUZZ_TIMEOUT_MS } from './fuzz.js';

const PIECES = [
  ...['{', '}', '[', ']', ':', ',', '"', '\\', '\\u', '\\ud83d', '\\ude00', '\\u0000', '\\x', 'true', 'false', 'null'],
  ...['0', '-', '1e', '1e400', '0.1', '00', '-0', '123456789012345678901', '"a":', '"a":1,', "'", '/*', ' ', '\n'],
  ...['"__proto__":', '"constructor":', 'NaN', 'Infinity', '[[[[[[[[', ']]]]]]]]', '{"a":', '}}}}'],
];

const LETTERS = ['a', 'b', 'ä', '😀', '\n', '"', '\\', '\u0000', 'name', '\u2028'];
const NUMBERS = [Number.MAX_SAFE_INTEGER, -0, 1e21, 5e-324, 2 ** 53];

// By hand rather than by the functions of `Chance` that take functions: to make the values would take longer than to parse them.
function leaf(chance: Chance): unknown {
  switch (chance.below(6)) {
    case 0:
      return null;
    case 1:
      return chance.yes(0.5);
    case 2:
      return chance.between(-1_000, 1_000);
    case 3:
      return (chance.fraction() - 0.5) * 10 ** chance.between(-320, 308);
    case 4:
      return chance.pick(NUMBERS);
    default:
      return text(chance);
  }
}

function value(chance: Chance, depth: number): unknown {
  if (depth === 0 || chance.yes(0.3)) return leaf(chance);
  if (chance.yes(0.5)) {
    const items: unknown[] = [];
    for (let left = chance.below(5); left > 0; left--) items.push(value(chance, depth - 1));
    return items;
  }
  const members: Record<string, unknown> = {};
  for (let left = chance.below(5); left > 0; left--) members[text(chance)] = value(chance, depth - 1);
  return members;
}

function text(chance: Chance): string {
  let letters = '';
  for (let left = chance.below(4); left > 0; left--) letters += chance.pick(LETTERS);
  return letters;
}

/** What the two parsers differ in: only ours refuses these. */
const STRICTER = /Duplicate field|nesting depth|Number value length|surrogate pair|UTF-8/;

function outcome<T>(parse: () => T): T | Error {
  try {
    return parse();
  } catch (error) {
    return error as Error;
  }
}

function checkVerdict(json: string): void {
  const ours = outcome(() => parseJson(json));
  const theirs = outcome(() => JSON.parse(json) as unknown);
  if (ours instanceof Error) {
    if (!(ours instanceof QuarryError && ours.type === 'x_content_parse_exception')) throw ours;
    if (theirs instanceof Error || STRICTER.test(ours.message)) return;
    throw new Error(`only ours refuses ${JSON.stringify(json)}: ${ours.message}`);
  }
  if (theirs instanceof Error) throw new Error(`only ours takes ${JSON.stringify(json)}`);
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`another value of ${JSON.stringify(json)}`);
  const exact = stringifyJson(parseExactJson(json));
  if (JSON.stringify(JSON.parse(exact)) !== JSON.stringify(theirs)) throw new Error(`not exact: ${json} as ${exact}`);
}

test(
  'bodies of JSON',
  async () => {
    await fuzz({ what: 'JSON of requests' }, (chance) => {
      const json = JSON.stringify(value(chance, 4), null, chance.pick([0, 2]));
      const damage = chance.yes(0.9) ? damaged(json, chance, PIECES) : json;
      checkVerdict(damage);
      if (!chance.yes(0.2)) return;
      const bytes = Buffer.from(damage);
      if (bytes.length > 0) bytes[chance.below(bytes.length)] = chance.below(256);
      const parsed = outcome(() => parseJsonBytes(bytes));
      if (parsed instanceof Error && !(parsed instanceof QuarryError)) throw parsed;
    });
  },
  FUZZ_TIMEOUT_MS,
);
