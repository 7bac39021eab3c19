/** `index_options` of `dense_vector`: whether a graph is built, whether vectors are quantised, and what may become of what. */
import { illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import type { ParameterPlace } from './parameters.js';
import type { VectorSpec } from './types.js';
import {
  entriesOf,
  mapperParsing,
  readInteger,
  readNumber,
  readString,
  show,
  unsupportedParameters,
} from './values.js';

const M_DEFAULT = 16;
const M_RANGE = [2, 512] as const;
const EF_CONSTRUCTION_DEFAULT = 100;
const EF_CONSTRUCTION_RANGE = [1, 3_200] as const;
const CONFIDENCE_RANGE = [0.9, 1] as const;

/** A kind of index. */
interface Kind {
  readonly hasGraph: boolean;
  /** Bits for each value of vectors that are quantised. */
  readonly bits?: 4 | 8;
  /** Kinds that a later mapping may ask for instead. */
  readonly mayBecome: readonly string[];
}

export const INDEX_OPTIONS_KINDS: Readonly<Record<string, Kind>> = {
  hnsw: { hasGraph: true, mayBecome: ['hnsw', 'int8_hnsw', 'int4_hnsw'] },
  int8_hnsw: { hasGraph: true, bits: 8, mayBecome: ['int8_hnsw', 'int4_hnsw'] },
  int4_hnsw: { hasGraph: true, bits: 4, mayBecome: ['int4_hnsw'] },
  flat: { hasGraph: false, mayBecome: ['flat', 'int8_flat', 'int4_flat', 'hnsw', 'int8_hnsw', 'int4_hnsw'] },
  int8_flat: { hasGraph: false, bits: 8, mayBecome: ['int8_flat', 'int4_flat', 'int8_hnsw', 'int4_hnsw'] },
  int4_flat: { hasGraph: false, bits: 4, mayBecome: ['int4_flat', 'int4_hnsw'] },
};

/** Kinds that the API knows and this server does not have. */
export const UNSUPPORTED_INDEX_OPTIONS: ReadonlySet<string> = new Set(['bbq_disk', 'bbq_flat', 'bbq_hnsw']);

export const DEFAULT_INDEX_OPTIONS: JsonObject = {
  type: 'hnsw',
  m: M_DEFAULT,
  ef_construction: EF_CONSTRUCTION_DEFAULT,
};

export function readIndexOptions(value: JsonValue, { field, type }: ParameterPlace): JsonObject {
  if (!isJsonObject(value)) throw mapperParsing(`[index_options] on field [${field}] must be an object`);
  const { type: given, ...others } = value;
  if (given === undefined) throw mapperParsing('[index_options] requires field [type] to be configured');
  const name = readString(given);
  if (UNSUPPORTED_INDEX_OPTIONS.has(name)) {
    const known = Object.keys(INDEX_OPTIONS_KINDS).join(', ');
    throw mapperParsing(
      `[index_options] on mapper [${field}] of type [${type}] does not support the type [${name}]: there are [${known}]`,
    );
  }
  const kind = Object.hasOwn(INDEX_OPTIONS_KINDS, name) ? INDEX_OPTIONS_KINDS[name] : undefined;
  if (kind === undefined) throw mapperParsing(`Unknown vector index options type [${name}] for field [${field}]`);
  return { type: name, ...readParameters(kind, others, field) };
}

function readParameters(kind: Kind, given: JsonObject, field: string): JsonObject {
  const { m, ef_construction: ef, confidence_interval: confidence, rescore_vector: rescore, ...others } = given;
  const unknown = entriesOf({
    ...others,
    ...(kind.hasGraph ? {} : present({ m, ef_construction: ef })),
    ...(kind.bits === undefined ? present({ confidence_interval: confidence, rescore_vector: rescore }) : {}),
  });
  if (unknown.length > 0) {
    throw unsupportedParameters(`Mapping definition for [${field}] has unsupported parameters`, unknown);
  }
  return {
    ...(kind.hasGraph ? readGraph(m, ef) : {}),
    ...(confidence === undefined ? {} : { confidence_interval: readConfidence(confidence) }),
    ...(rescore === undefined ? {} : { rescore_vector: readRescore(rescore) }),
  };
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const given = Object.entries(members).filter((member): member is [string, JsonValue] => member[1] !== undefined);
  return Object.fromEntries(given);
}

function readGraph(m: JsonValue = M_DEFAULT, ef: JsonValue = EF_CONSTRUCTION_DEFAULT): JsonObject {
  return {
    m: withinRange('m', readInteger(m), M_RANGE),
    ef_construction: withinRange('ef_construction', readInteger(ef), EF_CONSTRUCTION_RANGE),
  };
}

/** The part of the values that is told apart; 0 leaves it to what comes nearest. */
function readConfidence(value: JsonValue): number {
  const interval = readNumber(value);
  return interval === 0 ? 0 : withinRange('confidence_interval', interval, CONFIDENCE_RANGE);
}

function readRescore(value: JsonValue): JsonObject {
  const { oversample, ...others } = isJsonObject(value) ? value : {};
  if (oversample === undefined || entriesOf(others).length > 0) {
    throw illegalArgument(`[rescore_vector] of [index_options] must have [oversample] alone but was [${show(value)}]`);
  }
  return { oversample: checkOversample(readNumber(oversample)) };
}

/**
 * How many times as many vectors as are wanted are compared after their codes: so many as the kernels do at most, however great it is;
 * 0: no more than are wanted. Throws what the API says of others.
 */
export function checkOversample(times: number): number {
  if (times === 0 || times >= 1) return times;
  throw illegalArgument('[oversample] must be >= 1.0');
}

function withinRange(name: string, value: number, [least, most]: readonly [number, number]): number {
  if (value >= least && value <= most) return value;
  throw illegalArgument(
    `[${name}] of [index_options] must be between [${least}] and [${most}] but was [${show(value)}]`,
  );
}

function nameOf({ type }: JsonObject): string {
  return typeof type === 'string' ? type : '';
}

function kindOf(options: JsonObject): Kind | undefined {
  return INDEX_OPTIONS_KINDS[nameOf(options)];
}

/** Whether segments with one can be merged into some with the other: graphs keep all of their links. */
export function mayBecome(from: JsonValue, to: JsonValue): boolean {
  if (!isJsonObject(from) || !isJsonObject(to)) return false;
  const isKnown = kindOf(from)?.mayBecome.includes(nameOf(to)) === true;
  return isKnown && Number(to['m'] ?? 0) >= Number(from['m'] ?? 0);
}

/** Throws where an index cannot hold such vectors. */
export function checkIndexOptions(options: JsonObject, element: JsonValue, dims: JsonValue): void {
  const bits = kindOf(options)?.bits;
  if (bits === undefined) return;
  const name = nameOf(options);
  if (element !== 'float') {
    throw illegalArgument(`[element_type] cannot be [${show(element)}] when using index type [${name}]`);
  }
  if (bits === 4 && typeof dims === 'number' && dims % 2 !== 0) {
    throw illegalArgument(`${name} only supports even dimensions; provided=${dims}`);
  }
}

/** As the kernels read them. */
export function indexSpec(options: JsonValue): Pick<VectorSpec, 'hnsw' | 'quantised'> {
  if (!isJsonObject(options)) return { hnsw: null, quantised: null };
  const { m, ef_construction: ef, confidence_interval: confidence, rescore_vector: rescore } = options;
  const bits = kindOf(options)?.bits;
  const { oversample } = isJsonObject(rescore) ? rescore : {};
  return {
    hnsw: typeof m === 'number' && typeof ef === 'number' ? { m, ef_construction: ef } : null,
    quantised:
      bits === undefined
        ? null
        : {
            bits,
            confidence_interval: typeof confidence === 'number' ? confidence : null,
            oversample: typeof oversample === 'number' ? oversample : null,
          },
  };
}
