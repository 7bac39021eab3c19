/** Shapes over HTTP: indexed as GeoJSON and well-known text, found by all relations, shown, refused, kept over a merge and a restart. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const SHAPES: Readonly<Record<string, unknown>> = {
  point: { type: 'Point', coordinates: [5, 5] },
  line: 'LINESTRING (0 0, 10 10)',
  square: {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [10, 0],
        [10, 10],
        [0, 10],
        [0, 0],
      ],
    ],
  },
  ring: 'POLYGON ((20 20, 50 20, 50 50, 20 50, 20 20), (30 30, 30 40, 40 40, 40 30, 30 30))',
  pacific: {
    type: 'envelope',
    coordinates: [
      [170, 10],
      [-170, -10],
    ],
  },
  several: ['POINT (25 25)', { type: 'Point', coordinates: [80, 80] }],
  nothing: null,
};

async function call(method: string, path: string, body?: unknown, status = 200): Promise<Json> {
  const answer = await node.request(method, path, body);
  expect({ status: answer.status, text: answer.status === status ? '' : answer.text }).toEqual({ status, text: '' });
  return answer.text === '' ? undefined : answer.json();
}

async function names(query: unknown, index = 'shapes'): Promise<string[]> {
  const { hits } = await call('POST', `/${index}/_search`, {
    query,
    size: 100,
    sort: 'name',
    docvalue_fields: ['name'],
  });
  return hits.hits.map((hit: Json) => hit.fields.name[0]);
}

const asks = (shape: unknown, relation?: string, index = 'shapes'): Promise<string[]> =>
  names({ geo_shape: { at: { shape, ...(relation === undefined ? {} : { relation }) } } }, index);

async function refusal(path: string, body: unknown, status = 400): Promise<string> {
  const { error } = await call('POST', path, body, status);
  const reasons: string[] = [];
  for (let cause = error.failed_shards?.[0].reason ?? error; cause !== undefined; cause = cause.caused_by) {
    reasons.push(cause.reason);
  }
  return reasons.join(' < ');
}

const box = (left: number, right: number, top: number, bottom: number): unknown => ({
  type: 'envelope',
  coordinates: [
    [left, top],
    [right, bottom],
  ],
});

beforeAll(async () => {
  node = await TestNode.start();
  const properties = { name: { type: 'keyword' }, at: { type: 'geo_shape' } };
  await call('PUT', '/shapes', { settings: { number_of_shards: 2 }, mappings: { properties } });
  for (const [name, at] of Object.entries(SHAPES)) await call('PUT', `/shapes/_doc/${name}`, { name, at }, 201);
  await call('POST', '/shapes/_refresh');
  const points = { name: { type: 'keyword' }, at: { type: 'geo_point' } };
  await call('PUT', '/points', { mappings: { properties: points } });
  await call('PUT', '/points/_doc/1', { name: 'one', at: [5, 5] }, 201);
  await call('PUT', '/points/_doc/2', { name: 'two', at: ['5,5', '50,50'] }, 201);
  await call('PUT', '/points/_doc/3?refresh', { name: 'three', at: [-175, 0] }, 201);
}, 90_000);

afterAll(async () => {
  await node.stop();
});

describe('shapes', () => {
  test('relations', async () => {
    expect(await asks(box(4, 6, 6, 4))).toEqual(['line', 'point', 'square']);
    expect(await asks(box(4, 6, 6, 4), 'within')).toEqual(['point']);
    expect(await asks(box(4, 6, 6, 4), 'CONTAINS')).toEqual(['square']);
    expect(await asks(box(4, 6, 6, 4), 'disjoint')).toEqual(['pacific', 'ring', 'several']);
    expect(await asks(box(32, 38, 38, 32))).toEqual([]);
    expect(await asks('POINT (25 25)')).toEqual(['ring', 'several']);
    expect(await asks(box(-20, 60, 60, -20), 'within')).toEqual(['line', 'point', 'ring', 'square']);
  });

  test('boxes and distances', async () => {
    const inside = (top: number, left: number, bottom: number, right: number): Promise<string[]> =>
      names({ geo_bounding_box: { at: { top, left, bottom, right } } });
    expect(await inside(6, 4, 4, 6)).toEqual(['line', 'point', 'square']);
    expect(await inside(38, 32, 32, 38)).toEqual([]);
    expect(await inside(20, 165, -20, -165)).toEqual(['pacific']);
    expect(await inside(90, -180, 60, 180)).toEqual(['several']);
    const within = (distance: string, at: string): Promise<string[]> => names({ geo_distance: { distance, at } });
    expect(await within('1km', '5,5')).toEqual(['line', 'point', 'square']);
    // The line is some 157 km away from this place, and the square has it.
    expect(await within('160km', '4,6')).toEqual(['line', 'point', 'square']);
    expect(await within('150km', '4,6')).toEqual(['square']);
    expect(await within('100km', '35,35')).toEqual([]);
    expect(await within('600km', '35,35')).toEqual(['ring']);
    expect(await within('120km', '0,169')).toEqual(['pacific']);
    expect(await within('120km', '0,-169')).toEqual(['pacific']);
    const circle = (radius: string): unknown => ({ type: 'circle', coordinates: [5, 5], radius });
    expect(await asks(circle('1km'), 'contains')).toEqual(['square']);
    expect(await asks(circle('1km'), 'within')).toEqual(['point']);
    expect(await asks(circle('800km'), 'within')).toEqual(['line', 'point', 'square']);
    expect(await asks(circle('800km'), 'disjoint')).toEqual(['pacific', 'ring', 'several']);
  });

  test('over the date line', async () => {
    expect(await asks('POINT (-175 0)')).toEqual(['pacific']);
    expect(await asks('POINT (175 0)')).toEqual(['pacific']);
    expect(await asks('LINESTRING (160 0, -160 0)')).toEqual(['pacific']);
    expect(await asks(box(165, -165, 20, -20), 'within')).toEqual(['pacific']);
    expect(await asks('POINT (0 0)')).toEqual(['line', 'square']);
  });

  test('existence and indexed shapes', async () => {
    expect(await names({ exists: { field: 'at' } })).toHaveLength(6);
    const indexed = { index: 'shapes', id: 'square', path: 'at' };
    expect(await names({ geo_shape: { at: { indexed_shape: indexed, relation: 'within' } } })).toEqual([
      'line',
      'point',
      'square',
    ]);
    const search = (of: object, status = 400) =>
      refusal('/shapes/_search', { query: { geo_shape: { at: { indexed_shape: { ...indexed, ...of } } } } }, status);
    expect(await search({ id: 'none' })).toContain('Shape with ID [none] not found');
    expect(await search({ path: 'none' }, 500)).toContain('found but missing none field');
  });

  test('points lie in shapes too', async () => {
    expect(await asks(box(0, 10, 10, 0), 'intersects', 'points')).toEqual(['one', 'two']);
    expect(await asks(box(0, 10, 10, 0), 'within', 'points')).toEqual(['one']);
    expect(await asks(box(0, 10, 10, 0), 'disjoint', 'points')).toEqual(['three']);
    expect(await asks('MULTIPOINT (5 5, 50 50)', 'contains', 'points')).toEqual(['two']);
    expect(await asks(box(170, -170, 5, -5), 'intersects', 'points')).toEqual(['three']);
    expect(await asks({ type: 'circle', coordinates: [5.001, 5], radius: '1km' }, 'intersects', 'points')).toEqual([
      'one',
      'two',
    ]);
  });

  test('cells of grids', async () => {
    expect(await names({ geo_grid: { at: { geohash: 's' } } })).toEqual(['line', 'point', 'ring', 'several', 'square']);
    expect(await names({ geo_grid: { at: { geotile: '1/1/0' } } })).toEqual([
      'line',
      'pacific',
      'point',
      'ring',
      'several',
      'square',
    ]);
    const hexagon = (geohex: string): Promise<string[]> => names({ geo_grid: { at: { geohex } } });
    // At Greenwich and the equator, around a corner of the ring and in its hole, over the date line, around the pole.
    expect(await hexagon('81757ffffffffff')).toEqual(['line', 'square']);
    expect(await hexagon('813e3ffffffffff')).toEqual(['ring', 'several']);
    expect(await hexagon('842da05ffffffff')).toEqual([]);
    expect(await hexagon('847eb57ffffffff')).toEqual(['pacific']);
    expect(await hexagon('81033ffffffffff')).toEqual([]);
  });

  test('aggregations', async () => {
    const aggregate = async (aggs: object, query: object = { match_all: {} }): Promise<Json> =>
      (await call('POST', '/shapes/_search', { size: 0, query, aggs })).aggregations;
    const found = await aggregate({
      count: { value_count: { field: 'at' } },
      missing: { missing: { field: 'at' } },
      hashes: { geohash_grid: { field: 'at', precision: 1 }, aggs: { names: { terms: { field: 'name' } } } },
      tiles: { geotile_grid: { field: 'at', precision: 1, size: 2 } },
      near: { geohash_grid: { field: 'at', precision: 2, bounds: { top_left: '6,4', bottom_right: '4,6' } } },
      none: { geohash_grid: { field: 'at', precision: 1, missing: '-80,-80' } },
    });
    expect(found.count.value).toBe(6);
    expect(found.missing.doc_count).toBe(1);
    const keys = (of: Json): unknown[] => of.buckets.map(({ key, doc_count }: Json) => [key, doc_count]);
    expect(keys(found.hashes)).toEqual([
      ['s', 5],
      // The corner of the ring and one of several points.
      ['v', 2],
      ['x', 1],
      ['u', 1],
      ['t', 1],
      ['r', 1],
      ['8', 1],
      ['2', 1],
    ]);
    expect(found.hashes.buckets[0].names.buckets.map(({ key }: Json) => key)).toEqual([
      'line',
      'point',
      'ring',
      'several',
      'square',
    ]);
    expect(keys(found.tiles)).toEqual([
      ['1/1/0', 6],
      ['1/1/1', 3],
    ]);
    expect(keys(found.near)).toEqual([
      ['s0', 3],
      ['s1', 2],
    ]);
    expect(keys(found.none)).toContainEqual(['4', 1]);
    expect(await refusal('/shapes/_search', { aggs: { g: { geohex_grid: { field: 'at' } } } })).toContain(
      'Field [at] of type [geo_shape] is not supported for aggregation [geohex_grid]',
    );
    expect(await refusal('/shapes/_search', { aggs: { g: { geo_centroid: { field: 'at' } } } })).toContain(
      'is not supported for aggregation [geo_centroid]',
    );
  });

  test('the box around shapes may cross the date line', async () => {
    const bounds = async (ids: readonly string[], wrap_longitude = true): Promise<number[]> => {
      const aggs = { b: { geo_bounds: { field: 'at', wrap_longitude } } };
      const answer = await call('POST', '/shapes/_search', { size: 0, query: { ids: { values: ids } }, aggs });
      const { top_left, bottom_right } = answer.aggregations.b.bounds;
      return [top_left.lat, top_left.lon, bottom_right.lat, bottom_right.lon].map(Math.round);
    };
    expect(await bounds(['pacific'])).toEqual([10, 170, -10, -170]);
    expect(await bounds(['pacific'], false)).toEqual([10, -180, -10, 180]);
    expect(await bounds(['square', 'ring'])).toEqual([50, 0, 20 - 20, 50]);
  });

  test('polygons of a collection may lie over each other', async () => {
    const text =
      'GEOMETRYCOLLECTION (POLYGON ((0 0, 20 0, 20 20, 0 20, 0 0)), POLYGON ((10 10, 30 10, 30 30, 10 30, 10 10)))';
    expect(await asks(text)).toEqual(['line', 'point', 'ring', 'several', 'square']);
    expect(await asks(text, 'within')).toEqual(['line', 'point', 'square']);
  });

  test('refusals', async () => {
    const search = (query: unknown) => refusal('/shapes/_search', { query });
    expect(await search({ geo_shape: { at: {} } })).toContain('either shape or indexedShapeId is required');
    expect(await search({ geo_shape: { at: { shape: 'POINT (1', relation: 'within' } } })).toContain(
      'failed to parse WKT',
    );
    expect(await search({ geo_shape: { at: { shape: 'POINT (1 2)', relation: 'near' } } })).toContain(
      'Unknown shape operation [near]',
    );
    expect(await search({ geo_shape: { name: { shape: 'POINT (1 2)' } } })).toContain('unsupported type [keyword]');
    expect(await search({ geo_shape: { none: { shape: 'POINT (1 2)' } } })).toContain(
      'failed to find geo field [none]',
    );
    const outside = { type: 'circle', coordinates: [1, 91], radius: '1km' };
    expect(await search({ geo_shape: { at: { shape: outside } } })).toContain('invalid latitude');
    expect(await search({ geo_polygon: { at: { points: ['0,0', '0,9', '9,9'] } } })).toContain(
      'unsupported type [geo_shape]',
    );
    expect(await search({ term: { at: 'x' } })).toContain('Geometry fields do not support exact searching');
    expect(await refusal('/shapes/_search', { sort: 'at' })).toContain("can't sort on geo_shape field");
    expect(await refusal('/shapes/_search', { aggs: { a: { terms: { field: 'at' } } } })).toContain('not supported');
    const crossed = {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [4, 4],
          [4, 0],
          [0, 4],
          [0, 0],
        ],
      ],
    };
    const bad = await call('PUT', '/shapes/_doc/bad', { at: crossed }, 400);
    expect(bad.error.reason).toBe('failed to parse field [at] of type [geo_shape]');
  });

  test('fields and mappings', async () => {
    const show = async (id: string, format?: string): Promise<Json> =>
      (
        await call('POST', '/shapes/_search', {
          query: { ids: { values: [id] } },
          fields: [{ field: 'at', ...(format === undefined ? {} : { format }) }],
        })
      ).hits.hits[0].fields.at;
    expect(await show('point', 'wkt')).toEqual(['POINT(5 5)']);
    expect(await show('line')).toEqual([
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [10, 10],
        ],
      },
    ]);
    const properties = { at: { type: 'geo_shape', orientation: 'left', ignore_malformed: true } };
    await call('PUT', '/lenient', { mappings: { properties } });
    await call('PUT', '/lenient/_doc/1?refresh', { at: 'nonsense' }, 201);
    expect((await call('GET', '/lenient/_mapping')).lenient.mappings.properties).toEqual(properties);
    expect((await call('GET', '/shapes/_field_caps?fields=at')).fields.at.geo_shape.searchable).toBe(true);
  });

  test('a merge and a restart keep them', async () => {
    await call('PUT', '/shapes/_doc/late?refresh', { name: 'late', at: 'POINT (6 6)' }, 201);
    await call('DELETE', '/shapes/_doc/point?refresh');
    await call('POST', '/shapes/_forcemerge?max_num_segments=1');
    expect(await asks(box(4, 6.5, 6.5, 4))).toEqual(['late', 'line', 'square']);
    await node.signal('SIGTERM');
    node = await TestNode.start({}, node.directory);
    await node.until(async () => ((await call('GET', '/_cluster/health')).status === 'red' ? undefined : true));
    expect(await asks(box(4, 6.5, 6.5, 4), 'within')).toEqual(['late']);
  }, 60_000);
});
