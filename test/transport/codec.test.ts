/** Messages between nodes arrive as they were sent, and nothing else is read. */
import { deepStrictEqual } from 'node:assert';
import { describe, expect, it } from 'vitest';
import { QuarryError } from '../../src/base/errors.js';
import { seededRandom, type Random } from '../../src/base/random.js';
import { decodeError, decodeMessage, encodeError, encodeMessage } from '../../src/transport/codec.js';

const SEED = Number(process.env.QUARRY_SEED ?? 20_261);

function randomText(random: Random): string {
  const alphabets = ['abcdefgh', 'äöüß', '漢字かな', '😀🦀', '\u0000\n"\\'];
  const alphabet = Array.from(alphabets[random.below(alphabets.length)] ?? '');
  const length = random.below(20) === 0 ? random.below(2_000) : random.below(40);
  return Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');
}

function randomNumber(random: Random): number {
  const bits = 2 ** random.below(53);
  const integer = random.below(0xffff_ffff) % bits;
  const choices = [integer, -integer, integer / 3, -integer * 1e10, Number.MAX_SAFE_INTEGER - integer, Infinity, NaN];
  // The one value that does not survive is -0.
  return (choices[random.below(choices.length)] ?? 0) + 0;
}

function randomBigInt(random: Random): bigint {
  const digits = random.below(30) + 1;
  const text = Array.from({ length: digits }, () => random.below(10)).join('');
  return random.below(2) === 0 ? BigInt(text) : -BigInt(text);
}

function randomWords(random: Random): Uint32Array {
  return Uint32Array.from({ length: random.below(50) }, () => random.below(0xffff_ffff));
}

function randomKey(random: Random, place: number): string {
  const special = ['constructor', 'toJSON', 'length', '', 'hasOwnProperty', '__proto__', '__prot_00'];
  return random.below(10) === 0 ? (special[random.below(special.length)] ?? '') : `${place}${randomText(random)}`;
}

function randomValue(random: Random, depth: number): unknown {
  const size = depth === 1 && random.below(20) === 0 ? random.below(400) : random.below(6);
  const children = (): unknown[] => Array.from({ length: size }, () => randomValue(random, depth - 1));
  switch (random.below(depth > 0 ? 11 : 7)) {
    case 0:
      return [null, undefined, true, false][random.below(4)];
    case 1:
    case 2:
      return randomNumber(random);
    case 3:
      return randomBigInt(random);
    case 4:
    case 5:
      return randomText(random);
    case 6:
      return random.below(3) === 0 ? randomWords(random) : random.fill(new Uint8Array(random.below(2_000)));
    case 7:
      return children();
    case 8:
      return new Map(
        children().map((value, place) => [random.below(3) === 0 ? place : randomKey(random, place), value]),
      );
    default:
      return Object.fromEntries(children().map((value, place) => [randomKey(random, place), value]));
  }
}

describe('messages', () => {
  it(`survive like a structured clone (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < 300; round++) {
      const value = randomValue(random, 4);
      deepStrictEqual(decodeMessage(encodeMessage(value)), structuredClone(value));
    }
  });

  it('take __proto__ for a name like any other', () => {
    const value = JSON.parse('{"__prot_00":1,"__proto__":{"__proto__":["__proto__"]}}') as unknown;
    const read = decodeMessage(encodeMessage(value)) as object;
    expect(JSON.stringify(read)).toBe(JSON.stringify(value));
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    const map = new Map([['__proto__', 1]]);
    expect(decodeMessage(encodeMessage(map))).toEqual(map);
  });

  it('keep objects with more members than 16 bits count', () => {
    const value = Object.fromEntries(Array.from({ length: 70_000 }, (_, place) => [`k${place}`, place]));
    expect(decodeMessage(encodeMessage(value))).toEqual(value);
  });

  it('are read from shared memory, byte arrays as views of it', () => {
    const encoded = encodeMessage({ text: 'x'.repeat(1_000), bytes: Buffer.from('abc') });
    const shared = new Uint8Array(new SharedArrayBuffer(encoded.length));
    shared.set(encoded);
    const { text, bytes } = decodeMessage(shared) as { text: string; bytes: Uint8Array };
    expect(text).toBe('x'.repeat(1_000));
    expect([...bytes]).toEqual([97, 98, 99]);
    expect(bytes.buffer).toBe(shared.buffer);
  });

  it('written one after the other do not overwrite each other', () => {
    const first = encodeMessage({ name: 'first' });
    encodeMessage({ name: 'second' });
    expect(decodeMessage(first)).toEqual({ name: 'first' });
  });

  it('that cannot be written are refused', () => {
    expect(() => encodeMessage({ run: () => undefined })).toThrow(/cannot be written/);
  });

  it(`that are damaged are refused by type, or read as something else (seed ${SEED})`, () => {
    const random = seededRandom(SEED + 1);
    for (let round = 0; round < 1_000; round++) {
      const damaged = encodeMessage(randomValue(random, 2)).slice();
      for (let hit = 0; hit <= random.below(4); hit++) damaged[random.below(damaged.length)] = random.below(256);
      const cut = random.below(4) === 0 ? damaged.subarray(0, random.below(damaged.length)) : damaged;
      try {
        decodeMessage(cut);
      } catch (error) {
        expect(error).toMatchObject({ name: 'QuarryError', type: 'transport_serialization_exception' });
      }
    }
  });

  it.each([
    ['nothing', []],
    ['an unknown format', [2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0xf6]],
    ['an array that claims more than there is', framed([0x9a, 0xff, 0xff, 0xff, 0xff])],
    ['text that claims more than there is', framed([0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
    ['an array without end', framed([0x9f, 0xff])],
    ['a date', framed([0xc1, 0x00])],
    ['an object of a class', framed([0xd8, 27, 0x82, 0x65, 69, 114, 114, 111, 114, 0x60])],
    ['a shared value', framed([0xd8, 28, 0x80])],
    ['a byte array that is not there', framed([0xd9, 41_017 >> 8, 41_017 & 0xff, 0])],
    ['two values', framed([0, 0])],
    ['deep nesting', framed(Array.from({ length: 100_000 }, () => 0x81))],
  ])('with %s are refused', (_, bytes) => {
    expect(() => decodeMessage(Uint8Array.from(bytes))).toThrow(/a message between nodes cannot be read: /);
  });
});

function framed(cbor: readonly number[]): number[] {
  const head = new Uint8Array(Uint32Array.of(1, 0, cbor.length).buffer);
  return [...head, ...cbor];
}

describe('errors', () => {
  it('keep their type, details and causes', () => {
    const cause = new QuarryError('i_o_exception', 'disk');
    const error = new QuarryError('version_conflict_engine_exception', 'conflict', {
      details: { index: 'a', shard: 1 },
      cause,
      rootCauses: [cause],
    });
    const read = decodeError(encodeError(error));
    expect(read).toMatchObject({ type: error.type, message: error.message, status: 409, details: error.details });
    expect(read.cause).toMatchObject({ type: 'i_o_exception', message: 'disk' });
    expect(read.rootCauses).toHaveLength(1);
  });

  it('that are none are refused', () => {
    const read = decodeError(encodeMessage({ type: 'no_such_exception', reason: 'x' }));
    expect(read.type).toBe('transport_serialization_exception');
  });
});
