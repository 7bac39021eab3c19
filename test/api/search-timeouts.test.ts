/** A search that is not done in time answers with what it found, unless partial answers are not wanted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

const DOCUMENTS = 2_000;
const SLOW = { query: { script: { script: { source: 'for (int i = 0; i < 20000; i++) {} return true' } } } };
/** Two shards, and one that is answered in another way. */
const INDICES = ['several', 'single'];

describe.each([
  ['elasticsearch', 429, 'search_timeout_exception'],
  ['opensearch', 500, 'query_phase_execution_exception'],
])('a search that takes too long, as %s answers it', (distribution, status, type) => {
  let node: TestNode;

  beforeAll(async () => {
    node = await TestNode.start({ 'compatibility.distribution': distribution });
    for (const [at, index] of INDICES.entries()) {
      await node.put(`/${index}`, { settings: { number_of_shards: 2 - at } });
      const lines = Array.from({ length: DOCUMENTS }, (_, n) => `{"index":{}}\n{"n":${n}}\n`);
      expect((await node.post(`/${index}/_bulk?refresh`, lines.join(''))).json().errors).toBe(false);
    }
  });

  afterAll(async () => {
    await node.stop();
  });

  const search = (index: string, query: string, body: Json = SLOW): Promise<Answer> =>
    node.post(`/${index}/_search?${query}`, body);

  it.each(INDICES)('tells so, over the index %s', async (index) => {
    const partial = await search(index, 'timeout=1ms');
    expect([partial.status, partial.json().timed_out, partial.json()._shards.failed]).toEqual([200, true, 0]);
  });

  it.each(INDICES)('fails where partial answers are not wanted, over the index %s', async (index) => {
    const refused = await search(index, 'timeout=1ms&allow_partial_search_results=false');
    expect(refused.status, refused.text).toBe(status);
    const { error } = refused.json();
    expect(error).toMatchObject({ type: 'search_phase_execution_exception', phase: 'query' });
    expect(error.root_cause).toEqual([expect.objectContaining({ type, reason: 'Time exceeded' })]);
    expect(error.failed_shards[0].reason).toMatchObject({ type, reason: 'Time exceeded' });
    const quick = await search(index, 'timeout=1m&allow_partial_search_results=false', {});
    expect([quick.status, quick.json().timed_out]).toEqual([200, false]);
  });

  it('has the status of the shards that were late where others were not', async () => {
    await node.put('/empty', {});
    const refused = await search('several,empty', 'timeout=1ms&allow_partial_search_results=false');
    expect([refused.status, refused.json().error.reason]).toEqual([status, 'Partial shards failure']);
  });

  it('does either by the settings of the cluster', async () => {
    const [timeout, partial] = ['search.default_search_timeout', 'search.default_allow_partial_results'];
    await node.put('/_cluster/settings', { persistent: { [timeout]: '1ms', [partial]: false } });
    expect((await search('several', '')).status).toBe(status);
    expect((await search('several', 'allow_partial_search_results=true')).json().timed_out).toBe(true);
    expect((await search('several', 'timeout=1m', {})).status).toBe(200);
    await node.put('/_cluster/settings', { persistent: { [timeout]: null, [partial]: null } });
  });
});
