/** What fields take and which questions they answer, where the type says so and not the value. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

async function found(index: string, body: unknown): Promise<Json> {
  const answer = await node.post(`/${index}/_search`, body);
  expect([answer.status, answer.text.slice(0, 500)]).toEqual([200, expect.anything()]);
  return answer.json();
}

async function ids(index: string, query: unknown): Promise<string> {
  const hits: Json[] = (await found(index, { query, size: 100 })).hits.hits;
  return hits
    .map((hit) => hit._id)
    .sort()
    .join('');
}

async function refused(index: string, body: unknown): Promise<string> {
  const answer = await node.post(`/${index}/_search`, body);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([400, expect.anything()]);
  return answer.json().error.root_cause[0].reason;
}

describe('metadata fields', () => {
  beforeAll(async () => {
    await node.put('/numbered', {
      settings: { number_of_shards: 1, number_of_replicas: 0 },
      mappings: { properties: { parts: { type: 'nested' } } },
    });
    for (const id of 'abcde') {
      await node.put(`/numbered/_doc/${id}?refresh`, { parts: [{ n: 1 }, { n: 2 }] });
    }
  });

  it.each([
    [{ term: { _seq_no: 3 } }, 'd'],
    [{ term: { _seq_no: '3' } }, 'd'],
    [{ terms: { _seq_no: [1, 3, 17] } }, 'bd'],
    [{ range: { _seq_no: { gt: 1, lte: 3 } } }, 'cd'],
    [{ match: { _seq_no: 0 } }, 'a'],
    [{ query_string: { query: '_seq_no:[2 TO 3]' } }, 'cd'],
    [{ exists: { field: '_seq_no' } }, 'abcde'],
    [{ exists: { field: '_version' } }, 'abcde'],
    [{ bool: { must_not: { range: { _seq_no: { lt: 4 } } } } }, 'e'],
  ])('%j finds %s', async (query, expected) => {
    expect(await ids('numbered', query)).toBe(expected);
  });

  it.each([
    [{ term: { _seq_no: 3.5 } }, 'failed to create query: Value [3.5] has a decimal part'],
    [{ range: { _seq_no: { gt: 1.5 } } }, 'failed to create query: Value [1.5] has a decimal part'],
    [{ term: { _seq_no: 'x' } }, 'failed to create query: For input string: "x"'],
    [
      { prefix: { _seq_no: '1' } },
      'Can only use prefix queries on keyword, text and wildcard fields - not on [_seq_no] which is of type [_seq_no]',
    ],
    [{ term: { _version: 1 } }, 'The _version field is not searchable'],
    [{ terms: { _version: [1] } }, 'The _version field is not searchable'],
    [{ match: { _version: 1 } }, 'The _version field is not searchable'],
    [
      { range: { _version: { gte: 1 } } },
      'failed to create query: Field [_version] of type [_version] does not support range queries',
    ],
    [{ exists: { field: '_source' } }, 'The _source field is not searchable'],
    [{ term: { _source: 'x' } }, 'The _source field is not searchable'],
  ])('%j is refused', async (query, why) => {
    expect(await refused('numbered', { query })).toBe(why);
  });

  it('sequence numbers are aggregated, also by scripts', async () => {
    const { aggregations } = await found('numbered', {
      size: 0,
      query: { range: { _seq_no: { gte: 1 } } },
      aggs: {
        greatest: { max: { field: '_seq_no' } },
        scripted: { max: { script: "doc['_seq_no'].value" } },
        each: { terms: { field: '_seq_no', size: 2 } },
        pairs: { histogram: { field: '_seq_no', interval: 2 } },
        without: { missing: { field: '_seq_no' } },
      },
    });
    expect(aggregations.greatest.value).toBe(4);
    expect(aggregations.scripted.value).toBe(4);
    expect(aggregations.each.buckets.map((bucket: Json) => bucket.key)).toEqual([1, 2]);
    expect(aggregations.pairs.buckets.map((bucket: Json) => bucket.doc_count)).toEqual([1, 2, 1]);
    expect(aggregations.without.doc_count).toBe(0);
    expect(await refused('numbered', { size: 0, aggs: { a: { max: { field: '_version' } } } })).toBe(
      'Fielddata is not supported on field [_version] of type [_version]',
    );
  });

  it('keep meaning the newest write of a document after merges', async () => {
    await node.put('/numbered/_doc/b?refresh', { parts: [] });
    await node.post('/numbered/_forcemerge?max_num_segments=1', undefined);
    expect(await ids('numbered', { term: { _seq_no: 1 } })).toBe('');
    expect(await ids('numbered', { term: { _seq_no: 5 } })).toBe('b');
  });
});

describe('constant_keyword without a value', () => {
  const valueOf = async (index: string): Promise<Json> =>
    (await node.get(`/${index}/_mapping`)).json()[index].mappings.properties.kind;

  beforeAll(async () => {
    await node.put('/constants', {
      settings: { number_of_shards: 1, number_of_replicas: 0 },
      mappings: { dynamic: 'strict', properties: { kind: { type: 'constant_keyword' }, n: { type: 'long' } } },
    });
    await node.put('/constants/_doc/a?refresh', { n: 1 });
    await node.put('/constants/_doc/b?refresh', { n: 2, kind: null });
  });

  it('has no document until one brings a value', async () => {
    expect(await valueOf('constants')).toEqual({ type: 'constant_keyword' });
    expect(await ids('constants', { exists: { field: 'kind' } })).toBe('');
    expect(await ids('constants', { term: { kind: 'logs' } })).toBe('');
    expect((await found('constants', { fields: ['kind'] })).hits.hits[0].fields).toBeUndefined();
  });

  it('takes the first value of a bulk into the mapping and refuses others', async () => {
    const answer = await node.bulk('/constants/_bulk?refresh', [
      { index: { _id: 'c' } },
      { n: 3, kind: 'logs' },
      { index: { _id: 'd' } },
      { n: 4, kind: 'metrics' },
      { index: { _id: 'e' } },
      { n: 5, kind: 'logs' },
    ]);
    const items = answer.json().items.map((item: Json) => item.index);
    expect(items.map((item: Json) => item.status)).toEqual([201, 400, 201]);
    expect(items[1].error.caused_by.reason).toBe(
      '[constant_keyword] field [kind] only accepts values that are equal to the value defined in the mappings [logs], but got [metrics]',
    );
    expect(await valueOf('constants')).toEqual({ type: 'constant_keyword', value: 'logs' });
  });

  it.each([
    [{ term: { kind: 'logs' } }, 'abce'],
    [{ terms: { kind: ['x', 'logs'] } }, 'abce'],
    [{ match: { kind: 'logs' } }, 'abce'],
    [{ prefix: { kind: 'lo' } }, 'abce'],
    [{ wildcard: { kind: '*gs' } }, 'abce'],
    [{ regexp: { kind: 'l.*' } }, 'abce'],
    [{ range: { kind: { gte: 'a', lt: 'm' } } }, 'abce'],
    [{ term: { kind: { value: 'LOGS', case_insensitive: true } } }, 'abce'],
    [{ exists: { field: 'kind' } }, 'abce'],
    [{ term: { kind: 'metrics' } }, ''],
    [{ prefix: { kind: 'm' } }, ''],
    [{ range: { kind: { gt: 'm' } } }, ''],
  ])('%j finds %s, documents from before included', async (query, expected) => {
    expect(await ids('constants', query)).toBe(expected);
  });

  it('is the value of all documents in scripts and highlights', async () => {
    const properties = { kind: { type: 'constant_keyword' }, tag: { type: 'keyword' } };
    await node.put('/seen', { mappings: { properties } });
    await node.put('/seen/_doc/a?refresh', { tag: 'logs' });
    const isLogs = { script: { script: "doc['kind'].size() == 1 && doc['kind'].value == 'logs'" } };
    expect(await ids('seen', isLogs)).toBe('');
    await node.put('/seen/_doc/b?refresh', { tag: 'logs', kind: 'logs' });
    expect(await ids('seen', isLogs)).toBe('ab');
    const answer = await found('seen', {
      query: { term: { tag: 'logs' } },
      highlight: { fields: { kind: { require_field_match: false } } },
      script_fields: { kind: { script: "doc['kind'].value + doc['kind'].length" } },
    });
    for (const { highlight, fields } of answer.hits.hits) {
      expect({ highlight, fields }).toEqual({ highlight: { kind: ['<em>logs</em>'] }, fields: { kind: ['logs1'] } });
    }
  });

  it('is the value of all documents in aggregations, orders and fields', async () => {
    const answer = await found('constants', {
      aggs: {
        kinds: { terms: { field: 'kind' } },
        count: { value_count: { field: 'kind' } },
        without: { missing: { field: 'kind' } },
      },
      sort: ['kind', 'n'],
      fields: ['kind'],
    });
    expect(answer.aggregations.kinds.buckets).toEqual([{ key: 'logs', doc_count: 4 }]);
    expect(answer.aggregations.count.value).toBe(4);
    expect(answer.aggregations.without.doc_count).toBe(0);
    expect(answer.hits.hits.map((hit: Json) => hit.sort)).toEqual([1, 2, 3, 5].map((n) => ['logs', n]));
    expect(answer.hits.hits[0].fields).toEqual({ kind: ['logs'] });
  });

  it('is set by single writes, copies and in multi-fields, whatever their types in JSON', async () => {
    await node.put('/constant-copies', {
      mappings: {
        properties: {
          kind: { type: 'constant_keyword' },
          from: { type: 'keyword', copy_to: 'kind', fields: { same: { type: 'constant_keyword' } } },
        },
      },
    });
    expect((await node.put('/constant-copies/_doc/1?refresh', { from: 7 })).status).toBe(201);
    expect(await valueOf('constant-copies')).toEqual({ type: 'constant_keyword', value: '7' });
    expect(await ids('constant-copies', { term: { 'from.same': '7' } })).toBe('1');
    expect((await node.put('/constant-copies/_doc/2', { kind: ['7', '8'] })).status).toBe(400);
    expect((await node.put('/constant-copies/_doc/3', { kind: ['7', '7'] })).status).toBe(201);
  });

  it('takes no two values from the document that brings the first', async () => {
    await node.put('/constant-pairs', { mappings: { properties: { kind: { type: 'constant_keyword' } } } });
    expect((await node.put('/constant-pairs/_doc/1', { kind: ['a', 'b'] })).status).toBe(400);
    expect(await valueOf('constant-pairs')).toEqual({ type: 'constant_keyword' });
  });

  it('may be given by an update of the mapping, and not taken back', async () => {
    await node.put('/constant-update', { mappings: { properties: { kind: { type: 'constant_keyword' } } } });
    const update = (kind: Json): Promise<{ status: number }> =>
      node.put('/constant-update/_mapping', { properties: { kind: { type: 'constant_keyword', ...kind } } });
    expect((await update({ value: 'x' })).status).toBe(200);
    expect((await update({ value: 'y' })).status).toBe(400);
    expect((await update({})).status).toBe(400);
  });

  it('each index of a data stream takes its own', async () => {
    await node.put('/_index_template/constant-streams', {
      index_patterns: ['constant-stream*'],
      data_stream: {},
      template: { mappings: { properties: { kind: { type: 'constant_keyword' } } } },
    });
    const write = async (kind: string): Promise<number> =>
      (await node.post('/constant-stream/_doc?refresh', { '@timestamp': '2026-01-01', kind })).status;
    expect(await write('a')).toBe(201);
    expect(await write('b')).toBe(400);
    await node.post('/constant-stream/_rollover', undefined);
    expect(await write('b')).toBe(201);
    expect((await found('constant-stream', { query: { term: { kind: 'b' } } })).hits.total.value).toBe(1);
  });
});

describe('after a restart', () => {
  it('constants stay what the first document made them', async () => {
    await node.signal('SIGTERM');
    node = await TestNode.start({}, node.directory);
    await node.until(async () => ((await node.get('/_cluster/health')).json().status === 'red' ? undefined : true));
    expect(await ids('constants', { term: { kind: 'logs' } })).toBe('abce');
    expect((await node.put('/constants/_doc/f', { kind: 'metrics' })).status).toBe(400);
    expect(await ids('numbered', { term: { _seq_no: 5 } })).toBe('b');
  }, 60_000);
});

describe('rank features', () => {
  beforeAll(async () => {
    await node.put('/ranked', { mappings: { properties: { rank: { type: 'rank_feature' } } } });
  });

  it('take one number, also as a text', async () => {
    const write = async (rank: Json): Promise<Json> => (await node.put('/ranked/_doc/1?refresh', { rank })).json();
    expect((await write('2.5'))._id).toBe('1');
    expect((await write([null, 4]))._id).toBe('1');
    expect((await write([1, 2])).error.caused_by.reason).toBe(
      '[rank_feature] fields do not support indexing multiple values for the same field [rank] in the same document',
    );
    for (const wrong of ['x', '', true, 0]) expect((await write(wrong)).status).toBe(400);
    expect(await ids('ranked', { exists: { field: 'rank' } })).toBe('1');
    expect(await ids('ranked', { rank_feature: { field: 'rank' } })).toBe('1');
  });

  const unsupported = 'failed to create query: Queries on [rank_feature] fields are not supported';

  it.each([
    [{ term: { rank: 4 } }, unsupported],
    [{ terms: { rank: [4] } }, unsupported],
    [{ match: { rank: 4 } }, unsupported],
    [
      { range: { rank: { gte: 1 } } },
      'failed to create query: Field [rank] of type [rank_feature] does not support range queries',
    ],
  ])('%j is refused', async (query, why) => {
    expect(await refused('ranked', { query })).toBe(why);
  });

  it.each([
    { aggs: { a: { max: { field: 'rank' } } } },
    { aggs: { a: { terms: { field: 'rank' } } } },
    { sort: ['rank'] },
    { docvalue_fields: ['rank'] },
  ])('%j is refused', async (body) => {
    expect(await refused('ranked', body)).toBe(
      '[rank_feature] fields do not support sorting, scripting or aggregating',
    );
  });
});

describe('fields of hits', () => {
  it('show fractions as their field holds them', async () => {
    await node.put('/fractions', {
      mappings: {
        properties: {
          cents: { type: 'scaled_float', scaling_factor: 100 },
          f: { type: 'float' },
          d: { type: 'double' },
        },
      },
    });
    const cents = [1.234, '1.235', -1.235, 5, -0.125];
    await node.put('/fractions/_doc/1?refresh', { cents, f: 1.123456789, d: 1.123456789123 });
    const { fields } = (await found('fractions', { fields: ['*'] })).hits.hits[0];
    expect(fields).toEqual({ cents: [1.23, 1.24, -1.24, 5, -0.12], f: [1.1234568], d: [1.123456789123] });
  });

  it('are the same whatever keys of flattened objects the rest of the request names', async () => {
    await node.put('/flat', { mappings: { properties: { fl: { type: 'flattened' }, n: { type: 'long' } } } });
    await node.put('/flat/_doc/1?refresh', { fl: { l: 'x', a: { b: 'y' } }, n: 1 });
    const shown = async (body: object): Promise<Json> =>
      (await found('flat', { fields: ['*'], docvalue_fields: ['f*'], ...body })).hits.hits[0].fields;
    const plain = await shown({});
    expect(Object.keys(plain).sort()).toEqual(['fl', 'n']);
    expect(await shown({ aggs: { a: { terms: { field: 'fl.l' } } } })).toEqual(plain);
    expect(await shown({ sort: ['fl.a.b'] })).toEqual(plain);
    expect(await shown({ query: { term: { 'fl.l': 'x' } } })).toEqual(plain);
    expect((await shown({ fields: ['fl.l'] }))['fl.l']).toEqual(['x']);
  });
});

describe('dynamic templates', () => {
  it('are not for the kinds of unmatch_mapping_type', async () => {
    const template = { match: 'm*', unmatch_mapping_type: ['long', 'double'], mapping: { type: 'keyword' } };
    await node.put('/unmatched', { mappings: { dynamic_templates: [{ texts: template }] } });
    await node.put('/unmatched/_doc/1', { m1: 'a', m2: 5, m3: 1.5, m4: true });
    const mapping = (await node.get('/unmatched/_mapping')).json().unmatched.mappings;
    expect(Object.values(mapping.properties).map((field) => (field as Json).type)).toEqual([
      'keyword',
      'long',
      'float',
      'keyword',
    ]);
    expect(mapping.dynamic_templates[0].texts.unmatch_mapping_type).toEqual(['long', 'double']);
    const refusedTemplate = { ...template, unmatch_mapping_type: 'int' };
    const answer = await node.put('/unmatched-int', { mappings: { dynamic_templates: [{ t: refusedTemplate }] } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('No field type matched on [int]')]);
  });
});
