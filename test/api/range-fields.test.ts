import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

/** By id. */
const STAYS: Readonly<Record<string, Json>> = {
  a: { ages: { gte: 10, lt: 20 }, open: { gte: '2024-01-01', lt: '2024-01-03' }, nets: '10.0.0.0/24' },
  b: { ages: [{ gte: 30 }, { lte: 5 }], open: { gte: '2024-02-10' }, nets: { gte: '10.0.1.0', lte: '10.0.1.9' } },
  c: { ages: { gt: 12, lte: 14 }, open: { lte: '2023-12-31' }, spare: { gte: 1 } },
  d: { ages: null },
};

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/stays', {
    settings: { number_of_shards: 2, number_of_replicas: 0 },
    mappings: {
      properties: {
        ages: { type: 'integer_range', store: true },
        open: { type: 'date_range', format: 'yyyy-MM-dd' },
        nets: { type: 'ip_range', fields: { raw: { type: 'ip_range' } } },
        spare: { type: 'long_range', index: false },
        ratio: { type: 'float_range', ignore_malformed: true, doc_values: false },
      },
    },
  });
  await node.bulk(
    '/stays/_bulk?refresh',
    Object.entries(STAYS).flatMap(([id, stay]) => [{ index: { _id: id } }, stay]),
  );
});

afterAll(async () => {
  await node.stop();
});

async function search(body: unknown): Promise<Json> {
  const answer = await node.post('/stays/_search', body);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return answer.json();
}

async function refusal(body: unknown): Promise<string> {
  const answer = await node.post('/stays/_search', body);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([400, expect.anything()]);
  return answer.json().error.root_cause[0].reason;
}

const sorted = async (query: unknown): Promise<string> =>
  (await search({ query })).hits.hits
    .map((hit: Json) => hit._id)
    .sort()
    .join('');

describe('queries', () => {
  it('relate ranges to each other', async () => {
    const ages = (ends: Json) => sorted({ range: { ages: ends } });
    expect(await ages({ gte: 15, lte: 30 })).toBe('ab');
    expect(await ages({ gte: 13, lte: 14, relation: 'contains' })).toBe('ac');
    expect(await ages({ gte: 13, lte: 19, relation: 'WITHIN' })).toBe('c');
    expect(await ages({ gt: 19, lt: 30 })).toBe('');
    expect(await sorted({ range: { open: { gte: '2024-01-01||/M', lt: '2024-02-01', relation: 'within' } } })).toBe(
      'a',
    );
    expect(await sorted({ range: { open: { gte: '03/01/2024', format: 'dd/MM/yyyy' } } })).toBe('b');
    expect(await sorted({ range: { nets: { gte: '10.0.0.255', lt: '10.0.1.0' } } })).toBe('a');
    expect(await sorted({ range: { 'nets.raw': { gte: '10.0.1.1', lte: '10.0.1.2', relation: 'contains' } } })).toBe(
      'b',
    );
  });

  it('find ranges around values, and ranges at all', async () => {
    expect(await sorted({ term: { ages: 13 } })).toBe('ac');
    expect(await sorted({ terms: { ages: [3, '14'] } })).toBe('abc');
    expect(await sorted({ match: { open: '2024-01-02' } })).toBe('a');
    expect(await sorted({ term: { nets: '10.0.1.9' } })).toBe('b');
    expect(await sorted({ exists: { field: 'ages' } })).toBe('abc');
    expect(await sorted({ exists: { field: 'spare' } })).toBe('c');
    expect(await sorted({ query_string: { query: 'ages:[28 TO 40]' } })).toBe('b');
  });

  it('refuse what does not fit, by name', async () => {
    const range = (field: string, ends: Json) => refusal({ query: { range: { [field]: ends } } });
    expect(await range('ages', { gte: 5, lte: 1 })).toContain(
      'Range query `from` value (5) is greater than `to` value (1)',
    );
    expect(await range('ages', { gte: 1.5 })).toContain('Value [1.5] has a decimal part');
    expect(await range('ages', { gte: 1, relation: 'disjoint' })).toContain('does not support relation [disjoint]');
    expect(await range('spare', { gte: 5 })).toContain('Cannot search on field [spare] since it is not indexed.');
    expect(await refusal({ query: { prefix: { ages: '1' } } })).toContain('which is of type [integer_range]');
    expect(await refusal({ sort: 'ages' })).toContain("can't sort on binary field");
    expect(await refusal({ docvalue_fields: ['ages'] })).toContain('does not support docvalue_fields');
  });
});

describe('aggregations', () => {
  const counts = (answer: Json): Json =>
    answer.aggregations.h.buckets.map((bucket: Json) => [bucket.key_as_string ?? bucket.key, bucket.doc_count]);

  it('count a document in every bucket that it reaches into', async () => {
    const histogram = { field: 'ages', interval: 5, hard_bounds: { min: 0, max: 24 } };
    expect(counts(await search({ size: 0, aggs: { h: { histogram } } }))).toEqual([
      [0, 1],
      [5, 1],
      [10, 2],
      [15, 1],
    ]);
    const months = { field: 'open', calendar_interval: 'month', hard_bounds: { min: '2023-11-15', max: '2024-03-01' } };
    expect(counts(await search({ size: 0, aggs: { h: { date_histogram: months } } }))).toEqual([
      ['2023-11-01', 1],
      ['2023-12-01', 1],
      ['2024-01-01', 1],
      ['2024-02-01', 1],
      ['2024-03-01', 1],
    ]);
  });

  it('count documents with ranges, and those without', async () => {
    const aggs = { v: { value_count: { field: 'ages' } }, m: { missing: { field: 'open' } } };
    const { aggregations } = await search({ size: 0, aggs });
    expect([aggregations.v.value, aggregations.m.doc_count]).toEqual([3, 1]);
  });

  it('refuse other types, and too many buckets', async () => {
    const of = (kind: string, body: Json) => refusal({ size: 0, aggs: { h: { [kind]: body } } });
    expect(await of('terms', { field: 'ages' })).toContain(
      'Field [ages] of type [integer_range] is not supported for aggregation [terms]',
    );
    expect(await of('histogram', { field: 'nets', interval: 1 })).toContain('non-numeric range [ip_range]');
    expect(await of('date_histogram', { field: 'ages', fixed_interval: '1d' })).toContain('range type [integer_range]');
    expect(await of('histogram', { field: 'ratio', interval: 1 })).toContain("Can't load fielddata on [ratio]");
    const answer = await node.post('/stays/_search', { aggs: { h: { histogram: { field: 'ages', interval: 1 } } } });
    // Of the shard that holds the open range.
    expect(answer.json()._shards.failures.map((failure: Json) => failure.reason.type)).toEqual([
      'too_many_buckets_exception',
    ]);
  });
});

describe('what is shown', () => {
  it('is the ranges of the source, as the mapping understands them', async () => {
    const fields = ['ages', 'nets', { field: 'open', format: 'dd.MM.yyyy' }];
    const hits = (await search({ query: { ids: { values: ['a'] } }, fields })).hits.hits;
    expect(hits[0].fields).toEqual({
      ages: [{ gte: 10, lt: 20 }],
      nets: ['10.0.0.0/24'],
      open: [{ gte: '01.01.2024', lt: '03.01.2024' }],
    });
    const stored = await search({ query: { ids: { values: ['a'] } }, stored_fields: ['ages'] });
    expect(stored.hits.hits[0].fields).toEqual({ ages: ['[10 : 20)'] });
    const caps = (await node.get('/stays/_field_caps?fields=ages,spare')).json().fields;
    expect(caps.ages.integer_range).toMatchObject({ searchable: true, aggregatable: true });
    expect(caps.spare.long_range).toMatchObject({ searchable: false });
  });

  it('is the same after a merge and a restart', async () => {
    await node.put('/stays/_doc/e?refresh', { ages: { gte: 100, lte: 101 }, nets: 'ffff::/16' });
    await node.post('/stays/_forcemerge?max_num_segments=1');
    const { directory } = node;
    await node.signal('SIGTERM');
    node = await TestNode.start({}, directory);
    expect(await sorted({ range: { ages: { gte: 50, relation: 'within' } } })).toBe('e');
    expect(await sorted({ term: { nets: 'ffff::1' } })).toBe('e');
    expect(await sorted({ term: { ages: 13 } })).toBe('ac');
  });
});

describe('mappings and documents', () => {
  it('are refused with the field and the place', async () => {
    const created = await node.put('/other', { mappings: { properties: { r: { type: 'ip_range', format: 'yyyy' } } } });
    expect([created.status, created.text]).toEqual([
      400,
      expect.stringContaining('should not define a dateTimeFormatter'),
    ]);
    const put = await node.put('/stays/_doc/x', { ages: { gte: 5, lte: 1 } });
    expect(put.status).toBe(400);
    expect(put.json().error.caused_by.reason).toBe('min value (5) is greater than max value (1)');
    const lenient = await node.put('/stays/_doc/y?refresh', { ratio: { gte: 'x' } });
    expect(lenient.status).toBe(201);
    expect(await sorted({ term: { _ignored: 'ratio' } })).toBe('y');
  });
});
