import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const MAPPINGS = {
  properties: {
    query: { type: 'percolator', meta: { by: 'alerts' } },
    title: { type: 'text' },
    tag: { type: 'keyword' },
    price: { type: 'double' },
    at: { type: 'date' },
    level: { type: 'keyword' },
    part: { type: 'nested', properties: { name: { type: 'keyword' }, size: { type: 'long' } } },
    labels: { type: 'flattened' },
    place: { type: 'geo_point' },
  },
};

/** By id. */
const STORED: Readonly<Record<string, Json>> = {
  all: { match_all: {} },
  fox: { match: { title: 'quick fox' } },
  phrase: { match_phrase: { title: 'brown fox' } },
  cheap: { bool: { must: [{ range: { price: { lt: 10 } } }], filter: [{ term: { tag: 'toy' } }] } },
  text: { query_string: { query: 'title:hen OR tag:rare', default_field: 'title' } },
  none: { bool: { must_not: [{ exists: { field: 'tag' } }] } },
  part: {
    nested: {
      path: 'part',
      query: { bool: { must: [{ term: { 'part.name': 'x' } }, { range: { 'part.size': { gte: 5 } } }] } },
    },
  },
  label: { term: { 'labels.color': 'red' } },
  script: {
    script: { script: { source: "doc['price'].size() > 0 && doc['price'].value > params.p", params: { p: 99 } } },
  },
  recent: { range: { at: { gte: 'now-1h' } } },
  prefix: { prefix: { tag: 'spe' } },
};

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/alerts', { settings: { number_of_shards: 2, number_of_replicas: 0 }, mappings: MAPPINGS });
  const answer = await node.bulk(
    '/alerts/_bulk?refresh',
    Object.entries(STORED).flatMap(([id, query]) => [
      { index: { _id: id } },
      { query, level: id.length > 4 ? 'long' : 'short' },
    ]),
  );
  expect(answer.json().errors, answer.text).toBe(false);
});

afterAll(async () => {
  await node.stop();
});

async function search(body: Json, path = '/alerts'): Promise<Json> {
  const answer = await node.post(`${path}/_search`, { size: 50, ...body });
  expect([answer.status, answer.text.slice(0, 400)]).toEqual([200, expect.anything()]);
  return answer.json();
}

const percolate = (document: Json, more: Json = {}): Json => ({ percolate: { field: 'query', document, ...more } });

async function matching(query: Json, path?: string): Promise<readonly string[]> {
  const { hits } = (await search({ query }, path)).hits;
  return hits.map((hit: Json) => hit._id as string).sort();
}

const refusal = async (query: Json, path = '/alerts'): Promise<readonly [number, string]> => {
  const answer = await node.post(`${path}/_search`, { query });
  return [answer.status, answer.json().error?.root_cause[0].reason as string];
};

describe('stored queries', () => {
  it.each<[Json, readonly string[]]>([
    [{}, ['all', 'none']],
    [{ title: 'the fox' }, ['all', 'fox', 'none']],
    [{ title: 'a quick brown fox', tag: 'dear' }, ['all', 'fox', 'phrase']],
    [{ price: 3, tag: ['toy', 'special'] }, ['all', 'cheap', 'prefix']],
    [{ price: 30, tag: 'toy' }, ['all']],
    [{ price: 300, title: 'hen' }, ['all', 'none', 'script', 'text']],
    [
      {
        part: [
          { name: 'x', size: 4 },
          { name: 'y', size: 6 },
        ],
      },
      ['all', 'none'],
    ],
    [
      {
        part: [
          { name: 'x', size: 7 },
          { name: 'y', size: 6 },
        ],
      },
      ['all', 'none', 'part'],
    ],
    [{ labels: { color: 'red' }, tag: 'rare' }, ['all', 'label', 'text']],
    [{ at: '2100-01-01', unknown: { field: 1 } }, ['all', 'none', 'recent']],
    [{ at: 1_000_000 }, ['all', 'none']],
  ])('%j', async (document, ids) => {
    expect(await matching(percolate(document))).toEqual(ids);
    expect(await matching({ bool: { filter: [percolate(document), { exists: { field: 'query' } }] } })).toEqual(ids);
    expect(await matching({ constant_score: { filter: percolate(document) } })).toEqual(ids);
    const count = await node.post('/alerts/_count', { query: percolate(document) });
    expect(count.json().count).toBe(ids.length);
  });

  it('tell of hits that need not match the query whether they do', async () => {
    const top = { top_hits: { size: 100, _source: false } };
    const aggs = { whole: { global: {}, aggs: { top } }, own: top };
    const answer = await search({ size: 0, query: percolate({ title: 'a fox' }), aggs });
    const slots = (of: Json): Json =>
      Object.fromEntries(of.hits.hits.map((hit: Json) => [hit._id, hit.fields?._percolator_document_slot]));
    const own = slots(answer.aggregations.own);
    expect(own).toMatchObject({ all: [0], fox: [0] });
    const whole = slots(answer.aggregations.whole.top);
    expect(Object.keys(whole).length).toBeGreaterThan(Object.keys(own).length);
    for (const [id, found] of Object.entries(whole)) expect(found, id).toEqual(own[id]);
  });

  it('tell which documents they match, and score by the best of them', async () => {
    const documents = [
      { title: 'a fox', tag: 'a' },
      { title: 'hen', tag: 'b' },
      { title: 'fox fox', tag: 'c' },
    ];
    const { hits } = (await search({ query: { percolate: { field: 'query', documents } }, fields: ['query'] })).hits;
    const slots = Object.fromEntries(hits.map((hit: Json) => [hit._id, hit.fields._percolator_document_slot]));
    expect(slots).toEqual({ all: [0, 1, 2], fox: [0, 2], text: [1] });
    expect(hits.find((hit: Json) => hit._id === 'fox').fields.query).toEqual([STORED['fox']]);
    await node.put('/plain', { mappings: MAPPINGS, settings: { number_of_shards: 1 } });
    await node.bulk(
      '/plain/_bulk?refresh',
      documents.flatMap((document) => [{ index: {} }, document]),
    );
    for (const id of ['fox', 'text', 'all']) {
      const { max_score: best } = (await search({ query: STORED[id] }, '/plain')).hits;
      expect(hits.find((hit: Json) => hit._id === id)._score).toBeCloseTo(best, 5);
    }
  });

  it('are told apart by name, and texts are highlighted', async () => {
    const query = {
      bool: {
        should: [percolate({ title: 'red fox' }, { name: 'one' }), percolate({ title: 'old hen' }, { name: 'two' })],
      },
    };
    const { hits } = (await search({ query, highlight: { fields: { title: {} } } })).hits;
    const of = (id: string): Json => hits.find((hit: Json) => hit._id === id);
    expect(of('fox').fields).toEqual({ _percolator_document_slot_one: [0] });
    expect(of('all').fields).toEqual({ _percolator_document_slot_one: [0], _percolator_document_slot_two: [0] });
    expect(of('fox').highlight).toEqual({ one_title: ['red <em>fox</em>'] });
    expect(of('text').highlight).toEqual({ two_title: ['old <em>hen</em>'] });
    expect(of('all').highlight).toBeUndefined();
  });

  it('are aggregated, explained, profiled and scrolled', async () => {
    const query = percolate({ title: 'quick brown fox' });
    const { aggregations } = await search({ query, aggs: { levels: { terms: { field: 'level' } } } });
    expect(aggregations.levels.buckets.map(({ key, doc_count: count }: Json) => [key, count])).toEqual([
      ['short', 3],
      ['long', 1],
    ]);
    const answer = await node.post('/alerts/_explain/fox', { query });
    expect(answer.json()).toMatchObject({ matched: true });
    expect((await search({ query, profile: true })).profile.shards).toHaveLength(2);
    const scroll = (await node.post('/alerts/_search?scroll=1m', { size: 2, query })).json();
    expect(scroll.hits.hits).toHaveLength(2);
    expect((await node.post('/_search/scroll', { scroll_id: scroll._scroll_id })).json().hits.hits).toHaveLength(2);
  });
});

describe('a document that is there', () => {
  it('is fetched by index and id', async () => {
    await node.put('/toys/_doc/1?refresh&routing=r', { tag: 'toy', price: 1 });
    const of = (more: Json): Json => ({ percolate: { field: 'query', index: 'toys', id: '1', routing: 'r', ...more } });
    expect(await matching(of({}))).toEqual(['all', 'cheap']);
    expect(await matching(of({ version: 1, preference: '_local' }))).toEqual(['all', 'cheap']);
    const lines = [{ index: 'alerts' }, { query: of({}) }];
    const answers = (await node.bulk('/_msearch', lines)).json().responses;
    expect(answers[0].hits.total.value).toBe(2);
    expect(await refusal(of({ version: 7 }))).toEqual([409, expect.stringContaining('current version [1]')]);
    expect(await refusal(of({ id: '2' }))).toEqual([404, "indexed document [toys/2] couldn't be found"]);
    expect((await refusal(of({ index: 'gone' })))[0]).toBe(404);
  });
});

describe('values of other documents', () => {
  const words = (tags: readonly string[], corner: number, title: string): Json => ({
    tags,
    shape: { type: 'envelope', coordinates: [[corner, corner + 10], [corner + 10, corner]] }, // prettier-ignore
    title,
  });
  const liked = (like: Json): Json => ({
    more_like_this: { fields: ['title'], like: [like], min_term_freq: 1, min_doc_freq: 1 },
  });
  const lookups: Readonly<Record<string, Json>> = {
    tags: { terms: { tag: { index: 'words', id: '1', path: 'tags' } } },
    'no tags': { bool: { should: [{ terms: { tag: { index: 'words', id: '9', path: 'tags' } } }] } },
    shape: { geo_shape: { place: { indexed_shape: { index: 'words', id: '1', path: 'shape' } } } },
    like: liked({ _index: 'words', _id: '1' }),
    'like nothing': liked({ _index: 'gone', _id: '1' }),
  };
  const path = '/lists';

  it('are fetched when the query is indexed, and stay', async () => {
    const settings = { number_of_shards: 2, number_of_replicas: 0 };
    await node.put(path, { settings, mappings: MAPPINGS });
    await node.put('/words/_doc/1', words(['red', 'blue'], 0, 'quick brown fox'));
    const lines = Object.entries(lookups).flatMap(([id, query]) => [{ index: { _id: id } }, { query }]);
    const answer = (await node.bulk(`${path}/_bulk?refresh`, lines)).json();
    expect(answer.items.map((item: Json) => item.index.status)).toEqual([201, 201, 201, 201, 201]);
    const before = async (): Promise<void> => {
      expect(await matching(percolate({ tag: 'blue' }), path)).toEqual(['tags']);
      expect(await matching(percolate({ place: [5, 5] }), path)).toEqual(['shape']);
      expect(await matching(percolate({ title: 'a quick brown fox' }), path)).toEqual(['like']);
    };
    await before();
    await node.put('/words/_doc/1', words(['green'], 40, 'lazy dog'));
    await node.post(`${path}/_forcemerge?max_num_segments=1`);
    await before();
    expect(await matching(percolate({ tag: 'green', place: [45, 45], title: 'lazy dog' }), path)).toEqual([]);
    expect((await node.get(`${path}/_doc/tags`)).json()._source).toEqual({ query: lookups['tags'] });
  });

  it('are fetched again with each document that is indexed, also where the query is the same', async () => {
    const put = (id: string): Json => node.put(`${path}/_doc/${id}?refresh`, { query: lookups['tags'] });
    await put('tags again');
    expect(await matching(percolate({ tag: 'green' }), path)).toEqual(['tags again']);
    await node.put('/words/_doc/1', { tags: ['white'] });
    await put('tags again');
    expect(await matching(percolate({ tag: ['green', 'white'] }), path)).toEqual(['tags again']);
    expect(await matching(percolate({ tag: 'green' }), path)).toEqual([]);
  });

  it('that are missing fail their document alone, and many are fetched in one bulk', async () => {
    const lines = Array.from({ length: 60 }, (_, id) => [
      { index: { _id: `many${id}` } },
      { query: { terms: { tag: { index: id % 20 === 7 ? 'gone' : 'many', id: String(id), path: 'tags' } } } },
    ]).flat();
    const lists = Array.from({ length: 60 }, (_, id) => [{ index: { _id: id } }, { tags: [`many${id}`] }]).flat();
    await node.bulk('/many/_bulk', lists);
    const { items } = (await node.bulk(`${path}/_bulk?refresh`, lines)).json();
    const failed = items.flatMap(({ index }: Json) =>
      index.status === 201 ? [] : [[index._id, index.error.caused_by]],
    );
    const gone = expect.objectContaining({ type: 'index_not_found_exception', reason: 'no such index [gone]' });
    expect(failed).toEqual([['many7', gone], ['many27', gone], ['many47', gone]]); // prettier-ignore
    expect(await matching(percolate({ tag: ['many3', 'many59', 'many7'] }), path)).toEqual(['many3', 'many59']);
  });

  it('see what the same bulk wrote before', async () => {
    await node.put('/same', { settings: { number_of_shards: 1, number_of_replicas: 0 }, mappings: MAPPINGS });
    const documents = {
      all: { query: { match_all: {} } },
      list: { tag: ['pink'] },
      early: { query: { terms: { tag: { index: 'same', id: 'list', path: 'tag' } } } },
      'no query': { query: { gone: {} } },
      late: { query: { terms: { tag: { index: 'same', id: 'list', path: 'tag' }, boost: 2 } } },
    };
    const lines = Object.entries(documents).flatMap(([id, document]) => [{ index: { _id: id } }, document]);
    const { items } = (await node.bulk('/same/_bulk?refresh', lines)).json();
    expect(items.map((item: Json) => item.index.status)).toEqual([201, 201, 201, 400, 201]);
    expect(await matching(percolate({ tag: 'pink' }), '/same')).toEqual(['all', 'early', 'late']);
    expect(await matching(percolate({ tag: 'red' }), '/same')).toEqual(['all']);
  });

  it('outlive a kill as they were', async () => {
    const { directory } = node;
    await node.signal('SIGKILL');
    node = await TestNode.start({}, directory);
    await node.get('/_cluster/health?wait_for_status=yellow&timeout=60s');
    await node.put('/words/_doc/1', { tags: ['black'] });
    expect(await matching(percolate({ tag: 'blue' }), path)).toEqual(['tags']);
    expect(await matching(percolate({ tag: 'white' }), path)).toEqual(['tags again']);
    expect(await matching(percolate({ tag: 'black' }), path)).toEqual([]);
  });

  it('are as many as a query may have', async () => {
    await node.put(`${path}/_settings`, { 'index.max_terms_count': 1 });
    await node.put('/words/_doc/1', { tags: ['black', 'white'] });
    const why = expect.stringContaining('The number of terms [2] used in the Terms Query request has exceeded');
    const { status, error } = (await node.put(`${path}/_doc/x`, { query: lookups['tags'] })).json();
    expect([status, error.type, error.caused_by.reason]).toEqual([400, 'mapper_parsing_exception', why]);
    expect(await refusal(lookups['tags'], path)).toEqual([400, why]);
  });
});

describe('queries of nested objects', () => {
  const path = '/rules';
  const within = (query: Json, more: Json = {}): Json => ({ nested: { path: 'rules', query, ...more } });
  const put = (document: Json): Json => ({ percolate: { field: 'rules.query', document } });

  it('belong to the object that holds them', async () => {
    const rules = { type: 'nested', properties: { name: { type: 'keyword' }, query: { type: 'percolator' } } };
    const settings = { number_of_shards: 1, number_of_replicas: 0 };
    await node.put(path, { settings, mappings: { properties: { ...MAPPINGS.properties, rules } } });
    const fox = { match: { title: 'fox' } };
    const lines = [
      { index: { _id: '1' } },
      { rules: [{ name: 'x', query: { term: { tag: 'a' } } }, { name: 'y', query: fox }] }, // prettier-ignore
      { index: { _id: '2' } },
      { rules: [{ name: 'z', query: { match_all: {} } }], query: fox },
      { index: { _id: '3' } },
      { rules: [{ name: 'z', query: [fox, fox] }] },
      { index: { _id: '4' } },
      { rules: [{ name: 'z', query: { terms: { tag: { index: 'rules', id: '5', path: 'tags' } } } }] },
    ];
    const { items } = (await node.bulk(`${path}/_bulk?refresh`, lines)).json();
    expect(items.map(({ index }: Json) => index.error?.caused_by.reason ?? index.status)).toEqual([
      201,
      201,
      'a document can only contain one percolator query',
      201,
    ]);
    expect(await matching(put({ tag: 'a', title: 'fox' }), path)).toEqual([]);
    expect(await matching(percolate({ title: 'fox' }), path)).toEqual(['2']);
    expect(await matching(within(put({ tag: 'a' })), path)).toEqual(['1', '2']);
    expect(await matching(within(put({ tag: 'b' })), path)).toEqual(['2']);
    const named = { bool: { must: [put({ tag: 'a' }), { term: { 'rules.name': 'y' } }] } };
    expect(await matching(within(named), path)).toEqual([]);
  });

  it('are told by inner hits, with places and highlights', async () => {
    const highlight = { fields: { title: {} } };
    const query = within(put({ tag: 'a', title: 'a fox' }), { inner_hits: { highlight, sort: ['_doc'] } });
    const { hits } = (await search({ query, sort: ['_doc'] }, path)).hits;
    const told = hits.map(({ _id, fields, inner_hits: inner }: Json) => [
      _id,
      fields,
      inner.rules.hits.hits.map((hit: Json) => [hit._nested.offset, hit.fields, hit.highlight]),
    ]);
    const slots = { _percolator_document_slot: [0] };
    expect(told).toEqual([
      ['1', undefined, [[0, slots, undefined], [1, slots, { title: ['a <em>fox</em>'] }]]], // prettier-ignore
      ['2', undefined, [[0, slots, undefined]]],
    ]);
  });

  it('outlive merges, updates and a kill', async () => {
    await node.post(`${path}/_update/1?refresh`, { doc: { level: 'x' } });
    await node.post(`${path}/_forcemerge?max_num_segments=1`);
    await node.post(`${path}/_update/2`, { doc: { level: 'x' } });
    const { directory } = node;
    await node.signal('SIGKILL');
    node = await TestNode.start({}, directory);
    await node.get('/_cluster/health?wait_for_status=yellow&timeout=60s');
    expect(await matching(within(put({ title: 'fox' })), path)).toEqual(['1', '2']);
    expect(await matching(within(put({ title: 'hen' })), path)).toEqual(['2']);
  });
});

describe('refusals', () => {
  const put = async (query: Json): Promise<readonly [number, string, string]> => {
    const { status, json } = await node
      .put('/alerts/_doc/bad', { query })
      .then((answer) => ({ status: answer.status, json: answer.json() }));
    return [status, json.error.reason, json.error.caused_by.reason];
  };

  it.each<[Json, string]>([
    [{ term: { gone: 1 } }, 'No field mapping can be found for the field with name [gone]'],
    [
      { bool: { should: [{ match: { 'part.gone': 'x' } }] } },
      'No field mapping can be found for the field with name [part.gone]',
    ],
    [
      { multi_match: { query: 'x', fields: ['title', 'gone'] } },
      'No field mapping can be found for the field with name [gone]',
    ],
    [{ range: { price: { gt: 'much' } } }, 'failed to create query: For input string: "much"'],
    [{ wrong: {} }, 'unknown query [wrong]'],
    [{ term: { tag: { valu: 1 } } }, '[term] query does not support [valu]'],
    [
      { has_child: { type: 'a', query: { match_all: {} } } },
      'the [has_child] query is unsupported inside a percolator query',
    ],
    [percolate({}), 'the [percolate] query is unsupported inside a percolator query'],
    [{ terms: { tag: { index: 'gone', id: '1', path: 'tag' } } }, 'no such index [gone]'],
    [
      { geo_shape: { place: { indexed_shape: { index: 'alerts', id: 'nobody', path: 'shape' } } } },
      'Shape with ID [nobody] not found',
    ],
    [
      { geo_shape: { place: { indexed_shape: { index: 'alerts', id: 'all', path: 'shape' } } } },
      'Shape with name [all] found but missing shape field',
    ],
    [{}, 'query malformed, empty clause found'],
    ['text', '[_na] query malformed, must start with start_object'],
    [[{ match_all: {} }, { match_all: {} }], 'a document can only contain one percolator query'],
  ])('%j', async (query, reason) => {
    expect(await put(query)).toEqual([400, 'failed to parse', expect.stringContaining(reason)]);
  });

  it('of one document leave the others of its batch alone', async () => {
    const lines = [1, 2, 3].flatMap((id) => [
      { index: { _id: id } },
      { query: id === 2 ? { wrong: {} } : { term: { tag: `batch${id}` } } },
    ]);
    const { items } = (await node.bulk('/alerts/_bulk?refresh', lines)).json();
    expect(items.map((item: Json) => item.index.status)).toEqual([201, 400, 201]);
    expect(await matching(percolate({ tag: ['batch1', 'batch3'] }))).toEqual(['1', '3', 'all']);
    await node.post('/alerts/_delete_by_query?refresh', { query: { ids: { values: ['1', '3'] } } });
    expect(await matching(percolate({ tag: ['batch1', 'batch3'] }))).toEqual(['all']);
  });

  it.each<[Json, string]>([
    [{ percolate: { document: {} } }, 'Required [field]'],
    [{ percolate: { field: 'query' } }, 'Required one of fields [document, documents, id], but none were specified. '],
    [percolate({}, { id: '1' }), 'The following fields are not allowed together: [document, id] '],
    [percolate({}, { index: 'toys' }), '[percolate] takes [index] only together with [id]'],
    [{ percolate: { field: 'query', documents: [] } }, 'no document to percolate'],
    [percolate({}, { typ: 1 }), '[percolate] unknown field [typ]'],
    [percolate('text'), "[percolate] document doesn't support values of type: VALUE_STRING"],
    [{ percolate: { field: 'gone', document: {} } }, 'field [gone] does not exist'],
    [
      { percolate: { field: 'tag', document: {} } },
      'expected field [tag] to be of type [percolator], but is of type [keyword]',
    ],
    [percolate({ price: 'much' }), "failed to parse field [price] of type [double] in document with id '_temp_id'"],
    [{ term: { query: 'x' } }, 'Percolator fields are not searchable directly, use a percolate query instead'],
  ])('%j', async (query, reason) => {
    expect(await refusal(query)).toEqual([400, expect.stringContaining(reason)]);
  });

  it('of mappings name what they do not take', async () => {
    const of = async (properties: Json): Promise<readonly [number, string]> => {
      const answer = await node.put('/mapped', { mappings: { properties } });
      return [answer.status, answer.json().error?.root_cause[0].reason as string];
    };
    const unknown = expect.stringContaining('unknown parameter [index] on mapper [q] of type [percolator]');
    expect(await of({ q: { type: 'percolator', index: false } })).toEqual([400, unknown]);
    const nested = { n: { type: 'nested', include_in_root: true, properties: { q: { type: 'percolator' } } } };
    const reason =
      'Field [n.q] of type [percolator] cannot be part of the nested object [n], which is included in others';
    expect(await of(nested)).toEqual([400, reason]);
  });
});

describe('what else there is to know of a percolator field', () => {
  it('is told by its capabilities, and not by stored fields', async () => {
    const { fields } = (await node.get('/alerts/_field_caps?fields=query')).json();
    expect(fields.query.percolator).toMatchObject({ type: 'percolator', searchable: false, aggregatable: false });
    const { hits } = (await search({ query: { exists: { field: 'query' } }, stored_fields: ['*'] })).hits;
    expect(hits).toHaveLength(Object.keys(STORED).length);
    expect(hits.every((hit: Json) => hit.fields === undefined)).toBe(true);
    const got = (await node.get('/alerts/_doc/fox?stored_fields=query')).json();
    expect([got.found, got.fields]).toEqual([true, undefined]);
    const caches = (await node.get('/_nodes/stats')).json().nodes;
    expect(JSON.stringify(caches)).toContain('"stored_queries"');
  });

  it('unmapped fields are texts where the index says so', async () => {
    const settings = { number_of_shards: 1, 'index.percolator.map_unmapped_fields_as_text': true };
    const mappings = { properties: { query: { type: 'percolator' } } };
    expect((await node.put('/lenient', { settings, mappings })).status).toBe(200);
    await node.put('/lenient/_doc/1?refresh', { query: { match: { 'a.b': 'Quick fox' } } });
    const path = '/lenient';
    expect(await matching(percolate({ a: { b: 'the FOX' } }), path)).toEqual(['1']);
    expect(await matching(percolate({ a: { b: 'hen' } }), path)).toEqual([]);
    expect(await matching(percolate({ other: 1 }), path)).toEqual([]);
    expect((await node.get('/lenient/_mapping')).json().lenient.mappings.properties).toEqual({
      query: { type: 'percolator' },
    });
  });

  it('queries outlive updates, reindexing, merges, and a kill', async () => {
    const settings = { number_of_shards: 1, number_of_replicas: 0 };
    await node.put('/moved', { settings, mappings: MAPPINGS });
    await node.post('/_reindex?refresh', { source: { index: 'alerts' }, dest: { index: 'moved' } });
    const document = { title: 'quick brown fox', tag: 'toy', price: 3 };
    expect(await matching(percolate(document), '/moved')).toEqual(['all', 'cheap', 'fox', 'phrase']);
    expect((await node.post('/moved/_update/fox?refresh', { doc: { query: null } })).status).toBe(400);
    await node.post('/moved/_update/phrase?refresh', { doc: { level: 'other' } });
    await node.put('/moved/_mapping', {
      properties: { title: { type: 'text', search_analyzer: 'whitespace' }, more: { type: 'long' } },
    });
    await node.post('/moved/_forcemerge?max_num_segments=1');
    await node.put('/moved/_doc/late', { query: { term: { tag: 'toy' } } });
    expect((await node.post('/moved/_update/late', { doc: { level: 'x' } })).status).toBe(200);
    const { directory } = node;
    await node.signal('SIGKILL');
    node = await TestNode.start({}, directory);
    await node.get('/_cluster/health?wait_for_status=yellow&timeout=60s');
    expect(await matching(percolate(document), '/moved')).toEqual(['all', 'cheap', 'fox', 'late', 'phrase']);
  });
});
