/** Units and kinds of distances. */
import { illegalArgument } from '../../base/errors.js';
import { LENGTH_UNITS } from '../../mapping/geo-lengths.js';
import type { Place } from '../body/place.js';
import { readText } from '../body/read.js';

/** Metres of the unit of that name. */
export function readUnit(place: Place): number {
  const name = readText(place);
  const unit = LENGTH_UNITS.find(([known]) => known === name);
  if (unit === undefined) throw illegalArgument(`No distance unit match [${name}]`);
  return unit[1];
}

export type DistanceType = 'arc' | 'plane';

export function readDistanceType(place: Place): DistanceType {
  const type = readText(place).toLowerCase();
  if (type === 'arc' || type === 'plane') return type;
  throw illegalArgument(`No geo distance for [${type}]`);
}
