import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

async function count(index: string): Promise<number> {
  await node.post(`/${index}/_refresh`);
  return (await node.get(`/${index}/_count`)).json().count;
}

describe('writing a document', () => {
  it('creates, then updates, and says so', async () => {
    const created = await node.put('/writes/_doc/1', { a: 1 });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe('/writes/_doc/1');
    expect(created.json()).toEqual({
      _index: 'writes',
      _id: '1',
      _version: 1,
      result: 'created',
      _shards: { total: 2, successful: 1, failed: 0 },
      _seq_no: 0,
      _primary_term: 1,
    });
    const updated = await node.put('/writes/_doc/1', { a: 2 });
    expect([updated.status, updated.json()]).toMatchObject([200, { _version: 2, result: 'updated', _seq_no: 1 }]);
  });

  it('keeps ids as they are, whatever characters they hold', async () => {
    for (const id of ['a b', 'ä/ö', '100%', '日本', '?x=1', ' ', 'x'.repeat(512)]) {
      const path = `/ids/_doc/${encodeURIComponent(id)}`;
      expect((await node.put(path, { id })).json()._id).toBe(id);
      expect((await node.get(path)).json()).toMatchObject({ _id: id, found: true, _source: { id } });
    }
  });

  it('makes ids of its own', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 20; n++) {
      const answer = await node.post('/automatic/_doc', { n });
      expect(answer.status).toBe(201);
      ids.add(answer.json()._id);
    }
    expect([...ids].every((id) => /^[\w-]{20,22}$/.test(id))).toBe(true);
    expect([ids.size, await count('automatic')]).toEqual([20, 20]);
  });

  it('creates only what does not exist', async () => {
    expect((await node.put('/creates/_create/1', { a: 1 })).status).toBe(201);
    for (const path of ['/creates/_create/1', '/creates/_doc/1?op_type=create']) {
      const refused = await node.put(path, { a: 2 });
      expect([refused.status, refused.json().error]).toMatchObject([
        409,
        {
          type: 'version_conflict_engine_exception',
          reason: '[1]: version conflict, document already exists (current version [1])',
          index: 'creates',
          shard: '0',
        },
      ]);
    }
    expect((await node.get('/creates/_source/1')).json()).toEqual({ a: 1 });
    await node.delete('/creates/_doc/1');
    expect((await node.put('/creates/_create/1', { a: 3 })).json()).toMatchObject({ result: 'created', _version: 3 });
  });

  it('refuses versions with create', async () => {
    const refused = await node.put('/creates/_create/9?version=0&version_type=external', {});
    expect([refused.status, refused.json().error]).toMatchObject([
      400,
      {
        type: 'action_request_validation_exception',
        reason: 'Validation Failed: 1: create operations only support internal versioning. use index instead;',
      },
    ]);
  });

  it('refuses unknown query parameters with a suggestion', async () => {
    const refused = await node.put('/writes/_doc/1?refrsh=true', {});
    expect(refused.status).toBe(400);
    expect(refused.json().error.reason).toContain('unrecognized parameter: [refrsh] -> did you mean [refresh]?');
  });

  it('deletes, and remembers the version', async () => {
    await node.put('/deletes/_doc/1', {});
    const deleted = await node.delete('/deletes/_doc/1');
    expect([deleted.status, deleted.json()]).toMatchObject([200, { result: 'deleted', _version: 2, _seq_no: 1 }]);
    const again = await node.delete('/deletes/_doc/1');
    expect([again.status, again.json()]).toMatchObject([404, { result: 'not_found', _version: 3 }]);
    expect((await node.put('/deletes/_doc/1', {})).json()).toMatchObject({ result: 'created', _version: 4 });
  });

  it('answers a delete in a missing index with 404, except for external versions', async () => {
    const missing = await node.delete('/nowhere/_doc/1');
    expect([missing.status, missing.json().error.type]).toEqual([404, 'index_not_found_exception']);
  });
});

describe('optimistic concurrency', () => {
  it('writes only when sequence number and primary term hold', async () => {
    const { _seq_no: seqNo, _primary_term: term } = (await node.put('/cas/_doc/1', { n: 1 })).json();
    const stale = await node.put(`/cas/_doc/1?if_seq_no=${seqNo + 5}&if_primary_term=${term}`, { n: 2 });
    expect([stale.status, stale.json().error.reason]).toEqual([
      409,
      `[1]: version conflict, required seqNo [${seqNo + 5}], primary term [${term}]. current document has seqNo [${seqNo}] and primary term [${term}]`,
    ]);
    expect((await node.put(`/cas/_doc/1?if_seq_no=${seqNo}&if_primary_term=${term}`, { n: 2 })).status).toBe(200);
    expect((await node.delete(`/cas/_doc/1`)).status).toBe(200);
    const gone = await node.request('DELETE', `/cas/_doc/1?if_seq_no=${seqNo}&if_primary_term=${term}`);
    expect(gone.status).toBe(409);
  });

  it.each([
    ['if_seq_no=1', 'ifSeqNo is set, but primary term is [0]'],
    ['if_primary_term=1', 'ifSeqNo is unassigned, but primary term is [1]'],
    ['version=1', 'internal versioning can not be used for optimistic concurrency control'],
    ['version_type=external', 'illegal version value [-3] for version type [EXTERNAL]'],
    ['if_seq_no=x&if_primary_term=1', 'Failed to parse long parameter [if_seq_no] with value [x]'],
    ['version=1&version_type=later', 'No version type match [later]'],
  ])('refuses %s', async (query, reason) => {
    const refused = await node.put(`/cas/_doc/x?${query}`, {});
    expect(refused.status).toBe(400);
    expect(refused.json().error.reason).toContain(reason);
    expect((await node.request('HEAD', '/cas/_doc/x')).status).toBe(404);
  });

  it('takes external versions that grow', async () => {
    const put = async (version: number, type: string): Promise<[number, Json]> => {
      const answer = await node.put(`/external/_doc/1?version=${version}&version_type=${type}`, { version });
      return [answer.status, answer.json()];
    };
    expect(await put(10, 'external')).toMatchObject([201, { _version: 10 }]);
    expect(await put(11, 'external')).toMatchObject([200, { _version: 11 }]);
    const reason = '[1]: version conflict, current version [11] is higher or equal to the one provided [11]';
    expect(await put(11, 'external')).toMatchObject([409, { error: { reason } }]);
    expect(await put(11, 'external_gte')).toMatchObject([200, { _version: 11 }]);
    expect((await put(10, 'external_gte'))[0]).toBe(409);
    expect((await node.get('/external/_doc/1?version=11')).status).toBe(200);
    const other = await node.get('/external/_doc/1?version=3');
    expect([other.status, other.json().error.reason]).toEqual([
      409,
      '[1]: version conflict, current version [11] is different than the one provided [3]',
    ]);
    expect((await node.delete('/external/_doc/1?version=12&version_type=external')).json()._version).toBe(12);
    expect(await put(12, 'external')).toMatchObject([409, {}]);
  });

  it('keeps all 64 bits of an external version', async () => {
    const put = (version: string): Promise<Answer> =>
      node.put(`/external/_doc/nanoseconds?version=${version}&version_type=external`, {});
    expect((await put('1795306012000000123')).text).toContain('"_version":1795306012000000123,');
    expect((await put('1795306012000000122')).status).toBe(409);
    expect((await put('1795306012000000124')).status).toBe(200);
    expect((await node.get('/external/_doc/nanoseconds?version=1795306012000000124')).status).toBe(200);
    expect((await node.get('/external/_doc/nanoseconds?version=1795306012000000123')).status).toBe(409);
    const docs = [{ _id: 'nanoseconds', version: '1795306012000000124' }];
    expect((await node.post('/external/_mget', { docs })).text).toContain('"found":true');
    await node.post('/external/_refresh');
    const dest = { index: 'external-copy', version_type: 'external' };
    expect((await node.post('/_reindex', { source: { index: 'external' }, dest })).json().created).toBe(1);
    expect((await node.get('/external-copy/_doc/nanoseconds')).text).toContain('"_version":1795306012000000124,');
    expect((await put('9223372036854775807')).status).toBe(200);
    expect((await put('9223372036854775808')).json().error.reason).toBe(
      'Failed to parse long parameter [version] with value [9223372036854775808]',
    );
  });
});

describe('refresh', () => {
  it.each(['true', '', 'wait_for'])('refresh=%s makes the document searchable before the answer', async (refresh) => {
    const answer = await node.put(`/refreshed-${refresh}/_doc/1?refresh=${refresh}`, {});
    expect(answer.status).toBe(201);
    if (refresh !== 'wait_for') expect(answer.json().forced_refresh).toBe(true);
    expect((await node.get(`/refreshed-${refresh}/_count`)).json().count).toBe(1);
    expect((await node.delete(`/refreshed-${refresh}/_doc/1?refresh=${refresh}`)).status).toBe(200);
    expect((await node.get(`/refreshed-${refresh}/_count`)).json().count).toBe(0);
  });

  it('is waited for no longer than a bounded time, even where none is scheduled', async () => {
    await node.put('/unrefreshed', { settings: { 'index.refresh_interval': '-1' } });
    const forced = node.post('/unrefreshed/_refresh');
    await Promise.all([forced, node.put('/unrefreshed/_doc/1?refresh=true', {})]);
    await node.put('/unrefreshed/_doc/2', {});
    expect((await node.get('/unrefreshed/_count')).json().count).toBe(1);
  });

  it('refuses other values', async () => {
    const refused = await node.put('/refreshes/_doc/1?refresh=maybe', {});
    expect([refused.status, refused.json().error.reason]).toEqual([400, 'Unknown value for refresh: [maybe].']);
  });
});

describe('routing', () => {
  it('leads reads and writes to one shard', async () => {
    await node.put('/routed', { settings: { number_of_shards: 5 } });
    const written = await node.put('/routed/_doc/1?routing=a', { who: 'a' });
    expect(written.headers.get('location')).toBe('/routed/_doc/1?routing=a');
    expect((await node.get('/routed/_doc/1?routing=a')).json()).toMatchObject({ found: true, _routing: 'a' });
    const routings = ['b', 'c', 'd', 'e', 'f', 'g'];
    const found = await Promise.all(routings.map((routing) => node.get(`/routed/_doc/1?routing=${routing}`)));
    expect(found.some((answer) => answer.status === 404)).toBe(true);
    await node.post('/routed/_refresh');
    const search = async (routing: string): Promise<Json> =>
      (await node.get(`/routed/_search?routing=${routing}`)).json();
    expect((await search('a')).hits.hits).toMatchObject([{ _id: '1', _routing: 'a' }]);
    expect((await search('a'))._shards.total).toBe(1);
    expect((await search('a,b,c,d,e,f,g'))._shards.total).toBeGreaterThan(1);
  });

  it('can be required', async () => {
    await node.put('/demanding', { mappings: { _routing: { required: true } } });
    const paths: readonly [string, string, unknown][] = [
      ['PUT', '/demanding/_doc/1', {}],
      ['GET', '/demanding/_doc/1', undefined],
      ['DELETE', '/demanding/_doc/1', undefined],
      ['POST', '/demanding/_update/1', { doc: {} }],
    ];
    for (const [method, path, body] of paths) {
      const refused = await node.request(method, path, body);
      expect([method, refused.status, refused.json().error]).toMatchObject([
        method,
        400,
        { type: 'routing_missing_exception', reason: 'routing is required for [demanding]/[1]' },
      ]);
    }
    expect((await node.put('/demanding/_doc/1?routing=r', {})).status).toBe(201);
  });
});

describe('automatic index creation', () => {
  it('can be switched off, wholly or by pattern', async () => {
    const allow = (rule: string | null): Promise<unknown> =>
      node.put('/_cluster/settings', { persistent: { 'action.auto_create_index': rule } });
    await allow('logs-*,-secret*');
    try {
      expect((await node.put('/logs-1/_doc/1', {})).status).toBe(201);
      for (const index of ['secret1', 'other']) {
        const refused = await node.put(`/${index}/_doc/1`, {});
        expect([refused.status, refused.json().error.type]).toEqual([404, 'index_not_found_exception']);
        expect(refused.json().error.reason).toContain(`no such index [${index}]`);
      }
      const bulk = await node.bulk('/_bulk', [{ index: { _index: 'other' } }, {}, { index: { _index: 'logs-2' } }, {}]);
      expect(bulk.json().items.map((item: Json) => item.index.status)).toEqual([404, 201]);
    } finally {
      await allow(null);
    }
  });

  it('refuses names that no index may have', async () => {
    for (const name of ['UPPER', '_hidden', 'a,b', 'a*b', '#hash']) {
      const refused = await node.put(`/${encodeURIComponent(name)}/_doc/1`, {});
      expect([name, refused.status]).toEqual([name, 400]);
    }
  });

  it('requires an alias where asked to', async () => {
    await node.put('/aliased', { aliases: { 'the-alias': {} } });
    expect((await node.put('/the-alias/_doc/1?require_alias=true', {})).json()._index).toBe('aliased');
    for (const name of ['aliased', 'new-index']) {
      const refused = await node.put(`/${name}/_doc/1?require_alias=true`, {});
      expect([refused.status, refused.json().error.reason]).toEqual([
        404,
        `no such index [${name}] and [require_alias] request flag is [true] and [${name}] is not an alias`,
      ]);
    }
    expect((await node.request('HEAD', '/new-index')).status).toBe(404);
  });
});

describe('reading a document', () => {
  beforeAll(async () => {
    await node.put('/reads', { mappings: { properties: { tag: { type: 'keyword', store: true } } } });
    await node.put('/reads/_doc/1', { tag: 'x', deep: { a: 1, b: [{ c: 2 }, { d: 3 }] }, 'dotted.name': 4 });
  });

  it('sees what is not refreshed yet, unless told otherwise', async () => {
    await node.put('/fresh', { settings: { 'index.refresh_interval': '-1' } });
    await node.put('/fresh/_doc/1', { n: 1 });
    expect((await node.get('/fresh/_doc/1')).status).toBe(200);
    expect((await node.get('/fresh/_doc/1?realtime=false')).status).toBe(404);
    expect((await node.get('/fresh/_doc/1?realtime=false&refresh=true')).status).toBe(200);
  });

  it.each([
    ['_source=false', undefined],
    ['_source=deep.a', { deep: { a: 1 } }],
    ['_source=deep.b.*', { deep: { b: [{ c: 2 }, { d: 3 }] } }],
    ['_source_includes=deep&_source_excludes=deep.b.d', { deep: { a: 1, b: [{ c: 2 }, {}] } }],
    ['_source_excludes=deep,tag', { 'dotted.name': 4 }],
  ])('filters the source: %s', async (query, expected) => {
    expect((await node.get(`/reads/_doc/1?${query}`)).json()._source).toEqual(expected);
    if (expected !== undefined) expect((await node.get(`/reads/_source/1?${query}`)).json()).toEqual(expected);
  });

  it('gives stored fields, with the source only on demand', async () => {
    expect((await node.get('/reads/_doc/1?stored_fields=tag')).json()).toMatchObject({ fields: { tag: ['x'] } });
    expect((await node.get('/reads/_doc/1?stored_fields=tag')).json()._source).toBeUndefined();
    expect((await node.get('/reads/_doc/1?stored_fields=tag,_source')).json()._source).toMatchObject({ tag: 'x' });
    expect((await node.get('/reads/_doc/1?stored_fields=tag&_source_includes=deep.a')).json()).toMatchObject({
      _source: { deep: { a: 1 } },
      fields: { tag: ['x'] },
    });
    const refused = await node.get('/reads/_doc/1?stored_fields=deep');
    expect([refused.status, refused.json().error.reason]).toEqual([400, "field [deep] isn't a leaf field"]);
  });

  it('answers HEAD without a body', async () => {
    for (const [path, status] of [
      ['/reads/_doc/1', 200],
      ['/reads/_source/1', 200],
      ['/reads/_doc/2', 404],
      ['/reads/_source/2', 404],
      ['/missing/_doc/1', 404],
    ] as const) {
      const answer = await node.request('HEAD', path);
      expect([path, answer.status, answer.text]).toEqual([path, status, '']);
    }
  });

  it('says what is missing', async () => {
    expect((await node.get('/reads/_doc/2')).json()).toEqual({ _index: 'reads', _id: '2', found: false });
    expect((await node.get('/reads/_source/2')).json().error).toMatchObject({
      type: 'resource_not_found_exception',
      reason: 'Document not found [reads]/[2]',
    });
    expect((await node.get('/missing/_doc/1')).json().error.type).toBe('index_not_found_exception');
  });

  it('has no source where the mapping disables it', async () => {
    await node.put('/sourceless', { mappings: { _source: { enabled: false } } });
    await node.put('/sourceless/_doc/1', { a: 1 });
    expect((await node.get('/sourceless/_doc/1')).json()).toMatchObject({ found: true });
    expect((await node.get('/sourceless/_doc/1')).json()._source).toBeUndefined();
    expect((await node.get('/sourceless/_source/1')).status).toBe(404);
    expect((await node.post('/sourceless/_update/1', { doc: { a: 2 } })).json().error.type).toBe(
      'document_source_missing_exception',
    );
  });
});

describe('mget', () => {
  beforeAll(async () => {
    await node.put('/many', { settings: { number_of_shards: 3 } });
    await Promise.all([1, 2, 3].map((n) => node.put(`/many/_doc/${n}`, { n, text: `document ${n}` })));
  });

  it('answers in the order of the request, missing ones and missing indices among them', async () => {
    const docs = [
      { _id: '3' },
      { _id: '9' },
      { _index: 'absent', _id: '1' },
      { _id: '1', _source: ['n'] },
      { _id: '2', _source: false },
    ];
    const answer = (await node.post('/many/_mget', { docs })).json().docs;
    expect(answer).toMatchObject([
      { _id: '3', found: true, _source: { n: 3 } },
      { _index: 'many', _id: '9', found: false },
      { _index: 'absent', _id: '1', error: { type: 'index_not_found_exception' } },
      { _id: '1', _source: { n: 1 } },
      { _id: '2', found: true },
    ]);
    expect(answer[3]._source).toEqual({ n: 1 });
    expect(answer[4]._source).toBeUndefined();
    expect((await node.post('/many/_mget', { ids: [1, '2'] })).json().docs).toMatchObject([{ _id: '1' }, { _id: '2' }]);
  });

  it.each([
    [{ docs: [] }, 'Validation Failed: 1: no documents to get;'],
    [{ ids: [] }, 'Validation Failed: 1: no documents to get;'],
    [{ docs: [{}] }, 'id is missing for doc 0'],
    [{ docs: [{ _id: '1', _routing: 'a' }] }, 'failed to parse multi get request. unknown field [_routing]'],
    [{ docs: [{ _id: '1', _version: 1 }] }, 'failed to parse multi get request. unknown field [_version]'],
    [{ docs: [{ _id: '1', version: 'x' }] }, '[version] of a document of [docs] must be a whole number'],
    [{ documents: [] }, 'unknown key [documents] for a START_ARRAY, expected [docs] or [ids]'],
    [{ docs: ['1'] }, 'docs array element should include an object'],
    [{ ids: [{}] }, 'ids array element should only contain ids'],
  ])('refuses %j', async (body, reason) => {
    const refused = await node.post('/many/_mget', body);
    expect(refused.status).toBe(400);
    expect(refused.json().error.reason).toContain(reason);
  });

  it('names the documents without an index', async () => {
    const refused = await node.post('/_mget', { docs: [{ _id: '1' }] });
    expect([refused.status, refused.json().error.reason]).toEqual([
      400,
      'Validation Failed: 1: index is missing for doc 0;',
    ]);
  });
});

describe('update', () => {
  it('merges a partial document', async () => {
    await node.put('/updates/_doc/1', { a: { b: 1, c: 2 }, list: [1, 2] });
    const answer = await node.post('/updates/_update/1', { doc: { a: { c: 3, d: 4 }, list: [5] } });
    expect(answer.json()).toMatchObject({ result: 'updated', _version: 2 });
    expect((await node.get('/updates/_source/1')).json()).toEqual({ a: { b: 1, c: 3, d: 4 }, list: [5] });
  });

  it('detects that nothing changes, unless told not to', async () => {
    await node.put('/noops/_doc/1', { a: 1, b: { c: [1] } });
    const noop = await node.post('/noops/_update/1', { doc: { b: { c: [1] } } });
    expect(noop.json()).toMatchObject({ result: 'noop', _version: 1, _shards: { total: 0, successful: 0, failed: 0 } });
    const forced = await node.post('/noops/_update/1', { doc: { a: 1 }, detect_noop: false });
    expect(forced.json()).toMatchObject({ result: 'updated', _version: 2 });
  });

  it('creates what is missing from upsert or doc', async () => {
    const first = await node.post('/upserts/_update/1', { doc: { a: 1 }, upsert: { b: 2 } });
    expect([first.status, first.json().result]).toEqual([201, 'created']);
    expect((await node.get('/upserts/_source/1')).json()).toEqual({ b: 2 });
    await node.post('/upserts/_update/1', { doc: { a: 1 }, upsert: { b: 3 } });
    expect((await node.get('/upserts/_source/1')).json()).toEqual({ a: 1, b: 2 });
    await node.post('/upserts/_update/2', { doc: { c: 1 }, doc_as_upsert: true });
    expect((await node.get('/upserts/_source/2')).json()).toEqual({ c: 1 });
    const missing = await node.post('/upserts/_update/3', { doc: { c: 1 } });
    expect([missing.status, missing.json().error]).toMatchObject([
      404,
      { type: 'document_missing_exception', reason: '[3]: document missing', index: 'upserts' },
    ]);
  });

  it('shows the source on demand', async () => {
    await node.put('/shown/_doc/1', { a: 1, b: 2 });
    const answer = await node.post('/shown/_update/1?_source=a', { doc: { b: 3 } });
    expect(answer.json().get).toMatchObject({ found: true, _source: { a: 1 } });
    expect(answer.json().get._source).toEqual({ a: 1 });
    expect((await node.post('/shown/_update/1', { doc: { b: 4 }, _source: true })).json().get._source).toEqual({
      a: 1,
      b: 4,
    });
  });

  it('compares before it writes', async () => {
    const { _seq_no: seqNo } = (await node.put('/compared/_doc/1', { n: 1 })).json();
    const path = `/compared/_update/1?if_primary_term=1&if_seq_no=`;
    expect((await node.post(`${path}${seqNo + 1}`, { doc: { n: 2 } })).status).toBe(409);
    expect((await node.post(`${path}${seqNo}`, { doc: { n: 2 } })).json().result).toBe('updated');
  });

  it.each([
    ['doc_as_upsert', { doc: {}, doc_as_upsert: true }, 'compare and write operations can not be used with upsert'],
    ['upsert', { doc: {}, upsert: {} }, "upsert requests don't support `if_seq_no` and `if_primary_term`"],
  ])('never makes the document that it compares, by %s', async (_name, body, reason) => {
    const sentence = `Validation Failed: 1: ${reason};`;
    const single = await node.post('/compared/_update/none?if_seq_no=0&if_primary_term=1', body);
    expect([single.status, single.json().error.reason]).toEqual([400, sentence]);
    const within = await node.post('/compared/_update/none', { ...body, if_seq_no: 0, if_primary_term: 1 });
    expect([within.status, within.json().error.reason]).toEqual([400, sentence]);
    const line = { update: { _id: 'none', if_seq_no: 0, if_primary_term: 1 } };
    const bulk = await node.bulk('/compared/_bulk', [line, body]);
    expect([bulk.status, bulk.json().error.reason]).toEqual([400, sentence]);
    expect((await node.request('HEAD', '/compared/_doc/none')).status).toBe(404);
  });

  it('is not tried again where it compares', async () => {
    const reason = 'Validation Failed: 1: compare and write operations can not be retried;';
    const path = '/compared/_update/1?if_seq_no=0&if_primary_term=1&retry_on_conflict=1';
    expect((await node.post(path, { doc: {} })).json().error.reason).toBe(reason);
    const line = { update: { _id: '1', if_seq_no: 0, if_primary_term: 1, retry_on_conflict: 1 } };
    expect((await node.bulk('/compared/_bulk', [line, { doc: {} }])).json().error.reason).toBe(reason);
  });

  it('adds up when many clients update with retries', async () => {
    await node.put('/contended/_doc/1', {});
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        node.post('/contended/_update/1?retry_on_conflict=20', { doc: { [`from${n}`]: n } }),
      ),
    );
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(Object.keys((await node.get('/contended/_source/1')).json())).toHaveLength(20);
  });

  it.each([
    [{}, 'script or doc is missing'],
    [{ doc: {}, script: {} }, 'script'],
    [{ doc: {}, dco: 1 }, '[dco]'],
    [{ doc: 1 }, 'doc'],
    [{ doc_as_upsert: true }, 'doc must be specified if doc_as_upsert is enabled'],
  ])('refuses %j', async (body, reason) => {
    await node.put('/refusing/_doc/1', { a: 1 });
    const refused = await node.post('/refusing/_update/1', body);
    expect(refused.status).toBe(400);
    expect(refused.json().error.reason).toContain(reason);
    expect((await node.get('/refusing/_doc/1')).json()._source).toEqual({ a: 1 });
  });
});
