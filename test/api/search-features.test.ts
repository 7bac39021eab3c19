import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/places', {
    settings: { number_of_shards: 3 },
    mappings: {
      properties: {
        country: { type: 'keyword' },
        city: { type: 'keyword' },
        people: { type: 'long', meta: { unit: 'heads' } },
        about: { type: 'text', fields: { vector: { type: 'text', term_vector: 'with_positions_offsets' } } },
      },
    },
  });
  const places: [string, string | undefined, string, number, string][] = [
    ['1', 'uk', 'london', 9, 'A <b>large</b> city on a river.'],
    ['2', 'uk', 'london', 8, 'The same large city.'],
    ['3', 'uk', 'leeds', 1, 'A city in the north.'],
    ['4', 'fr', 'paris', 2, 'Another large city on a river.'],
    ['5', 'fr', 'lyon', 3, 'Two rivers meet in this city.'],
    ['6', undefined, 'nowhere', 4, 'Not a city.'],
  ];
  const lines = places.map(([_id, country, city, people, about]) => [
    { index: { _id } },
    { country, city, people, about },
  ]);
  await node.bulk('/places/_bulk?refresh', lines.flat());
});

afterAll(async () => {
  await node.stop();
});

function idsOf(hits: Json): string[] {
  return hits.hits.map(({ _id }: Json) => _id);
}

async function search(body: unknown, path = '/places/_search'): Promise<Json> {
  return (await node.post(path, body)).json();
}

describe('collapse', () => {
  it('shows the first hit of each value, and further ones where they are asked for', async () => {
    const answer = await search({
      sort: [{ people: 'desc' }],
      aggs: { total: { value_count: { field: 'city' } } },
      collapse: {
        field: 'country',
        inner_hits: [
          { name: 'least', size: 1, sort: [{ people: 'asc' }] },
          { name: 'cities', size: 5, sort: [{ people: 'desc' }], collapse: { field: 'city' }, _source: false },
        ],
      },
    });
    expect([idsOf(answer.hits), answer.hits.total.value, answer.aggregations.total.value]).toEqual([
      ['1', '6', '5'],
      6,
      6,
    ]);
    const [uk, none] = answer.hits.hits;
    expect([uk.fields, none.fields, uk.sort]).toEqual([{ country: ['uk'] }, undefined, [9]]);
    expect(idsOf(uk.inner_hits.least.hits)).toEqual(['3']);
    expect([idsOf(uk.inner_hits.cities.hits), uk.inner_hits.cities.hits.total.value]).toEqual([['1', '3'], 3]);
    expect(idsOf(none.inner_hits.cities.hits)).toEqual(['6']);
  });

  it('goes by score, page by page', async () => {
    const query = { match: { about: 'large city river' } };
    const whole = await search({ query, collapse: { field: 'city' } });
    const pages = await Promise.all(
      [0, 2, 4].map((from) => search({ query, from, size: 2, collapse: { field: 'city' } })),
    );
    expect(pages.flatMap(({ hits }) => idsOf(hits))).toEqual(idsOf(whole.hits));
    expect(whole.hits.hits[0]).not.toHaveProperty('sort');
    expect(whole.hits.max_score).toBe(whole.hits.hits[0]._score);
  });

  it.each<[Json, string]>([
    [{ field: 'about' }, 'collapse is not supported for the field [about] of the type [text]'],
    [{ field: 'absent' }, 'no mapping found for `absent` in order to collapse on'],
    [
      { field: 'city', inner_hits: { collapse: { field: 'country', inner_hits: {} } } },
      '[collapse] unknown field [inner_hits]',
    ],
    [{ field: 'city', inner_hits: { size: 101 } }, 'Inner result window is too large'],
  ])('%j is refused', async (collapse, reason) => {
    const refused = await node.post('/places/_search', { collapse });
    expect([refused.status, JSON.stringify(refused.json())]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe('rescore', () => {
  it('lets a second query have its say', async () => {
    const rescore = {
      window_size: 10,
      query: { rescore_query: { constant_score: { filter: { term: { city: 'leeds' } } } }, rescore_query_weight: 100 },
    };
    const answer = await search({ query: { match: { about: 'city' } }, rescore });
    expect(idsOf(answer.hits)[0]).toBe('3');
    expect(answer.hits.max_score).toBe(answer.hits.hits[0]._score);
  });

  it('explains the scores that both queries make', async () => {
    const query = { rescore_query: { ids: { values: ['1'] } }, query_weight: 5, score_mode: 'max' };
    const answer = await search({ query: { match_all: {} }, rescore: { query }, explain: true });
    for (const { _id, _score, _explanation } of answer.hits.hits) {
      expect(_explanation).toMatchObject({ value: _score, description: _id === '1' ? 'max of:' : 'product of:' });
    }
  });

  it.each<[Json, string]>([
    [
      { rescore: { window_size: 10_001, query: { rescore_query: { match_all: {} } } } },
      'Rescore window [10001] is too large',
    ],
    [
      { rescore: { query: { rescore_query: { match_all: {} } } }, sort: ['people'] },
      'Cannot use [sort] option in conjunction with [rescore].',
    ],
    [{ rescore: {} }, 'missing rescore type'],
    [{ rescore: { query: { rescore_query: { match_all: {} }, score_mode: 'best' } } }, 'illegal score_mode [best]'],
  ])('%j is refused', async (body, reason) => {
    const refused = await node.post('/places/_search', body);
    expect([refused.status, refused.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe('highlight', () => {
  it('marks what the query found', async () => {
    const answer = await search({
      query: { multi_match: { query: 'large river', fields: ['about', 'about.vector'] } },
      sort: ['people'],
      highlight: { encoder: 'html', fields: { about: {}, 'about.vector': { type: 'fvh' } } },
    });
    const first = answer.hits.hits.find(({ _id }: Json) => _id === '1');
    const marked = 'A &lt;b&gt;<em>large</em>&lt;&#x2F;b&gt; city on a <em>river</em>.';
    expect(first.highlight).toEqual({ about: [marked], 'about.vector': [marked] });
  });

  it('marks what spans and functions found', async () => {
    const clauses = ['large', 'city'].map((word) => ({ span_term: { about: word } }));
    const near = { span_near: { clauses, slop: 2, in_order: true } };
    const answer = await search({
      query: { function_score: { query: near, functions: [{ weight: 2 }] } },
      highlight: { fields: { about: {} } },
    });
    expect(answer.hits.hits[0].highlight.about[0]).toContain('<em>large</em>');
    expect(answer.hits.hits[0].highlight.about[0]).toContain('<em>city</em>');
  });

  it.each<[Json, string]>([
    [{ fields: { about: { type: 'best' } } }, 'unknown highlighter type [best]'],
    [
      { fields: { about: { type: 'fvh' } } },
      'the field [about] should be indexed with term vector with position offsets',
    ],
    [{ fields: { about: { fragmnet_size: 1 } } }, '[highlight_field] unknown field [fragmnet_size]'],
    [{ tags_schema: 'bold', fields: {} }, 'Unknown tag schema [ bold ]'],
  ])('%j is refused', async (highlight, reason) => {
    const refused = await node.post('/places/_search', { query: { match: { about: 'city' } }, highlight });
    expect([refused.status, JSON.stringify(refused.json())]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe('indices_boost', () => {
  it('multiplies scores of an index', async () => {
    const plain = await search({ query: { match: { about: 'river' } } });
    const boosted = await search({ query: { match: { about: 'river' } }, indices_boost: [{ 'pla*': 2 }] });
    expect(boosted.hits.max_score).toBeCloseTo(2 * plain.hits.max_score, 5);
  });
});

describe('_field_caps', () => {
  it('tells what can be done with fields', async () => {
    await node.put('/other', {
      mappings: { properties: { city: { type: 'long' }, o: { properties: { p: { type: 'ip' } } } } },
    });
    const { indices, fields } = (
      await node.get('/places,other/_field_caps?fields=city,people,o*&include_unmapped')
    ).json();
    expect(indices).toEqual(['other', 'places']);
    const able = { metadata_field: false, searchable: true, aggregatable: true };
    const unmapped = { type: 'unmapped', metadata_field: false, searchable: false, aggregatable: false };
    expect(fields).toEqual({
      city: {
        keyword: { type: 'keyword', ...able, indices: ['places'] },
        long: { type: 'long', ...able, indices: ['other'] },
      },
      o: {
        object: { ...unmapped, type: 'object', indices: ['other'] },
        unmapped: { ...unmapped, indices: ['places'] },
      },
      'o.p': { ip: { type: 'ip', ...able, indices: ['other'] }, unmapped: { ...unmapped, indices: ['places'] } },
      people: {
        long: { type: 'long', ...able, indices: ['places'], meta: { unit: ['heads'] } },
        unmapped: { ...unmapped, indices: ['other'] },
      },
    });
  });

  it('leaves out indices that nothing can be found in', async () => {
    const caps = async (gte: number): Promise<Json> =>
      (
        await node.post('/places,other/_field_caps?fields=*&filters=-metadata', {
          index_filter: { range: { people: { gte } } },
        })
      ).json();
    expect((await caps(9)).indices).toEqual(['places']);
    expect(await caps(10)).toEqual({ indices: [], fields: {} });
  });

  it('leaves out fields that no document has, where that is asked for', async () => {
    const properties = { a: { type: 'keyword' }, b: { properties: { c: { type: 'long' } } }, d: { type: 'text' } };
    await node.put('/sparse', { mappings: { properties } });
    await node.put('/sparse/_doc/1?refresh=true', { d: 'some text' });
    const fields = async (): Promise<readonly string[]> => {
      const path = '/sparse/_field_caps?fields=*&filters=-metadata&include_empty_fields=false';
      return Object.keys((await node.get(path)).json().fields).sort();
    };
    expect(await fields()).toEqual(['d']);
    await node.put('/sparse/_doc/2?refresh=true', { a: 'x', b: { c: 1 } });
    expect(await fields()).toEqual(['a', 'b', 'b.c', 'd']);
    await node.delete('/sparse');
  });

  it('tells of indices of which no copy is anywhere', async () => {
    const nowhere = { number_of_replicas: 0, 'index.routing.allocation.require._name': 'nobody' };
    await node.put('/lost?wait_for_active_shards=0', { settings: nowhere });
    const { indices, failed_indices: count, failures } = (await node.get('/places,lost/_field_caps?fields=*')).json();
    expect([indices, count]).toEqual([['places'], 1]);
    const error = { type: 'no_shard_available_action_exception', reason: 'index [lost] has no active shard copy' };
    expect(failures).toEqual([{ indices: ['lost'], failure: { error: { root_cause: [error], ...error } } }]);
    const alone = await node.get('/lost/_field_caps?fields=*');
    expect([alone.status, alone.json().error]).toMatchObject([503, error]);
    const { _all: all, indices: told } = (await node.get('/lost/_stats')).json();
    expect([all.total, told]).toEqual([{}, {}]);
    await node.delete('/lost');
  });

  it('refuses what it does not know', async () => {
    expect((await node.get('/places/_field_caps')).json().error.reason).toContain('no fields specified');
    const refused = await node.get('/places/_field_caps?fields=*&filters=best');
    expect([refused.status, refused.json().error.reason]).toEqual([400, 'Unknown field caps filter [best]']);
  });
});

describe('_terms_enum', () => {
  beforeAll(async () => {
    const properties = {
      tag: { type: 'keyword' },
      text: { type: 'text' },
      release: { type: 'version' },
      labels: { type: 'flattened' },
    };
    await node.put('/tags', { settings: { number_of_shards: 2 }, mappings: { properties } });
    const tags = [['apple', 'Apricot'], ['apple'], ['avocado', 'banana'], ['Fig']];
    const more = [
      { release: '1.10.0', labels: { place: 'Rome', deep: { er: 'x' } } },
      { release: '1.2.0' },
      { release: '2.0.0', labels: { place: ['Riga', 'Oslo'] } },
      {},
    ];
    const lines = tags.flatMap((tag, at) => [{ index: { _id: String(at) } }, { tag, text: 'apple', ...more[at] }]);
    await node.bulk('/tags/_bulk?refresh=true', lines);
  });

  it.each<[object, readonly string[]]>([
    [{}, ['Apricot', 'Fig', 'apple', 'avocado', 'banana']],
    [{ string: 'a' }, ['apple', 'avocado']],
    [{ string: 'ap', case_insensitive: true }, ['Apricot', 'apple']],
    [{ size: 2 }, ['Apricot', 'Fig']],
    [{ search_after: 'apple' }, ['avocado', 'banana']],
    [{ string: 'zzz' }, []],
    [{ field: 'text' }, []],
    [{ field: 'none' }, []],
    [{ field: 'release' }, ['1.2.0', '1.10.0', '2.0.0']],
    [{ field: 'release', string: '1.' }, ['1.2.0', '1.10.0']],
    [{ field: 'release', search_after: '1.2.0', size: 1 }, ['1.10.0']],
    [{ field: 'labels.place' }, ['Oslo', 'Riga', 'Rome']],
    [{ field: 'labels.place', string: 'r', case_insensitive: true }, ['Riga', 'Rome']],
    [{ field: 'labels.deep.er', string: 'x' }, ['x']],
    [{ field: 'labels.other' }, []],
  ])('%j', async (more, terms) => {
    const answer = (await node.post('/tags/_terms_enum', { field: 'tag', ...more })).json();
    expect(answer).toEqual({ _shards: { total: 2, successful: 2, failed: 0 }, terms, complete: true });
  });

  it.each<[object, string]>([
    [{}, 'field cannot be null'],
    [{ field: 'tag', size: 0 }, 'size must be between 1 and 10000'],
    [{ field: 'tag', nope: 1 }, '[terms_enum_request] unknown field [nope]'],
  ])('refuses %j', async (body, reason) => {
    const answer = await node.post('/tags/_terms_enum', body);
    expect([answer.status, answer.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
  });
});

describe('_search_shards', () => {
  it('names the copies that a search would ask', async () => {
    const { nodes, indices, shards } = (await node.get('/places/_search_shards')).json();
    expect([Object.keys(nodes).length, indices, shards.length]).toEqual([1, { places: {} }, 3]);
    expect(shards[0][0]).toMatchObject({ state: 'STARTED', primary: true, shard: 0, index: 'places' });
    const sliced = (await node.post('/places/_search_shards', { slice: { id: 0, max: 2 } })).json();
    expect(sliced.shards.map(([copy]: Json) => copy.shard)).toEqual([0, 2]);
  });
});
