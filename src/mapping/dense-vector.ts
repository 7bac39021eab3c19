/** The parameters of `dense_vector`: what vectors are made of, how long they are, what nearness means, and how they are indexed. */
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
import type { VectorSpec } from './types.js';
import { mapperParsing, readInteger } from './values.js';
import {
  DEFAULT_INDEX_OPTIONS,
  checkIndexOptions,
  indexSpec,
  mayBecome,
  readIndexOptions,
} from './vector-index-options.js';

/** Values that a vector may have, also one that is searched for. */
export const VALUES_MAX = 4_096;
const BITS_IN_BYTE = 8;

const ELEMENTS = ['float', 'byte', 'bit'] as const;
const SIMILARITIES = ['cosine', 'dot_product', 'l2_norm', 'max_inner_product'] as const;

/** Absent until a document says it; then it stays. */
const DIMS: Parameter = {
  ...optionalParameter('dims', readInteger),
  mayChange: (from) => from === null,
};

const SIMILARITY: Parameter = {
  ...choiceParameter('similarity', SIMILARITIES),
  defaultValue: (parameters) => (isIndexed(parameters) ? defaultSimilarity(parameters) : null),
};

const INDEX_OPTIONS: Parameter = {
  ...optionalParameter('index_options', readIndexOptions),
  defaultValue: (parameters) => (isIndexed(parameters) ? DEFAULT_INDEX_OPTIONS : null),
  mayChange: mayBecome,
};

export const DENSE_VECTOR: readonly Parameter[] = [
  choiceParameter('element_type', ELEMENTS, { unsupported: ['bfloat16'] }),
  DIMS,
  alwaysShown(booleanParameter('index', true)),
  alwaysShown(SIMILARITY),
  alwaysShown(INDEX_OPTIONS),
  META,
];

function isIndexed(parameters: JsonObject): boolean {
  return parameters['index'] !== false;
}

function elementOf(parameters: JsonObject): JsonValue {
  return parameters['element_type'] ?? 'float';
}

function defaultSimilarity(parameters: JsonObject): string {
  return elementOf(parameters) === 'bit' ? 'l2_norm' : 'cosine';
}

/** What cannot be said together. */
export function checkVectorParameters(parameters: JsonObject): void {
  checkUnindexed(parameters);
  const [element, dims, options] = [elementOf(parameters), parameters['dims'] ?? null, parameters['index_options']];
  if (typeof dims === 'number') checkDims(dims, element);
  if (element === 'bit' && (parameters['similarity'] ?? 'l2_norm') !== 'l2_norm') {
    throw illegalArgument('The [l2_norm] similarity is the only supported similarity for bit vectors');
  }
  if (isJsonObject(options)) checkIndexOptions(options, element, dims);
}

function checkDims(dims: number, element: JsonValue): void {
  const each = element === 'bit' ? BITS_IN_BYTE : 1;
  if (dims < each || dims > VALUES_MAX * each) {
    throw mapperParsing(
      `The number of dimensions should be in the range [${each}, ${VALUES_MAX * each}] but was [${dims}]`,
    );
  }
  if (dims % each !== 0) {
    throw mapperParsing(`The number of dimensions for should be a multiple of ${each} but was [${dims}]`);
  }
}

/** What is said of the index of a field that has none. */
function checkUnindexed(parameters: JsonObject): void {
  if (isIndexed(parameters)) return;
  for (const name of ['similarity', 'index_options']) {
    if (parameters[name] === undefined) continue;
    throw illegalArgument(
      `Field [${name}] can only be specified for a field of type [dense_vector] when it is indexed`,
    );
  }
}

/** As the kernels read it; `value` gives a parameter or its default. */
export function vectorSpec(value: (name: string) => JsonValue): VectorSpec {
  const [dims, element, similarity] = [value('dims'), value('element_type'), value('similarity')];
  return {
    dims: typeof dims === 'number' ? dims : null,
    element: ELEMENTS.find((known) => known === element) ?? 'float',
    similarity: SIMILARITIES.find((known) => known === similarity) ?? null,
    ...indexSpec(value('index_options')),
  };
}
