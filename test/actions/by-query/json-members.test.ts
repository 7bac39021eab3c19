/** Members found in bytes are what a JSON parser finds, for random values. */
import { describe, expect, it } from 'vitest';
import { itemsOf, membersOf, readText, type Span } from '../../../src/actions/by-query/json-members.js';
import { readPage } from '../../../src/actions/by-query/page.js';
import { seededRandom, type Random } from '../../../src/base/random.js';

const SEED = 20_262;
const TEXTS = ['', 'a', 'ä"\\', '{"', '}]', '\n\u0001', '\\"', 'key', '__proto__', ',:'];
const ROUNDS = 500;

function randomValue(random: Random, depth: number): unknown {
  switch (random.below(depth > 3 ? 5 : 7)) {
    case 0:
      return null;
    case 1:
      return random.below(2) === 0;
    case 2:
      return random.below(1_000_000) / 7;
    case 3:
    case 4:
      return TEXTS[random.below(TEXTS.length)];
    case 5:
      return Array.from({ length: random.below(4) }, () => randomValue(random, depth + 1));
    default:
      return randomObject(random, depth);
  }
}

function randomObject(random: Random, depth: number): Record<string, unknown> {
  const names = TEXTS.filter(() => random.below(2) === 0);
  return Object.fromEntries(names.map((name) => [name, randomValue(random, depth + 1)]));
}

describe('members and items in bytes', () => {
  it(`are those that were written (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const object = randomObject(random, 0);
      const bytes = Buffer.from(JSON.stringify(object));
      const read = ([name, span]: readonly [string, Span]): [string, unknown] => [
        name,
        JSON.parse(readText(bytes, span)),
      ];
      expect([...membersOf(bytes, 0)].map(read)).toEqual(Object.entries(object));
      const list = Buffer.from(JSON.stringify([object, round, [object]]));
      expect(itemsOf(list, 0).map((span) => JSON.parse(readText(list, span)) as unknown)).toEqual([
        object,
        round,
        [object],
      ]);
    }
  });

  it.each([' ', '\n', '\r\n', '\t', ' \n\t '])('are found with white space everywhere: %j', (space) => {
    const values = [
      '1',
      'true',
      'null',
      '-2.5e3',
      '" a : , "',
      `{${space}"x"${space}:${space}[]${space}}`,
      `[${space}]`,
    ];
    const spaced = values.map((value) => space + value + space);
    const list = Buffer.from(`${space}[${spaced.join(',')}]${space}`);
    expect(itemsOf(list, 0).map((span) => readText(list, span))).toEqual(values);
    const object = Buffer.from(`${space}{${spaced.map((value, at) => `${space}"m${at}"${space}:${value}`).join(',')}}`);
    const members = membersOf(object, 0);
    expect([...members].map(([name, span]) => [name, readText(object, span)])).toEqual(
      values.map((value, at) => [`m${at}`, value]),
    );
    expect(membersOf(Buffer.from(`{${space}}`), 0).size).toBe(0);
  });

  it('are refused where the bytes end or make no sense', () => {
    for (const text of ['{"a":{"b":"c', '{"a":1,,}', '{1}', '{"a" 1}', '{"a": }', ' [1]', '{"a":1 2}']) {
      expect(() => membersOf(Buffer.from(text), 0)).toThrow();
    }
    expect(() => itemsOf(Buffer.from('[}'), 0)).toThrow('cannot be read');
  });
});

describe('a page of hits', () => {
  it('tells where each document lies, however it is laid out', () => {
    const source = '{"text" : "a }",\n "n":[1, {"_source":2}] }';
    // As the kernels write a document that was sent with a line of its own before and behind it.
    const hit = `{"_index":"i","_id":"\\"1\\"","_version":4,"_seq_no":7,"_primary_term":2,"_score":null,"_routing":"r","_source":\n${source}\n,"sort":[3]}`;
    const bytes = Buffer.from(
      `{"total":{"value":12,"relation":"eq"},"max_score":null,"hits":[${hit},{"_index":"i","_id":"2","_source":{}\n}]}`,
    );
    const page = readPage(bytes);
    expect(page.total).toBe(12);
    const [first, second] = page.hits;
    expect(first).toMatchObject({ index: 'i', id: '"1"', version: 4n, seqNo: 7, primaryTerm: 2, routing: 'r' });
    expect(readText(bytes, first?.source ?? { start: 0, end: 0 })).toBe(source);
    expect(second).toMatchObject({ id: '2', routing: undefined, seqNo: -1 });
    expect(readText(bytes, second?.source ?? { start: 0, end: 0 })).toBe('{}');
    expect(readPage(Buffer.from('{"total":0,"hits":[]}'))).toMatchObject({ total: 0, hits: [] });
  });
});
