/** `geo_distance`: documents with a place that is at most so far away. */
import { illegalArgument } from '../../../base/errors.js';
import { parseMetres } from '../../../mapping/geo-lengths.js';
import type { GeoPoint } from '../../../mapping/geo-point.js';
import type { Place } from '../../body/place.js';
import { readNumber, readText } from '../../body/read.js';
import { readDistanceType, readUnit } from '../../geo/distance.js';
import { GeoOptions } from '../../geo/options.js';
import { readPoint, validPoint } from '../../geo/points.js';
import { CommonOptions, type OptionReaders, type QueryParser } from '../query-parser.js';

const NAME = 'geo_distance';

/** The field, as a member of its own or as `field.lat` and `field.lon`, and the place that stands there. */
class Origin {
  #field: string | undefined;
  #point: GeoPoint | undefined;
  readonly #parts: { lat?: number; lon?: number } = {};

  read(name: string, value: Place): void {
    const part = /^(.+)\.(lat|lon|geohash)$/.exec(name);
    const isPart = part !== null && value.isScalar;
    const field = isPart ? (part[1] ?? name) : name;
    if (this.#field !== undefined && (this.#field !== field || !isPart)) {
      throw value.error(`[${NAME}] query doesn't support multiple fields, found [${this.#field}] and [${field}]`);
    }
    this.#field = field;
    if (!isPart || part[2] === 'geohash') this.#point = readPoint(value);
    else this.#parts[part[2] as 'lat' | 'lon'] = readNumber(value);
  }

  get(place: Place): { readonly field: string; readonly point: GeoPoint } {
    const { lat, lon } = this.#parts;
    const point = this.#point ?? (lat === undefined || lon === undefined ? undefined : { lat, lon });
    if (this.#field === undefined) throw illegalArgument('fieldName must not be null or empty');
    if (point === undefined) throw place.error(`[${NAME}] lacks the latitude or the longitude of [${this.#field}]`);
    return { field: this.#field, point };
  }
}

export const geoDistanceQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    const origin = new Origin();
    let distance: string | undefined;
    let unit: number | undefined;
    const options = new GeoOptions();
    const readers: OptionReaders = {
      ...common.readers,
      distance: (value) => void (distance = readText(value)),
      unit: (value) => void (unit = readUnit(value)),
      // Circles are those of the sphere, whatever is asked for, as they are in the reference.
      distance_type: (value) => void readDistanceType(value),
      ...options.readers,
    };
    for (const [name, value] of place.members()) {
      const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
      if (read === undefined) origin.read(name, value);
      else read(value);
    }
    const { field, point } = origin.get(place);
    if (distance === undefined) throw place.error(`${NAME} requires 'distance' to be specified`);
    const metres = parseMetres(distance, unit);
    if (metres <= 0) throw illegalArgument('distance must be greater than zero');
    return common.named({
      geo_distance: {
        field,
        origin: validPoint(point, options.method, NAME),
        metres,
        ...options.plan,
        ...common.boosted,
      },
    });
  },
};
