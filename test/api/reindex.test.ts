/** `_reindex` over HTTP, from this cluster and from another one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FILMS as COUNT, fillFilms, idsIn } from './films.js';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'reindex.remote.whitelist': 'localhost:*' });
});

afterAll(async () => {
  await node.stop();
});

beforeEach(() => fillFilms(node));

const ids = (index: string): Promise<readonly string[]> => idsIn(node, index);

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

describe('versions that a script chooses', () => {
  const copy = (version: string, dest: Json): Promise<Json> =>
    node.post('/_reindex?refresh', {
      source: { index: 'films', query: { term: { n: 1 } } },
      dest: { index: 'copies', ...dest },
      script: { source: `ctx._version = ${version}` },
    });

  it('are written where the destination looks at versions', async () => {
    expect((await copy('7', { version_type: 'external' })).json()).toMatchObject({ created: 1 });
    expect((await node.get('/copies/_doc/1?routing=r1')).json()._version).toBe(7);
    expect((await copy('7', { version_type: 'external' })).status).toBe(409);
    expect((await copy('null', { version_type: 'external' })).json()).toMatchObject({ updated: 1 });
    expect((await node.get('/copies/_doc/1?routing=r1')).json()._version).toBe(8);
  });

  it.each([
    ["'x'", 'external', 'Expected [_version] to be a long but was [x]'],
    ['7', 'internal', 'internal versioning can not be used for optimistic concurrency control'],
  ])('are refused: %s as %s', async (version, version_type, reason) => {
    const answer = await copy(version, { version_type });
    expect(answer.status).toBe(400);
    expect(answer.json().error.reason).toContain(reason);
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
    expect((await node.post('/_reindex', { ...bySource, source: { index: 'nothing' } })).status).toBe(404);
  });
});
