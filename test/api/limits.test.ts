/** Limits that settings change while a node runs: at each the request is carried out, one beyond it is refused by name. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({});
  await node.put('/films', {
    settings: { number_of_replicas: 0 },
    mappings: { properties: { k: { type: 'keyword' }, t: { type: 'text' } } },
  });
  await node.post('/films/_doc?refresh', { k: 'a', t: 'one two three' });
}, 60_000);

afterAll(async () => {
  await node.stop();
});

/** The deepest cause, which names the limit. */
function reason(answer: Answer): string {
  const { error } = answer.json();
  const causes = [error, ...(error.root_cause ?? []), error.caused_by, error.failed_shards?.[0]?.reason];
  return causes
    .flatMap((cause: Json) => (cause === undefined ? [] : [cause.reason, cause.caused_by?.reason]))
    .join(' | ');
}

const should = (count: number): Json => ({
  query: { bool: { should: Array.from({ length: count }, (_, at) => ({ term: { k: String(at) } })) } },
});
/** So many queries within each other, with the innermost. */
const nested = (depth: number): Json => (depth === 1 ? { match_all: {} } : { bool: { must: [nested(depth - 1)] } });

describe('limits of the cluster on searches', () => {
  const cases: readonly (readonly [string, number, (size: number) => Json, string])[] = [
    ['indices.query.bool.max_clause_count', 50, should, 'maxClauseCount is set to 50'],
    [
      'indices.query.bool.max_nested_depth',
      5,
      (depth) => ({ query: nested(depth) }),
      '[indices.query.bool.max_nested_depth]',
    ],
    [
      ...(['search.max_buckets', 3] as const),
      (buckets) => ({
        size: 0,
        aggs: {
          r: { range: { field: 'n', ranges: Array.from({ length: buckets }, (_, at) => ({ from: at, to: at + 1 })) } },
        },
      }),
      'search.max_buckets',
    ],
  ];

  it.each(cases)('%s', async (setting, limit, body, named) => {
    if (setting === 'search.max_buckets') await node.post('/films/_doc?refresh', { n: 1 });
    await node.put('/_cluster/settings', { persistent: { [setting]: limit } });
    expect((await node.post('/films/_search', body(limit))).status).toBe(200);
    const refused = await node.post('/films/_search', body(limit + 1));
    expect([refused.status, reason(refused)]).toEqual([400, expect.stringContaining(named)]);
    await node.put('/_cluster/settings', { persistent: { [setting]: null } });
    expect((await node.post('/films/_search', body(limit + 1))).status).toBe(200);
  });
});

describe('limits of an index on searches', () => {
  const cases: readonly (readonly [string, number, (size: number) => Json])[] = [
    ['index.max_regex_length', 8, (length) => ({ query: { regexp: { k: { value: 'a'.repeat(length) } } } })],
    [
      ...(['index.max_regex_length', 8] as const),
      (length) => ({ size: 0, aggs: { t: { terms: { field: 'k', include: 'a'.repeat(length) } } } }),
    ],
    [
      'index.max_terms_count',
      4,
      (count) => ({ query: { terms: { k: Array.from({ length: count }, (_, at) => String(at)) } } }),
    ],
    ['index.max_result_window', 20, (size) => ({ size })],
    ['index.max_docvalue_fields_search', 2, (count) => ({ docvalue_fields: ['k', 'n', 'absent'].slice(0, count) })],
    [
      ...(['index.max_script_fields', 1] as const),
      (count) => ({
        script_fields: Object.fromEntries(['a', 'b'].slice(0, count).map((name) => [name, { script: '1' }])),
      }),
    ],
    [
      ...(['index.max_rescore_window', 10] as const),
      (size) => ({ rescore: { window_size: size, query: { rescore_query: { match_all: {} } } } }),
    ],
    [
      ...(['index.max_inner_result_window', 5] as const),
      (size) => ({ collapse: { field: 'k', inner_hits: { name: 'i', size } } }),
    ],
  ];

  it.each(cases)('%s', async (setting, limit, body) => {
    await node.put('/films/_settings', { [setting]: limit });
    expect((await node.post('/films/_search', body(limit))).status).toBe(200);
    const refused = await node.post('/films/_search', body(limit + 1));
    expect([refused.status, reason(refused)]).toEqual([400, expect.stringContaining(String(limit))]);
    expect(reason(refused)).toContain(setting);
    await node.put('/films/_settings', { [setting]: null });
    expect((await node.post('/films/_search', body(limit + 1))).status).toBe(200);
  });
});

describe('limits of an index on fields', () => {
  const properties = (names: readonly string[]): Json =>
    Object.fromEntries(names.map((name) => [name, { type: 'keyword' }]));
  const below = (depth: number): Json =>
    depth === 1 ? { properties: properties(['leaf']) } : { properties: { o: below(depth - 1) } };
  const cases: readonly (readonly [string, number, (size: number) => Json])[] = [
    [
      'index.mapping.total_fields.limit',
      3,
      (count) => ({ properties: properties(['a', 'b', 'c', 'd'].slice(0, count)) }),
    ],
    ['index.mapping.depth.limit', 3, (depth) => below(depth)],
    ['index.mapping.field_name_length.limit', 6, (length) => ({ properties: properties(['x'.repeat(length)]) })],
    [
      ...(['index.mapping.nested_fields.limit', 1] as const),
      (count) => ({
        properties: Object.fromEntries(['a', 'b'].slice(0, count).map((name) => [name, { type: 'nested' }])),
      }),
    ],
  ];

  it.each(cases)('%s', async (setting, limit, mappings) => {
    const settings = { number_of_replicas: 0, [setting]: limit };
    expect((await node.put('/at-limit', { settings, mappings: mappings(limit) })).status).toBe(200);
    const refused = await node.put('/beyond', { settings, mappings: mappings(limit + 1) });
    expect([refused.status, reason(refused)]).toEqual([400, expect.stringContaining(String(limit))]);
    expect((await node.get('/beyond')).status).toBe(404);
    expect((await node.put('/at-limit/_mapping', mappings(limit + 1))).status).toBe(400);
    await node.delete('/at-limit');
  });
});

describe('cluster.max_shards_per_node', () => {
  it('takes as many shards, and tells how many there would be', async () => {
    await node.put('/_cluster/settings', { persistent: { 'cluster.max_shards_per_node': 4 } });
    const three = { settings: { number_of_shards: 3, number_of_replicas: 0 } };
    expect((await node.put('/three', three)).status).toBe(200);
    const refused = await node.put('/more', { settings: { number_of_replicas: 0 } });
    expect([refused.status, reason(refused)]).toEqual([
      400,
      expect.stringContaining('would add [1] total shards, but this cluster currently has [4]/[4] maximum shards open'),
    ]);
    await node.put('/_cluster/settings', { persistent: { 'cluster.max_shards_per_node': null } });
    expect((await node.put('/more', { settings: { number_of_replicas: 0 } })).status).toBe(200);
  });
});
