/** `_delete_by_query` and `_update_by_query` over HTTP, and the jobs that they are. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FILMS as COUNT, fillFilms, idsIn } from './films.js';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
const ALL = { query: { match_all: {} } };

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

beforeEach(() => fillFilms(node));

const ids = (index: string): Promise<readonly string[]> => idsIn(node, index);

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
    ['ctx._version = 7', 'Modifying [_version] not allowed'],
    ['ctx.junk = 1', 'Invalid fields added to context [junk]'],
    ["ctx.op = 'junk'", 'Operation type [junk] not allowed, only [noop, index, delete] are allowed'],
  ])('refuses %s', async (source, reason) => {
    const answer = await node.post('/films/_update_by_query', { script: { source } });
    expect(answer.status).toBe(400);
    expect(answer.json().error.reason).toBe(reason);
  });
});

describe('what is wrong with a request', () => {
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
  ] as [string, Json, string][])('%s %j', async (path, body, reason) => {
    const answer = await node.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(reason.replaceAll(/(?<!\\)"/g, '\\"'));
  });

  it('is told when an index is not there', async () => {
    expect((await node.post('/nothing/_delete_by_query', ALL)).status).toBe(404);
  });
});
