/** Places over HTTP: indexed in all forms, found, sorted, scored, counted, shown, read by scripts, kept over a restart and a merge. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

/** Cities with their places in every form. */
const CITIES: Readonly<Record<string, unknown>> = {
  amsterdam: { lat: 52.3676, lon: 4.9041 },
  berlin: [13.405, 52.52],
  paris: '48.8566,2.3522',
  london: 'POINT (-0.1276 51.5072)',
  fiji: { type: 'Point', coordinates: [178.065, -17.7134] },
  samoa: [{ lat: -13.759, lon: -172.1046 }, '-14.271,-170.1322'],
  pole: { lat: 90, lon: 0 },
  nowhere: null,
};

const MAPPINGS = {
  dynamic_templates: [{ places: { match: '*_place', mapping: { type: 'geo_point' } } }],
  properties: {
    name: { type: 'keyword' },
    at: { type: 'geo_point', fields: { hash: { type: 'keyword' } } },
    other: { type: 'geo_point', null_value: '1,2', ignore_malformed: true, store: true },
    size: { type: 'long' },
    stops: { type: 'nested', properties: { at: { type: 'geo_point' }, kind: { type: 'keyword' } } },
  },
};

async function call(method: string, path: string, body?: unknown, status = 200): Promise<Json> {
  const answer = await node.request(method, path, body);
  expect({ status: answer.status, text: answer.status === status ? '' : answer.text }).toEqual({ status, text: '' });
  return answer.text === '' ? undefined : answer.json();
}

async function names(query: unknown, index = 'cities'): Promise<string[]> {
  const body = { query, size: 100, sort: 'name', docvalue_fields: ['name'] };
  const { hits } = await call('POST', `/${index}/_search`, body);
  return hits.hits.map((hit: Json) => hit.fields.name[0]);
}

async function aggregate(aggs: unknown, query: unknown = { match_all: {} }): Promise<Json> {
  return (await call('POST', '/cities/_search', { size: 0, query, aggs })).aggregations;
}

async function refusal(path: string, body: unknown): Promise<string> {
  const { error } = await call('POST', path, body, 400);
  const reasons: string[] = [];
  for (let cause = error.failed_shards?.[0].reason ?? error; cause !== undefined; cause = cause.caused_by) {
    reasons.push(cause.reason);
  }
  return reasons.join(' < ');
}

beforeAll(async () => {
  node = await TestNode.start();
  await call('PUT', '/cities', { settings: { number_of_shards: 2 }, mappings: MAPPINGS });
  let size = 0;
  for (const [name, at] of Object.entries(CITIES)) {
    size += 10;
    await call('PUT', `/cities/_doc/${name}`, { name, at, size, other: name === 'berlin' ? null : undefined }, 201);
  }
  await call('POST', '/cities/_refresh');
}, 90_000);

afterAll(async () => {
  await node.stop();
});

describe('queries', () => {
  test('geo_distance', async () => {
    const within = (distance: string, at: unknown) => names({ geo_distance: { distance, at } });
    expect(await within('400km', CITIES['amsterdam'])).toEqual(['amsterdam', 'london']);
    expect(await within('600km', [4.9041, 52.3676])).toEqual(['amsterdam', 'berlin', 'london', 'paris']);
    expect(await within('1300km', { lat: -17, lon: -179 })).toEqual(['fiji', 'samoa']);
    expect(await within('10km', '89.99,120')).toEqual(['pole']);
    expect(await within('1mm', '10,10')).toEqual([]);
  });

  test('geo_bounding_box', async () => {
    const inside = (box: unknown) => names({ geo_bounding_box: { at: box } });
    expect(await inside({ top_left: '53,-1', bottom_right: '50,10' })).toEqual(['amsterdam', 'london']);
    expect(await inside({ top: 0, bottom: -20, left: 170, right: -170.1 })).toEqual(['fiji', 'samoa']);
    expect(await inside({ wkt: 'BBOX (-180, 180, 90, -90)' })).toHaveLength(7);
    expect(await inside({ top_left: 'u1', bottom_right: 'u1' })).toEqual(['amsterdam']);
  });

  test('geo_polygon and exists', async () => {
    const points = [
      [0, 47],
      [15, 50],
      [14, 54],
      [3, 53],
    ];
    expect(await names({ geo_polygon: { at: { points } } })).toEqual(['amsterdam', 'berlin', 'paris']);
    expect(await names({ exists: { field: 'at' } })).toHaveLength(7);
    expect(await names({ bool: { must_not: { exists: { field: 'at' } } } })).toEqual(['nowhere']);
    expect(await names({ exists: { field: 'other' } })).toEqual(['berlin']);
  });

  test('fields that are no places, and questions that places have no answer to', async () => {
    const search = (query: unknown) => refusal('/cities/_search', { query });
    const box = { top: 1, bottom: 0, left: 0, right: 1 };
    expect(await search({ geo_bounding_box: { name: box } })).toContain(
      'unsupported type [keyword] for [geo_bounding_box]',
    );
    expect(await search({ geo_bounding_box: { none: box } })).toContain('failed to find geo field [none]');
    expect(await names({ geo_bounding_box: { none: box, ignore_unmapped: true } })).toEqual([]);
    expect(await search({ term: { at: '1,2' } })).toContain('Geometry fields do not support exact searching');
    expect(await search({ range: { at: { gt: 1 } } })).toContain('does not support range queries');
    expect(await search({ geo_distance: { distance: '1km', at: [0, 91] } })).toContain('illegal latitude value [91.0]');
    expect(await refusal('/cities/_search', { sort: 'at' })).toContain("can't sort on geo_point field");
    expect(await refusal('/cities/_search', { aggs: { a: { terms: { field: 'at' } } } })).toContain('not supported');
    expect(await refusal('/cities/_search', { aggs: { a: { avg: { field: 'at' } } } })).toContain('not supported');
    expect(await names({ multi_match: { query: 'paris', fields: ['*'], lenient: true } })).toEqual(['paris']);
  });

  test('distance_feature and decay', async () => {
    const best = async (query: unknown) =>
      (await call('POST', '/cities/_search', { query, size: 3 })).hits.hits.map((hit: Json) => hit._id);
    expect(await best({ distance_feature: { field: 'at', origin: [2.35, 48.85], pivot: '100km' } })).toEqual([
      'paris',
      'london',
      'amsterdam',
    ]);
    const gauss = { at: { origin: 'POINT (13.4 52.5)', scale: '500km', offset: '1km' } };
    expect(await best({ function_score: { query: { exists: { field: 'at' } }, gauss } })).toEqual([
      'berlin',
      'amsterdam',
      'paris',
    ]);
    expect(
      await refusal('/cities/_search', { query: { distance_feature: { field: 'at', origin: 7, pivot: '1m' } } }),
    ).toContain('geo_point expected');
  });
});

describe('cells', () => {
  test('of all grids', async () => {
    expect(await names({ geo_grid: { at: { geohash: 'u' } } })).toEqual(['amsterdam', 'berlin', 'paris', 'pole']);
    expect(await names({ geo_grid: { at: { geotile: '1/0/0' }, boost: 2, _name: 'west' } })).toEqual(['london']);
    expect(await names({ geo_grid: { at: { geohex: '841fb47ffffffff' }, ignore_unmapped: true } })).toEqual(['paris']);
    expect(await names({ geo_grid: { none: { geohash: 'u' }, ignore_unmapped: true } })).toEqual([]);
  });

  test.each([
    [{ at: {} }, 'grid name not provided'],
    [{ at: { square: '1' } }, 'Invalid grid name [square]'],
    [{ at: { geohash: 'a' } }, 'unsupported symbol [a] in geohash [a]'],
    [{ at: { geotile: '1/2/0' } }, 'Zoom/X/Y combination is not valid: 1/2/0'],
    [{ at: { geohex: 'u1' } }, 'Invalid h3 address [u1]'],
    [{ at: { geohash: 'u', geotile: '1/1/1' } }, 'unexpected field [geotile]'],
    [{ none: { geohash: 'u' } }, 'failed to find geo field [none]'],
    [{ size: { geohash: 'u' } }, 'is of unsupported type [long] for [geo_grid] query'],
  ])('%j is refused', async (geo_grid, reason) => {
    expect(await refusal('/cities/_search', { query: { geo_grid } })).toContain(reason);
  });
});

describe('sort', () => {
  const sorted = async (sort: Json, more: object = {}): Promise<Json> =>
    (await call('POST', '/cities/_search', { size: 20, sort: [sort, 'name'], ...more })).hits.hits;

  test('by distance, and the next page', async () => {
    const sort = { _geo_distance: { at: '52.3676,4.9041', unit: 'km' } };
    const hits = await sorted(sort);
    const ids = hits.map((hit: Json) => hit._id);
    expect(ids).toEqual(['amsterdam', 'london', 'paris', 'berlin', 'pole', 'samoa', 'fiji', 'nowhere']);
    expect(hits[0].sort[0]).toBeLessThan(0.001);
    expect(hits[2].sort[0]).toBeCloseTo(429.9, 0);
    expect(hits[7].sort[0]).toBe('Infinity');
    const next = await sorted(sort, { search_after: hits[2].sort });
    expect(next.map((hit: Json) => hit._id)).toEqual(ids.slice(3));
    const far = await sorted({ _geo_distance: { at: '52.3676,4.9041', order: 'desc' } });
    expect(far.map((hit: Json) => hit._id).slice(0, 3)).toEqual(['nowhere', 'fiji', 'samoa']);
  });

  test('several places, modes, the plane, unmapped fields', async () => {
    const two = await sorted({ _geo_distance: { at: ['48.8566,2.3522', [13.405, 52.52]], unit: 'km' } });
    expect(
      two
        .slice(0, 2)
        .map((hit: Json) => hit.sort[0])
        .every((distance: number) => distance < 0.001),
    ).toBe(true);
    const query = { ids: { values: ['samoa'] } };
    const of = async (mode: string) =>
      (await sorted({ _geo_distance: { at: '-14,-171', mode } }, { query }))[0].sort[0];
    const [min, max, avg] = [await of('min'), await of('max'), await of('avg')];
    expect(avg).toBeCloseTo((min + max) / 2, 5);
    const plane = await sorted(
      { _geo_distance: { at: '0,0', distance_type: 'plane', unit: 'm' } },
      { query: { ids: { values: ['pole'] } } },
    );
    expect(plane[0].sort[0]).toBeCloseTo((Math.PI / 2) * 6371008.7714, -2);
    expect((await sorted({ _geo_distance: { none: '0,0', ignore_unmapped: true } }))[0].sort[0]).toBe('Infinity');
    expect(await refusal('/cities/_search', { sort: [{ _geo_distance: { none: '0,0' } }] })).toContain(
      'failed to find mapper for [none]',
    );
  });

  test('nested places', async () => {
    const stop = (lat: number, kind: string) => ({ at: { lat, lon: 0 }, kind });
    await call('PUT', '/trips', { mappings: MAPPINGS });
    await call('PUT', '/trips/_doc/a?refresh', { name: 'a', stops: [stop(1, 'x'), stop(9, 'y')] }, 201);
    await call('PUT', '/trips/_doc/b?refresh', { name: 'b', stops: [stop(3, 'x')] }, 201);
    const sort = (filter?: unknown) => ({
      'stops.at': '0,0',
      mode: 'max',
      nested: { path: 'stops', ...(filter === undefined ? {} : { filter }) },
    });
    const order = async (of: unknown): Promise<Json> =>
      (await call('POST', '/trips/_search', { sort: [{ _geo_distance: of }] })).hits.hits.map((hit: Json) => hit._id);
    expect(await order(sort())).toEqual(['b', 'a']);
    expect(await order(sort({ term: { 'stops.kind': 'x' } }))).toEqual(['a', 'b']);
    expect(
      await names(
        { nested: { path: 'stops', query: { geo_distance: { distance: '1km', 'stops.at': '9,0' } } } },
        'trips',
      ),
    ).toEqual(['a']);
  });
});

describe('aggregations', () => {
  test('geo_distance', async () => {
    const ring = {
      geo_distance: {
        field: 'at',
        origin: { lat: 52.3676, lon: 4.9041 },
        unit: 'km',
        ranges: [{ to: 100 }, { from: 100, to: 500, key: 'near' }, { from: 500 }],
      },
      aggs: { size: { sum: { field: 'size' } } },
    };
    expect((await aggregate({ ring })).ring.buckets).toEqual([
      { key: '*-100.0', from: 0, to: 100, doc_count: 1, size: { value: 10 } },
      { key: 'near', from: 100, to: 500, doc_count: 2, size: { value: 70 } },
      { key: '500.0-*', from: 500, doc_count: 4, size: { value: 200 } },
    ]);
  });

  test('grids', async () => {
    const grid = async (kind: string, more: object): Promise<Json> =>
      (await aggregate({ g: { [kind]: { field: 'at', ...more } } })).g.buckets;
    expect(await grid('geohash_grid', { precision: 1 })).toEqual(
      [
        { key: 'u', doc_count: 4 },
        { key: '2', doc_count: 1 },
        { key: 'r', doc_count: 1 },
        { key: 'g', doc_count: 1 },
      ].sort((a, b) => b.doc_count - a.doc_count || (a.key < b.key ? 1 : -1)),
    );
    expect(await grid('geotile_grid', { precision: 1 })).toEqual([
      { key: '1/1/0', doc_count: 4 },
      { key: '1/1/1', doc_count: 1 },
      { key: '1/0/1', doc_count: 1 },
      { key: '1/0/0', doc_count: 1 },
    ]);
    expect(
      await grid('geohash_grid', { precision: 2, size: 1, bounds: { top_left: '53,4', bottom_right: '52,6' } }),
    ).toEqual([{ key: 'u1', doc_count: 1 }]);
    expect(
      await refusal('/cities/_search', { aggs: { g: { geotile_grid: { field: 'at', precision: 30 } } } }),
    ).toContain('Must be between 0 and 29');
    expect(
      await refusal('/cities/_search', { aggs: { g: { geohex_grid: { field: 'at', precision: 16 } } } }),
    ).toContain('Invalid geohex aggregation precision of 16. Must be between 0 and 15.');
  });

  test('hexagons', async () => {
    const hexagons = (more: object, aggs: object = {}): Promise<Json> =>
      aggregate({ g: { geohex_grid: { field: 'at', ...more }, aggs } });
    const coarse = (await hexagons({ precision: 0 }, { size: { sum: { field: 'size' } } })).g.buckets;
    expect(coarse.map(({ doc_count }: Json) => doc_count)).toEqual([2, 2, 2, 1]);
    // Amsterdam and Berlin, Paris and London.
    expect(coarse).toContainEqual({ key: '801ffffffffffff', doc_count: 2, size: { value: 30 } });
    expect(coarse).toContainEqual({ key: '8019fffffffffff', doc_count: 2, size: { value: 70 } });
    const fine = (await hexagons({ bounds: { top_left: '53,4', bottom_right: '52,6' }, shard_size: 10 })).g.buckets;
    expect(fine).toEqual([{ key: expect.stringMatching(/^851969/), doc_count: 1 }]);
    expect((await hexagons({ precision: 15, size: 2, missing: '0,0' })).g.buckets).toHaveLength(2);
    // A bucket is what the query on its cell finds.
    const cells: Json[] = (await hexagons({ precision: 3 })).g.buckets;
    for (const { key, doc_count } of cells) {
      expect(await names({ geo_grid: { at: { geohex: key } } })).toHaveLength(doc_count);
    }
  });

  test('composite pages of tiles', async () => {
    const page = async (after?: unknown): Promise<Json> =>
      (
        await aggregate({
          c: {
            composite: {
              size: 2,
              sources: [{ tile: { geotile_grid: { field: 'at', precision: 1 } } }],
              ...(after === undefined ? {} : { after }),
            },
          },
        })
      ).c;
    const first = await page();
    expect(first.buckets).toEqual([
      { key: { tile: '1/0/0' }, doc_count: 1 },
      { key: { tile: '1/0/1' }, doc_count: 1 },
    ]);
    expect(first.after_key).toEqual({ tile: '1/0/1' });
    expect((await page(first.after_key)).buckets.map((bucket: Json) => bucket.key.tile)).toEqual(['1/1/0', '1/1/1']);
  });

  test('bounds, centroid, counts', async () => {
    const pacific = { ids: { values: ['fiji', 'samoa'] } };
    const found = await aggregate(
      { b: { geo_bounds: { field: 'at' } }, m: { geo_centroid: { field: 'at' } }, v: { value_count: { field: 'at' } } },
      pacific,
    );
    expect(found.b.bounds.top_left.lat).toBeCloseTo(-13.759, 5);
    expect(found.b.bounds.top_left.lon).toBeCloseTo(178.065, 5);
    expect(found.b.bounds.bottom_right.lon).toBeCloseTo(-170.1322, 5);
    expect(found.m).toEqual({
      location: { lat: expect.closeTo(-15.2478, 3), lon: expect.closeTo(-54.7239, 3) },
      count: 3,
    });
    expect(found.v.value).toBe(3);
    const none = await aggregate(
      { b: { geo_bounds: { field: 'at' } }, m: { geo_centroid: { field: 'at' } } },
      { match_none: {} },
    );
    expect(none).toEqual({ b: {}, m: { count: 0 } });
  });
});

describe('what hits show and scripts read', () => {
  test('fields and docvalue_fields in their formats', async () => {
    const show = async (fields: Json, docvalues: Json): Promise<Json> =>
      (
        await call('POST', '/cities/_search', {
          query: { ids: { values: ['berlin'] } },
          fields,
          docvalue_fields: docvalues,
          stored_fields: ['other'],
        })
      ).hits.hits[0].fields;
    expect(await show(['at'], [])).toEqual({
      at: [{ type: 'Point', coordinates: [13.405, 52.52] }],
      other: ['1.0, 2.0'],
    });
    expect((await show([{ field: 'at', format: 'wkt' }], [])).at).toEqual(['POINT (13.405 52.52)']);
    const [plain] = (await show([], ['at', 'at.hash'])).at;
    expect(plain).toMatch(/^52\.5199\d+, 13\.40499\d+$/);
    expect((await show([], ['at.hash']))['at.hash']).toEqual([expect.stringMatching(/^u33d/)]);
    expect((await show([], [{ field: 'at', format: 'geojson' }])).at[0].type).toBe('Point');
    expect(await refusal('/cities/_search', { fields: [{ field: 'at', format: 'svg' }] })).toContain(
      'Unrecognized geometry format',
    );
  });

  test('scripts', async () => {
    const value = async (source: string, id = 'berlin'): Promise<Json> =>
      (
        await call('POST', '/cities/_search', {
          query: { ids: { values: [id] } },
          script_fields: { v: { script: source } },
        })
      ).hits.hits[0].fields.v[0];
    expect(await value("doc['at'].lat")).toBeCloseTo(52.52, 6);
    expect(await value("doc['at'].value.lon")).toBeCloseTo(13.405, 6);
    expect(await value("doc['at'].arcDistance(48.8566, 2.3522)")).toBeCloseTo(877463, -2);
    expect(await value("doc['at'].planeDistance(48.8566, 2.3522)")).toBeGreaterThan(877463);
    expect(await value("doc['at'].geohashDistance('u33d')")).toBeLessThan(40_000);
    expect(await value("doc['at'].arcDistanceWithDefault(0, 0, 7)", 'nowhere')).toBe(7);
    expect(await value("doc['at'].size() + doc['at'].lons.length", 'samoa')).toBe(4);
    const runtime_mappings = { up: { type: 'geo_point', script: "emit(doc['at'].lat + 1, doc['at'].lon)" } };
    const body = {
      runtime_mappings,
      query: {
        bool: { filter: [{ ids: { values: ['berlin'] } }, { geo_distance: { distance: '1km', up: '53.52,13.405' } }] },
      },
    };
    expect((await call('POST', '/cities/_count', { query: { exists: { field: 'at' } } })).count).toBe(7);
    expect((await call('POST', '/cities/_search', body)).hits.total.value).toBe(1);
  });

  test('bad places, dynamic templates, field_caps', async () => {
    const bad = await call('PUT', '/cities/_doc/x', { at: { lat: 91, lon: 0 } }, 400);
    expect(bad.error.reason).toBe('failed to parse field [at] of type [geo_point]');
    expect(bad.error.caused_by.reason).toBe('illegal latitude value [91.0] for at');
    await call('PUT', '/dynamic', { mappings: MAPPINGS });
    await call('PUT', '/dynamic/_doc/1?refresh', { name: 'd', home_place: { lat: 1, lon: 2 }, old_place: [3, 4] }, 201);
    await call('PUT', '/dynamic/_doc/2?refresh', { name: 'e', other: 'nonsense' }, 201);
    expect(await names({ geo_distance: { distance: '1m', home_place: '1,2' } }, 'dynamic')).toEqual(['d']);
    expect(await names({ geo_distance: { distance: '1m', old_place: '4,3' } }, 'dynamic')).toEqual(['d']);
    const caps = await call('GET', '/dynamic/_field_caps?fields=*place');
    expect(caps.fields.home_place.geo_point).toMatchObject({ type: 'geo_point', searchable: true, aggregatable: true });
    const mapping = await call('GET', '/cities/_mapping');
    expect(mapping.cities.mappings.properties.other).toEqual({
      type: 'geo_point',
      null_value: { lat: 1, lon: 2 },
      ignore_malformed: true,
      store: true,
    });
  });
});

test('a merge and a restart keep places', async () => {
  await call('POST', '/cities/_forcemerge?max_num_segments=1');
  expect(await names({ geo_distance: { distance: '400km', at: CITIES['amsterdam'] } })).toEqual([
    'amsterdam',
    'london',
  ]);
  await node.signal('SIGTERM');
  node = await TestNode.start({}, node.directory);
  await node.until(async () => {
    const { status } = (await call('GET', '/_cluster/health')) as { status: string };
    return status === 'red' ? undefined : true;
  });
  expect(await names({ geo_distance: { distance: '1300km', at: { lat: -17, lon: -179 } } })).toEqual(['fiji', 'samoa']);
}, 60_000);
