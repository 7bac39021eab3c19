/** `geo_shape`: documents by how their places and shapes lie to a shape. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readText } from '../../body/read.js';
import type { GeoShapePlan, ShapeLookupPlan, ShapeRelation } from '../../plan/geo-plans.js';
import { CommonOptions, fieldBesideOptions, type Draft, type QueryParser } from '../query-parser.js';

const NAME = 'geo_shape';
/** Where indexed shapes are when nobody says otherwise. */
const INDEX_DEFAULT = 'shapes';
const PATH_DEFAULT = 'shape';
/** Characters of a shape: plans go to every shard. */
const SHAPE_CHARS_MAX = 8_000_000;

export const geoShapeQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const common = new CommonOptions(NAME);
    const options: { ignore_unmapped?: boolean } = {};
    const found = fieldBesideOptions(place, NAME, {
      ...common.readers,
      ignore_unmapped: (value) => void (options.ignore_unmapped = readBoolean(value)),
    });
    if (found === undefined) throw illegalArgument('fieldName is required');
    return common.named({
      geo_shape: {
        field: found.field,
        ...readField(found.body),
        ...options,
        ...common.boosted,
      },
    });
  },
};

function readField(place: Place): Pick<GeoShapePlan, 'shape' | 'lookup' | 'relation'> {
  let shape: string | undefined;
  let lookup: ShapeLookupPlan | undefined;
  let relation: ShapeRelation = 'intersects';
  for (const [name, value] of place.members()) {
    if (name === 'shape') shape = readShape(value);
    else if (name === 'indexed_shape') lookup = readIndexedShape(value);
    else if (name === 'relation') relation = readRelation(value);
    else if (name === 'strategy') throw illegalArgument(`[${NAME}] does not support [strategy]`);
    else throw value.error(`[${NAME}] query does not support [${name}]`);
  }
  if (shape === undefined && lookup === undefined) {
    throw illegalArgument('either shape or indexedShapeId is required');
  }
  if (shape !== undefined && lookup !== undefined) {
    throw illegalArgument('[shape] and [indexed_shape] exclude each other');
  }
  return { shape: shape ?? '', relation, ...(lookup === undefined ? {} : { lookup }) };
}

function readShape(place: Place): string {
  if (!place.isObject && typeof place.value !== 'string') {
    throw place.error('shape must be an object consisting of type and coordinates', 'parse_exception');
  }
  const text = JSON.stringify(place.value);
  if (text.length <= SHAPE_CHARS_MAX) return text;
  throw illegalArgument(`[shape] has [${text.length}] characters, but may have [${SHAPE_CHARS_MAX}] at most`);
}

function readIndexedShape(place: Place): ShapeLookupPlan {
  const draft: Draft<ShapeLookupPlan> = {};
  for (const [name, value] of place.members()) {
    if (name === 'index') draft.index = readText(value);
    else if (name === 'id') draft.id = readText(value);
    else if (name === 'path') draft.path = readText(value);
    else if (name === 'routing') draft.routing = readText(value);
    else throw value.error(`unknown token [${value.token}] after [${name}]`);
  }
  const { id } = draft;
  if (id === undefined) throw place.error('Shape ID not provided but [indexed_shape] is');
  return { index: INDEX_DEFAULT, path: PATH_DEFAULT, ...draft, id };
}

const RELATIONS: readonly ShapeRelation[] = ['intersects', 'disjoint', 'within', 'contains'];

function readRelation(place: Place): ShapeRelation {
  const text = readText(place);
  const relation = RELATIONS.find((known) => known === text.toLowerCase());
  if (relation === undefined) throw place.error(`Unknown shape operation [${text}]`);
  return relation;
}
