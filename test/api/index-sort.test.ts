/** Indices whose documents are sorted: order, searches that end early, everything else that holds in them, refusals. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

const DOCUMENTS = 600;

/** As an index is sorted, and as a search asks for it. */
const SORT = {
  'index.sort.field': ['rank', 'n'],
  'index.sort.order': ['desc', 'asc'],
  'index.sort.missing': ['_first', '_last'],
};
const KEYS = [{ rank: { order: 'desc', missing: '_first' } }, { n: 'asc' }];

const PROPERTIES = {
  rank: { type: 'integer' },
  n: { type: 'long' },
  tag: { type: 'keyword' },
  t: { type: 'text' },
  place: { type: 'geo_shape' },
  name: { type: 'completion' },
  query: { type: 'percolator' },
  side: { type: 'join', relations: { parent: 'child' } },
};

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  for (const [index, sort] of [
    ['sorted', SORT],
    ['plain', {}],
  ] as const) {
    const settings = { number_of_shards: 1, number_of_replicas: 0, 'index.refresh_interval': '-1', ...sort };
    const created = await node.put(`/${index}`, { settings, mappings: { properties: PROPERTIES } });
    expect([created.status, created.text]).toEqual([200, expect.anything()]);
    await load(index);
  }
});

afterAll(async () => {
  await node.stop();
});

/** Several segments, each with documents of all ranks; some are replaced and some deleted afterwards. */
async function load(index: string): Promise<void> {
  for (let from = 0; from < DOCUMENTS; from += 150) {
    const lines = Array.from({ length: 150 }, (_, at) => documentOf(from + at)).flat();
    expect((await node.bulk(`/${index}/_bulk?refresh=true`, lines)).json().errors).toBe(false);
  }
  const changes = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0
      ? [{ delete: { _id: String(at * 13) } }]
      : [{ update: { _id: String(at * 11) } }, { doc: { rank: at % 9 } }],
  ).flat();
  expect((await node.bulk(`/${index}/_bulk?refresh=true`, changes)).json().errors).toBe(false);
}

function documentOf(at: number): readonly Json[] {
  const rank = (at * 37) % 23;
  const ranks = at % 11 === 0 ? {} : { rank: at % 7 === 0 ? [rank, rank + 5] : rank };
  return [
    { index: { _id: String(at) } },
    { ...ranks, n: (at * 7919) % 1009, tag: `t${at % 5}`, t: `word${at % 3} common` },
  ];
}

async function search(index: string, body: Json): Promise<Json> {
  const answer = await node.post(`/${index}/_search`, { size: DOCUMENTS, ...body });
  expect([answer.status, answer.text.slice(0, 400)]).toEqual([200, expect.anything()]);
  return answer.json();
}

function idsOf({ hits }: Json): readonly string[] {
  return hits.hits.map(({ _id }: Json) => _id);
}

/** The ids of all live documents, in the order of the index. */
async function expected(): Promise<readonly string[]> {
  return idsOf(await search('plain', { sort: KEYS }));
}

/** Every segment is sorted: what is left of the sorted ids in the order of documents ascends in each. */
async function expectSegmentsInOrder(): Promise<void> {
  const place = new Map((await expected()).map((id, at) => [id, at]));
  const { hits } = await search('sorted', { sort: '_doc' });
  const places = hits.hits.map(({ _id }: Json) => place.get(_id) ?? -1);
  expect(places).toHaveLength(place.size);
  const { indices } = (await node.get('/sorted/_segments')).json();
  const segments = Object.values<Json>(indices.sorted.shards['0'][0].segments).filter((each) => each.search);
  const steps = places.filter((at: number, before: number) => before > 0 && at < places[before - 1]);
  expect(steps.length).toBeLessThan(segments.length);
}

describe('a sorted index', () => {
  it('has its documents in order in every segment, and after a merge altogether', async () => {
    await expectSegmentsInOrder();
    await node.post('/sorted/_forcemerge?max_num_segments=1');
    await node.post('/sorted/_refresh');
    expect(idsOf(await search('sorted', { sort: '_doc' }))).toEqual(await expected());
  });

  it('shows its sort in settings and segments', async () => {
    const { sorted } = (await node.get('/sorted/_settings')).json();
    expect(sorted.settings.index.sort).toEqual({
      field: ['rank', 'n'],
      order: ['desc', 'asc'],
      missing: ['_first', '_last'],
    });
    const { indices } = (await node.get('/sorted,plain/_segments')).json();
    const sorts = (index: string) =>
      Object.values<Json>(indices[index].shards['0'][0].segments).map((segment) => segment.sort);
    expect(new Set(sorts('plain'))).toEqual(new Set([undefined]));
    expect(sorts('sorted')[0]).toEqual([
      { field: 'rank', mode: 'max', missing: '9223372036854775807', reverse: true },
      { field: 'n', mode: 'min', missing: '9223372036854775807', reverse: false },
    ]);
  });

  it.each([
    ['its first field', [KEYS[0]]],
    ['all its fields', KEYS],
    ['all its fields and the document', [...KEYS, '_doc']],
    ['other missing values', [{ rank: { order: 'desc', missing: '_last' } }, { n: 'asc' }]],
    ['the other direction', [{ rank: 'asc' }, { n: 'asc' }]],
    ['another field', [{ tag: 'asc' }, { n: 'desc' }]],
  ])('is searched by %s as others are, however many are counted', async (_, sort) => {
    for (const query of [{ match_all: {} }, { term: { tag: 't3' } }, { match: { t: 'word1' } }]) {
      const all = await search('plain', { sort, query, track_total_hits: true });
      for (const track_total_hits of [false, 5, 200, true]) {
        for (const size of [1, 10, 100]) {
          const found = await search('sorted', { sort, query, size, track_total_hits });
          const values = ({ hits }: Json) => hits.hits.map((hit: Json) => hit.sort.slice(0, 2));
          expect(values(found)).toEqual(values(all).slice(0, size));
          if (track_total_hits === true) expect(found.hits.total).toEqual(all.hits.total);
          if (track_total_hits === false) expect(found.hits.total).toBeUndefined();
          if (typeof track_total_hits === 'number') {
            const counted = Math.min(track_total_hits, all.hits.total.value);
            expect(found.hits.total.value).toBeGreaterThanOrEqual(counted);
          }
        }
      }
    }
  });

  it('is read page by page', async () => {
    const pages: string[] = [];
    let answer = await node.post('/sorted/_search?scroll=1m', { size: 77, sort: KEYS });
    while (answer.json().hits.hits.length > 0) {
      pages.push(...idsOf(answer.json()));
      answer = await node.post('/_search/scroll', { scroll: '1m', scroll_id: answer.json()._scroll_id });
    }
    expect(pages).toEqual(await expected());
    const after: string[] = [];
    let behind: Json;
    do {
      const page = await search('sorted', {
        size: 90,
        sort: KEYS,
        ...(behind === undefined ? {} : { search_after: behind }),
      });
      after.push(...idsOf(page));
      behind = page.hits.hits.at(-1)?.sort;
    } while (behind !== undefined);
    expect(after).toEqual(pages);
  });

  it('groups by its field page by page', async () => {
    const pages = async (index: string): Promise<readonly Json[]> => {
      const buckets: Json[] = [];
      let after: Json;
      do {
        const sources = [{ rank: { terms: { field: 'rank', order: 'desc', missing_bucket: true } } }];
        const composite = { size: 4, sources, ...(after === undefined ? {} : { after }) };
        const { aggregations } = await search(index, { size: 0, aggs: { by: { composite } } });
        buckets.push(...aggregations.by.buckets);
        after = aggregations.by.after_key;
      } while (after !== undefined);
      return buckets;
    };
    expect(await pages('sorted')).toEqual(await pages('plain'));
  });

  it('is found again by a node that was killed, with what no segment had', async () => {
    for (const index of ['sorted', 'plain']) {
      await node.post(`/${index}/_flush`);
      const lines = [5, 3, 900, 4].flatMap((rank, at) => [
        { index: { _id: `late${at}` } },
        { rank, n: at, t: 'late', tag: 't9' },
      ]);
      await node.bulk(`/${index}/_bulk`, [...lines, { delete: { _id: 'late3' } }]);
    }
    await node.signal('SIGKILL');
    node = await TestNode.start({}, node.directory);
    await node.get('/_cluster/health?wait_for_status=green&timeout=30s');
    await node.post('/sorted,plain/_refresh');
    await expectSegmentsInOrder();
    expect(idsOf(await search('sorted', { sort: KEYS }))).toEqual(await expected());
    const { _source } = (await node.get('/sorted/_doc/late1')).json();
    expect(_source.rank).toBe(3);
  });

  it('hands its order on to indices that are made of it', async () => {
    await node.put('/sorted/_settings', { 'index.blocks.write': true });
    const cloned = await node.post('/sorted/_clone/copied', { settings: { 'index.blocks.write': null } });
    expect([cloned.status, cloned.text]).toEqual([200, expect.anything()]);
    const { copied } = (await node.get('/copied/_settings')).json();
    expect(copied.settings.index.sort.field).toEqual(['rank', 'n']);
    await node.put('/copied/_doc/new?refresh=true', { rank: 7, n: 1 });
    await node.post('/copied/_forcemerge?max_num_segments=1');
    await node.post('/copied/_refresh');
    const order = idsOf(await search('copied', { sort: '_doc' }));
    expect(order).toEqual(idsOf(await search('copied', { sort: KEYS })));
    expect(order).toHaveLength((await expected()).length + 1);
    const resorted = await node.post('/sorted/_clone/other', { settings: { 'index.sort.field': 'tag' } });
    expect(resorted.json().error.reason).toContain("can't override index sort when resizing an index");
    await node.put('/sorted/_settings', { 'index.blocks.write': null });
  });
});

describe('what else a sorted index holds', () => {
  it('percolates, joins, completes and finds shapes', async () => {
    const settings = { number_of_shards: 1, 'index.sort.field': 'rank' };
    await node.put('/mixed', { settings, mappings: { properties: PROPERTIES } });
    const shape = (at: number) => ({ type: 'Point', coordinates: [at, at] });
    const lines = [5, 2, 9, 1, 7].flatMap((rank) => [
      { index: { _id: `p${rank}` } },
      { rank, place: shape(rank), name: `name${rank}`, side: 'parent', query: { range: { n: { gte: rank } } } },
      { index: { _id: `c${rank}`, routing: `p${rank}` } },
      { rank: 10 - rank, side: { name: 'child', parent: `p${rank}` }, tag: `of${rank}` },
    ]);
    // Children and parents are in one shard, whatever their routing.
    expect((await node.bulk('/mixed/_bulk?refresh=true', lines.slice(0, 12))).json().errors).toBe(false);
    expect((await node.bulk('/mixed/_bulk?refresh=true', lines.slice(12))).json().errors).toBe(false);
    const found = async (query: Json) => [...idsOf(await search('mixed', { query }))].sort();
    const check = async () => {
      expect(await found({ percolate: { field: 'query', document: { n: 5 } } })).toEqual(['p1', 'p2', 'p5']);
      expect(await found({ has_child: { type: 'child', query: { term: { tag: 'of9' } } } })).toEqual(['p9']);
      expect(await found({ has_parent: { parent_type: 'parent', query: { term: { rank: 2 } } } })).toEqual(['c2']);
      const box = {
        type: 'envelope',
        coordinates: [
          [4, 8],
          [8, 4],
        ],
      };
      expect(await found({ geo_shape: { place: { shape: box } } })).toEqual(['p5', 'p7']);
      const suggest = { s: { prefix: 'name', completion: { field: 'name', size: 9 } } };
      const options = (await search('mixed', { suggest })).suggest.s[0].options;
      expect(options.map(({ _id }: Json) => _id).sort()).toEqual(['p1', 'p2', 'p5', 'p7', 'p9']);
    };
    await check();
    await node.post('/mixed/_forcemerge?max_num_segments=1');
    await node.post('/mixed/_refresh');
    await check();
    const { hits } = await search('mixed', { sort: '_doc' });
    const ranks = hits.hits.map(({ _source }: Json) => _source.rank);
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
  });

  it.each([
    ['keyword', ['b', 'a', ['d', 'A'], 'c'], 'asc', 'min'],
    ['keyword', ['b', 'a', ['d', 'A'], 'c'], 'desc', 'min'],
    ['date', ['2020-01-02', '2019-01-01', ['2021-01-01', '2018-01-01']], 'desc', 'max'],
    ['date_nanos', ['2020-01-02', '2019-01-01'], 'asc', 'max'],
    ['boolean', [true, false, true], 'asc', 'min'],
    ['ip', ['10.0.0.2', '::1', '10.0.0.1'], 'desc', 'max'],
    ['double', [1.5, -2.5, [0, 100]], 'asc', 'max'],
    ['float', [1.5, -2.5, 7], 'desc', 'max'],
    ['unsigned_long', ['18446744073709551614', 3, 9], 'desc', 'max'],
    ['short', [3, -9, 2], 'asc', 'min'],
    ['version', ['1.10.0', '1.9.0', '2.0.0'], 'asc', 'min'],
  ])('is sorted by %s %j %s, %s', async (type, values, order, mode) => {
    const settings = {
      number_of_shards: 1,
      'index.sort.field': 'f',
      'index.sort.order': order,
      'index.sort.mode': mode,
      'index.sort.missing': '_first',
    };
    const created = await node.put('/kind', { settings, mappings: { properties: { f: { type } } } });
    expect([created.status, created.text]).toEqual([200, expect.anything()]);
    const lines = [...values, undefined].flatMap((f, at) => [{ index: { _id: String(at) } }, { f }]);
    await node.bulk('/kind/_bulk?refresh=true', lines);
    const bySearch = idsOf(
      await search('kind', { sort: [{ f: { order, mode, missing: '_first' } }, '_id'].slice(0, 1) }),
    );
    expect(idsOf(await search('kind', { sort: '_doc' }))).toEqual(bySearch);
    expect(bySearch[0]).toBe(String(values.length));
    await node.delete('/kind');
  });
});

describe('refusals', () => {
  const properties = {
    rank: { type: 'integer' },
    bare: { type: 'keyword', doc_values: false },
    t: { type: 'text' },
    half: { type: 'half_float' },
    scaled: { type: 'scaled_float', scaling_factor: 10 },
    place: { type: 'geo_point' },
    other: { type: 'alias', path: 'rank' },
  };

  it.each([
    [{ field: 'none' }, 'unknown index sort field:[none]'],
    [{ field: 'bare' }, 'docvalues not found for index sort field:[bare]'],
    [{ field: 't' }, 'docvalues not found for index sort field:[t]'],
    [{ field: 'half' }, 'invalid index sort field:[half]'],
    [{ field: ['rank', 'scaled'] }, 'invalid index sort field:[scaled]'],
    [{ field: 'place' }, 'invalid index sort field:[place]'],
    [{ field: 'other' }, 'Cannot use alias [other] as an index sort field'],
    [{ field: 'rank', order: ['asc', 'desc'] }, 'index.sort.field:[rank] index.sort.order:[asc, desc], size mismatch'],
    [{ field: ['rank', 't'], mode: 'max' }, 'index.sort.field:[rank, t] index.sort.mode:[MAX], size mismatch'],
    [{ missing: '_last' }, 'index.sort.field:[] index.sort.missing:[_last], size mismatch'],
    [{ field: 'rank', order: 'down' }, 'Illegal sort order:down'],
    [{ field: 'rank', mode: 'avg' }, 'Illegal index sort mode:[AVG], must be one of [MAX, MIN]'],
    [{ field: 'rank', missing: 0 }, 'Illegal missing value:[0], must be one of [_last, _first]'],
  ])('%j', async (sort, reason) => {
    const answer = await node.put('/refused', { settings: { index: { sort } }, mappings: { properties } });
    expect(answer.status).toBe(400);
    expect(answer.json().error).toMatchObject({ type: 'illegal_argument_exception', reason });
  });

  it('of nested objects, at once and later, and of another sort', async () => {
    const settings = { 'index.sort.field': 'rank' };
    const nested = { rank: { type: 'integer' }, parts: { type: 'nested' } };
    const reason = 'cannot have nested fields when index sort is activated';
    const created = await node.put('/refused', { settings, mappings: { properties: nested } });
    expect([created.status, created.json().error.reason]).toEqual([400, reason]);
    await node.put('/kept', { settings, mappings: { properties: { rank: { type: 'integer' } } } });
    const updated = await node.put('/kept/_mapping', { properties: { parts: { type: 'nested' } } });
    expect([updated.status, updated.json().error.reason]).toEqual([400, reason]);
    const retyped = await node.put('/kept/_mapping', { properties: { rank: { type: 'keyword' } } });
    expect(retyped.status).toBe(400);
    const resorted = await node.put('/kept/_settings', { 'index.sort.field': 'n' });
    expect([resorted.status, resorted.json().error.reason]).toEqual([
      400,
      expect.stringContaining('[index.sort.field]'),
    ]);
  });
});
