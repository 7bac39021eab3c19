/** `slice`: one of several parts of a scroll or a point in time. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readInt, readText } from '../body/read.js';

export interface SliceRequest {
  readonly id: number;
  readonly max: number;
  readonly field: string | undefined;
}

export function readSlice(place: Place): SliceRequest {
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] but found [${place.token}]`);
  let id: number | undefined;
  let max: number | undefined;
  let field: string | undefined;
  for (const [name, value] of place.members()) {
    if (name === 'id') id = readInt(value);
    else if (name === 'max') max = readInt(value);
    else if (name === 'field') field = readText(value);
    else throw value.errorWithPlace(`[slice] unknown field [${name}]`);
  }
  if (id === undefined || id < 0) throw illegalArgument('id must be greater than or equal to 0');
  if (max === undefined || max <= 1) throw illegalArgument('max must be greater than 1');
  if (max <= id) throw illegalArgument('max must be greater than id');
  return { id, max, field };
}

/** What is searched of the shard at that place among `shards`; undefined: nothing, `'all'`: everything. */
export function sliceOfShard(
  { id, max }: SliceRequest,
  shard: number,
  shards: number,
): { readonly id: number; readonly max: number } | 'all' | undefined {
  if (max < shards) return shard % max === id ? 'all' : undefined;
  const target = id % shards;
  if (target !== shard) return undefined;
  const slicesHere = Math.floor(max / shards) + (max % shards > target ? 1 : 0);
  return slicesHere === 1 ? 'all' : { id: Math.floor(id / shards), max: slicesHere };
}
