/** Random queries of places and shapes. */
import type { Chance } from '../chance.js';
import { latitude, longitude, shape } from '../fields.js';
import type { Json, JsonObject } from '../../json.js';
import type { QueryKinds } from './kind.js';
import { named } from './text.js';

export const distance = (chance: Chance): string => `${chance.pick([5, 40, 120, 400])}${chance.pick(['km', 'mi'])}`;

/** A place in one of the forms that requests may have. */
export function anyPlace(chance: Chance): Json {
  const [lat, lon] = [latitude(chance), longitude(chance)];
  return chance.pick<Json>([{ lat, lon }, [lon, lat], `${lat},${lon}`, `POINT(${lon} ${lat})`]);
}

function boundingBox(chance: Chance): JsonObject {
  const [top, left] = [latitude(chance), longitude(chance)];
  const [bottom, right] = [top - 1.5, left + 2.5];
  return chance.one<JsonObject>(
    () => ({ top_left: { lat: top, lon: left }, bottom_right: { lat: bottom, lon: right } }),
    () => ({ top, left, bottom, right }),
    () => ({ top_right: [right, top], bottom_left: [left, bottom] }),
    () => ({ wkt: `BBOX (${left}, ${right}, ${top}, ${bottom})` }),
  );
}

function envelope(chance: Chance): JsonObject {
  const [top, left] = [latitude(chance), longitude(chance)];
  return {
    type: 'envelope',
    coordinates: [
      [left, top],
      [left + 3, top - 2],
    ],
  };
}

export const geoQueries: QueryKinds = {
  geo_distance: (chance) => ({
    distance: distance(chance),
    place: anyPlace(chance),
    ...chance.options({ ...named(chance), distance_type: [0.2, () => chance.pick(['arc', 'plane'])] }),
  }),
  geo_bounding_box: (chance) => ({ place: boundingBox(chance), ...chance.options(named(chance)) }),
  geo_polygon: (chance) => {
    const [lat, lon] = [latitude(chance), longitude(chance)];
    const points = [
      { lat, lon },
      { lat: lat + 2, lon: lon + 0.5 },
      { lat: lat + 1, lon: lon + 3 },
    ];
    return { place: { points } };
  },
  geo_shape: (chance) =>
    chance.one<JsonObject>(
      () => ({ place: { shape: envelope(chance) } }),
      () => inArea(chance),
      () => inArea(chance),
    ),
};

const inArea = (chance: Chance): JsonObject => ({
  area: {
    shape: chance.one(
      () => shape(chance),
      () => envelope(chance),
    ),
    ...relation(chance),
  },
});

const relation = (chance: Chance): JsonObject =>
  chance.options({ relation: [0.6, () => chance.pick(['intersects', 'disjoint', 'within', 'contains'])] });
