import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { geohashLetters } from '../../src/mapping/geo-lengths.js';
import { geohashCell, isOnGlobe, normalizePoint, readGeoPoint } from '../../src/mapping/geo-point.js';
import { fieldOf, mappingOf } from './support.js';

describe('places', () => {
  test.each([
    [{ lat: 4.5, lon: 52.25 }],
    [{ lat: '4.5', lon: '52.25' }],
    [{ type: 'Point', coordinates: [52.25, 4.5] }],
    [[52.25, 4.5]],
    [[52.25, 4.5, 7]],
    ['4.5,52.25'],
    [' 4.5 , 52.25 '],
    ['POINT (52.25 4.5)'],
    ['point(52.25 4.5 7)'],
  ])('%j is one', (value) => {
    expect(readGeoPoint(value)).toEqual({ lat: 4.5, lon: 52.25 });
  });

  test.each([
    [null, 'geo_point expected'],
    [true, 'geo_point expected'],
    ['', 'empty geohash'],
    ['u4a', 'unsupported symbol [a] in geohash [u4a]'],
    ['1,2,3,4', 'failed to parse [1,2,3,4], expected 2 or 3 coordinates but found: [4]'],
    ['1,', 'longitude must be a number'],
    [[1], '[lon] and [lat] expected'],
    [['1', '2'], 'numeric value expected'],
    [{ lat: 1 }, 'field [lon] missing'],
    [{ lat: 1, lon: 'x' }, '[lon] must be a valid double value'],
    [{ lat: 1, lon: 2, geohash: 'u' }, 'exclude each other'],
    [{ latitude: 1 }, 'field [latitude] not supported'],
    ['POINT (1)', 'supports only POINT'],
  ])('%j is none', (value, reason) => {
    expect(() => readGeoPoint(value)).toThrow(reason);
  });

  test('geohashes stand for cells', () => {
    expect(geohashCell('s')).toEqual({ top: 45, bottom: 0, left: 0, right: 45 });
    const { bottom, left } = geohashCell('u4pruydqqvj');
    expect(bottom).toBeCloseTo(57.64911, 5);
    expect(left).toBeCloseTo(10.40744, 5);
    expect(readGeoPoint('s')).toEqual({ lat: 0, lon: 0 });
  });

  test('degrees beyond the ends go around', () => {
    expect(normalizePoint({ lat: 91, lon: 10 })).toEqual({ lat: 89, lon: -170 });
    expect(normalizePoint({ lat: -95, lon: 0 })).toEqual({ lat: -85, lon: 180 });
    expect(normalizePoint({ lat: 10, lon: 190 })).toEqual({ lat: 10, lon: -170 });
    expect(normalizePoint({ lat: 10, lon: -180 })).toEqual({ lat: 10, lon: -180 });
    expect([isOnGlobe({ lat: 90, lon: -180 }), isOnGlobe({ lat: 90.1, lon: 0 })]).toEqual([true, false]);
  });
});

describe('lengths of geohashes', () => {
  test.each([
    [0, 12],
    [1, 11],
    [5000, 6],
    [100_000, 4],
    [1e9, 1],
  ])('%d metres: %d letters', (metres, letters) => {
    expect(geohashLetters(metres)).toBe(letters);
  });

  test('contexts of completion fields take the longest whose cell is not smaller', () => {
    const context = (precision: string) =>
      fieldOf({ type: 'completion', contexts: [{ name: 'at', type: 'geo', precision }] });
    const found = (precision: string) => context(precision).root.properties.get('f');
    expect(found('5km')).toMatchObject({ parameters: { contexts: [{ precision: 5 }] } });
    expect(found('0')).toMatchObject({ parameters: { contexts: [{ precision: 12 }] } });
    expect(found('100')).toMatchObject({ parameters: { contexts: [{ precision: 7 }] } });
  });
});

describe('contexts of completion fields', () => {
  const withPath = (pin: JsonObject) => () =>
    mappingOf({
      properties: { ...pin, f: { type: 'completion', contexts: [{ name: 'at', type: 'geo', path: 'pin' }] } },
    });

  test('their places come from fields of places', () => {
    expect(withPath({ pin: { type: 'geo_point' } })).not.toThrow();
    expect(withPath({})).toThrow('field [pin] referenced in context [at] is not defined in the mapping');
    expect(withPath({ pin: { type: 'keyword' } })).toThrow(
      'field [pin] referenced in context [at] must be mapped to geo_point, found [keyword]',
    );
  });
});
