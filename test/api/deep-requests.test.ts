/**
 * Everything that nests, to its limit and one past it, on the threads of a real node: what is within is answered, what is beyond is refused by
 * name, and nothing ends the node.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;

/** Of a body: see `JSON_DEPTH_MAX`. */
const BODY_DEPTH_MAX = 1_000;

function nested(depth: number, around: (inner: Json) => Json, core: Json): Json {
  let value = core;
  for (let level = 0; level < depth; level++) value = around(value);
  return value;
}

function parentheses(depth: number, core: string): string {
  return '('.repeat(depth) + core + ')'.repeat(depth);
}

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/deep', {
    // Several shards: partial results are written, read and reduced.
    settings: { number_of_shards: 3, number_of_replicas: 0 },
    mappings: {
      properties: {
        k: { type: 'keyword' },
        n: { type: 'integer' },
        t: { type: 'text' },
        g: { type: 'geo_shape' },
        q: { type: 'percolator' },
        free: { type: 'object', enabled: false },
        o: { type: 'nested', properties: { k: { type: 'keyword' } } },
      },
    },
  });
  // The ids are given: with ids by chance one run in fifty leaves a shard empty, where no script runs and nothing fails.
  const lines = Array.from(
    { length: 12 },
    (_, n) => `{"index":{"_id":"${n}"}}\n{"k":"a${n}","n":${n},"t":"red green","o":[{"k":"x"}]}\n`,
  );
  await node.post('/deep/_bulk?refresh=true', lines.join(''), { 'content-type': 'application/x-ndjson' });
  await node.put('/free', { mappings: { properties: { free: { type: 'object', enabled: false } } } });
  await node.put('/_cluster/settings', { persistent: { 'indices.query.bool.max_nested_depth': 10_000 } });
});

afterAll(async () => {
  const alive = await node.get('/');
  await node.stop();
  expect(alive.status).toBe(200);
});

const search = (body: Json): Promise<Answer> => node.post('/deep/_search', body);
const analyze = (body: Json): Promise<Answer> => node.post('/_analyze', { text: 'a', ...body });
const simulate = (processors: Json, source: Json): Promise<Answer> =>
  node.post('/_ingest/pipeline/_simulate', { pipeline: { processors }, docs: [{ _source: source }] });
const scored = (source: string): Promise<Answer> =>
  search({ query: { script_score: { query: { match_all: {} }, script: { source } } } });

async function expectLimit(limit: number, ask: (depth: number) => Promise<Answer>): Promise<void> {
  const within = await ask(limit);
  expect([within.status, within.status < 300 ? '' : within.text.slice(0, 500)]).toEqual([expect.any(Number), '']);
  const beyond = await ask(limit + 1);
  expect([beyond.status, beyond.text.slice(0, 500)]).toEqual([400, expect.stringContaining('error')]);
  expect(beyond.text).not.toContain('call stack');
  const far = await ask(limit * 4);
  expect(far.status).toBe(400);
}

/** What the body's limit of depth leaves of a kind of query that takes so many levels of JSON each. */
const levels = (each: number, around: number): number => Math.floor((BODY_DEPTH_MAX - around) / each);

describe('aggregations', () => {
  const kinds: Record<string, Json> = {
    terms: { terms: { field: 'k' } },
    breadth: { terms: { field: 'k', collect_mode: 'breadth_first' } },
    multi_terms: { multi_terms: { terms: [{ field: 'k' }, { field: 'n' }] } },
    rare_terms: { rare_terms: { field: 'k' } },
    significant_terms: { significant_terms: { field: 'k' } },
    range: { range: { field: 'n', ranges: [{ from: 0 }] } },
    histogram: { histogram: { field: 'n', interval: 5 } },
    filter: { filter: { match_all: {} } },
    filters: { filters: { filters: [{ match_all: {} }] } },
    adjacency: { adjacency_matrix: { filters: { a: { match_all: {} } } } },
    missing: { missing: { field: 'absent' } },
    nested: { nested: { path: 'o' } },
  };
  const chain = (kind: Json, depth: number, core?: Json): Json =>
    nested(depth, (inner) => ({ a: { ...kind, ...(inner === undefined ? {} : { aggs: inner }) } }), core);

  it.each(Object.entries(kinds))('%s', async (_name, kind) => {
    await expectLimit(64, (depth) => search({ size: 0, aggs: chain(kind, depth) }));
    const profiled = await search({ size: 0, profile: true, aggs: chain(kind, 64) });
    expect(profiled.status).toBe(200);
  });

  it('sampler, which must have something below', async () => {
    const core = { m: { max: { field: 'n' } } };
    await expectLimit(63, (depth) => search({ size: 0, aggs: chain({ sampler: {} }, depth, core) }));
  });

  it('top_hits at the bottom, and an async search', async () => {
    const aggs = chain({ terms: { field: 'k' } }, 63, { h: { top_hits: { size: 1 } } });
    expect((await search({ size: 0, aggs })).status).toBe(200);
    expect((await node.post('/deep/_async_search', { size: 0, aggs })).status).toBe(200);
  });
});

describe('queries', () => {
  const term = { term: { k: 'a1' } };
  const word = { span_term: { t: 'red' } };
  it.each<[string, number, Json, (inner: Json) => Json]>([
    ['bool must', 3, term, (inner) => ({ bool: { must: [inner] } })],
    ['bool should', 3, term, (inner) => ({ bool: { should: [inner, term] } })],
    ['bool filter', 2, term, (inner) => ({ bool: { filter: inner } })],
    ['bool must_not', 2, term, (inner) => ({ bool: { must_not: inner } })],
    ['dis_max', 3, term, (inner) => ({ dis_max: { queries: [inner, term] } })],
    ['boosting', 2, term, (inner) => ({ boosting: { positive: inner, negative: term, negative_boost: 0.5 } })],
    ['constant_score', 2, term, (inner) => ({ constant_score: { filter: inner } })],
    ['function_score', 2, term, (inner) => ({ function_score: { query: inner, functions: [{ weight: 2 }] } })],
    ['function_score filter', 4, term, (inner) => ({ function_score: { functions: [{ filter: inner, weight: 2 }] } })],
    ['script_score', 2, term, (inner) => ({ script_score: { query: inner, script: { source: '1' } } })],
    ['pinned', 2, term, (inner) => ({ pinned: { ids: ['1'], organic: inner } })],
    ['span_near', 3, word, (inner) => ({ span_near: { clauses: [inner, word], slop: 3, in_order: false } })],
    ['span_or', 3, word, (inner) => ({ span_or: { clauses: [inner] } })],
    ['span_not', 2, word, (inner) => ({ span_not: { include: inner, exclude: { span_term: { t: 'z' } } } })],
    ['span_first', 2, word, (inner) => ({ span_first: { match: inner, end: 9 } })],
  ])('%s', async (_name, each, core, around) => {
    // The body, `query`, the innermost query and what it holds.
    const limit = levels(each, 5);
    const query = nested(limit, around, core);
    // Explanations and profiles tell the whole query at each of its levels.
    const shown = nested(60, around, core);
    for (const body of [{ query }, { query: shown, explain: true }, { query: shown, profile: true }]) {
      const answer = await search(body);
      expect([answer.status, answer.status < 300 ? '' : answer.text.slice(0, 500)]).toEqual([200, '']);
    }
    const beyond = await search({ query: nested(limit + 4, around, core) });
    expect(beyond.status).toBe(400);
    expect(beyond.text).toContain('Document nesting depth (1001) exceeds the maximum allowed (1000)');
  });

  it('the setting that limits them', async () => {
    await node.put('/_cluster/settings', { persistent: { 'indices.query.bool.max_nested_depth': 30 } });
    // The query at the bottom counts.
    await expectLimit(29, (depth) => search({ query: nested(depth, (inner) => ({ bool: { must: [inner] } }), term) }));
    await node.put('/_cluster/settings', { persistent: { 'indices.query.bool.max_nested_depth': 10_000 } });
  });

  it('profiles and explanations, which grow as the query does', async () => {
    const around = [
      (inner: Json): Json => ({ bool: { should: [inner, { term: { k: 'far away' } }] } }),
      (inner: Json): Json => ({ constant_score: { filter: inner } }),
      (inner: Json): Json => ({ function_score: { query: inner, functions: [{ filter: term, weight: 2 }] } }),
    ];
    for (const level of around) {
      for (const asked of [{ profile: true }, { explain: true, size: 1 }]) {
        const length = async (depth: number): Promise<number> => {
          const answer = await search({ query: nested(depth, level, term), ...asked });
          expect([answer.status, answer.status === 200 ? '' : answer.text.slice(0, 500)]).toEqual([200, '']);
          return answer.text.length;
        };
        // Behind the levels that a description shows all are alike.
        const [once, twice, most] = [await length(100), await length(200), await length(levels(3, 5))];
        expect(twice / once).toBeLessThan(2.5);
        expect(most / twice).toBeLessThan(2.1);
      }
    }
    const deepest = nested(levels(2, 4), (inner) => ({ constant_score: { filter: inner } }), term);
    expect((await search({ query: deepest, profile: true })).status).toBe(200);
  });

  it.each<[string, number, (inner: Json) => Json]>([
    ['all_of', 3, (inner) => ({ all_of: { intervals: [inner] } })],
    ['any_of', 3, (inner) => ({ any_of: { intervals: [inner] } })],
    ['filter', 3, (inner) => ({ match: { query: 'red', filter: { containing: inner } } })],
  ])('intervals %s', async (_name, each, around) => {
    const rule = nested(levels(each, 8), around, { match: { query: 'red' } });
    expect((await search({ query: { intervals: { t: rule } } })).status).toBe(200);
  });

  it('stored ones', async () => {
    const query = nested(levels(3, 5), (inner) => ({ bool: { must: [inner] } }), term);
    expect((await node.put('/deep/_doc/stored?refresh=true', { q: query })).status).toBe(201);
    const found = await search({ query: { percolate: { field: 'q', document: { k: 'a1' } } } });
    expect(found.json().hits.total.value).toBe(1);
  });

  it('the syntax of texts', async () => {
    await expectLimit(100, (depth) =>
      search({ query: { query_string: { query: parentheses(depth, 'red'), default_field: 't' } } }),
    );
    const simple = (query: string): Promise<Answer> =>
      search({ query: { simple_query_string: { query, fields: ['t'] } } });
    // What is too deep there is no parenthesis.
    for (const depth of [100, 101, 20_000]) expect((await simple(parentheses(depth, 'red'))).status).toBe(200);
    await expectLimit(300, (changes) =>
      simple(`${Array.from({ length: changes }, (_, n) => (n % 2 === 0 ? 'red |' : 'red +')).join('')}red`),
    );
    expect((await simple('red '.repeat(900))).status).toBe(200);
  });

  it('patterns and shapes', async () => {
    await expectLimit(199, (depth) => search({ query: { regexp: { k: parentheses(depth, 'a') } } }));
    await expectLimit(20, (depth) => {
      const shape = nested(depth, (inner) => ({ type: 'geometrycollection', geometries: [inner] }), {
        type: 'point',
        coordinates: [1, 2],
      });
      return search({ query: { geo_shape: { g: { shape } } } });
    });
  });
});

describe('scripts', () => {
  it('calls', async () => {
    const calls = (depth: number): Promise<Answer> =>
      scored(`int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); } return f(${depth})`);
    // The limit counts what nests in each call as well: where it lies is found by halving.
    let [within, beyond] = [20, 1_500];
    while (beyond - within > 1) {
      const middle = (within + beyond) >> 1;
      if ((await calls(middle)).status === 200) within = middle;
      else beyond = middle;
    }
    expect(within).toBeGreaterThan(150);
    for (const depth of [beyond, 100_000]) {
      const refused = await calls(depth);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('script_exception');
    }
  });

  it.each<[string, (depth: number) => string]>([
    ['parentheses', (depth) => `return ${parentheses(depth, '1')}`],
    ['signs', (depth) => `return ${'- '.repeat(depth)}1`],
    ['blocks', (depth) => `${'{'.repeat(depth)}${'}'.repeat(depth)} return 1`],
    ['conditions', (depth) => `return ${'true ? 1 : '.repeat(depth)}2`],
    ['choices', (depth) => `if (false) return 1; ${'else if (false) return 1; '.repeat(depth)} return 2`],
  ])('%s', async (_name, source) => {
    expect((await scored(source(20))).status).toBe(200);
    for (const depth of [101, 2_000]) {
      const refused = await scored(source(depth));
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('script_exception');
    }
  });

  it('lists within lists', async () => {
    const list = (depth: number, use: string): string =>
      `def l = []; for (int i = 0; i < ${depth}; i++) { l = [l] } ${use}`;
    for (const use of [
      'return l.hashCode() > 1 ? 1 : 2',
      'return l.equals(l) ? 1 : 2',
      'return l.toString().length()',
    ]) {
      for (const depth of [20, 1_500, 100_000]) expect((await scored(list(depth, use))).status).toBeLessThan(500);
    }
    const shown = (depth: number): Promise<Answer> =>
      search({ script_fields: { a: { script: { source: list(depth, 'return l') } } } });
    expect((await shown(900)).status).toBe(200);
    expect((await shown(100_000)).status).toBe(400);
  });
});

describe('documents', () => {
  it('are read, shown, changed and copied as deep as bodies may be', async () => {
    const deep = (core: Json): Json => ({
      k: 'deep',
      t: 'red deep',
      free: nested(BODY_DEPTH_MAX - 4, (inner) => ({ a: inner }), core),
    });
    expect((await node.put('/deep/_doc/one?refresh=true', deep(1))).status).toBe(201);
    const ways: (() => Promise<Answer>)[] = [
      () => node.get('/deep/_doc/one?pretty'),
      () => node.get('/deep/_doc/one?_source_includes=free.a.a'),
      () => node.get('/deep/_doc/one?format=cbor'),
      () => node.get('/deep/_termvectors/one?fields=t'),
      () => search({ query: { term: { k: 'deep' } }, fields: ['*'], highlight: { fields: { t: {} } } }),
      () => search({ query: { term: { k: 'deep' } }, script_fields: { a: { script: 'params._source.k' } } }),
      () => node.post('/deep/_update/one', { doc: { free: nested(900, (inner) => ({ a: inner }), 2) } }),
      () => node.post('/deep/_update/one', { script: 'ctx._source.x = 1' }),
      () =>
        node.post('/deep/_update_by_query?conflicts=proceed', {
          query: { term: { k: 'deep' } },
          script: 'ctx._source.y = 1',
        }),
      () =>
        node.post('/_reindex', {
          source: { index: 'deep', query: { term: { k: 'deep' } } },
          dest: { index: 'free' },
        }),
    ];
    for (const way of ways) {
      const answer = await way();
      expect([answer.status, answer.status < 300 ? '' : answer.text.slice(0, 500)]).toEqual([expect.any(Number), '']);
    }
    const beyond = await node.put(
      '/deep/_doc/two',
      nested(BODY_DEPTH_MAX + 1, (inner) => ({ free: inner }), 1),
    );
    expect(beyond.status).toBe(400);
  });

  it('objects of a mapping, up to a raised limit', async () => {
    const object = (depth: number): Json =>
      nested(depth, (inner) => ({ properties: { a: inner } }), { type: 'keyword' });
    await expectLimit(20, (depth) => node.put(`/objects-${depth}`, { mappings: object(depth) }));
    const depth = levels(2, 8);
    const settings = { 'index.mapping.depth.limit': 100_000, number_of_replicas: 0 };
    expect((await node.put('/objects', { settings, mappings: object(depth) })).status).toBe(200);
    expect(
      (
        await node.post(
          '/objects/_doc?refresh=true',
          nested(depth, (inner) => ({ a: inner }), 'v'),
        )
      ).status,
    ).toBe(201);
    const field = Array.from({ length: depth }, () => 'a').join('.');
    const found = await node.post('/objects/_search', { query: { exists: { field } }, fields: ['*'] });
    expect(found.json().hits.total.value).toBe(1);
    for (const path of ['_mapping', '_field_caps?fields=*'])
      expect((await node.get(`/objects/${path}`)).status).toBe(200);
  });

  it('names of thousands of parts', async () => {
    const name = Array.from({ length: 20_000 }, () => 'a').join('.');
    const answer = await node.post('/deep/_doc', { [name]: 1 });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('Limit of mapping depth [20] has been exceeded');
  });
});

describe('analysis, pipelines, templates and other bodies', () => {
  it('patterns', async () => {
    await expectLimit(100, (depth) =>
      analyze({
        tokenizer: 'keyword',
        char_filter: [{ type: 'pattern_replace', pattern: parentheses(depth, 'a'), replacement: '' }],
      }),
    );
    await expectLimit(100, (depth) => analyze({ tokenizer: { type: 'pattern', pattern: parentheses(depth, 'a') } }));
    expect((await analyze({ tokenizer: { type: 'simple_pattern', pattern: parentheses(3_000, 'a') } })).status).toBe(
      400,
    );
    expect((await simulate([{ grok: { field: 'a', patterns: [parentheses(3_000, 'a')] } }], { a: 'a' })).status).toBe(
      400,
    );
  });

  it('filters that name others', async () => {
    await expectLimit(16, (depth) => {
      const names = Array.from({ length: depth }, (_, place) => [
        `f${place}`,
        place + 1 < depth ? `f${place + 1}` : 'lowercase',
      ]);
      const filter = Object.fromEntries(
        names.map(([name, inner]) => [name, { type: 'multiplexer', filters: [inner] }]),
      );
      const analyzer = { a: { tokenizer: 'standard', filter: ['f0'] } };
      return node.put(`/filters-${depth}`, { settings: { number_of_replicas: 0, analysis: { filter, analyzer } } });
    });
  });

  it('processors within processors', async () => {
    const loops = (depth: number): Json => [
      nested(depth, (inner) => ({ foreach: { field: 'a', processor: inner } }), { set: { field: 'x', value: 1 } }),
    ];
    await expectLimit(50, (depth) => node.put('/_ingest/pipeline/loops', { processors: loops(depth) }));
    expect((await simulate(loops(49), { a: [1] })).status).toBe(200);
    const json = [{ json: { field: 'a', target_field: 'b' } }];
    for (const depth of [900, 100_000]) {
      expect((await simulate(json, { a: '['.repeat(depth) + ']'.repeat(depth) })).status).toBe(200);
    }
  });

  it('sections of search templates', async () => {
    await expectLimit(100, (depth) => {
      const source = `{"size":1${'{{#a}}'.repeat(depth)}${'{{/a}}'.repeat(depth)}}`;
      return node.post('/deep/_search/template', { source, params: { a: 1 } });
    });
  });

  it('bodies that are not JSON', async () => {
    const send = (body: string, type: string): Promise<Answer> =>
      node.post('/deep/_search', body, { 'content-type': type });
    for (const depth of [BODY_DEPTH_MAX, BODY_DEPTH_MAX + 1, 5_000]) {
      expect((await send(`query: ${'['.repeat(depth)}${']'.repeat(depth)}`, 'application/yaml')).status).toBe(400);
      expect((await send(`{"query":${'['.repeat(depth)}${']'.repeat(depth)}}`, 'application/json')).status).toBe(400);
    }
  });
});
