import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let round = 0;
/** A new index for each test. */
let index: string;

beforeAll(async () => {
  node = await TestNode.start({ 'index.number_of_replicas': '0' });
});

afterAll(async () => {
  await node.stop();
});

beforeEach(async () => {
  index = `index-${round++}`;
  await node.put(`/${index}`, { settings: { refresh_interval: '-1' } });
});

async function indexDocuments(...ids: readonly string[]): Promise<void> {
  for (const id of ids) await node.put(`/${index}/_doc/${id}`, { id });
}

async function count(): Promise<number> {
  return (await node.get(`/${index}/_count`)).json().count as number;
}

async function primaries(query = ''): Promise<Json> {
  return (await node.get(`/${index}/_stats${query}`)).json().indices[index].primaries;
}

describe('refresh and flush', () => {
  it('make documents visible, and durable', async () => {
    await indexDocuments('1', '2');
    expect(await count()).toBe(0);
    expect((await node.post(`/${index}/_refresh`)).json()).toEqual({
      _shards: { total: 1, successful: 1, failed: 0 },
    });
    expect(await count()).toBe(2);
    expect((await primaries('/translog')).translog.uncommitted_operations).toBe(2);
    await node.post(`/${index}/_flush`);
    const { flush, translog } = await primaries();
    expect([flush.total, flush.periodic, translog.uncommitted_operations]).toEqual([1, 0, 0]);
  });

  it('count a flush that finds nothing to write', async () => {
    await node.post(`/${index}/_flush`);
    expect((await primaries()).flush.total).toBe(1);
    const forced = await node.post(`/${index}/_flush?force=true&wait_if_ongoing=false`);
    expect(forced.json().error).toMatchObject({
      type: 'action_request_validation_exception',
      reason: 'Validation Failed: 1: wait_if_ongoing must be true for a force flush;',
    });
  });

  it('flush by themselves when the translog is large', async () => {
    await node.put(`/${index}/_settings`, { 'translog.flush_threshold_size': '160b' });
    await indexDocuments('a document with a long identifier, which its translog holds');
    await expect.poll(async () => (await primaries()).flush.periodic as number).toBeGreaterThan(0);
  });

  it.each(['_refresh', '_flush', '_forcemerge'])('%s refuses closed and missing indices', async (operation) => {
    await node.post(`/${index}/_close`);
    expect((await node.post(`/${index}/${operation}`)).json().error.type).toBe('index_closed_exception');
    const ignored = await node.post(`/${index}/${operation}?ignore_unavailable=true`);
    expect(ignored.json()._shards).toEqual({ total: 0, successful: 0, failed: 0 });
    expect((await node.post(`/missing/${operation}`)).status).toBe(404);
    expect((await node.post(`/missing-*/${operation}?allow_no_indices=false`)).status).toBe(404);
  });
});

describe('force merge', () => {
  async function segments(): Promise<Json[]> {
    const { shards } = (await node.get(`/${index}/_segments`)).json().indices[index];
    return Object.values(shards['0'][0].segments as object);
  }

  it('leaves as many segments as told, without the deleted documents', async () => {
    for (const id of ['1', '2', '3']) {
      await indexDocuments(id);
      await node.post(`/${index}/_refresh`);
    }
    await node.delete(`/${index}/_doc/1`);
    await node.post(`/${index}/_refresh`);
    expect((await segments()).length).toBeGreaterThan(1);
    expect((await node.post(`/${index}/_forcemerge?max_num_segments=1`)).json()._shards.failed).toBe(0);
    const [only, ...others] = await segments();
    expect(others).toEqual([]);
    expect(only).toMatchObject({ num_docs: 2, deleted_docs: 0, committed: true, search: true });
    expect(await count()).toBe(2);
  });

  it('rewrites only what holds many deletions when told to expunge', async () => {
    await indexDocuments('1', '2');
    await node.post(`/${index}/_refresh`);
    await indexDocuments('3', '4');
    await node.delete(`/${index}/_doc/1`);
    await node.post(`/${index}/_refresh`);
    await node.post(`/${index}/_forcemerge?only_expunge_deletes=true`);
    const left = await segments();
    expect(left.map(({ deleted_docs: deleted }) => deleted as number)).toEqual([0, 0]);
    expect(await count()).toBe(3);
  });

  it.each([
    ['max_num_segments=0', 'max_num_segments must be at least 1 but was [0]'],
    ['max_num_segments=1&only_expunge_deletes=true', 'are mutually exclusive'],
    ['max_num_segments=some', 'Failed to parse int parameter [max_num_segments] with value [some]'],
    ['max_segments=1', 'unrecognized parameter: [max_segments]'],
  ])('refuses %s', async (query, reason) => {
    const answer = await node.post(`/${index}/_forcemerge?${query}`);
    expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe('closing and opening', () => {
  it('keeps documents, and refuses them meanwhile', async () => {
    await indexDocuments('1');
    expect((await node.post(`/${index}/_close`)).json()).toEqual({
      acknowledged: true,
      shards_acknowledged: true,
      indices: { [index]: { closed: true } },
    });
    for (const answer of [
      await node.get(`/${index}/_doc/1`),
      await node.put(`/${index}/_doc/2`, {}),
      await node.get(`/${index}/_search`),
      await node.get(`/${index}/_stats`),
    ]) {
      expect([answer.status, answer.json().error.type]).toEqual([400, 'index_closed_exception']);
    }
    expect((await node.get(`/_cat/indices/${index}?h=status,docs.count&format=json`)).json()).toEqual([
      { status: 'close', 'docs.count': null },
    ]);
    expect((await node.post(`/${index}/_open`)).json()).toEqual({ acknowledged: true, shards_acknowledged: true });
    expect((await node.get(`/${index}/_doc/1`)).json().found).toBe(true);
  });

  it('may be said twice, by wildcards, and not of what is missing', async () => {
    for (const operation of ['_close', '_close', '_open', '_open']) {
      expect((await node.post(`/${index}/${operation}`)).json().acknowledged).toBe(true);
    }
    expect((await node.post(`/${index}*/_close`)).json().indices).toEqual({ [index]: { closed: true } });
    expect((await node.post('/missing/_open')).status).toBe(404);
    expect((await node.post('/missing-*/_close?allow_no_indices=false')).status).toBe(404);
  });
});

describe('statistics', () => {
  it('count what was done', async () => {
    await indexDocuments('1', '2');
    await node.delete(`/${index}/_doc/2`);
    await node.post(`/${index}/_update/1`, { doc: { id: '1' } });
    await node.get(`/${index}/_doc/1`);
    await node.get(`/${index}/_doc/missing`);
    await node.post(`/${index}/_refresh`);
    await node.post(`/${index}/_search`, {});
    const { docs, indexing, get, search } = await primaries();
    expect(docs.count).toBe(1);
    expect(indexing).toMatchObject({ index_total: 2, delete_total: 1, noop_update_total: 1, is_throttled: false });
    expect(get).toMatchObject({ exists_total: 1, missing_total: 1 });
    expect(search).toMatchObject({ query_total: 1, fetch_total: 1 });
  });

  it('count the phases of searches that fail, once each', async () => {
    await indexDocuments('1', '2');
    await node.post(`/${index}/_refresh`);
    const failing = { script: { script: { source: "throw new IllegalArgumentException('no')" } } };
    const shown = { script_fields: { no: { script: { source: "throw new IllegalArgumentException('no')" } } } };
    await node.put(`/${index}-more/_doc/1?refresh=true`, {});
    for (let time = 0; time < 4; time++) {
      expect((await node.post(`/${index}/_search`, { query: failing })).status).toBe(400);
      await node.post(`/${index},${index}-more/_search`, { size: 3, ...shown });
    }
    await node.post(`/${index}/_search`, {});
    const { search } = await primaries();
    expect(search).toMatchObject({ query_failure: 4, fetch_failure: 4, query_total: 5, fetch_total: 1 });
  });

  it('count searches by the groups that they name', async () => {
    await node.post(`/${index}/_search`, { stats: ['nightly', 'reports'] });
    await node.post(`/${index}/_search?stats=nightly`, {});
    expect((await primaries('/search')).search.groups).toBeUndefined();
    const { groups } = (await primaries('/search?groups=night*')).search;
    expect(Object.keys(groups as object)).toEqual(['nightly']);
    expect(groups.nightly).toMatchObject({ query_total: 2 });
    expect(Object.keys((await primaries('/search?groups=_all')).search.groups as object)).toEqual([
      'nightly',
      'reports',
    ]);
  });

  it('tell of closed indices what their commit points say', async () => {
    await indexDocuments('1', '2');
    await node.post(`/${index}/_close`);
    const closed = await primaries('?forbid_closed_indices=false');
    expect([closed.docs.count, closed.segments.count]).toEqual([2, 0]);
    expect(closed.store.size_in_bytes).toBeGreaterThan(0);
    const unloaded = await primaries('?forbid_closed_indices=false&include_unloaded_segments=true');
    expect(unloaded.segments.count).toBe(1);
  });

  it('come by metric and level', async () => {
    const some = await primaries('/docs,store');
    expect(Object.keys(some as object)).toEqual(['docs', 'store']);
    expect((await node.get(`/${index}/_stats?level=cluster`)).json().indices).toBeUndefined();
    const { shards } = (await node.get(`/${index}/_stats?level=shards`)).json().indices[index];
    expect(shards['0'][0]).toMatchObject({ routing: { state: 'STARTED', primary: true }, docs: { count: 0 } });
    expect((await node.get(`/${index}/_stats?human`)).json()._all.total.store.size).toMatch(/^[\d.]+k?b$/);
  });

  it.each([
    ['/doc', 'contains unrecognized metric: [doc] -> did you mean [docs]?'],
    ['/_all,docs', 'contains _all and individual metrics [_all,docs]'],
    ['?level=node', 'unknown value [node] for parameter [level]'],
  ])('refuse %s', async (path, reason) => {
    const answer = await node.get(`/${index}/_stats${path}`);
    expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe('_analyze', () => {
  it('gives tokens with offsets, types and positions', async () => {
    const { tokens } = (await node.post('/_analyze', { analyzer: 'standard', text: ['Two words', 'more'] })).json();
    expect(tokens[1]).toEqual({ token: 'words', start_offset: 4, end_offset: 9, type: '<ALPHANUM>', position: 1 });
    expect(tokens[2]).toMatchObject({ token: 'more', start_offset: 10, position: 2 });
  });

  it('takes the analyzer of a field, and explains', async () => {
    await node.put(`/${index}/_mapping`, {
      properties: { t: { type: 'text', analyzer: 'english' }, n: { type: 'long' } },
    });
    const answer = await node.post(`/${index}/_analyze`, { field: 't', text: 'the cats', explain: true });
    expect(answer.json().detail.analyzer).toMatchObject({ name: 'english', tokens: [{ token: 'cat' }] });
    expect((await node.post(`/${index}/_analyze`, { field: 'n', text: '1' })).json().error.reason).toBe(
      "Can't process field [n], Analysis requests are only supported on tokenized fields",
    );
  });

  it.each([
    [{}, 'action_request_validation_exception', 'Validation Failed: 1: text is missing;'],
    [{ text: [] }, 'action_request_validation_exception', 'Validation Failed: 1: text is missing;'],
    [
      { text: 'a', analyzer: 'standard', filter: ['lowercase'] },
      'action_request_validation_exception',
      'Validation Failed: 1: cannot define extra components on a named analyzer;',
    ],
    [
      { text: 'a', normalizer: 'lowercase', tokenizer: 'standard' },
      'action_request_validation_exception',
      'Validation Failed: 1: index is required if normalizer is specified;2: tokenizer/analyze should be null if ' +
        'normalizer is specified;3: cannot define extra components on a named normalizer;',
    ],
    [{ text: 'a', analyzer: 'klingon' }, 'illegal_argument_exception', 'failed to find global analyzer [klingon]'],
    [{ text: 'a', field: 't' }, 'illegal_argument_exception', 'analysis based on a specific field requires an index'],
  ])('refuses %j', async (body, type, reason) => {
    const answer = await node.post('/_analyze', body);
    expect([answer.status, answer.json().error.type, answer.json().error.reason]).toEqual([400, type, reason]);
  });
});
