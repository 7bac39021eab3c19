/** `geo_grid`: documents in a cell of a grid of geohashes, map tiles or hexagons. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readText } from '../../body/read.js';
import type { GeoGridPlan, GridName } from '../../plan/geo-plans.js';
import { CommonOptions, fieldBesideOptions, type QueryParser } from '../query-parser.js';

const NAME = 'geo_grid';
const GRIDS: readonly GridName[] = ['geohash', 'geotile', 'geohex'];

export const geoGridQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    const options: { ignore_unmapped?: boolean } = {};
    const found = fieldBesideOptions(place, NAME, {
      ...common.readers,
      ignore_unmapped: (value) => void (options.ignore_unmapped = readBoolean(value)),
    });
    if (found === undefined) throw illegalArgument('Field name must not be empty.');
    return common.named({
      [NAME]: { field: found.field, ...readCell(found.body), ...options, ...common.boosted },
    });
  },
};

function readCell(place: Place): Pick<GeoGridPlan, 'grid' | 'cell'> {
  const [first, second] = place.members();
  if (first === undefined) throw parseFailure('grid name not provided');
  if (second !== undefined) throw second[1].error(`failed to parse [${NAME}] query. unexpected field [${second[0]}]`);
  const [name, value] = first;
  const grid = GRIDS.find((known) => known === name);
  if (grid === undefined) throw parseFailure(`Invalid grid name [${name}]`);
  return { grid, cell: readText(value) };
}

function parseFailure(reason: string): Error {
  return new QuarryError('parse_exception', `failed to parse [${NAME}] query. ${reason}`);
}
