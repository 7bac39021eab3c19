/** Which release a node announces, and what callers of other versions of the API get. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

const as = (version: number): Record<string, string> => {
  const type = `application/vnd.elasticsearch+json; compatible-with=${version}`;
  return { accept: type, 'content-type': type };
};

describe('a node that announces 9.0.0', () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await TestNode.start({ 'compatibility.version': '9.0.0' });
  });
  afterAll(async () => {
    await node.stop();
  });

  it('says so wherever it tells its version', async () => {
    expect((await node.get('/')).json().version).toMatchObject({
      number: '9.0.0',
      lucene_version: '10.1.0',
      minimum_wire_compatibility_version: '8.18.0',
      minimum_index_compatibility_version: '8.0.0',
    });
    expect((await node.get('/_cat/nodes?h=version')).text).toBe('9.0.0\n');
    const [info] = Object.values<{ version: string; index_version: number }>((await node.get('/_nodes')).json().nodes);
    expect(info).toMatchObject({ version: '9.0.0', index_version: 9_000_099 });
    expect((await node.get('/_cluster/stats')).json().nodes.versions).toEqual(['9.0.0']);
  });

  it('answers versions 8 and 9 of the API, not 7', async () => {
    for (const version of [8, 9]) {
      const answer = await node.post('/_search', { size: 0 }, as(version));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toContain(`compatible-with=${version}`);
    }
    const refused = await node.post('/_search', { size: 0 }, as(7));
    expect(refused.status).toBe(400);
    expect(refused.json().error.type).toBe('media_type_header_exception');
    expect(refused.json().error.caused_by.reason).toContain('must be either version 9 or 8, but found 7');
  });
});

describe('a caller of version 7 of the API', () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await TestNode.start();
    const typed = await node.put('/films/_doc/1?refresh=true', { title: 'Arrival', _list: [{ n: 1.0 }] }, as(7));
    expect(typed.json()).toMatchObject({ _index: 'films', _type: '_doc', _id: '1', result: 'created' });
  });
  afterAll(async () => {
    await node.stop();
  });

  it('finds a _type behind the _index of each document', async () => {
    const found = await node.post('/films/_search?filter_path=hits.hits', { query: { match_all: {} } }, as(7));
    expect(found.text).toBe(
      '{"hits":{"hits":[{"_index":"films","_type":"_doc","_id":"1","_score":1.0,"_source":{"title":"Arrival","_list":[{"n":1}]}}]}}',
    );
    expect((await node.get('/films/_doc/1', as(7))).text).toMatch(/^\{"_index":"films","_type":"_doc","_id":"1",/);
    const several = (await node.post('/_mget', { docs: [{ _index: 'films', _id: '1' }] }, as(7))).json();
    expect(several.docs[0]._type).toBe('_doc');
    const bulk = await node.post('/films/_bulk', '{"index":{"_id":"2"}}\n{"in":{"_index":"x"}}\n', {
      accept: 'application/vnd.elasticsearch+json; compatible-with=7',
      'content-type': 'application/vnd.elasticsearch+x-ndjson; compatible-with=7',
    });
    expect(bulk.json().items[0].index).toMatchObject({ _type: '_doc', _id: '2', status: 201 });
  });

  it('gets sources as they were sent', async () => {
    const path = '/films/_doc/3?refresh=true';
    await node.put(path, { inner: { _index: 'a', _id: 'b' }, text: 'with "_index" and \\ }' });
    const { _source: source } = (await node.get('/films/_doc/3', as(7))).json();
    expect(source).toEqual({ inner: { _index: 'a', _id: 'b' }, text: 'with "_index" and \\ }' });
    expect((await node.get('/films/_source/3', as(7))).json()).toEqual(source);
  });

  it('is the only one who does', async () => {
    expect((await node.get('/films/_doc/1', as(8))).text).not.toContain('_type');
    expect((await node.get('/films/_doc/1')).text).not.toContain('_type');
  });
});
