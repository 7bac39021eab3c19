/** Bodies of CBOR and YAML become the JSON that is kept, digit by digit. */
import { Encoder } from 'cbor-x';
import { describe, expect, it } from 'vitest';
import { cborToJson } from '../../src/rest/cbor-body.js';
import { yamlToJson } from '../../src/rest/yaml-body.js';

const encoder = new Encoder({ useRecords: false, variableMapSize: true });
const hex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('CBOR', () => {
  it('is what a common encoder makes of a value', () => {
    const value = {
      text: 'hé"\n',
      numbers: [0, 23, 24, 255, 256, 65_536, 2 ** 40, -1, -25, -(2 ** 40), 1.5, -0.25, 1e300],
      words: [true, false, null],
      nested: { empty: {}, list: [[], [{}]] },
    };
    expect(JSON.parse(cborToJson(encoder.encode(value)))).toEqual(value);
  });

  // From the examples of RFC 8949.
  it.each([
    ['1b ffffffffffffffff', '18446744073709551615'],
    ['3b ffffffffffffffff', '-18446744073709551616'],
    ['c2 49 010000000000000000', '18446744073709551616'],
    ['c3 49 010000000000000000', '-18446744073709551617'],
    ['f9 3c00', '1.0'],
    ['f9 8000', '-0.0'],
    ['f9 0001', '5.9604645e-8'],
    ['f9 c400', '-4.0'],
    ['fa 47c35000', '100000.0'],
    ['fa 3dcccccd', '0.1'],
    ['fb 3ff199999999999a', '1.1'],
    ['c1 1a514b67b0', '1363896240'],
    ['f7', 'null'],
    ['44 01020304', '"AQIDBA=="'],
    ['5f 42 0102 43 030405 ff', '"AQIDBAU="'],
    ['7f 65 7374726561 64 6d696e67 ff', '"streaming"'],
    ['9f 01 82 02 03 9f 04 05 ff ff', '[1,[2,3],[4,5]]'],
    ['bf 61 61 01 61 62 9f 02 03 ff ff', '{"a":1,"b":[2,3]}'],
  ])('%s is %s', (bytes, json) => {
    expect(cborToJson(hex(bytes))).toBe(json);
  });

  it.each([
    ['', 'Unexpected end-of-input (byte 0)'],
    ['a1 61', 'Unexpected end-of-input (byte 2)'],
    ['9b 00ffffffffffffff', 'Unexpected end-of-input (byte 9)'],
    ['7b 00ffffffffffffff', 'Unexpected end-of-input (byte 9)'],
    ['01 01', 'there is more behind the value (byte 1)'],
    ['a1 01 02', 'the name of a field must be a text (byte 1)'],
    ['a2 61 61 01 61 61 02', "Duplicate field 'a' (byte 4)"],
    ['62 c328', 'a text is not valid UTF-8 (byte 1)'],
    ['ff', 'a reserved or misplaced initial byte (byte 0)'],
    ['1f', 'a reserved or misplaced initial byte (byte 0)'],
    ['5f 61 61 ff', 'a part of a string is no string'],
    ['f8 20', 'an unknown simple value'],
    [`d8 02 58 41 ${'01'.repeat(65)}`, 'a big number of 65 bytes exceeds the maximum of 64'],
    ['81'.repeat(1_002), 'nesting depth (1001) exceeds the maximum allowed (1000)'],
    ['c1'.repeat(1_002), 'nesting depth (1001) exceeds the maximum allowed (1000)'],
  ])('refuses %s', (bytes, reason) => {
    expect(() => cborToJson(hex(bytes))).toThrow(reason);
  });

  it.each(['f9 7e00', 'fa 7f800000', 'fb fff0000000000000'])('refuses the number %s', (bytes) => {
    expect(() => cborToJson(hex(bytes))).toThrow('numbers must be finite');
  });
});

describe('YAML', () => {
  it.each([
    ['a: 9007199254740993', '{"a":9007199254740993}'],
    ['a: 1.0\nb: 1e3\nc: -0.5', '{"a":1.0,"b":1000.0,"c":-0.5}'],
    ['1: "x"\ny: yes\nn: ~', '{"1":"x","y":"yes","n":null}'],
    ['a: |\n  many\n  lines\n', '{"a":"many\\nlines\\n"}'],
    ['- &x {a: 1}\n- *x\n- [*x]', '[{"a":1},{"a":1},[{"a":1}]]'],
    ['', 'null'],
  ])('%j is %s', async (text, json) => {
    expect(await yamlToJson(text)).toBe(json);
  });

  it.each([
    ['a: &a [*a]', 'alias [a] names nothing that is complete before it'],
    ['a: *b', 'alias [b] names nothing that is complete before it'],
    ['a: 1\na: 2', "Duplicate field 'a' (character 5)"],
    ['[1]: 2', 'the name of a field must be a text'],
    ['a: [1\nb: 2', 'at line 2, column 1'],
    ['a: .nan', 'numbers must be finite'],
    ['a: .inf', 'numbers must be finite'],
  ])('refuses %j', async (text, reason) => {
    await expect(yamlToJson(text)).rejects.toThrow(reason);
  });

  it('bounds what aliases stand for', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const more = names.slice(1).map((name, at) => `${name}: &${name} [${`*${names[at] ?? ''}, `.repeat(9)}]\n`);
    const laughs = `a: &a [x, x]\n${more.join('')}`;
    await expect(yamlToJson(laughs)).rejects.toThrow('more than 100 aliases are not allowed');
    const large = `a: &a ${'x'.repeat(2 ** 20)}\nb: [${'*a, '.repeat(50)}]\n`;
    await expect(yamlToJson(large)).rejects.toThrow('its aliases stand for too much');
  });
});
