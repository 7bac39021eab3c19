import { describe, expect, test } from 'vitest';
import { parseMetres } from '../../src/mapping/geo-lengths.js';
import { Place } from '../../src/search/body/place.js';
import { queryParser } from '../../src/search/query/parse-query.js';
import { DEFAULT_SEARCH_SETTINGS } from '../../src/search/settings.js';
import { readSort } from '../../src/search/request/sort.js';
import type { JsonValue } from '../../src/base/json-value.js';

const parse = queryParser(DEFAULT_SEARCH_SETTINGS);
const query = (value: JsonValue) => parse(Place.ofValue(value));
const sort = (value: JsonValue) => readSort(Place.ofValue(value), parse);

describe('geo_distance', () => {
  const plan = { field: 'pin', origin: { lat: 40, lon: -70 }, metres: 12_000 };

  test.each([
    [{ distance: '12km', pin: { lat: 40, lon: -70 } }],
    [{ distance: 12, unit: 'km', pin: [-70, 40] }],
    [{ distance: '12000', pin: '40,-70', distance_type: 'plane' }],
    [{ distance: '12km', 'pin.lat': 40, 'pin.lon': -70, validation_method: 'COERCE' }],
    [{ distance: '12km', pin: 'POINT (-70 40)' }],
  ])('%j', (body) => {
    expect(query({ geo_distance: body })).toEqual({ geo_distance: plan });
  });

  test.each([
    [{ pin: [0, 0] }, "geo_distance requires 'distance' to be specified"],
    [{ distance: '0km', pin: [0, 0] }, 'distance must be greater than zero'],
    [{ distance: '1parsec', pin: [0, 0] }, 'For input string: "1parsec"'],
    [{ distance: '1km' }, 'fieldName must not be null or empty'],
    [{ distance: '1km', pin: [0, 91] }, 'illegal latitude value [91.0] for [geo_distance]'],
    [{ distance: '1km', a: [0, 1], b: [0, 1] }, "doesn't support multiple fields"],
    [{ distance: '1km', 'pin.lat': 1 }, 'lacks the latitude or the longitude of [pin]'],
    [{ distance: '1km', pin: {} }, 'field [lat] missing'],
    [{ distance: '1km', pin: [0, 1], validation_method: 'lax' }, 'failed to parse validation method [lax]'],
  ])('%j is refused', (body, reason) => {
    expect(() => query({ geo_distance: body })).toThrow(reason);
  });
});

describe('geo_grid', () => {
  test.each([
    [{ pin: { geohash: 'u0' } }, { field: 'pin', grid: 'geohash', cell: 'u0' }],
    [
      { pin: { geotile: '6/32/22' }, boost: 2 },
      { field: 'pin', grid: 'geotile', cell: '6/32/22', boost: 2 },
    ],
    [
      { pin: { geohex: '811fbffffffffff' }, ignore_unmapped: true },
      { field: 'pin', grid: 'geohex', cell: '811fbffffffffff', ignore_unmapped: true },
    ],
  ])('%j', (body, plan) => {
    expect(query({ geo_grid: body })).toEqual({ geo_grid: plan });
  });
});

describe('geo_bounding_box', () => {
  const plan = { field: 'pin', top: 40, bottom: 30, left: -20, right: 10 };

  test.each([
    [{ pin: { top_left: { lat: 40, lon: -20 }, bottom_right: { lat: 30, lon: 10 } } }],
    [{ pin: { top_right: [10, 40], bottom_left: '30,-20' } }],
    [{ pin: { top: 40, left: -20, bottom: 30, right: 10 }, type: 'indexed' }],
    [{ pin: { wkt: 'BBOX (-20, 10, 40, 30)' } }],
  ])('%j', (body) => {
    expect(query({ geo_bounding_box: body })).toEqual({ geo_bounding_box: plan });
  });

  test('geohashes are cells', () => {
    const box = { field: 'pin', top: 45, bottom: 0, left: 0, right: 45 };
    expect(query({ geo_bounding_box: { pin: { top_left: 's', bottom_right: 's' } } })).toEqual({
      geo_bounding_box: box,
    });
  });

  test('degrees that went around', () => {
    const body = { pin: { top: 40, left: -200, bottom: 30, right: 160 }, validation_method: 'COERCE' };
    expect(query({ geo_bounding_box: body })).toEqual({
      geo_bounding_box: { field: 'pin', top: 40, bottom: 30, left: -180, right: 180 },
    });
  });

  test.each([
    [{ pin: { top: 30, left: 0, bottom: 40, right: 10 } }, 'top is below bottom corner: 30.0 vs. 40.0'],
    [{ pin: { top: 30, left: 0, bottom: 30, right: 10 } }, 'top cannot be the same as bottom: 30.0 == 30.0'],
    [{ pin: { top: 40, left: 0, bottom: 30, right: 0 } }, 'left cannot be the same as right: 0.0 == 0.0'],
    [{ pin: { top: 91, left: 0, bottom: 30, right: 1 } }, "couldn't validate latitude/ longitude values"],
    [{ pin: { top: 40, left: 0, bottom: 30 } }, '[right] missing'],
    [{ pin: { wkt: 'POINT (1 2)' } }, 'BBOX (left, right, top, bottom) is expected'],
    [{ pin: { middle: 1 } }, 'unexpected field [middle]'],
    [{}, 'Field name must not be empty.'],
  ])('%j is refused', (body, reason) => {
    expect(() => query({ geo_bounding_box: body })).toThrow(reason);
  });
});

describe('geo_polygon', () => {
  test('corners', () => {
    expect(
      query({ geo_polygon: { pin: { points: [[0, 1], '2,3', { lat: 4, lon: 5 }] }, ignore_unmapped: true } }),
    ).toEqual({
      geo_polygon: {
        field: 'pin',
        points: [
          { lat: 1, lon: 0 },
          { lat: 2, lon: 3 },
          { lat: 4, lon: 5 },
        ],
        ignore_unmapped: true,
      },
    });
  });

  test.each([
    [{ pin: { points: [] } }, 'no points defined for geo_polygon query'],
    [
      {
        pin: {
          points: [
            [0, 0],
            [1, 1],
            [0, 0],
          ],
        },
      },
      'too few points defined for geo_polygon query',
    ],
    [{ pin: { corners: [] } }, 'does not support [corners]'],
  ])('%j is refused', (body, reason) => {
    expect(() => query({ geo_polygon: body })).toThrow(reason);
  });
});

describe('_geo_distance', () => {
  test('one place and several', () => {
    expect(sort([{ _geo_distance: { pin: '1,2', unit: 'km', order: 'desc', mode: 'avg' } }])).toEqual([
      { geo_distance: { field: 'pin', origins: [{ lat: 1, lon: 2 }], unit: 1000, order: 'desc', mode: 'avg' } },
    ]);
    expect(sort([{ _geo_distance: { pin: [[2, 1], '3,4'], ignore_unmapped: true } }])).toEqual([
      {
        geo_distance: {
          field: 'pin',
          origins: [
            { lat: 1, lon: 2 },
            { lat: 3, lon: 4 },
          ],
          unit: 1,
          order: 'asc',
          ignore_unmapped: true,
        },
      },
    ]);
  });

  test.each([
    [{ pin: [1, 2], mode: 'sum' }, "sort_mode [sum] isn't supported for sorting by geo distance"],
    [{ pin: 7 }, 'Only geohashes of type string supported for field [pin]'],
    [{ order: 'asc' }, 'must provide at least one point'],
    [{ a: '1,2', b: '1,2' }, 'Trying to reset fieldName to [b], already set to [a].'],
    [{ pin: '1,2', unit: 'parsec' }, 'No distance unit match [parsec]'],
  ])('%j is refused', (body, reason) => {
    expect(() => sort([{ _geo_distance: body }])).toThrow(reason);
  });
});

test('lengths', () => {
  expect(['12km', '3 mi', '1nmi', '5cm', '7'].map((text) => parseMetres(text))).toEqual([
    12_000, 4828.032, 1852, 0.05, 7,
  ]);
});
