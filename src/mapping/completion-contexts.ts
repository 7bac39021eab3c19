/** `contexts` of a completion field: what its inputs can be narrowed to. */
import { QuarryError } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import { geohashCellMetres, geohashLetters, parseMetres } from './geo-lengths.js';
import { GEOHASH_LETTERS_MAX } from './geo-point.js';
import type { ContextSpec, Mapping } from './types.js';
import { readString, unsupportedParameters } from './values.js';
import { fieldsOf, findMapper } from './walk.js';

/** A term names its context by a number in one byte; the API means to allow no more than these. */
const CONTEXTS_MAX = 10;
/** Letters of geohashes where a mapping does not say it. */
const PRECISION_DEFAULT = 6;

function refuse(reason: string): QuarryError {
  return new QuarryError('parse_exception', reason);
}

/** One context or a list of them, in their normal form. */
export function readContexts(value: JsonValue): JsonValue {
  const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  if (list.length === 0) throw refuse('expected at least one context mapping');
  if (list.length > CONTEXTS_MAX) {
    throw refuse(`a completion field has at most [${CONTEXTS_MAX}] contexts, but this one has [${list.length}]`);
  }
  const contexts = list.map(readContext);
  const names = contexts.map((context) => context['name']);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw refuse(`context [${JSON.stringify(twice)}] is defined twice`);
  return contexts;
}

function readContext(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw refuse('expected a list or an entry of context mapping');
  const { name: givenName, type: givenType, path, precision, ...others } = value;
  const name = required(givenName, 'name');
  const type = required(givenType, 'type');
  const kind = type.toUpperCase();
  if (kind !== 'CATEGORY' && kind !== 'GEO')
    throw new QuarryError('illegal_argument_exception', `No context type for [${type}]`);
  const unknown = Object.entries(kind === 'GEO' || precision === undefined ? others : { ...others, precision });
  if (unknown.length > 0) {
    const entries = unknown.map(([key, member]): [string, JsonValue] => [key, member ?? null]);
    throw unsupportedParameters(`Mapping definition for [${name}] has unsupported parameters`, entries);
  }
  return {
    name,
    type: kind,
    ...(kind === 'GEO' ? { precision: readPrecision(precision) } : {}),
    ...(path === undefined || path === null ? {} : { path: readString(path) }),
  };
}

function required(value: JsonValue | undefined, name: string): string {
  if (value === undefined || value === null) throw refuse(`missing [${name}] in context mapping`);
  return readString(value);
}

/** A whole number is a length of geohashes, anything else a distance. */
function readPrecision(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return PRECISION_DEFAULT;
  const length = typeof value === 'number' && Number.isInteger(value) ? value : lettersOf(readString(value));
  if (length >= 1 && length <= GEOHASH_LETTERS_MAX) return length;
  throw refuse(`precision of a geo context must be between 1 and ${GEOHASH_LETTERS_MAX}, but was [${length}]`);
}

/** The longest geohash whose cell is not smaller than a distance such as `5km`. */
function lettersOf(text: string): number {
  const metres = parseMetres(text);
  const letters = Math.min(GEOHASH_LETTERS_MAX, geohashLetters(metres));
  return letters > 1 && geohashCellMetres(letters) < metres ? letters - 1 : letters;
}

/** Places come from fields of places. Throws `parse_exception`. */
export function checkContexts(mapping: Mapping): void {
  for (const { field } of fieldsOf(mapping)) {
    for (const { name, type, path } of contextSpecs(field.parameters['contexts'])) {
      if (type !== 'geo' || path === null) continue;
      const found = findMapper(mapping, path);
      const which = `field [${path}] referenced in context [${name}]`;
      if (found?.kind !== 'field') throw refuse(`${which} is not defined in the mapping`);
      if (found.type !== 'geo_point') throw refuse(`${which} must be mapped to geo_point, found [${found.type}]`);
    }
  }
}

/** As the kernels read them. */
export function contextSpecs(contexts: JsonValue | undefined): readonly ContextSpec[] {
  const list = Array.isArray(contexts) ? (contexts as readonly JsonObject[]) : [];
  return list.map(({ name, type, path, precision }) => ({
    name: typeof name === 'string' ? name : '',
    type: type === 'GEO' ? 'geo' : 'category',
    path: typeof path === 'string' ? path : null,
    precision: typeof precision === 'number' ? precision : 0,
  }));
}
