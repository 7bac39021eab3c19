import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/strict', {
    mappings: {
      dynamic: 'strict',
      properties: {
        n: { type: 'integer' },
        l: { type: 'long' },
        u: { type: 'unsigned_long' },
        h: { type: 'half_float' },
        f: { type: 'float' },
        s: { type: 'scaled_float', scaling_factor: 100 },
        b: { type: 'boolean' },
        d: { type: 'date' },
        ns: { type: 'date_nanos' },
        ip: { type: 'ip' },
        k: { type: 'keyword' },
        t: { type: 'text' },
        o: { properties: { x: { type: 'byte' } } },
      },
    },
  });
});

afterAll(async () => {
  await node.stop();
});

describe('a document with a value of a wrong kind', () => {
  it.each<[string, unknown]>([
    ['n', 'x'],
    ['n', 2_147_483_648],
    ['n', {}],
    ['n', 1e300],
    ['l', '9223372036854775808'],
    ['u', -1],
    ['u', '18446744073709551616'],
    ['h', 70_000],
    ['f', 1e39],
    ['f', 'NaN'],
    ['s', 'Infinity'],
    ['b', 'yes'],
    ['b', 1],
    ['d', 'yesterday'],
    ['d', '2020-13-01'],
    ['d', {}],
    ['ns', '1969-01-01'],
    ['ns', '2300-01-01'],
    ['ip', '300.1.1.1'],
    ['ip', 7],
    ['k', { a: 1 }],
    ['t', { a: 1 }],
    ['o', 'text'],
    ['o', [1]],
    ['o', { x: 128 }],
    ['unknown', 1],
  ])('is refused naming the field: %s = %j', async (field, value) => {
    const refused = await node.put('/strict/_doc/1', { [field]: value });
    expect(refused.status).toBe(400);
    const { type, reason } = refused.json().error;
    expect(['mapper_parsing_exception', 'strict_dynamic_mapping_exception']).toContain(type);
    expect(reason).toMatch(new RegExp(`\\b${field}\\b`));
    expect((await node.request('HEAD', '/strict/_doc/1')).status).toBe(404);
  });

  it('is taken when it can be coerced without loss of meaning', async () => {
    const answer = await node.put('/strict/_doc/coerced', { n: '7', l: 7.9, b: 'true', k: 5, t: true, u: '3', d: 0 });
    expect(answer.status).toBe(201);
    await node.delete('/strict/_doc/coerced');
  });
});

const BYTES = { 'content-type': 'application/json' };

describe('a body that is no JSON', () => {
  it.each<[string, string | Uint8Array]>([
    ['an open object', '{"a":1'],
    ['an open string', '{"a":"b}'],
    ['a trailing comma', '{"a":1,}'],
    ['a bare word', '{"a":yes}'],
    ['a single quote', "{'a':1}"],
    ['something behind the object', '{"a":1}{"b":2}'],
    ['an array', '[1,2]'],
    ['a scalar', '"text"'],
    ['a bad escape', '{"a":"\\x"}'],
    ['a control character', '{"a":"\u0001"}'],
    ['a leading zero', '{"a":01}'],
    ['a lone high surrogate', '{"a":"\\ud800"}'],
    ['a lone low surrogate', '{"a":"\\udc00 x"}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['an overlong form', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc0, 0x80, 0x22, 0x7d])],
    ['nothing', ' '],
  ])('is refused: %s', async (_what, body) => {
    const refused = await node.put('/hostile/_doc/1', body, BYTES);
    expect(refused.status).toBe(400);
    expect(refused.json().error.reason).not.toBe('');
    const found = await node.get('/hostile/_count?ignore_unavailable=true');
    expect(found.json().count ?? 0).toBe(0);
  });

  it('says where in the body', async () => {
    const refused = await node.put('/hostile/_doc/1', '{"a":1,\n  "b":tru}', BYTES);
    expect(JSON.stringify(refused.json())).toMatch(/\[2:\d+\]/);
  });
});

describe('extreme documents', () => {
  it('of too much depth are refused', async () => {
    for (const [open, close] of [
      ['{"a":', '}'],
      ['{"a":[', ']}'],
    ] as const) {
      const body = `${open.repeat(5_000)}1${close.repeat(5_000)}`;
      const refused = await node.put('/deep/_doc/1', body, BYTES);
      expect(refused.status).toBe(400);
      expect(refused.json().error.reason).not.toBe('');
    }
    const search = await node.post(
      '/_search',
      `{"query":${'{"bool":{"must":'.repeat(500)}1${'}}'.repeat(500)}}`,
      BYTES,
    );
    expect(search.status).toBe(400);
  });

  it('of too many fields are refused, and leave the mapping as it was', async () => {
    const fields = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, n]));
    await node.put('/wide/_doc/0', { first: 1 });
    const refused = await node.put('/wide/_doc/1', fields);
    expect(refused.status).toBe(400);
    expect(refused.json().error.reason).toContain('Limit of total fields [1000] has been exceeded');
    expect(Object.keys((await node.get('/wide/_mapping')).json().wide.mappings.properties)).toEqual(['first']);
  });

  it('keep numbers as they were written', async () => {
    const body = '{"big":123456789012345678901234567890,"small":1e-400,"exact":0.10,"long":9007199254740993}';
    await node.put('/numbers', { mappings: { dynamic: false } });
    expect((await node.put('/numbers/_doc/1', body, BYTES)).status).toBe(201);
    expect((await node.get('/numbers/_source/1')).text).toBe(body);
  });

  it('of very long words are kept and found by their source', async () => {
    const word = 'w'.repeat(40_000);
    await node.put('/long', { mappings: { properties: { word: { type: 'keyword' } } } });
    const refused = await node.put('/long/_doc/1', { word });
    expect([refused.status, JSON.stringify(refused.json())]).toEqual([400, expect.stringContaining('immense term')]);
    await node.put('/longer', { mappings: { properties: { word: { type: 'keyword', ignore_above: 100 } } } });
    expect((await node.put('/longer/_doc/1?refresh', { word })).status).toBe(201);
    const hits = (await node.post('/longer/_search', { query: { term: { _ignored: 'word' } } })).json().hits;
    expect([hits.total.value, hits.hits[0]._ignored]).toEqual([1, ['word']]);
  });

  it('with the same key twice are refused', async () => {
    const refused = await node.put('/twice/_doc/1', '{"a":1,"a":2}', BYTES);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.json().error)).toContain("Duplicate field 'a'");
  });
});

describe('odd names', () => {
  it.each([
    ['an empty part', { 'a..b': 1 }],
    ['a dot at the end', { 'a.': 1 }],
    ['a dot at the start', { '.a': 1 }],
    ['spaces alone', { ' ': 1 }],
    ['nothing', { '': 1 }],
    ['a metadata field', { _id: 'x' }],
    ['a value beside an object', { a: 1, 'a.b': 2 }],
  ])('are refused: %s', async (_what, body) => {
    const refused = await node.put('/names/_doc/1', body);
    expect(refused.status).toBe(400);
    expect((await node.request('HEAD', '/names/_doc/1')).status).toBe(404);
  });

  it('that are only unusual are fine', async () => {
    const body = { ünïcode: 1, 'with space': 2, 日本: 3, 'a-b_c$': 4, constructor: 5, __proto__x: 6, toString: 7 };
    expect((await node.put('/odd/_doc/1?refresh', body)).status).toBe(201);
    expect((await node.get('/odd/_source/1')).json()).toEqual(body);
    const found = await node.post('/odd/_count', { query: { term: { constructor: 5 } } });
    expect(found.json().count).toBe(1);
  });

  it('of ids have a limit', async () => {
    const refused = await node.put(`/names/_doc/${'x'.repeat(513)}`, {});
    expect(refused.status).toBe(400);
    expect(refused.json().error.reason).toContain('is too long, must be no longer than 512 bytes but was: 513');
  });
});

describe('a document that is refused', () => {
  const properties = async (index: string): Promise<string[]> =>
    Object.keys((await node.get(`/${index}/_mapping`)).json()[index].mappings.properties ?? {});

  it('leaves no field behind', async () => {
    await node.put('/fresh', { settings: { number_of_shards: 1 } });
    const refused = await node.put('/fresh/_doc/1', { first: true, new: [1, 'a'] });
    expect([refused.status, refused.json().error.reason]).toEqual([
      400,
      "failed to parse field [new] of type [long] in document with id '1'. Preview of field's value: 'a'",
    ]);
    expect(await properties('fresh')).toEqual([]);
  });

  it('leaves those of its batch as they would be without it', async () => {
    await node.put('/batch', { settings: { number_of_shards: 1 } });
    const index = (id: string): object => ({ index: { _id: id } });
    const answer = await node.bulk('/batch/_bulk', [
      ...[index('1'), { n: 1 }, index('2'), { n: 'a', lost: 1 }, index('3'), { m: [1, {}], n: 2 }],
      ...[index('4'), { n: 3, kept: 'x' }],
    ]);
    expect(answer.json().items.map((item: { index: { status: number } }) => item.index.status)).toEqual([
      201, 400, 400, 201,
    ]);
    expect(await properties('batch')).toEqual(['kept', 'n']);
  });
});

describe('a field that is only stored', () => {
  it('exists', async () => {
    const only = { index: false, doc_values: false, store: true };
    const properties = { blob: { type: 'binary', store: true }, k: { type: 'keyword', ...only }, n: { type: 'long' } };
    await node.put('/stored', { settings: { number_of_shards: 1 }, mappings: { properties } });
    const documents = [{ blob: 'U29t' }, { k: ['a', 'b'] }, { n: 1 }, { blob: 'U29t', n: 2 }, {}];
    for (const [id, document] of documents.entries()) {
      await node.put(`/stored/_doc/${id}?refresh=${id % 2 === 1}`, document);
    }
    const having = async (field: string): Promise<string[]> => {
      await node.post('/stored/_refresh');
      const { hits } = (await node.post('/stored/_search', { query: { exists: { field } } })).json().hits;
      return hits.map((hit: { _id: string }) => hit._id).sort();
    };
    const all = async (): Promise<unknown> => Promise.all(['blob', 'k', 'n', '*'].map(having));
    const expected = [['0', '3'], ['1'], ['2', '3'], ['0', '1', '2', '3']];
    expect(await all()).toEqual(expected);
    await node.post('/stored/_forcemerge?max_num_segments=1');
    expect(await all()).toEqual(expected);
  });
});
