/** The parameters of `dense_vector`: how long vectors are, what nearness means, and whether a graph is built. */
import { illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import {
  META,
  alwaysShown,
  booleanParameter,
  choiceParameter,
  optionalParameter,
  type Parameter,
} from './parameters.js';
import type { Mapping, VectorSpec } from './types.js';
import { entriesOf, mapperParsing, readInteger, readString, show, unsupportedParameters } from './values.js';
import { fieldsOf, nestedAround } from './walk.js';

/** Dimensions that a vector may have, also one that is searched for. */
export const DIMS_MAX = 4_096;
const M_DEFAULT = 16;
const M_RANGE = [2, 512] as const;
const EF_CONSTRUCTION_DEFAULT = 100;
const EF_CONSTRUCTION_RANGE = [1, 3_200] as const;

/** Kinds of the API that keep less than the numbers of a vector. */
const QUANTISED: ReadonlySet<string> = new Set([
  'bbq_disk',
  'bbq_flat',
  'bbq_hnsw',
  'int4_flat',
  'int4_hnsw',
  'int8_flat',
  'int8_hnsw',
]);

const SIMILARITIES = ['cosine', 'dot_product', 'l2_norm', 'max_inner_product'] as const;

/** Absent until a document says it; then it stays. */
const DIMS: Parameter = {
  ...optionalParameter('dims', (value) => {
    const dims = readInteger(value);
    if (dims >= 1 && dims <= DIMS_MAX) return dims;
    throw mapperParsing(`The number of dimensions should be in the range [1, ${DIMS_MAX}] but was [${dims}]`);
  }),
  mayChange: (from) => from === null,
};

const SIMILARITY: Parameter = {
  ...choiceParameter('similarity', SIMILARITIES),
  defaultValue: (parameters) => (isIndexed(parameters) ? 'cosine' : null),
};

const INDEX_OPTIONS: Parameter = {
  ...optionalParameter('index_options', (value, { field, type }) => {
    if (!isJsonObject(value)) throw mapperParsing(`[index_options] on field [${field}] must be an object`);
    const { type: kind, ...others } = value;
    if (kind === undefined) throw mapperParsing('[index_options] requires field [type] to be configured');
    const name = readString(kind);
    if (name === 'flat') return refuseOthers(field, others, { type: name });
    if (name === 'hnsw') return readHnsw(field, others);
    if (QUANTISED.has(name)) {
      throw mapperParsing(
        `[index_options] on mapper [${field}] of type [${type}] does not support the type [${name}]: vectors are kept as ` +
          'they are, with [hnsw] or [flat]',
      );
    }
    throw mapperParsing(`Unknown vector index options type [${name}] for field [${field}]`);
  }),
  defaultValue: (parameters) => (isIndexed(parameters) ? hnsw(M_DEFAULT, EF_CONSTRUCTION_DEFAULT) : null),
};

export const DENSE_VECTOR: readonly Parameter[] = [
  choiceParameter('element_type', ['float'], { unsupported: ['bfloat16', 'bit', 'byte'] }),
  DIMS,
  alwaysShown(booleanParameter('index', true)),
  alwaysShown(SIMILARITY),
  alwaysShown(INDEX_OPTIONS),
  META,
];

function isIndexed(parameters: JsonObject): boolean {
  return parameters['index'] !== false;
}

function hnsw(m: number, efConstruction: number): JsonObject {
  return { type: 'hnsw', m, ef_construction: efConstruction };
}

function readHnsw(field: string, { m, ef_construction: ef, ...others }: JsonObject): JsonObject {
  const options = hnsw(
    withinRange('m', m ?? M_DEFAULT, M_RANGE),
    withinRange('ef_construction', ef ?? EF_CONSTRUCTION_DEFAULT, EF_CONSTRUCTION_RANGE),
  );
  return refuseOthers(field, others, options);
}

function withinRange(name: string, value: JsonValue, [least, most]: readonly [number, number]): number {
  const number = readInteger(value);
  if (number >= least && number <= most) return number;
  throw illegalArgument(
    `[${name}] of [index_options] must be between [${least}] and [${most}] but was [${show(value)}]`,
  );
}

function refuseOthers(field: string, others: JsonObject, options: JsonObject): JsonObject {
  const unknown = entriesOf(others);
  if (unknown.length === 0) return options;
  throw unsupportedParameters(`Mapping definition for [${field}] has unsupported parameters`, unknown);
}

/** What is said of the index of a field that has none. */
export function checkVectorParameters(parameters: JsonObject): void {
  if (isIndexed(parameters)) return;
  for (const name of ['similarity', 'index_options']) {
    if (parameters[name] === undefined) continue;
    throw illegalArgument(
      `Field [${name}] can only be specified for a field of type [dense_vector] when it is indexed`,
    );
  }
}

/** Searches look for whole documents by their vectors: nested objects cannot have any. */
export function checkVectors(mapping: Mapping): void {
  for (const { path, field } of fieldsOf(mapping)) {
    const around = field.type === 'dense_vector' ? nestedAround(mapping, path) : undefined;
    if (around === undefined) continue;
    throw illegalArgument(`Field [${path}] of type [dense_vector] cannot be part of the nested object [${around}]`);
  }
}

/** As the kernels read it; `value` gives a parameter or its default. */
export function vectorSpec(value: (name: string) => JsonValue): VectorSpec {
  const [dims, similarity, options] = [value('dims'), value('similarity'), value('index_options')];
  const { type, m, ef_construction: ef } = isJsonObject(options) ? options : {};
  return {
    dims: typeof dims === 'number' ? dims : null,
    similarity: SIMILARITIES.find((known) => known === similarity) ?? null,
    hnsw: type === 'hnsw' && typeof m === 'number' && typeof ef === 'number' ? { m, ef_construction: ef } : null,
  };
}
