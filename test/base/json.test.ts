import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { double } from '../../src/base/double.js';
import { decodeUtf8, parseExactJson, parseJson, stringifyJson } from '../../src/base/json.js';

describe('JSON parser', () => {
  it('agrees with JSON.parse on valid texts', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 500; round++) {
      const text = JSON.stringify(randomValue(4), null, random.below(3));
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }
    function randomValue(depth: number): unknown {
      const kind = random.below(depth === 0 ? 5 : 7);
      if (kind === 0) return null;
      if (kind === 1) return random.below(2) === 0;
      if (kind === 2) return random.below(1_000_000) - 500_000;
      if (kind === 3) return (random.below(1_000_000) / 977) * 10 ** (random.below(40) - 20);
      if (kind === 4)
        return Array.from({ length: random.below(8) }, () => String.fromCharCode(random.below(0x500))).join('');
      const size = random.below(5);
      if (kind === 5) return Array.from({ length: size }, () => randomValue(depth - 1));
      return Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}"\\é`, randomValue(depth - 1)]));
    }
  });

  it.each([
    ['{"a":1,}', "[1:8] Unexpected character ('}' (code 125)): was expecting double-quote to start field name"],
    ['{"a" 1}', "[1:6] Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value"],
    ['[1 2]', "[1:4] Unexpected character ('2' (code 50)): was expecting comma to separate Array entries"],
    ['{"a":\n01}', "[2:2] Unexpected character ('1' (code 49)) in numeric value"],
    ['{"a":', '[1:6] Unexpected end-of-input'],
    ['{"a":"x', '[1:8] Unexpected end-of-input: was expecting closing quote for a string value'],
    ['"\t"', '[1:2] Illegal unquoted character ((CTRL-CHAR, code 9)): has to be escaped using backslash'],
    ['"\\x"', "[1:3] Unrecognized character escape 'x'"],
    ['{"a":1,"b":{"a":1,"a":2}}', "[1:19] Duplicate field 'a'"],
    ['nul', '[1:1] Unexpected character'],
    ['truex', '[1:5] Unexpected character'],
    [`1${'0'.repeat(1_000)}`, '[1:1] Number value length (1001) exceeds the maximum allowed (1000)'],
    ['', '[1:1] Unexpected end-of-input'],
  ])('names the place in %j', (text, reason) => {
    expect(() => parseJson(text)).toThrow(reason);
  });

  it('keeps integers beyond 2^53 when asked', () => {
    const value = parseExactJson('{"a":9007199254740993,"b":[1,-9223372036854775808],"c":1.5}');
    expect(value).toEqual({ a: 9007199254740993n, b: [1, -9223372036854775808n], c: 1.5 });
    expect(stringifyJson(value)).toBe('{"a":9007199254740993,"b":[1,-9223372036854775808],"c":1.5}');
  });

  it('writes doubles with a fraction', () => {
    expect(stringifyJson({ a: double(100), b: [double(-1), double(0.5)], c: 1e300 })).toBe(
      '{"a":100.0,"b":[-1.0,0.5],"c":1e+300}',
    );
  });

  it('takes __proto__ for a name like any other', () => {
    const value = parseJson('{"__proto__":{"x":1}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('says where bytes stop being UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"é":\n"'), Buffer.from([0xc3]), Buffer.from('"}')]);
    expect(() => decodeUtf8(bytes)).toThrow('[2:2] Invalid UTF-8 byte 0xc3');
  });
});
