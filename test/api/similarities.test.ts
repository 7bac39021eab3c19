import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { TestNode, type Json } from './node-harness.js';
import { DOCUMENTS, QUERIES, SCORES } from './similarity-scores.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(async () => {
  await node.stop();
});

async function fill(index: string, body: JsonObject, texts: readonly string[] = DOCUMENTS, field = 't'): Promise<void> {
  const created = await node.put(`/${index}`, body);
  expect([created.status, created.json().error?.reason]).toEqual([200, undefined]);
  const lines = texts.flatMap((text, n) => [{ index: { _id: String(n) } }, { [field]: text }]);
  const written = await node.bulk(`/${index}/_bulk?refresh=true`, lines);
  expect(written.json().errors).toBe(false);
}

async function scoresOf(index: string, query: JsonObject, more: JsonObject = {}): Promise<Record<string, number>> {
  const { hits } = (await node.post(`/${index}/_search?search_type=dfs_query_then_fetch`, { query, ...more })).json();
  return Object.fromEntries(hits.hits.map(({ _id, _score }: Json) => [_id, _score]));
}

function expectClose(actual: Readonly<Record<string, number>>, expected: Readonly<Record<string, number>>): void {
  expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
  for (const [id, score] of Object.entries(expected)) {
    expect(Math.abs((actual[id] ?? Number.NaN) - score)).toBeLessThanOrEqual(Math.max(score, 1e-4) * 1e-5);
  }
}

describe('scores by other similarities', () => {
  it.each(SCORES)('are those of OpenSearch: %j', async (similarity, expected) => {
    const own = { type: 'text', similarity: 'own' };
    await fill('own', { settings: { similarity: { own: similarity } }, mappings: { properties: { t: own } } });
    await fill('whole', { settings: { number_of_shards: 3, similarity: { default: similarity } } });
    for (const [place, query] of QUERIES.entries()) {
      const scores = expected[place] ?? {};
      expectClose(await scoresOf('own', query), scores);
      expectClose(await scoresOf('whole', query), scores);
      for (const [id, score] of Object.entries(scores).slice(0, 2)) {
        const { explanation } = (await node.post(`/own/_explain/${id}`, { query })).json();
        expectClose({ [id]: explanation.value }, { [id]: score });
      }
    }
    await node.delete('/own,whole');
  });

  it('find the same best documents as scoring all of them, whatever windows are passed over', async () => {
    const words = ['ash', 'birch', 'cedar', 'elm', 'fir', 'hazel'];
    const text = (n: number): string =>
      Array.from(
        { length: 1 + ((n * 7919) % 23) },
        (_, at) => words[(n * (at + 3) + at * at) % (n % 997 === 0 ? 2 : 6)],
      ).join(' ');
    const texts = Array.from({ length: 9000 }, (_, n) => text(n));
    const dfr = { type: 'DFR', basic_model: 'in', after_effect: 'l', normalization: 'h2' };
    await fill(
      'many',
      {
        settings: { similarity: { dfr, steep: { type: 'BM25', k1: 9, b: 1 } } },
        mappings: {
          properties: {
            t: { type: 'text', similarity: 'dfr', fields: { s: { type: 'text', similarity: 'steep' } } },
          },
        },
      },
      texts,
    );
    const queries: JsonObject[] = ['t', 't.s'].flatMap((field) => [
      { match: { [field]: 'ash' } },
      { match: { [field]: 'ash fir' } },
      { match: { [field]: { query: 'ash fir elm', operator: 'and' } } },
      { match_phrase: { [field]: 'ash birch' } },
      { bool: { must: [{ match: { [field]: 'ash' } }], should: [{ match: { [field]: 'cedar' } }] } },
    ]);
    for (const query of queries) {
      const page = async (size: number): Promise<number[]> => {
        const { hits } = (await node.post('/many/_search', { query, size, track_total_hits: size > 10 })).json();
        return hits.hits.map(({ _score }: Json) => _score);
      };
      const all = await page(9000);
      expect(all.length).toBeGreaterThan(10);
      expect(await page(10)).toEqual(all.slice(0, 10));
    }
    await node.delete('/many');
  });

  it('count overlapping tokens where they are told to', async () => {
    const analysis = {
      filter: { names: { type: 'synonym', synonyms: ['elm,ulmus,wych'] } },
      analyzer: { names: { tokenizer: 'standard', filter: ['names'] } },
    };
    const similarity = { all: { type: 'BM25', discount_overlaps: false } };
    const text = { type: 'text', analyzer: 'names', search_analyzer: 'standard' };
    const mappings = { properties: { t: { ...text, fields: { all: { ...text, similarity: 'all' } } } } };
    await fill('overlaps', { settings: { analysis, similarity }, mappings }, ['elm oak', 'oak pine']);
    const { details } = (await node.post('/overlaps/_explain/0', { query: { term: { 't.all': 'oak' } } })).json()
      .explanation;
    expect(JSON.stringify(details)).toContain('"value":4,"description":"dl, length of field"');
    const discounted = (await node.post('/overlaps/_explain/0', { query: { term: { t: 'oak' } } })).json().explanation;
    expect(JSON.stringify(discounted)).toContain('"value":2,"description":"dl, length of field"');
    await node.delete('/overlaps');
  });

  it('count different words where frequencies are not kept', async () => {
    const mappings = { properties: { t: { type: 'text', index_options: 'docs' } } };
    await fill('docs', { mappings }, ['elm elm elm oak', 'oak pine fir']);
    const { details } = (await node.post('/docs/_explain/0', { query: { term: { t: 'oak' } } })).json().explanation;
    expect(JSON.stringify(details)).toContain('"value":2,"description":"dl, length of field"');
    await node.delete('/docs');
  });

  it('are those of the index for fields without text', async () => {
    const properties = { k: { type: 'keyword' }, u: { type: 'keyword', similarity: 'BM25' }, b: { type: 'boolean' } };
    await node.put('/kinds', { settings: { similarity: { default: { type: 'boolean' } } }, mappings: { properties } });
    await node.put('/kinds/_doc/1?refresh', { k: 'x', u: 'x', b: true });
    const terms: JsonObject[] = [{ k: 'x' }, { b: true }, { u: 'x' }];
    const scores = await Promise.all(terms.map((term) => scoresOf('kinds', { term })));
    expect(scores.map((score) => score['1'])).toEqual([1, 1, expect.closeTo(0.13076457)]);
    await node.delete('/kinds');
  });

  it('are not those of combined fields, which know BM25 alone', async () => {
    const query = { combined_fields: { query: 'fox', fields: ['t'] } };
    await fill('default-other', { settings: { similarity: { default: { type: 'boolean' } } } });
    const other = (await node.post('/default-other/_search', { query })).json();
    expect(other.error.root_cause[0].reason).toContain('can only be used with the [BM25] similarity');
    await fill('per-field', { mappings: { properties: { t: { type: 'text', similarity: 'boolean' } } } });
    const own = (await node.post('/per-field/_search', { query })).json();
    expect(own.error.root_cause[0].reason).toContain('cannot be used with per-field similarities');
    await fill('flat', { settings: { similarity: { default: { type: 'BM25', k1: 0 } } } }, ['fox', 'a fox and a fox']);
    const { 0: one, 1: two } = await scoresOf('flat', query);
    expect(one).toBeCloseTo(two ?? 0, 6);
    await node.delete('/default-other,per-field,flat');
  });
});

describe('similarities in settings and mappings', () => {
  it('are shown, and change while the index is closed', async () => {
    await fill('shown', {
      settings: { similarity: { own: { type: 'BM25', k1: 0 } } },
      mappings: { properties: { t: { type: 'text', similarity: 'own' } } },
    });
    const shown = async (): Promise<Json> =>
      (await node.get('/shown/_settings')).json().shown.settings.index.similarity;
    expect(await shown()).toEqual({ own: { type: 'BM25', k1: '0' } });
    expect((await node.get('/shown/_mapping')).json().shown.mappings.properties.t).toEqual({
      type: 'text',
      similarity: 'own',
    });
    const query = { match: { t: 'quick' } };
    const before = await scoresOf('shown', query);
    expect(before['1']).toBe(before['4']);
    const update = { 'index.similarity.own.k1': 2 };
    expect((await node.put('/shown/_settings', update)).json().error.reason).toContain(
      "Can't update non dynamic settings",
    );
    await node.post('/shown/_close');
    const wrong = (await node.put('/shown/_settings', { 'index.similarity.own.k1': -2 })).json();
    expect(wrong.error.reason).toContain('[index.similarity.own.k1]');
    const gone = (await node.put('/shown/_settings', { 'index.similarity.own.*': null })).json();
    expect([gone.status, gone.error.reason]).toEqual([400, 'Unknown Similarity type [own] for field [t]']);
    expect((await node.put('/shown/_settings', update)).status).toBe(200);
    await node.post('/shown/_open?wait_for_active_shards=1');
    await node.get('/_cluster/health/shown?wait_for_status=yellow');
    const after = await scoresOf('shown', query);
    expect(after['4']).toBeGreaterThan(after['1'] ?? 0);
    expect(await shown()).toEqual({ own: { type: 'BM25', k1: '2' } });
    await node.delete('/shown');
  });

  it('come from templates', async () => {
    const template = (similarity: JsonObject): JsonObject => ({
      index_patterns: ['scored-*'],
      template: { settings: { similarity }, mappings: { properties: { t: { type: 'text', similarity: 'own' } } } },
    });
    const refused = (await node.put('/_index_template/scored', template({ other: { type: 'boolean' } }))).json();
    expect(JSON.stringify(refused.error)).toContain('Unknown Similarity type [own] for field [t]');
    expect((await node.put('/_index_template/scored', template({ own: { type: 'boolean' } }))).status).toBe(200);
    await node.put('/scored-1/_doc/1?refresh', { t: 'elm elm oak' });
    expect(await scoresOf('scored-1', { match: { t: { query: 'elm', boost: 3 } } })).toEqual({ 1: 3 });
    await node.delete('/_index_template/scored');
    await node.delete('/scored-1');
  });

  it('have scripts that are compiled and tried when they come', async () => {
    const refusal = async (source: string): Promise<Json> =>
      (
        await node.put('/scripted', { settings: { similarity: { own: { type: 'scripted', script: { source } } } } })
      ).json();
    expect(await refusal('return foo')).toMatchObject({ status: 400, error: { type: 'script_exception' } });
    const negative = await refusal('return -doc.freq');
    expect([negative.status, negative.error.reason]).toEqual([
      400,
      expect.stringMatching(/^Similarities should not return negative scores:\n-1\.0 = score from ScriptedSimilarity/),
    ]);
    expect((await refusal('return doc.length')).error.reason).toContain('should not increase when norm increases');
  });
});
