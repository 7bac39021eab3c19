/** `_delete_by_query`, `_update_by_query` and `_reindex` over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
const ALL = { query: { match_all: {} } };
const COUNT = 6;

beforeAll(async () => {
  node = await TestNode.start({ 'reindex.remote.whitelist': 'localhost:*' });
});

afterAll(async () => {
  await node.stop();
});

/** Documents with numbers, laid out over lines, each with a routing of its own. */
beforeEach(async () => {
  await node.delete('/_all');
  await node.delete('/.tasks');
  await node.put('/films', { settings: { number_of_shards: 3, number_of_replicas: 0, refresh_interval: '-1' } });
  for (let id = 1; id <= COUNT; id++) {
    await node.put(`/films/_doc/${id}?routing=r${id}`, `{\n "n": ${id},\n "big": 1.10000000000000000000001 }`);
  }
  await node.post('/films/_refresh');
});

async function ids(index: string): Promise<readonly string[]> {
  await node.post(`/${index}/_refresh`);
  const answer = (await node.get(`/${index}/_search?size=100`)).json();
  return (answer.hits.hits as Json[]).map(({ _id }) => _id as string).sort();
}

async function ended(task: string): Promise<Json> {
  return (await node.get(`/_tasks/${task}?wait_for_completion=true`)).json();
}

describe('_delete_by_query', () => {
  it('deletes what the query finds, and tells of it', async () => {
    const answer = await node.post('/films/_delete_by_query', { query: { range: { n: { lte: 2 } } } });
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      took: expect.any(Number),
      timed_out: false,
      total: 2,
      deleted: 2,
      batches: 1,
      version_conflicts: 0,
      noops: 0,
      retries: { bulk: 0, search: 0 },
      throttled_millis: 0,
      requests_per_second: -1,
      throttled_until_millis: 0,
      failures: [],
    });
    expect(await ids('films')).toEqual(['3', '4', '5', '6']);
  });

  it('stops at max_docs, goes in pages, and takes the query from the query string', async () => {
    const limited = (await node.post('/films/_delete_by_query?max_docs=3&scroll_size=2', ALL)).json();
    expect(limited).toMatchObject({ total: 3, deleted: 3, batches: 2 });
    await node.post('/films/_refresh');
    expect((await node.post('/films/_delete_by_query?q=n:>0&refresh')).json()).toMatchObject({ deleted: 3 });
    expect((await node.get('/films/_count')).json().count).toBe(0);
  });

  it('tells numbers apart that differ in their last digit only, and follows the order of the body', async () => {
    await node.put('/numbers', { mappings: { properties: { n: { type: 'long' } } } });
    for (const n of ['9007199254740992', '9007199254740993', '9007199254740995']) {
      await node.put(`/numbers/_doc/${n}?refresh`, `{"n":${n}}`);
    }
    const exact = '{"query":{"term":{"n":9007199254740993}},"conflicts":"proceed"}';
    const copied = `{"source":{"index":"numbers","query":{"term":{"n":9007199254740993}}},"dest":{"index":"copies"}}`;
    expect((await node.post('/_reindex', copied)).json().total).toBe(1);
    expect(await ids('copies')).toEqual(['9007199254740993']);
    expect((await node.post('/numbers/_delete_by_query', exact)).json().deleted).toBe(1);
    expect(await ids('numbers')).toEqual(['9007199254740992', '9007199254740995']);
    const last = { query: { match_all: {} }, sort: [{ n: 'desc' }], max_docs: 1 };
    expect((await node.post('/numbers/_delete_by_query', last)).json().deleted).toBe(1);
    expect(await ids('numbers')).toEqual(['9007199254740992']);
  });

  it('ends at a conflict, or goes on over it', async () => {
    await node.put('/films/_doc/1?routing=r1', { n: 100 });
    const ids = { query: { ids: { values: ['1'] } } };
    const stopped = await node.post('/films/_delete_by_query', ids);
    expect(stopped.status).toBe(409);
    expect(stopped.json()).toMatchObject({ deleted: 0, version_conflicts: 1, batches: 1 });
    expect(stopped.json().failures[0]).toMatchObject({
      index: 'films',
      id: '1',
      status: 409,
      cause: { type: 'version_conflict_engine_exception', index: 'films' },
    });
    const over = (await node.post('/films/_delete_by_query?conflicts=proceed', ALL)).json();
    expect(over).toMatchObject({ deleted: 5, version_conflicts: 1, failures: [] });
  });

  it('is divided into slices, as many as asked for or as there are shards', async () => {
    for (const [slices, expected] of [
      ['2', 2],
      ['auto', 3],
    ] as const) {
      const answer = (await node.post(`/films/_update_by_query?slices=${slices}&refresh`)).json();
      expect(answer).toMatchObject({ updated: 6, failures: [] });
      expect(answer.slices).toHaveLength(expected);
      expect((answer.slices as Json[]).map(({ slice_id }) => slice_id as number)).toEqual([...Array(expected).keys()]);
    }
    expect((await node.get('/films/_doc/1?routing=r1')).json()._version).toBe(3);
  });
});

describe('jobs that nobody waits for', () => {
  it('are tasks that are slowed down, sped up, and kept when they have ended', async () => {
    const path = '/films/_delete_by_query?wait_for_completion=false&scroll_size=1&requests_per_second=0.0001&slices=2';
    const { task } = (await node.post(path, ALL)).json();
    const [nodeId] = task.split(':');
    const throttled = await node.until(async () => {
      const running = (await node.get(`/_tasks/${task}`)).json();
      return running.task.status?.batches === 2 ? (running as Json) : undefined;
    });
    expect(throttled).toMatchObject({
      completed: false,
      task: { status: { deleted: 2, requests_per_second: 0.0001 } },
    });
    const parts = (await node.get(`/_tasks?parent_task_id=${task}&detailed`)).json();
    expect(Object.keys(parts.nodes[nodeId].tasks)).toHaveLength(2);
    await node.post(`/_delete_by_query/${task}/_rethrottle?requests_per_second=-1`);
    const done = await ended(task);
    expect(done).toMatchObject({ completed: true, response: { deleted: 6, batches: 6, failures: [] } });
    expect(done.task.status.slices).toHaveLength(2);
    expect(done.response.throttled_millis).toBeGreaterThan(0);
  });

  it('are cancelled, with their slices', async () => {
    const path = '/films/_update_by_query?wait_for_completion=false&scroll_size=1&requests_per_second=0.0001&slices=2';
    const { task } = (await node.post(path)).json();
    await node.post(`/_tasks/${task}/_cancel?wait_for_completion=true`);
    const done = await ended(task);
    expect(done).toMatchObject({ task: { cancelled: true }, response: { canceled: 'by user request' } });
    expect((await node.get('/_nodes/stats/indices')).text).toContain('"open_contexts":0');
  });

  it('may be asked for that nobody can do', async () => {
    expect((await node.post('/_reindex/x:1/_rethrottle?requests_per_second=1')).json().node_failures).toHaveLength(1);
    expect((await node.post('/_reindex/x:1/_rethrottle')).status).toBe(400);
  });
});

describe('_update_by_query', () => {
  it('indexes documents again, byte for byte', async () => {
    const before = (await node.get('/films/_doc/1?routing=r1')).json();
    expect((await node.post('/films/_update_by_query')).json()).toMatchObject({ updated: 6, total: 6 });
    const after = await node.get('/films/_doc/1?routing=r1');
    expect(after.json()).toMatchObject({ _version: before._version + 1, _source: { n: 1 } });
    expect(after.text).toContain('1.10000000000000000000001');
  });

  it('takes documents that were sent with lines before and behind them', async () => {
    await node.put('/films/_doc/7', '\n {"n":7}\r\n');
    await node.post('/films/_refresh');
    const script = { source: 'ctx._source.n += 1' };
    expect((await node.post('/films/_update_by_query?refresh')).json()).toMatchObject({ updated: COUNT + 1 });
    const answer = await node.post('/films/_update_by_query', { query: { term: { n: 7 } }, script });
    expect(answer.json()).toMatchObject({ updated: 1 });
    expect((await node.get('/films/_doc/7')).json()._source).toEqual({ n: 8 });
  });

  it('changes, leaves or deletes what a script says', async () => {
    const source =
      "if (ctx._source.n == 1) { ctx.op = 'noop' } else if (ctx._source.n == 2) { ctx.op = 'delete' } else { ctx._source.n += params.by }";
    const answer = await node.post('/films/_update_by_query', { script: { source, params: { by: 10 } } });
    expect(answer.json()).toMatchObject({ total: 6, updated: 4, deleted: 1, noops: 1 });
    expect((await node.get('/films/_source/3?routing=r3')).json().n).toBe(13);
    expect(await ids('films')).not.toContain('2');
  });

  it.each([
    ["ctx._id = 'x'", 'Modifying [_id] not allowed'],
    ['ctx.junk = 1', 'Invalid fields added to context [junk]'],
    ["ctx.op = 'junk'", 'Operation type [junk] not allowed, only [noop, index, delete] are allowed'],
  ])('refuses %s', async (source, reason) => {
    const answer = await node.post('/films/_update_by_query', { script: { source } });
    expect(answer.status).toBe(400);
    expect(answer.json().error.reason).toBe(reason);
  });
});

describe('_reindex', () => {
  it('copies documents with their routing, byte for byte', async () => {
    const answer = await node.post('/_reindex?refresh', { source: { index: 'films' }, dest: { index: 'copies' } });
    expect(answer.json()).toMatchObject({ total: 6, created: 6, updated: 0, deleted: 0, batches: 1, failures: [] });
    const copy = await node.get('/copies/_doc/4?routing=r4');
    expect(copy.json()).toMatchObject({ _routing: 'r4', _version: 1 });
    expect(copy.text).toContain('1.10000000000000000000001');
    const again = await node.post('/_reindex', { source: { index: 'films' }, dest: { index: 'copies' } });
    expect(again.json()).toMatchObject({ created: 0, updated: 6 });
  });

  it('takes a query, an order, a limit and parts of the source', async () => {
    const source = { index: ['films'], query: { range: { n: { gt: 1 } } }, sort: { n: 'desc' }, _source: ['n'] };
    await node.post('/_reindex?refresh', { max_docs: 2, source, dest: { index: 'best' } });
    expect(await ids('best')).toEqual(['5', '6']);
    expect((await node.get('/best/_source/6?routing=r6')).json()).toEqual({ n: 6 });
  });

  it('creates only, and keeps versions, where it is told so', async () => {
    const copy = (dest: Json, more: Json = {}): Promise<Json> =>
      node.post('/_reindex', { source: { index: 'films' }, dest: { index: 'copies', ...dest }, ...more });
    await copy({});
    expect((await copy({ op_type: 'create' })).status).toBe(409);
    const over = await copy({ op_type: 'create' }, { conflicts: 'proceed' });
    expect(over.json()).toMatchObject({ version_conflicts: 6, failures: [] });
    await node.delete('/copies');
    await copy({ version_type: 'external' });
    expect((await copy({ version_type: 'external' })).json().version_conflicts).toBe(6);
  });

  it('gives documents another routing, or none', async () => {
    const copy = (index: string, routing: string): Promise<Json> =>
      node.post('/_reindex?refresh', { source: { index: 'films' }, dest: { index, routing } });
    await copy('same', '=one');
    expect((await node.get('/same/_search?routing=one')).json().hits.total.value).toBe(6);
    await copy('none', 'discard');
    expect((await node.get('/none/_doc/1')).json()._routing).toBeUndefined();
  });

  it('refreshes what an alias stands for', async () => {
    await node.put('/copies-1', { aliases: { copies: {} }, settings: { refresh_interval: '-1' } });
    await node.post('/_reindex?refresh', { source: { index: 'films' }, dest: { index: 'copies' } });
    expect((await node.get('/copies-1/_count')).json().count).toBe(COUNT);
  });

  it('goes where a script sends documents', async () => {
    const source = "ctx._index = 'n-' + ctx._source.n % 2; ctx._id = 'x' + ctx._id; ctx._routing = null";
    const body = { source: { index: 'films' }, dest: { index: 'unused' }, script: { source } };
    expect((await node.post('/_reindex', body)).json()).toMatchObject({ created: 6 });
    expect(await ids('n-0')).toEqual(['x2', 'x4', 'x6']);
    expect((await node.get('/unused')).status).toBe(404);
  });
});

describe('_reindex from another cluster', () => {
  const copy = (remote: Json, more: Json = {}): Promise<Json> =>
    node.post('/_reindex?refresh', { source: { remote, index: 'films', ...more }, dest: { index: 'copies' } });

  it('copies what a scroll of that one shows', async () => {
    const remote = { host: node.url.replace('127.0.0.1', 'localhost'), headers: { 'x-opaque-id': 'copier' } };
    const answer = await copy(remote, { size: 4, query: { range: { n: { gt: 1 } } } });
    expect(answer.json()).toMatchObject({ total: 5, created: 5, batches: 2, failures: [] });
    expect((await node.get('/copies/_doc/3?routing=r3')).text).toContain('1.10000000000000000000001');
    expect((await node.get('/_nodes/stats/indices')).text).toContain('"open_contexts":0');
  });

  it.each([
    [{ host: 'http://badremote:9200' }, '[badremote:9200] not whitelisted in reindex.remote.whitelist'],
    [{ host: 'badremote', weird: 1 }, '[host] must be of the form [scheme]://[host]:[port]'],
    [{ host: 'http://okremote:9200', weird: 1, badkey: 2 }, 'Unsupported fields in [remote]: [weird,badkey]'],
    [{ host: 'http://okremote:9200', socket_timeout: 'borked' }, 'number_format_exception'],
  ])('refuses %j', async (remote, reason) => {
    const answer = await copy(remote);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(reason);
  });

  it('tells what that one answered', async () => {
    const remote = { host: node.url.replace('127.0.0.1', 'localhost') };
    const answer = await node.post('/_reindex', { source: { remote, index: 'nothing' }, dest: { index: 'copies' } });
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('no such index [nothing]');
  });
});

describe('what is wrong with a request', () => {
  const bySource = { source: { index: 'films' }, dest: { index: 'copies' } };
  it.each([
    ['/films/_delete_by_query', {}, 'query is missing'],
    ['/films/_delete_by_query', { stored_fields: ['_id'] }, 'stored_fields is not supported in this context'],
    ['/films/_delete_by_query?conflicts=cat', ALL, 'conflicts may only be "proceed" or "abort" but was [cat]'],
    ['/films/_delete_by_query?size=-4', ALL, '[max_docs] parameter cannot be negative, found [-4]'],
    ['/films/_delete_by_query?size=4&max_docs=5', ALL, '[max_docs] set to two different values [4] and [5]'],
    ['/films/_delete_by_query?max_docs=1&slices=2', ALL, '[max_docs] should be >= [slices]'],
    ['/films/_delete_by_query?scroll_size=asdf', ALL, 'Failed to parse int parameter [scroll_size] with value [asdf]'],
    ['/films/_delete_by_query?requests_per_second=', ALL, '[requests_per_second] must be a float greater than 0.'],
    ['/films/_delete_by_query?requests_per_second=0', ALL, 'Use -1 to disable throttling.'],
    ['/films/_delete_by_query?slices=5000000000', ALL, '[slices] must be a positive integer or the string "auto"'],
    ['/films/_delete_by_query?slices=junk', ALL, '[slices] must be a positive integer or the string "auto"'],
    ['/films/_update_by_query?pipeline=missing', ALL, 'pipeline with id [missing] does not exist'],
    ['/_reindex', { junk: {} }, 'unknown field [junk]'],
    ['/_reindex', { source: { index: 'films', junk: {} }, dest: { index: 'd' } }, 'START_OBJECT in [junk].'],
    ['/_reindex', { source: { index: 'films' }, dest: { version: 10 } }, '[dest] unknown field [version]'],
    ['/_reindex', { source: { index: 'films' }, dest: {} }, 'index must be specified'],
    ['/_reindex', { source: { size: 'cat' }, dest: { index: 'd' } }, 'For input string: \\"cat\\"'],
    ['/_reindex', { source: { from: 1 }, dest: { index: 'd' } }, 'from is not supported in this context'],
    [
      '/_reindex',
      { source: { _source: false }, dest: { index: 'd' } },
      '_source:false is not supported in this context',
    ],
    ['/_reindex', { conflicts: 'cat' }, 'conflicts may only be \\"proceed\\" or \\"abort\\" but was [cat]'],
    ['/_reindex', { ...bySource, size: 4, max_docs: 5 }, '[max_docs] set to two different values [4] and [5]'],
    ['/_reindex?max_docs=5', { ...bySource, max_docs: 4 }, '[max_docs] set to two different values [4] and [5]'],
    [
      '/_reindex',
      { ...bySource, dest: { index: 'films' } },
      'reindex cannot write into an index its reading from [films]',
    ],
    ['/_reindex', { ...bySource, dest: { index: 'd', routing: 'x' } }, 'routing must be unset, [keep], [discard]'],
    [
      '/_reindex',
      { ...bySource, dest: { index: 'd', op_type: 'x' } },
      "opType must be 'create' or 'index', found: [x]",
    ],
  ] as [string, Json, string][])('%s %j', async (path, body, reason) => {
    const answer = await node.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(reason.replaceAll(/(?<!\\)"/g, '\\"'));
  });

  it('is told of documents without a source', async () => {
    await node.put('/bare', { mappings: { _source: { enabled: false } } });
    await node.put('/bare/_doc/1?refresh', { age: 23 });
    const answer = await node.post('/_reindex', { source: { index: 'bare' }, dest: { index: 'copies' } });
    expect(answer.json().error.reason).toBe("[bare][1] didn't store _source");
  });

  it('is told when an index is not there', async () => {
    expect((await node.post('/nothing/_delete_by_query', ALL)).status).toBe(404);
    expect((await node.post('/_reindex', { ...bySource, source: { index: 'nothing' } })).status).toBe(404);
  });
});
