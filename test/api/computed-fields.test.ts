/** What scripts compute for each document: scores, orders, values of aggregations, runtime fields. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode;

const BIKES = [
  { name: 'city', price: 100, parts: 2, tags: ['a', 'b'], at: '2024-01-01T10:00:00Z', ip: '10.0.0.1' },
  { name: 'road', price: 250, parts: 3, tags: ['b'], at: '2024-01-02T11:00:00Z', ip: '10.0.0.2' },
  { name: 'cargo', price: 400, parts: 5, tags: [], at: '2024-01-02T12:30:00Z', ip: '10.0.1.1' },
  { name: 'kids', price: 50, parts: 2, tags: ['c'], at: '2024-01-03T00:00:00Z', ip: '10.0.1.2' },
];

beforeAll(async () => {
  node = await TestNode.start();
  const keyword = { type: 'keyword' };
  const properties = { name: keyword, tags: keyword, at: { type: 'date' }, ip: { type: 'ip' } };
  for (const [index, shards] of Object.entries({ bikes: 1, spread: 3 })) {
    await node.put(`/${index}`, { settings: { number_of_shards: shards }, mappings: { properties } });
    for (const [id, bike] of BIKES.entries()) await node.put(`/${index}/_doc/${id}`, bike);
    await node.post(`/${index}/_refresh`);
  }
});

afterAll(async () => {
  await node.stop();
});

async function search(body: object, index = 'bikes'): Promise<Awaited<ReturnType<typeof node.post>>> {
  return node.post(`/${index}/_search`, body);
}

async function names(body: object, index = 'bikes'): Promise<readonly string[]> {
  const answer = (await search(body, index)).json();
  return (answer.hits.hits as { _source: { name: string } }[]).map(({ _source }) => _source.name);
}

async function aggregated(aggs: object, index = 'bikes'): Promise<Record<string, unknown>> {
  const answer = (await search({ size: 0, aggs }, index)).json();
  expect(answer.error).toBeUndefined();
  return answer.aggregations as Record<string, unknown>;
}

const perPart = { source: "1.0 * doc['price'].value / doc['parts'].value / params.by", params: { by: 1 } };

describe('scores of scripts', () => {
  it('in function_score take the score of the query', async () => {
    const script = { source: "_score * doc['parts'].value + params.more", params: { more: 1 } };
    const functions = [{ filter: { term: { name: 'cargo' } }, script_score: { script } }];
    const query = { function_score: { query: { match_all: { boost: 2 } }, functions, boost_mode: 'replace' } };
    const { hits } = (await search({ query, explain: true })).json();
    expect([hits.hits[0]._source.name, hits.hits[0]._score]).toEqual(['cargo', 11]);
    expect(hits.hits[0]._explanation.value).toBe(11);
    const refused = await search({ query: { function_score: { script_score: { script: '-1' } } } });
    expect([refused.status, refused.text.includes('must not produce negative scores, but got: [-1.0]')]).toEqual([
      400,
      true,
    ]);
  });

  it('in rescore', async () => {
    const script = { script: { source: "doc['price'].value" } };
    const rescore = { query: { rescore_query: { function_score: { script_score: script } }, query_weight: 0 } };
    expect(await names({ query: { match_all: {} }, rescore })).toEqual(['cargo', 'road', 'city', 'kids']);
  });

  it('say how many terms of a set must match', async () => {
    const terms = { terms: ['a', 'b'], minimum_should_match_script: { source: 'Math.min(params.num_terms, 1)' } };
    expect(await names({ query: { terms_set: { tags: terms } } })).toHaveLength(2);
    const all = { ...terms, minimum_should_match_script: { source: "params.num_terms - (doc['parts'].value - 2)" } };
    expect(await names({ query: { terms_set: { tags: all } } })).toEqual(['city', 'road']);
    const none = await search({ query: { terms_set: { tags: { terms: ['a'] } } } });
    expect([none.status, none.text.includes('No minimum should match has been specified')]).toEqual([400, true]);
  });
});

describe.each(['bikes', 'spread'])('orders of scripts in [%s]', (index) => {
  it('by numbers', async () => {
    const sort = [{ _script: { type: 'number', script: perPart, order: 'desc' } }];
    expect(await names({ sort }, index)).toEqual(['road', 'cargo', 'city', 'kids']);
    const { hits } = (await search({ sort, search_after: [80] }, index)).json();
    expect((hits.hits as { sort: unknown }[]).map((hit) => hit.sort)).toEqual([[50], [25]]);
  });

  it('by numbers made of scores', async () => {
    const script = { source: "-_score * doc['price'].value" };
    const query = { constant_score: { filter: { match_all: {} }, boost: 2 } };
    const { hits } = (await search({ query, sort: { _script: { type: 'number', script } } }, index)).json();
    expect((hits.hits as { sort: unknown }[]).map((hit) => hit.sort)).toEqual([[-800], [-500], [-200], [-100]]);
  });

  it('by texts', async () => {
    const script = { source: "doc['name'].value.substring(1)" };
    expect(await names({ sort: { _script: { type: 'string', script } } }, index)).toEqual([
      ...['cargo', 'kids', 'city', 'road'],
    ]);
    const refused = await search({ sort: { _script: { type: 'words', script } } }, index);
    expect(refused.text).toContain('Unknown ScriptSortType [words]');
  });
});

describe.each(['bikes', 'spread'])('aggregations of scripts in [%s]', (index) => {
  it('of values that scripts give', async () => {
    const found = await aggregated(
      {
        first: { terms: { script: "doc['name'].value.substring(0, 1)" } },
        tags: { terms: { script: { source: "doc['tags']" } } },
        parts: { terms: { script: "doc['parts'].value", value_type: 'long' } },
        price: { stats: { script: perPart } },
        steps: { histogram: { script: "doc['price'].value", interval: 200 } },
        days: { date_histogram: { script: "doc['at'].value.plusDays(1)", calendar_interval: 'day' } },
        kinds: { cardinality: { script: "doc['tags'].size()" } },
      },
      index,
    );
    expect(found).toMatchObject({
      first: { buckets: [{ key: 'c', doc_count: 2 }, { key: 'k' }, { key: 'r' }] },
      tags: { buckets: [{ key: 'b', doc_count: 2 }, { key: 'a' }, { key: 'c' }] },
      parts: { buckets: [{ key: 2, doc_count: 2 }, { key: 3 }, { key: 5 }] },
      price: { count: 4, min: 25, max: 250 / 3 },
      steps: { buckets: [{ key: 0, doc_count: 2 }, { key: 200 }, { key: 400 }] },
      kinds: { value: 3 },
    });
    expect((found['days'] as { buckets: { key_as_string: string }[] }).buckets[0]?.key_as_string).toBe(
      '2024-01-02T00:00:00.000Z',
    );
  });

  it('of values that scripts change', async () => {
    const twice = { source: '_value * params.by', params: { by: 2 } };
    const found = await aggregated(
      {
        sum: { sum: { field: 'price', script: twice } },
        names: { terms: { field: 'name', script: { source: '_value.toUpperCase()' }, order: { _key: 'asc' } } },
      },
      index,
    );
    expect(found).toMatchObject({
      sum: { value: 1600 },
      names: { buckets: [{ key: 'CARGO' }, { key: 'CITY' }, {}, {}] },
    });
  });

  it('keep states', async () => {
    const metric = {
      params: { factor: 2 },
      init_script: 'state.prices = []',
      map_script: "state.prices.add(doc['price'].value * params.factor)",
      combine_script: 'double sum = 0; for (p in state.prices) { sum += p } return sum',
      reduce_script: 'double sum = 0; for (s in states) { sum += s ?: 0 } return sum',
    };
    const found = await aggregated(
      {
        all: { scripted_metric: metric },
        parts: { terms: { field: 'parts' }, aggs: { prices: { scripted_metric: metric } } },
      },
      index,
    );
    expect(found).toMatchObject({
      all: { value: 1600 },
      parts: { buckets: [{ key: 2, prices: { value: 300 } }, { prices: { value: 500 } }, { prices: { value: 800 } }] },
    });
    const { combine_script: _, ...without } = metric;
    const refused = await search({ aggs: { all: { scripted_metric: without } } }, index);
    expect(refused.text).toContain('[combineScript] must not be null: [all]');
  });
});

describe('pipelines of scripts', () => {
  const days = (aggs: object): object => ({
    days: {
      date_histogram: { field: 'at', calendar_interval: 'day' },
      aggs: { price: { sum: { field: 'price' } }, parts: { sum: { field: 'parts' } }, ...aggs },
    },
  });
  const values = async (aggs: object, name: string): Promise<readonly unknown[]> => {
    const { buckets } = (await aggregated(days(aggs)))['days'] as { buckets: Record<string, { value?: number }>[] };
    return buckets.map((bucket) => bucket[name]?.value);
  };

  it('compute values of buckets', async () => {
    const buckets_path = { p: 'price', n: 'parts', count: '_count' };
    const script = { source: 'params.p / params.n * params.count + params.more', params: { more: 1 } };
    expect(await values({ each: { bucket_script: { buckets_path, script } } }, 'each')).toEqual([51, 163.5, 26]);
    const expression = { lang: 'expression', source: 'p / n' };
    expect(await values({ each: { bucket_script: { buckets_path, script: expression } } }, 'each')).toEqual([
      ...[50, 81.25, 25],
    ]);
  });

  it('keep buckets', async () => {
    const selector = { bucket_selector: { buckets_path: { p: 'price' }, script: 'params.p > 60' } };
    expect(await values({ kept: selector }, 'price')).toEqual([100, 650]);
    const ranges = [{ to: 60 }, { from: 60 }];
    const aggs = {
      range: { range: { field: 'price', ranges }, aggs: { kept: selector, price: { sum: { field: 'price' } } } },
    };
    expect((await search({ aggs })).text).toContain('[bucket_selector] cannot take buckets from an aggregation');
  });

  it('move windows', async () => {
    const moving = (source: string): object => ({
      moving_fn: { buckets_path: 'price', window: 2, script: { source } },
    });
    expect(await values({ m: moving('MovingFunctions.max(values)') }, 'm')).toEqual([null, 100, 650]);
    const own = 'double most = -1; for (v in values) { most = Math.max(most, v) } return most * 2';
    expect(await values({ m: moving(own) }, 'm')).toEqual([-2, 200, 1300]);
  });
});

describe('what scripts ask of fields', () => {
  const computed = async (script: unknown, index = 'spread'): Promise<Record<string, unknown>> => {
    const { hits } = (await search({ script_fields: { it: { script } } }, index)).json();
    const found = hits.hits as { _id: string; fields: { it: [unknown] } }[];
    return Object.fromEntries(found.map(({ _id, fields }) => [_id, fields.it[0]]));
  };

  it('has a default where there is none', async () => {
    expect(await computed("$('price', 0) + field('nowhere').get(1)")).toEqual({ 0: 101, 1: 251, 2: 401, 3: 51 });
    expect(await computed("field('tags').get(1, 'none') + field('tags').size()")).toMatchObject({
      0: 'b2',
      2: 'none0',
    });
    const source = "String all = ''; for (def tag : field('tags')) { all += tag } return all";
    expect(await computed({ source })).toMatchObject({ 0: 'ab', 1: 'b' });
    const runtime_mappings = {
      dear: { type: 'boolean', script: "emit($('price', 0) > 200)" },
      both: { type: 'keyword', script: "emit(field('dear').get(false) + '-' + field('name').get(''))" },
    };
    const query = { term: { both: 'true-cargo' } };
    expect(await names({ runtime_mappings, query }, 'spread')).toEqual(['cargo']);
  });

  it('is numbers, dates and places for expressions', async () => {
    const at = (source: string) => computed({ lang: 'expression', source });
    expect(await at("doc['at'].date.dayOfYear * 100 + doc['at'].getMonth()")).toEqual({
      0: 100,
      1: 200,
      2: 200,
      3: 300,
    });
    const refused = async (source: string): Promise<unknown> => {
      const script = { lang: 'expression', source };
      const { error } = (await search({ script_fields: { it: { script } } })).json();
      const { reason, script_stack, caused_by } = error.failed_shards?.[0]?.reason ?? error;
      return [reason, script_stack, caused_by.type, caused_by.reason];
    };
    expect(await refused('1 + unknown')).toEqual([
      ...['link error', ['unknown', '^---- HERE'], 'parse_exception', 'Unknown variable [unknown]'],
    ]);
    expect(await refused("doc['name'].value")).toEqual([
      ...['link error', ["doc['name'].value", '^---- HERE']],
      ...['parse_exception', 'Field [name] must be numeric, date, or geopoint'],
    ]);
  });
});

describe('runtime fields', () => {
  const runtime_mappings = {
    day: { type: 'keyword', script: "emit(doc['at'].value.dayOfWeekEnum.toString())" },
    each: { type: 'double', script: { source: "emit(1.0 * doc['price'].value / params.of)", params: { of: 4 } } },
    dear: { type: 'boolean', script: "emit(doc['each'].value > 50)" },
    later: {
      type: 'date',
      format: 'yyyy-MM-dd',
      script: "emit(doc['at'].value.plusDays(1).toInstant().toEpochMilli())",
    },
    net: { type: 'ip', script: "emit(doc['ip'].value)" },
    letters: { type: 'long', script: "emit((long) doc['name'].value.length()); emit(0L)" },
    pair: {
      type: 'composite',
      script: "emit('low', 1L); emit('high', doc['name'].value)",
      fields: { low: { type: 'long' }, high: { type: 'keyword' } },
    },
  };

  it.each([
    [{ term: { day: 'TUESDAY' } }, ['road', 'cargo']],
    [{ range: { each: { gte: 25, lt: 100 } } }, ['city', 'road']],
    [{ term: { dear: true } }, ['road', 'cargo']],
    [{ range: { later: { gte: '2024-01-04' } } }, ['kids']],
    [{ term: { net: '10.0.1.0/24' } }, ['cargo', 'kids']],
    [{ terms: { letters: [5] } }, ['cargo']],
    [{ bool: { must_not: [{ prefix: { day: 'T' } }], filter: [{ exists: { field: 'day' } }] } }, ['city', 'kids']],
    [{ term: { 'pair.high': 'kids' } }, ['kids']],
  ])('are searched: %j', async (query, expected) => {
    for (const index of ['bikes', 'spread']) {
      expect([...(await names({ query, runtime_mappings }, index))].sort()).toEqual([...expected].sort());
    }
  });

  it('are sorted by, aggregated and shown', async () => {
    const body = {
      runtime_mappings,
      sort: [{ day: 'asc' }, { each: 'desc' }],
      fields: ['day', 'each', { field: 'later', format: 'dd.MM.yyyy' }, 'net', 'letters', 'pair.*', 'name'],
      aggs: { days: { terms: { field: 'day' }, aggs: { each: { avg: { field: 'each' } } } } },
      docvalue_fields: ['dear'],
    };
    const { hits, aggregations } = (await search(body)).json();
    expect((hits.hits as { sort: unknown }[]).map((hit) => hit.sort)).toEqual([
      ...[
        ['MONDAY', 25],
        ['TUESDAY', 100],
        ['TUESDAY', 62.5],
        ['WEDNESDAY', 12.5],
      ],
    ]);
    expect(hits.hits[1].fields).toEqual({
      dear: [true],
      day: ['TUESDAY'],
      each: [100],
      later: ['03.01.2024'],
      net: ['10.0.1.1'],
      letters: [0, 5],
      'pair.low': [1],
      'pair.high': ['cargo'],
      name: ['cargo'],
    });
    expect(aggregations.days.buckets[0]).toMatchObject({ key: 'TUESDAY', doc_count: 2, each: { value: 81.25 } });
  });

  it('take from the source what is not mapped', async () => {
    await node.put('/unmapped', { mappings: { dynamic: false } });
    await node.put('/unmapped/_doc/1?refresh=true', { deep: { n: [3, 4] } });
    const body = {
      runtime_mappings: { 'deep.n': { type: 'long' } },
      query: { term: { 'deep.n': 4 } },
      fields: ['deep.n'],
    };
    expect((await search(body, 'unmapped')).json().hits.hits[0].fields).toEqual({ 'deep.n': [3, 4] });
  });

  it('stand in mappings', async () => {
    const script = { source: "emit(doc['n'].value * params.by)", params: { by: 10 } };
    await node.put('/ran', {
      mappings: { runtime: { tens: { type: 'long', script } }, properties: { n: { type: 'long' } } },
    });
    expect((await node.get('/ran/_mapping')).json().ran.mappings.runtime).toEqual({
      tens: { type: 'long', script: { ...script, lang: 'painless' } },
    });
    await node.put('/ran/_doc/1?refresh=true', { n: 4, tens: 'ignored' });
    expect((await node.post('/ran/_count', { query: { term: { tens: 40 } } })).json().count).toBe(1);
    await node.put('/ran/_mapping', {
      runtime: { ones: { type: 'long', script: { source: "emit(doc['tens'].value / 10)" } } },
    });
    const { hits } = (await search({ sort: ['ones'], fields: ['ones'] }, 'ran')).json();
    expect(hits.hits[0]).toMatchObject({ sort: [4], fields: { ones: [4] } });
    // Another script gives other values, whatever was computed before.
    await node.put('/ran/_mapping', {
      runtime: { tens: { type: 'long', script: { source: "emit(doc['n'].value + 1)" } } },
    });
    expect((await search({ query: { term: { tens: 5 } } }, 'ran')).json().hits.total.value).toBe(1);
    const { fields } = (await node.get('/ran/_field_caps?fields=tens')).json();
    expect(fields.tens.long).toMatchObject({ searchable: true, aggregatable: true });
  });

  it('are refused at once where their script does not compile', async () => {
    const runtime = { wrong: { type: 'long', script: 'emit(doc[' } };
    const because = { type: 'script_exception', reason: 'compile error', script: 'emit(doc[', lang: 'painless' };
    const made = await node.put('/uncompiled', { mappings: { runtime } });
    expect([made.status, made.json().error]).toMatchObject([
      400,
      { type: 'mapper_parsing_exception', reason: 'Failed to parse mapping [_doc]: compile error', caused_by: because },
    ]);
    expect(made.json().error.caused_by.script_stack).toEqual(['emit(doc[', '         ^---- HERE']);
    expect((await node.get('/uncompiled')).status).toBe(404);
    await node.put('/uncompiled', {});
    const updated = await node.put('/uncompiled/_mapping', { runtime });
    expect([updated.status, updated.json().error]).toMatchObject([
      400,
      { type: 'mapper_parsing_exception', reason: 'Failed to parse mapping: compile error', caused_by: because },
    ]);
    const composite = { type: 'composite', script: 'emit(1', fields: { a: { type: 'long' } } };
    expect((await node.put('/uncompiled/_mapping', { runtime: { composite } })).status).toBe(400);
    const templated = await node.put('/_index_template/uncompiled', {
      index_patterns: ['uncompiled-*'],
      template: { mappings: { runtime } },
    });
    expect(templated.status).toBe(400);
    expect((await node.get('/uncompiled/_mapping')).json().uncompiled.mappings).toEqual({});
    // Of a request, whether anything of it names the field or not.
    const found = await search({ runtime_mappings: runtime }, 'uncompiled');
    expect([found.status, found.json().error.root_cause]).toMatchObject([400, [because]]);
    const counted = await node.post('/uncompiled/_field_caps?fields=*', { runtime_mappings: runtime });
    expect([counted.status, counted.json().error]).toMatchObject([400, because]);
  });

  it('fail the searches that meet a document which their script fails on', async () => {
    await node.put('/holes', { mappings: { properties: { n: { type: 'long' } } } });
    await node.put('/holes/_doc/1', { n: 1 });
    await node.put('/holes/_doc/2?refresh=true', {});
    const mappings = { same: { type: 'long', script: { source: "emit(doc['n'].value)" } } };
    const sorted = { runtime_mappings: mappings, sort: ['same'] };
    const failed = await search(sorted, 'holes');
    expect(failed.json().error).toMatchObject({ root_cause: [{ type: 'script_exception', reason: 'runtime error' }] });
    const spared = await search({ ...sorted, query: { exists: { field: 'n' } } }, 'holes');
    expect(spared.json().hits.hits).toHaveLength(1);
  });

  it('are refused with the reason', async () => {
    const refusals: readonly [object, string][] = [
      [{ a: { type: 'text' } }, 'No handler for type [text] declared on runtime field [a]'],
      [{ a: { type: 'long', script: { id: 'stored' } } }, 'stored scripts are not supported for runtime field [a]'],
      [{ a: { type: 'long', script: 'emit(' } }, 'compile error'],
      [
        { a: { type: 'long', script: "emit(doc['b'].value)" }, b: { type: 'long', script: "emit(doc['a'].value)" } },
        'Cyclic dependency detected while resolving runtime fields: a -> b -> a',
      ],
    ];
    for (const [mappings, reason] of refusals) {
      const refused = await search({ runtime_mappings: mappings, query: { term: { a: 1 } } });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(reason)]);
    }
  });

  it('are computed once', async () => {
    const computed = async (): Promise<number> => {
      const { nodes } = (await node.get('/_nodes/stats/script')).json();
      const [stats] = Object.values(nodes as Record<string, { script: { computed_fields: { built: number } } }>);
      return stats?.script.computed_fields.built ?? -1;
    };
    const mappings = { once: { type: 'long', script: { source: "emit(doc['price'].value + 17)" } } };
    await search({ runtime_mappings: mappings, sort: ['once'] });
    const before = await computed();
    await search({ runtime_mappings: mappings, query: { range: { once: { gt: 100 } } } });
    expect(await computed()).toBe(before);
  });
});

describe('runtime fields that a mapping gives up', () => {
  it('leave their names to documents', async () => {
    const script = { source: "emit(doc['n'].value * 2)" };
    const runtime = { twice: { type: 'long', script }, text: { type: 'keyword', script: "emit('x')" } };
    await node.put('/given-up', { mappings: { properties: { n: { type: 'long' } }, runtime } });
    await node.put('/given-up/_doc/1?refresh', { n: 1, twice: 'ignored' });
    const gone = await node.put('/given-up/_mapping', { runtime: { twice: null } });
    expect(gone.status, gone.text).toBe(200);
    const shown = async (): Promise<unknown> =>
      (await search({ fields: ['twice', 'text'], sort: ['_doc'] }, 'given-up'))
        .json()
        .hits.hits.map(({ fields }: { fields: unknown }) => fields);
    expect(await shown()).toEqual([{ text: ['x'] }]);
    expect((await node.put('/given-up/_doc/2?refresh', { n: 2, twice: 'taken' })).status).toBe(201);
    const { properties } = (await node.get('/given-up/_mapping')).json()['given-up'].mappings;
    expect(properties.twice.type).toBe('text');
    expect(await shown()).toEqual([
      { twice: ['ignored'], text: ['x'] },
      { twice: ['taken'], text: ['x'] },
    ]);
    expect(await names({ query: { match: { twice: 'taken' } } }, 'given-up')).toHaveLength(1);
  });
});
