/** `geo_bounding_box`: documents with a place in a box. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { normalizePoint, type GeoBox } from '../../../mapping/geo-point.js';
import { readText } from '../../body/read.js';
import { checkBox, readBoundingBox } from '../../geo/bounding-box.js';
import { GeoOptions } from '../../geo/options.js';
import { asDouble, type ValidationMethod } from '../../geo/points.js';
import { CommonOptions, fieldBesideOptions, type OptionReaders, type QueryParser } from '../query-parser.js';

const NAME = 'geo_bounding_box';

export const geoBoundingBoxQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    const options = new GeoOptions();
    const readers: OptionReaders = {
      ...common.readers,
      ...options.readers,
      // How the reference should go about it; the answer is the same.
      type: (value) => {
        const type = readText(value).toLowerCase();
        if (type !== 'memory' && type !== 'indexed') {
          throw illegalArgument(`cannot parse type from string [${type}]`);
        }
      },
    };
    const found = fieldBesideOptions(place, NAME, readers);
    if (found === undefined) throw illegalArgument('Field name must not be empty.');
    const box = readBoundingBox(found.body);
    checkBox(box);
    return common.named({
      [NAME]: {
        field: found.field,
        ...validBox(box, options.method),
        ...options.plan,
        ...common.boosted,
      },
    });
  },
};

function validBox(box: GeoBox, method: ValidationMethod): GeoBox {
  const { top, bottom, left, right } = box;
  if (method === 'strict') {
    const wrong = [
      ...(['top', 'bottom'] as const)
        .filter((edge) => Math.abs(box[edge]) > 90)
        .map((edge) => [edge, 'latitude'] as const),
      ...(['left', 'right'] as const)
        .filter((edge) => Math.abs(box[edge]) > 180)
        .map((edge) => [edge, 'longitude'] as const),
    ];
    const [first] = wrong;
    if (first === undefined) return box;
    const [edge, kind] = first;
    throw new QuarryError('query_shard_exception', `couldn't validate latitude/ longitude values`, {
      cause: illegalArgument(`${edge} ${kind} is invalid: ${asDouble(box[edge])}`),
    });
  }
  // Once around the globe is everything, and no meridian.
  const isComplete = right > left && (right - left) % 360 === 0;
  const [northWest, southEast] = [normalizePoint({ lat: top, lon: left }), normalizePoint({ lat: bottom, lon: right })];
  return {
    top: northWest.lat,
    bottom: southEast.lat,
    left: isComplete ? -180 : northWest.lon,
    right: isComplete ? 180 : southEast.lon,
  };
}
