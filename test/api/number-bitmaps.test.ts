/** `terms` with numbers as a roaring bitmap (`value_type: bitmap`), in the request or in a field of a document. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer } from './node-harness.js';

let node: TestNode;

function grouped<Key, Value>(values: readonly Value[], keyOf: (value: Value) => Key): ReadonlyMap<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

/** More numbers than this with the same upper half are written as bits. */
const LISTED_MAX = 4_096;
const BITS_BYTES = 8_192;

/** The lower halves of numbers. */
function container(numbers: readonly number[]): Buffer {
  if (numbers.length <= LISTED_MAX) {
    const listed = Buffer.alloc(2 * numbers.length);
    numbers.forEach((number, at) => listed.writeUInt16LE(number & 0xffff, 2 * at));
    return listed;
  }
  const bits = Buffer.alloc(BITS_BYTES);
  for (const number of numbers) {
    const place = (number & 0xffff) >>> 3;
    bits.writeUInt8(bits.readUInt8(place) | (1 << (number & 7)), place);
  }
  return bits;
}

/** The portable format of a bitmap without runs; `numbers` ascend, and have 32 bits without a sign. */
function narrow(numbers: readonly number[]): Buffer {
  const parts = [...grouped(numbers, (number) => number >>> 16)].map(
    ([key, own]) => [key, own, container(own)] as const,
  );
  const head = Buffer.alloc(8 + 8 * parts.length);
  head.writeUInt32LE(0x303a, 0);
  head.writeUInt32LE(parts.length, 4);
  let offset = head.length;
  parts.forEach(([key, own, bytes], at) => {
    head.writeUInt16LE(key, 8 + 4 * at);
    head.writeUInt16LE(own.length - 1, 10 + 4 * at);
    head.writeUInt32LE(offset, 8 + 4 * parts.length + 4 * at);
    offset += bytes.length;
  });
  return Buffer.concat([head, ...parts.map(([, , bytes]) => bytes)]);
}

/** The same of numbers of 64 bits. */
function wide(numbers: readonly bigint[]): Buffer {
  const parts = grouped(numbers, (number) => number >> 32n);
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(BigInt(parts.size));
  const pieces = [...parts].flatMap(([key, own]) => {
    const high = Buffer.alloc(4);
    high.writeUInt32LE(Number(key));
    return [high, narrow(own.map((number) => Number(number & 0xffff_ffffn)))];
  });
  return Buffer.concat([count, ...pieces]);
}

const base64 = (bitmap: Buffer): string => bitmap.toString('base64');

beforeAll(async () => {
  node = await TestNode.start();
  const properties = {
    student: { type: 'integer' },
    account: { type: 'long' },
    name: { type: 'keyword' },
    ratio: { type: 'double' },
    nick: { type: 'alias', path: 'student' },
  };
  await node.put('/students', { settings: { number_of_shards: 2 }, mappings: { properties } });
  const documents = [
    { student: 111, account: 1_000_000_000_001 },
    { student: 222, account: 2_000_000_000_002 },
    { student: [333, 70_000], account: 3_000_000_000_003 },
    { student: -1, account: -5 },
    { name: 'nobody' },
  ];
  await node.bulk(
    '/students/_bulk?refresh',
    documents.flatMap((document, at) => [{ index: { _id: String(at) } }, document]),
  );
  await node.put('/classes', { mappings: { properties: { enrolled: { type: 'binary', store: true } } } });
  await node.put('/classes/_doc/101?refresh', { enrolled: base64(narrow([111, 222])) });
  await node.put('/classes/_doc/102?refresh', { enrolled: [base64(narrow([111])), base64(narrow([222]))] });
  await node.put('/classes/_doc/103?refresh', { other: 1 });
});

afterAll(async () => {
  await node.stop();
});

function search(terms: object): Promise<Answer> {
  return node.post('/students/_search', { query: { terms: { ...terms, value_type: 'bitmap' } }, sort: ['_doc'] });
}

async function found(terms: object): Promise<readonly string[]> {
  const answer = await search(terms);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return (answer.json().hits.hits as { _id: string }[]).map(({ _id }) => _id).sort();
}

async function expectRefused(terms: object, reason: string): Promise<void> {
  const answer = await search(terms);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(reason);
}

describe('a bitmap in the request', () => {
  it('names the numbers of an integer field', async () => {
    expect(await found({ student: [base64(narrow([111, 222]))] })).toEqual(['0', '1']);
    expect(await found({ student: [base64(narrow([5, 70_000]))] })).toEqual(['2']);
    expect(await found({ student: [base64(narrow([5]))] })).toEqual([]);
    expect(await found({ student: [base64(narrow([]))] })).toEqual([]);
    expect(await found({ nick: [base64(narrow([222]))] })).toEqual(['1']);
    // Numbers below zero stand behind the others.
    expect(await found({ student: [base64(narrow([222, 0xffff_ffff]))] })).toEqual(['1', '3']);
  });

  it('names the numbers of a long field', async () => {
    expect(await found({ account: [base64(wide([1_000_000_000_001n, 2_000_000_000_002n]))] })).toEqual(['0', '1']);
    expect(await found({ account: [base64(wide([7n, BigInt.asUintN(64, -5n)]))] })).toEqual(['3']);
  });

  it('may be as long as bodies are, whatever the limit on terms', async () => {
    const many = Array.from({ length: 200_000 }, (_, at) => 2 * at);
    expect(await found({ student: [base64(narrow(many))] })).toEqual(['1', '2']);
  });

  it('filters, scores its boost and is described', async () => {
    const bitmap = { terms: { student: [base64(narrow([111, 222]))], value_type: 'bitmap', boost: 3 } };
    const but = { term: { student: 222 } };
    const answer = await node.post('/students/_search', {
      query: { bool: { must: [bitmap], must_not: [but] } },
      profile: true,
    });
    const { hits, profile } = answer.json();
    expect(hits.hits).toMatchObject([{ _id: '0', _score: 3 }]);
    expect(JSON.stringify(profile)).toContain('student:<bitmap of 2 numbers>');
  });
});

describe('a bitmap in a document', () => {
  const from = (id: string): object => ({ index: 'classes', id, path: 'enrolled', store: true });

  it('is looked up', async () => {
    expect(await found({ student: from('101') })).toEqual(['0', '1']);
    expect(await found({ student: from('103') })).toEqual([]);
    expect(await found({ student: from('404') })).toEqual([]);
  });

  it('must be the only value there', async () => {
    await expectRefused({ student: from('102') }, 'Invalid value for bitmap type');
  });
});

describe('what is no bitmap', () => {
  it('is refused', async () => {
    const one = base64(narrow([1]));
    await expectRefused({ student: ['no base64!'] }, 'Invalid value for bitmap type');
    await expectRefused({ student: [one, one] }, 'Invalid value for bitmap type');
    await expectRefused({ student: [111] }, 'Invalid value for bitmap type');
    await expectRefused({ student: [Buffer.from('nothing').toString('base64')] }, 'Failed to deserialize the bitmap.');
    await expectRefused({ student: [base64(narrow([1, 2]).subarray(0, 18))] }, 'Failed to deserialize the bitmap.');
    // Numbers must ascend.
    await expectRefused({ student: [base64(narrow([2, 1]))] }, 'Failed to deserialize the bitmap.');
  });

  it('is refused for fields of other types', async () => {
    for (const field of ['name', 'ratio']) {
      await expectRefused({ [field]: [base64(narrow([1]))] }, `Field [${field}] of type [`);
    }
    const query = { terms: { student: [1], value_type: 'list' } };
    const answer = await node.post('/students/_search', { query });
    expect([answer.status, answer.json().error.reason]).toEqual([400, 'list is not valid value_type']);
  });
});
