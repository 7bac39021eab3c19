import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
const DOCUMENTS = 57;

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/many', { settings: { number_of_shards: 3 }, mappings: { properties: { n: { type: 'long' } } } });
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => [{ index: { _id: String(n) } }, { n: n % 10, t: 'word' }]);
  await node.bulk('/many/_bulk?refresh', lines.flat());
});

afterAll(async () => {
  await node.stop();
});

function idsOf(answer: Json): string[] {
  return answer.hits.hits.map(({ _id }: Json) => _id);
}

/** Every page of a scroll, to the end. */
async function allPages(path: string, body: unknown): Promise<{ ids: string[]; scrollId: string; totals: Json[] }> {
  let answer = (await node.post(path, body)).json();
  const ids: string[] = [];
  const totals: Json[] = [];
  while (answer.hits.hits.length > 0) {
    ids.push(...idsOf(answer));
    totals.push(answer.hits.total);
    answer = (await node.post('/_search/scroll', { scroll_id: answer._scroll_id, scroll: '1m' })).json();
  }
  return { ids, scrollId: answer._scroll_id, totals };
}

const everyId = Array.from({ length: DOCUMENTS }, (_, n) => String(n)).sort();

describe('scroll', () => {
  it.each<[unknown]>([
    [{ size: 7 }],
    [{ size: 7, sort: ['_doc'] }],
    [{ size: 10, sort: [{ n: 'desc' }] }],
    [{ size: 100, query: { match: { t: 'word' } } }],
  ])('shows every document once: %j', async (body) => {
    const { ids, totals, scrollId } = await allPages('/many/_search?scroll=1m', body);
    expect(ids.slice().sort()).toEqual(everyId);
    expect(totals.every(({ value, relation }) => value === DOCUMENTS && relation === 'eq')).toBe(true);
    const cleared = await node.request('DELETE', '/_search/scroll', { scroll_id: [scrollId] });
    expect([cleared.status, cleared.json()]).toEqual([200, { succeeded: true, num_freed: 3 }]);
    const again = await node.request('DELETE', `/_search/scroll/${scrollId}`);
    expect([again.status, again.json()]).toEqual([404, { succeeded: true, num_freed: 0 }]);
  });

  it('sees what was there at its beginning, through refreshes, deletions and merges', async () => {
    await node.put('/view', { mappings: { properties: { n: { type: 'long' } } } });
    for (const n of [1, 2, 3]) await node.put(`/view/_doc/${n}?refresh`, { n });
    const first = (await node.post('/view/_search?scroll=1m&size=1&sort=n')).json();
    expect([idsOf(first), first.hits.max_score]).toEqual([['1'], null]);
    await node.put('/view/_doc/4?refresh', { n: 4 });
    await node.delete('/view/_doc/2?refresh');
    await node.post('/view/_forcemerge?max_num_segments=1');
    const { _scroll_id } = first;
    const second = (await node.get(`/_search/scroll/${_scroll_id}?scroll=1m&rest_total_hits_as_int=true`)).json();
    expect([idsOf(second), second.hits.total, second.hits.hits[0].sort]).toEqual([['2'], 3, [2]]);
    const third = (await node.post('/_search/scroll?scroll_id=nonsense', { scroll_id: _scroll_id })).json();
    expect(idsOf(third)).toEqual(['3']);
    const stats = (await node.get('/view/_stats/search')).json()._all.total.search;
    expect([stats.open_contexts, stats.scroll_current, stats.scroll_total]).toEqual([1, 1, 0]);
    await node.request('DELETE', '/_search/scroll/_all');
    const after = (await node.get('/view/_stats/search')).json()._all.total.search;
    expect([after.open_contexts, after.scroll_current, after.scroll_total]).toEqual([0, 0, 1]);
  });

  it('is cut into slices that have no document in common', async () => {
    for (const max of [2, 3, 8]) {
      const slices = await Promise.all(
        Array.from({ length: max }, (_, id) => allPages('/many/_search?scroll=1m', { size: 5, slice: { id, max } })),
      );
      expect(slices.flatMap(({ ids }) => ids).sort()).toEqual(everyId);
    }
    await node.request('DELETE', '/_search/scroll/_all');
  });

  it.each<[string, unknown, number, string]>([
    ['/many/_search?scroll=1m', { size: 0 }, 400, '[size] cannot be [0] in a scroll context'],
    ['/many/_search?scroll=1m', { from: 1 }, 400, 'using [from] is not allowed in a scroll context'],
    ['/many/_search?scroll=1m', { track_total_hits: false }, 400, 'disabling [track_total_hits] is not allowed'],
    ['/many/_search?scroll=1m&request_cache=true', {}, 400, '[request_cache] cannot be used in a scroll context'],
    ['/many/_search?scroll=25h', {}, 400, 'Keep alive for request (1d) is too large. It must be less than (1d)'],
    ['/many/_search?scroll=1m', { size: 10_001 }, 400, 'Batch size is too large'],
    ['/many/_search?scroll=1m', { slice: { id: 2, max: 2 } }, 400, 'max must be greater than id'],
    ['/many/_search?scroll=1m', { slice: { id: 0, max: 1_025 } }, 400, 'The number of slices [1025] is too large'],
    ['/many/_search', { slice: { id: 0, max: 2 } }, 400, '[slice] can only be used with [scroll]'],
    ['/_search/scroll', { scroll_id: 'bm9uc2Vuc2U' }, 400, 'Cannot parse scroll id'],
    ['/_search/scroll', {}, 400, 'scrollId is missing'],
    ['/_search/scroll', { scroll_id: 'x', more: 1 }, 400, 'Unknown parameter [more] in request body'],
  ])('%s %j is refused', async (path, body, status, reason) => {
    const refused = await node.post(path, body);
    expect([refused.status, refused.json().error.reason]).toEqual([status, expect.stringContaining(reason)]);
  });

  it('refuses an id that was changed, and one of a scroll that is gone', async () => {
    const { _scroll_id } = (await node.post('/many/_search?scroll=1m&size=1')).json();
    const damaged = `${_scroll_id.slice(0, 40)}${_scroll_id[40] === 'A' ? 'B' : 'A'}${_scroll_id.slice(41)}`;
    expect((await node.post('/_search/scroll', { scroll_id: damaged })).status).toBe(400);
    expect((await node.request('DELETE', '/_search/scroll', { scroll_id: damaged })).status).toBe(400);
    await node.request('DELETE', '/_search/scroll', { scroll_id: _scroll_id });
    const gone = await node.post('/_search/scroll', { scroll_id: _scroll_id });
    const { error } = gone.json();
    expect([gone.status, error.type, error.root_cause[0].type]).toEqual([
      404,
      'search_phase_execution_exception',
      'search_context_missing_exception',
    ]);
  });

  it('is freed after its time', async () => {
    const { _scroll_id } = (await node.post('/many/_search?scroll=50ms&size=1')).json();
    const status = await node.until(async () => {
      const answer = await node.get('/many/_stats/search');
      return answer.json()._all.total.search.open_contexts === 0 ? 0 : undefined;
    });
    expect(status).toBe(0);
    expect((await node.post('/_search/scroll', { scroll_id: _scroll_id })).status).toBe(404);
  });

  it('is limited in number', async () => {
    await node.put('/_cluster/settings', { transient: { 'search.max_open_scroll_context': 2 } });
    const open = (): Promise<{ status: number; json(): Json }> => node.post('/view/_search?scroll=1m&size=1');
    expect([(await open()).status, (await open()).status]).toEqual([200, 200]);
    const refused = await open();
    const { error } = refused.json();
    expect([refused.status, error.root_cause[0].type]).toEqual([429, 'too_many_scroll_contexts_exception']);
    expect(error.root_cause[0].reason).toBe(
      'Trying to create too many scroll contexts. Must be less than or equal to: [2]. This limit can be set by changing ' +
        'the [search.max_open_scroll_context] setting.',
    );
    await node.put('/_cluster/settings', { transient: { 'search.max_open_scroll_context': null } });
    await node.request('DELETE', '/_search/scroll/_all');
  });
});
