import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

interface Counts {
  readonly compilations: number;
}

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/scripted', { mappings: { properties: { tag: { type: 'keyword' } } } });
  for (const [id, n] of [1, 2, 3].entries()) {
    await node.put(`/scripted/_doc/${id}`, { n, tag: n > 1 ? ['b', 'a'] : [], on: '2020-01-0' + String(n) });
  }
  await node.post('/scripted/_refresh');
});

afterAll(async () => {
  await node.stop();
});

async function ids(query: object): Promise<readonly string[]> {
  const answer = await node.post('/scripted/_search', { query });
  return (answer.json().hits.hits as { _id: string }[]).map((hit) => hit._id);
}

describe('updates by script', () => {
  it('change, delete and leave a document', async () => {
    await node.put('/updated/_doc/1', { n: 1, tags: [] });
    const script = { source: 'ctx._source.n += params.by; ctx._source.tags.add(ctx._id)', params: { by: 4 } };
    const changed = await node.post('/updated/_update/1', { script });
    expect([changed.status, changed.json()]).toMatchObject([200, { result: 'updated', _version: 2 }]);
    expect((await node.get('/updated/_source/1')).json()).toEqual({ n: 5, tags: ['1'] });
    const noop = await node.post('/updated/_update/1', { script: "ctx.op = 'none'" });
    expect(noop.json()).toMatchObject({ result: 'noop', _version: 2 });
    const deleted = await node.post('/updated/_update/1', { script: "ctx.op = 'delete'" });
    expect(deleted.json()).toMatchObject({ result: 'deleted', _version: 3 });
    expect((await node.get('/updated/_doc/1')).status).toBe(404);
  });

  it('insert what is missing, with or without the script', async () => {
    const script = 'ctx._source.n = (ctx._source.n ?: 0) + 1';
    const missing = await node.post('/upserts/_update/1', { script });
    expect([missing.status, missing.json().error.type]).toEqual([404, 'document_missing_exception']);
    await node.post('/upserts/_update/1', { script, upsert: { n: 10 } });
    expect((await node.get('/upserts/_source/1')).json()).toEqual({ n: 10 });
    await node.post('/upserts/_update/2', { script, upsert: { n: 10 }, scripted_upsert: true });
    expect((await node.get('/upserts/_source/2')).json()).toEqual({ n: 11 });
  });

  it('run in a bulk, where a failure is that of its item', async () => {
    const answer = await node.bulk('/bulked/_bulk', [
      { index: { _id: '1' } },
      { n: 1 },
      { update: { _id: '1' } },
      { script: { source: 'ctx._source.n *= 5' } },
      { update: { _id: '1' } },
      { script: { source: 'ctx._source.n /= 0' } },
    ]);
    const { errors, items } = answer.json();
    expect([errors, items[1].update.result]).toEqual([true, 'updated']);
    expect(items[2].update.error).toMatchObject({
      type: 'illegal_argument_exception',
      reason: 'failed to execute script',
      caused_by: { type: 'script_exception', caused_by: { type: 'arithmetic_exception', reason: '/ by zero' } },
    });
    expect((await node.get('/bulked/_source/1')).json()).toEqual({ n: 5 });
  });
});

describe('scripts in searches', () => {
  it('filter', async () => {
    const script = { source: "doc['n'].value % 2 == params.rest", params: { rest: 1 } };
    expect(await ids({ script: { script } })).toEqual(['0', '2']);
    expect(await ids({ bool: { filter: [{ script: { script } }, { range: { n: { gt: 1 } } }] } })).toEqual(['2']);
    expect(await ids({ script: { script: "doc['tag'].size() == 0" } })).toEqual(['0']);
    expect(await ids({ script: { script: "doc['on'].value.dayOfMonth == 2" } })).toEqual(['1']);
  });

  it('score', async () => {
    const script = { source: "_score * doc['n'].value * params.factor", params: { factor: 2.0 } };
    const body = { query: { script_score: { query: { match_all: {} }, script, min_score: 3 } } };
    const { hits } = (await node.post('/scripted/_search', body)).json();
    const scores = (hits.hits as { _id: string; _score: number }[]).map((hit) => [hit._id, hit._score]);
    expect([hits.total.value, scores]).toEqual([
      2,
      [
        ['2', 6],
        ['1', 4],
      ],
    ]);
    const query = {
      script_score: { query: { match_all: {} }, script: { lang: 'expression', source: "-doc['n'].value" } },
    };
    const refused = await node.post('/scripted/_search', { query });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Must be a non-negative score!');
  });

  it('compute fields of hits', async () => {
    const body = {
      sort: ['n'],
      script_fields: {
        half: { script: { source: "doc['n'].value / params.by", params: { by: 2.5 } } },
        tags: { script: "doc['tag']" },
        same: { script: 'params._source.n' },
      },
    };
    const { hits } = (await node.post('/scripted/_search', body)).json();
    expect(hits.hits[2].fields).toEqual({ half: [1.2], tags: ['a', 'b'], same: [3] });
    expect(hits.hits[2]).not.toHaveProperty('_source');
  });

  it('know the index of a document', async () => {
    const query = { script: { script: "doc['_index'].size() == 1 && doc['_index'].value.startsWith('script')" } };
    const script_fields = { index: { script: "doc['_index'].value + doc['_index'].length" } };
    const body = { query, script_fields, docvalue_fields: ['_index'], size: 1 };
    const { hits } = (await node.post('/scripted/_search', body)).json();
    expect(hits.hits[0].fields).toEqual({ _index: ['scripted'], index: ['scripted1'] });
    const formatted = { docvalue_fields: [{ field: '_index', format: 'x' }] };
    const refused = await node.post('/scripted/_search', formatted);
    expect(refused.text).toContain('Field [_index] of type [_index] does not support custom formats');
  });

  it('know the id of a document, also within its nested ones', async () => {
    await node.put('/named', { mappings: { properties: { parts: { type: 'nested' } } } });
    const lines = ['one', 'two'].flatMap((id) => [{ index: { _id: id } }, { parts: [{ n: 1 }, { n: 2 }] }]);
    await node.bulk('/named/_bulk?refresh=true', lines);
    const is = (id: string): object => ({
      script: { script: `doc['_id'].value == '${id}' && doc['_id'].size() == 1` },
    });
    const script_fields = { id: { script: "doc['_id'].value + ' ' + doc.containsKey('_id')" } };
    for (const id of ['one', 'two']) {
      for (const query of [is(id), { nested: { path: 'parts', query: is(id) } }]) {
        const { hits } = (await node.post('/named/_search', { query, script_fields })).json();
        expect(hits.hits.map((hit: Json) => hit.fields.id)).toEqual([[`${id} true`]]);
      }
    }
  });

  it('tell the zone UTC from the offset', async () => {
    const at = "ZonedDateTime.parse('2024-01-02T03:04:05Z')";
    const source = `${at}.toString() + ' ' + ${at}.withZoneSameInstant(ZoneId.of('UTC')).toString()`;
    const answer = await node.post('/_scripts/painless/_execute', { script: { source } });
    expect(answer.json().result).toBe('2024-01-02T03:04:05Z 2024-01-02T03:04:05Z[UTC]');
  });

  it('fail with their place', async () => {
    const answer = await node.post('/scripted/_search', { query: { script: { script: "doc['none'].value > 1" } } });
    expect(answer.status).toBe(400);
    const [cause] = answer.json().error.root_cause;
    expect(cause).toMatchObject({
      type: 'script_exception',
      reason: 'runtime error',
      script_stack: ["doc['none'].value > 1", '    ^---- HERE'],
      script: "doc['none'].value > 1",
      lang: 'painless',
      position: { offset: 4, start: 0, end: 21 },
    });
    const unknown = await node.post('/scripted/_search', {
      query: { script: { script: { lang: 'groovy', source: '1' } } },
    });
    expect(unknown.json().error.root_cause[0].reason).toBe('script_lang not supported [groovy]');
  });
});

describe('stored scripts', () => {
  it('are put, shown, used and deleted', async () => {
    const script = { lang: 'painless', source: 'ctx._source.n = params.n' };
    expect((await node.put('/_scripts/set-n', { script })).json()).toEqual({ acknowledged: true });
    expect((await node.get('/_scripts/set-n')).json()).toEqual({ _id: 'set-n', found: true, script });
    await node.put('/stored/_doc/1', {});
    await node.post('/stored/_update/1', { script: { id: 'set-n', params: { n: 7 } } });
    expect((await node.get('/stored/_source/1')).json()).toEqual({ n: 7 });
    expect((await node.delete('/_scripts/set-n')).json()).toEqual({ acknowledged: true });
    expect((await node.get('/_scripts/set-n')).status).toBe(404);
    const gone = await node.post('/stored/_update/1', { script: { id: 'set-n' } });
    expect(gone.json().error.caused_by.reason).toBe('unable to find script [set-n] in cluster state');
  });

  it('are refused when they do not compile', async () => {
    const refused = await node.put('/_scripts/bad/score', { script: { lang: 'painless', source: 'return nothing' } });
    expect([refused.status, refused.json().error]).toMatchObject([
      400,
      { type: 'script_exception', reason: 'compile error', caused_by: { reason: 'cannot resolve symbol [nothing]' } },
    ]);
  });
});

describe('_execute', () => {
  it('tells what a script returns', async () => {
    // Numbers as they are written: these are no whole ones.
    const body = '{"script":{"source":"params.count / params.total","params":{"count":100.0,"total":1000.0}}}';
    expect((await node.post('/_scripts/painless/_execute', body)).json()).toEqual({ result: '0.1' });
    const whole = { script: { source: 'params.a / params.b', params: { a: 5, b: 2 } } };
    expect((await node.post('/_scripts/painless/_execute', whole)).json()).toEqual({ result: '2' });
  });

  it('is counted', async () => {
    const counted = async (): Promise<number> => {
      const { nodes } = (await node.get('/_nodes/stats/script,script_cache')).json();
      const [stats] = Object.values(nodes as Record<string, { script: Counts; script_cache: { sum: Counts } }>);
      expect(stats?.script_cache.sum).toMatchObject({ compilations: stats?.script.compilations });
      return stats?.script.compilations ?? -1;
    };
    const before = await counted();
    for (const source of ['41 + 1', '41 + 1', '41 + 2'])
      await node.post('/_scripts/painless/_execute', { script: { source } });
    expect(await counted()).toBe(before + 2);
  });

  it('lists contexts and languages', async () => {
    const { contexts } = (await node.get('/_script_context')).json();
    expect((contexts as { name: string }[]).map(({ name }) => name)).toContain('update');
    const languages = (await node.get('/_script_language')).json();
    expect(languages.types_allowed).toEqual(['inline', 'stored']);
  });
});

describe('what a search shows of its hits', () => {
  it.each([1, 2])('is refused where it cannot be made, with no hits on %d shards as well', async (shards) => {
    const index = `/empty-${shards}`;
    const settings = { number_of_shards: shards };
    await node.put(index, { settings, mappings: { properties: { tag: { type: 'keyword' } } } });
    const broken = { script_fields: { a: { script: 'nonsense(' } } };
    const marked = { highlight: { fields: { tag: { highlight_query: { regexp: { tag: '[(' } } } } } };
    for (const documents of [0, 5]) {
      for (let id = 0; id < documents; id++) await node.put(`${index}/_doc/${id}?refresh`, { tag: 'a' });
      for (const size of [0, 10]) {
        expect((await node.post(`${index}/_search`, { size, ...broken })).json().error.type).toBe(
          'search_phase_execution_exception',
        );
        expect((await node.post(`${index}/_search`, { size, ...marked })).status).toBe(400);
      }
      expect((await node.post(`${index}/_search`, { from: 9, ...broken })).status).toBe(400);
    }
  });
});
