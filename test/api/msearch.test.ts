import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/a', { mappings: { properties: { k: { type: 'keyword' }, n: { type: 'long' } } } });
  await node.put('/b', { settings: { number_of_shards: 3 }, mappings: { properties: { k: { type: 'keyword' } } } });
  await node.bulk('/_bulk?refresh', [
    { index: { _index: 'a', _id: '1' } },
    { k: 'x', n: 1 },
    { index: { _index: 'a', _id: '2' } },
    { k: 'y', n: 2 },
    { index: { _index: 'b', _id: '3' } },
    { k: 'x' },
  ]);
});

afterAll(async () => {
  await node.stop();
});

const NDJSON = { 'content-type': 'application/x-ndjson' };

function msearch(path: string, lines: readonly unknown[]): Promise<{ status: number; json(): Json }> {
  return node.bulk(path, lines);
}

describe('_msearch', () => {
  it('answers every search in its place, with its own status', async () => {
    const answer = await msearch('/_msearch', [
      { index: 'a' },
      { query: { term: { k: 'x' } } },
      { index: 'gone' },
      {},
      { index: ['a', 'b'] },
      { query: { term: { k: 'x' } }, size: 0, aggs: { m: { max: { field: 'n' } } } },
      { index: 'a' },
      { size: 20_000 },
    ]);
    const { responses, took } = answer.json();
    expect([answer.status, typeof took]).toEqual([200, 'number']);
    expect(responses.map(({ status }: Json) => status)).toEqual([200, 404, 200, 400]);
    expect(responses[0].hits.hits.map(({ _id }: Json) => _id)).toEqual(['1']);
    expect(responses[1].error.type).toBe('index_not_found_exception');
    expect([responses[2].hits.total.value, responses[2].aggregations.m.value]).toEqual([2, 1]);
    expect(responses[3].error.reason).toContain('Result window is too large');
  });

  it('takes index and options from the path and the query string', async () => {
    const unmapped = Object.fromEntries(
      ['terms', 'rare_terms', 'significant_terms'].map((kind) => [kind, { [kind]: { field: 'nowhere' } }]),
    );
    const good = await msearch('/a/_msearch?rest_total_hits_as_int=true&typed_keys=true', [
      {},
      { size: 0, aggs: { m: { max: { field: 'n' } }, ...unmapped } },
      '',
      { query: { match_all: {} } },
      { index: 'b', preference: '_local' },
      { size: 0 },
    ]);
    const { responses } = good.json();
    expect(responses.map(({ hits }: Json) => hits.total)).toEqual([2, 2, 1]);
    expect(responses[0].aggregations['max#m'].value).toBe(2);
    expect(Object.keys(responses[0].aggregations)).toEqual([
      'max#m',
      'sterms#terms',
      'sterms#rare_terms',
      'sigsterms#significant_terms',
    ]);
  });

  it.each<[string, string, string]>([
    ['{"index":"a"}\n{"query":{"mach":{}}}\n', 'parsing_exception', 'unknown query [mach]'],
    ['{"index":"a"}\n{"size":1}', 'illegal_argument_exception', 'must be terminated by a newline'],
    ['{"idnex":"a"}\n{}\n', 'illegal_argument_exception', 'key [idnex] is not supported in the metadata section'],
    ['', 'action_request_validation_exception', 'Validation Failed: 1: no requests added;'],
    ['\n', 'action_request_validation_exception', 'no requests added'],
    ['{}\n{}\n{"index"}\n{}\n', 'x_content_parse_exception', '[3:9]'],
    ['{}\n{"query":\n{}\n', 'x_content_parse_exception', '[2:'],
  ])('refuses %j as a whole', async (body, type, reason) => {
    const refused = await node.post('/_msearch', body, NDJSON);
    const { error } = refused.json();
    expect([refused.status, error.type, error.reason]).toEqual([400, type, expect.stringContaining(reason)]);
  });

  it('names the line of an error in the whole body', async () => {
    const refused = await msearch('/a/_msearch', [{}, { size: 1 }, {}, { query: { nope: {} } }]);
    expect(refused.json().error).toMatchObject({ type: 'parsing_exception', line: 4 });
  });

  it('refuses impossible numbers', async () => {
    const refused = await msearch('/a/_msearch?max_concurrent_searches=0', [{}, {}]);
    expect(refused.json().error.reason).toBe('maxConcurrentSearchRequests must be positive');
  });
});
