import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const EVENTS: Readonly<Record<string, Json>> = {
  a: {
    labels: { team: 'search', tags: ['x', 'y'], owner: { name: 'Ada Lovelace' } },
    v: '1.10.0',
    w: { speed: 3, size: 1 },
  },
  b: { labels: { team: 'ingest', prio: 5 }, v: '1.9.1-rc.2', w: { speed: 9 }, blob: 'AQID' },
  c: { labels: [{ team: 'search' }, { tags: 'z', empty: null }], v: '1.9.1', hash: 'hello' },
  d: { flat: { at: '2024-01-01', deep: { er: 7 } }, v: 'no version', hash: ['hello', 'other'] },
};

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/events', {
    settings: { number_of_shards: 2, number_of_replicas: 0 },
    mappings: {
      properties: {
        labels: { type: 'flattened', depth_limit: 3, ignore_above: 20, split_queries_on_whitespace: true },
        flat: { type: 'flat_object' },
        v: { type: 'version' },
        w: { type: 'rank_features' },
        hash: { type: 'murmur3' },
        blob: { type: 'binary', doc_values: true },
      },
    },
  });
  await node.bulk(
    '/events/_bulk?refresh',
    Object.entries(EVENTS).flatMap(([id, event]) => [{ index: { _id: id } }, event]),
  );
});

afterAll(async () => {
  await node.stop();
});

async function search(body: unknown): Promise<Json> {
  const answer = await node.post('/events/_search', body);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return answer.json();
}

const sorted = async (query: unknown): Promise<string> =>
  (await search({ query })).hits.hits
    .map((hit: Json) => hit._id)
    .sort()
    .join('');

async function refusal(method: 'put' | 'post', path: string, body: unknown): Promise<string> {
  const answer = await node[method](path, body);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([400, expect.anything()]);
  return answer.text;
}

describe('flattened objects', () => {
  it('are searched as a whole and by key', async () => {
    expect(await sorted({ term: { labels: 'search' } })).toBe('ac');
    expect(await sorted({ term: { 'labels.team': 'search' } })).toBe('ac');
    expect(await sorted({ terms: { 'labels.tags': ['y', 'z'] } })).toBe('ac');
    expect(await sorted({ term: { 'labels.prio': 5 } })).toBe('b');
    expect(await sorted({ prefix: { 'labels.owner.name': 'Ada' } })).toBe('a');
    expect(await sorted({ match: { labels: 'nobody ingest' } })).toBe('b');
    expect(await sorted({ exists: { field: 'labels.prio' } })).toBe('b');
    expect(await sorted({ exists: { field: 'labels.empty' } })).toBe('');
    expect(await sorted({ exists: { field: 'labels' } })).toBe('abc');
    expect(await sorted({ range: { 'flat.at': { gte: '2023', lt: '2025' } } })).toBe('d');
    expect(await sorted({ term: { 'flat.deep.er': '7' } })).toBe('d');
    expect(await sorted({ query_string: { query: 'labels.team:ingest OR flat.deep.er:7' } })).toBe('bd');
  });

  it('have keys that sort, aggregate, collapse and show their values', async () => {
    const aggs = {
      teams: { terms: { field: 'labels.team' }, aggs: { tags: { cardinality: { field: 'labels.tags' } } } },
    };
    const answer = await search({
      size: 4,
      sort: [{ 'labels.team': 'asc' }, { v: 'asc' }],
      aggs,
      fields: ['labels.tags'],
    });
    expect(answer.aggregations.teams.buckets.map((it: Json) => [it.key, it.doc_count, it.tags.value])).toEqual([
      ['search', 2, 3],
      ['ingest', 1, 0],
    ]);
    expect(answer.hits.hits.map((hit: Json) => hit._id)).toEqual(['b', 'c', 'a', 'd']);
    expect(answer.hits.hits[2].fields).toEqual({ 'labels.tags': ['x', 'y'] });
    const avg = { aggs: { mean: { avg: { field: 'flat.deep.er' } } } };
    expect(await refusal('post', '/events/_search', avg)).toContain(
      'Field [flat.deep.er] of type [flat_object] is not supported for aggregation [avg]',
    );
    const script = { script: { script: "doc['labels.team'].size() > 0 && doc['labels.team'].value == 'ingest'" } };
    expect(await sorted(script)).toBe('b');
  });

  it('leave the mapping and its capabilities as they are', async () => {
    const { properties } = (await node.get('/events/_mapping')).json().events.mappings;
    expect(properties.flat).toEqual({ type: 'flat_object' });
    const { fields } = (await node.get('/events/_field_caps?fields=*')).json();
    expect(fields.labels.flattened).toMatchObject({ searchable: true, aggregatable: true });
    expect(Object.keys(fields).filter((name) => name.includes('keyed'))).toEqual([]);
    const usage = (await node.post('/events/_disk_usage?run_expensive_tasks=true')).json();
    const used = Object.keys(usage.events.fields).filter((name) => name.startsWith('labels'));
    expect(used.sort()).toEqual(['labels', 'labels._keyed']);
    expect((await search({ fields: ['*'], query: { ids: { values: ['d'] } } })).hits.hits[0].fields.flat).toEqual([
      EVENTS['d'].flat,
    ]);
  });

  it('refuse what they cannot hold', async () => {
    expect(await refusal('put', '/events/_doc/x', { flat: 'text' })).toContain('unexpected token [VALUE_STRING]');
    expect(await refusal('put', '/events/_doc/x', { labels: [1] })).toContain('parsing_exception');
    const deep = { labels: { a: { b: { c: { d: 1 } } } } };
    expect(await refusal('put', '/events/_doc/x', deep)).toContain('exceeds the maximum depth limit of [3]');
    expect(await refusal('put', '/events/_doc/x', { labels: { 'a\0b': 1 } })).toContain('reserved character');
    const analyzed = { mappings: { properties: { data: { type: 'flat_object', analyzer: 'standard' } } } };
    expect(await refusal('put', '/other', analyzed)).toContain(
      'Mapping definition for [data] has unsupported parameters:  [analyzer : standard]',
    );
    const part = { type: 'keyword', fields: { data: { type: 'flattened' } } };
    expect(await refusal('put', '/other', { mappings: { properties: { part } } })).toContain(
      "Field [data] of type [flattened] can't be used in multifields",
    );
    expect(await refusal('put', '/events/_doc/x', { 'labels.team': 'x' })).toContain(
      'must be of type object but found [flattened]',
    );
    expect(await refusal('put', '/events/_doc/x', { 'any\0keyed': 'x' })).toContain('the null character');
    const copied = { mappings: { properties: { data: { type: 'flattened', copy_to: 'x' } } } };
    expect(await refusal('put', '/other', copied)).toContain('[copy_to] is not supported');
  });
});

describe('versions', () => {
  it('have the order of Semantic Versioning', async () => {
    const answer = await search({ sort: 'v', aggs: { v: { terms: { field: 'v', order: { _key: 'asc' } } } } });
    expect(answer.hits.hits.map((hit: Json) => hit.sort[0])).toEqual(['1.9.1-rc.2', '1.9.1', '1.10.0', 'no version']);
    expect(answer.aggregations.v.buckets.map((bucket: Json) => bucket.key)).toEqual([
      '1.9.1-rc.2',
      '1.9.1',
      '1.10.0',
      'no version',
    ]);
    expect(await sorted({ range: { v: { gte: '1.9.1', lt: '2' } } })).toBe('ac');
    expect(await sorted({ term: { v: '1.9.1' } })).toBe('c');
    expect(await sorted({ prefix: { v: '1.9' } })).toBe('bc');
    expect(await sorted({ wildcard: { v: '1.*.?' } })).toBe('abc');
    expect(await sorted({ regexp: { v: '1\\.9.*rc.*' } })).toBe('b');
    expect(await sorted({ fuzzy: { v: '1.9.2' } })).toBe('c');
    expect(await sorted({ match: { v: '1.10.0' } })).toBe('a');
  });
});

describe('features, hashes and bytes', () => {
  it('score, count and are there', async () => {
    const linear = { rank_feature: { field: 'w.speed', linear: {} } };
    expect((await search({ query: linear })).hits.hits.map((hit: Json) => [hit._id, hit._score])).toEqual([
      ['b', 9],
      ['a', 3],
    ]);
    // Nothing else knows the names of features.
    for (const query of [
      { term: { 'w.speed': 9 } },
      { range: { 'w.speed': { gte: 1 } } },
      { exists: { field: 'w.speed' } },
      { match: { 'w.speed': 9 } },
      { query_string: { query: 'w.speed:9' } },
    ]) {
      expect(await sorted(query), JSON.stringify(query)).toBe('');
    }
    const both = { bool: { should: [linear, { term: { 'w.speed': 9 } }] } };
    expect((await search({ query: both })).hits.hits).toHaveLength(2);
    const counted = { size: 0, aggs: { a: { terms: { field: 'w.speed' } } } };
    expect((await search(counted)).aggregations.a.buckets).toEqual([]);
    const inOrder = { sort: ['w.speed'] };
    expect(await refusal('post', '/events/_search', inOrder)).toContain(
      'No mapping found for [w.speed] in order to sort on',
    );
    const aggs = { n: { cardinality: { field: 'hash' } }, h: { max: { field: 'hash' } } };
    expect((await search({ size: 0, aggs })).aggregations.n.value).toBe(2);
    expect(await sorted({ exists: { field: 'blob' } })).toBe('b');
    expect(await refusal('put', '/events/_doc/x', { blob: 'not base64!' })).toContain('base64');
    expect(await refusal('put', '/events/_doc/x', { w: { speed: 0 } })).toContain('positive normal float');
    const exists = { query: { exists: { field: 'w' } } };
    expect(await refusal('post', '/events/_search', exists)).toContain('do not support [exists] queries');
    expect(await sorted({ query_string: { query: 'hello' } })).toBe('');
    expect(await refusal('post', '/events/_search', { query: { term: { hash: 'hello' } } })).toContain(
      'Murmur3 fields are not searchable: [hash]',
    );
  });
});
