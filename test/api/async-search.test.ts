/** Searches that go on when their requests are answered. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/docs', { settings: { number_of_shards: 3, number_of_replicas: 0 } });
  const lines = Array.from({ length: 30 }, (_, n) => [{ index: { _id: String(n) } }, { n, text: 'some words' }]).flat();
  await node.bulk('/docs/_bulk?refresh=true', lines);
});
afterAll(() => node.stop());

const body = { query: { match: { text: 'words' } }, aggs: { sum: { sum: { field: 'n' } } }, size: 2 };
const kept = 'keep_on_completion=true&wait_for_completion_timeout=30s';

async function submit(parameters: string, what: object = body): Promise<Json> {
  const answer = await node.post(`/docs/_async_search?${parameters}`, what);
  expect(answer.status, answer.text).toBe(200);
  return answer.json();
}

describe('_async_search', () => {
  test('answers at once what is done in time, and keeps nothing of it', async () => {
    const answer = await submit('wait_for_completion_timeout=30s');
    expect(answer).toMatchObject({ is_partial: false, is_running: false });
    expect(answer.id).toBeUndefined();
    expect(answer.response).toMatchObject({
      _shards: { total: 3, successful: 3, failed: 0 },
      hits: { total: { value: 30, relation: 'eq' } },
      aggregations: { sum: { value: 435 } },
    });
    expect(answer.response.hits.hits).toHaveLength(2);
    expect(answer.completion_time_in_millis).toBeGreaterThanOrEqual(answer.start_time_in_millis);
  });

  test('keeps what it is told to keep, until it is deleted', async () => {
    const { id, response } = await submit(kept);
    // More often than there are workers: whichever has the request knows where the search is.
    for (let time = 0; time < 4; time++) {
      const again = (await node.get(`/_async_search/${id}`)).json();
      expect(again).toMatchObject({ id, is_running: false, is_partial: false });
      expect(again.response).toEqual(response);
    }
    const status = (await node.get(`/_async_search/status/${id}`)).json();
    expect(status).toMatchObject({ id, is_running: false, completion_status: 200, _shards: { successful: 3 } });
    expect((await node.delete(`/_async_search/${id}`)).json()).toEqual({ acknowledged: true });
    for (const path of [`/_async_search/${id}`, `/_async_search/status/${id}`]) {
      const gone = await node.get(path);
      expect([gone.status, gone.json().error.type]).toEqual([404, 'resource_not_found_exception']);
    }
    expect((await node.delete(`/_async_search/${id}`)).status).toBe(404);
  });

  test('goes on when nobody waits, and is waited for later', async () => {
    const { id } = await submit('keep_on_completion=true&wait_for_completion_timeout=0ms');
    const answer = (await node.get(`/_async_search/${id}?wait_for_completion_timeout=30s`)).json();
    expect(answer.is_running).toBe(false);
    expect(answer.response.aggregations).toEqual({ sum: { value: 435 } });
  });

  test('is kept for as long as is said', async () => {
    const { id, start_time_in_millis: start, expiration_time_in_millis: end } = await submit(`${kept}&keep_alive=1h`);
    expect(end - start).toBe(3_600_000);
    const longer = (await node.get(`/_async_search/${id}?keep_alive=2h`)).json();
    expect(longer.expiration_time_in_millis - start).toBe(7_200_000);
    const short = await submit(`${kept}&keep_alive=1s`);
    await node.until(async () => ((await node.get(`/_async_search/${short.id}`)).status === 404 ? true : undefined));
  });

  test('a search that fails is kept with its error and status', async () => {
    const { id } = await submit(`keep_on_completion=true&wait_for_completion_timeout=0ms`, {
      query: { match: { n: 'no number' } },
    });
    const answer = await node.get(`/_async_search/${id}?wait_for_completion_timeout=30s`);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      is_running: false,
      is_partial: true,
      error: { type: 'search_phase_execution_exception' },
      response: { _shards: { total: 3, failed: 3 } },
    });
    expect((await node.get(`/_async_search/status/${id}`)).json().completion_status).toBe(400);
  });

  test.each<[string, object, string]>([
    ['keep_alive=10ms', {}, '[keep_alive] must be greater or equals than 1s, got: 10ms'],
    ['ccs_minimize_roundtrips=true', {}, '[ccs_minimize_roundtrips] must be false, got: true'],
    ['scroll=1m', {}, 'unrecognized parameter: [scroll]'],
    ['', { nope: 1 }, 'Unknown key for a VALUE_NUMBER in [nope].'],
  ])('refuses ?%s %j', async (parameters, what, reason) => {
    const answer = await node.post(`/docs/_async_search?${parameters}`, what);
    expect(answer.status).toBe(400);
    expect(answer.json().error.reason).toContain(reason);
  });

  test('refuses ids that are none', async () => {
    expect((await node.get('/_async_search/nope')).status).toBe(400);
  });

  test('an answer above the limit is not kept', async () => {
    await node.put('/_cluster/settings', { persistent: { 'search.max_async_search_response_size': '50b' } });
    const { id } = await submit('keep_on_completion=true&wait_for_completion_timeout=0ms');
    const answer = await node.get(`/_async_search/${id}?wait_for_completion_timeout=30s`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("Can't store an async search response larger than [50] bytes");
    await node.put('/_cluster/settings', { persistent: { 'search.max_async_search_response_size': null } });
  });

  test('one that runs is cancelled by its task, and by its deletion', async () => {
    await node.put('/slow', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
    const lines = Array.from({ length: 10_000 }, (_, n) => [{ index: {} }, { n }]).flat();
    await node.bulk('/slow/_bulk?refresh=true', lines);
    const source = 'long s = 0; for (int i = 0; i < 100; i++) { s += i % 7; } return s >= 0';
    const slow = { size: 0, track_total_hits: true, query: { script: { script: { source } } } };
    const begin = async (): Promise<string> => {
      const path = '/slow/_async_search?keep_on_completion=true&wait_for_completion_timeout=0ms&request_cache=false';
      const answer = (await node.post(path, slow)).json();
      expect(answer.is_running).toBe(true);
      return answer.id;
    };
    // A request that meets the busy worker comes when the search has ended.
    const error = await node.until(async () => {
      const id = await begin();
      await node.post('/_tasks/_cancel?actions=*async_search/submit');
      return (await node.get(`/_async_search/${id}?wait_for_completion_timeout=60s`)).json().error as Json;
    });
    expect(JSON.stringify(error)).toContain('task_cancelled_exception');
    const deleted = await begin();
    await node.delete(`/_async_search/${deleted}`);
    expect((await node.get(`/_async_search/${deleted}`)).status).toBe(404);
  });

  test('no task is left when all have ended', async () => {
    await node.until(async () => {
      const tasks = (await node.get('/_tasks?actions=*async_search*&group_by=none')).json().tasks as readonly Json[];
      return tasks.some(({ action }) => action === 'indices:data/read/async_search/submit') ? undefined : true;
    });
  });
});
