/** The parameters of each field type, in the order the API prints them. */
import { isIP } from 'node:net';
import { QuarryError, illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import { readContexts } from './completion-contexts.js';
import { checkDateFormat } from './date-format.js';
import { DENSE_VECTOR, checkVectorParameters } from './dense-vector.js';
import {
  META,
  TEXT_NORMS,
  alwaysShown,
  analyzerParameter,
  booleanParameter,
  choiceParameter,
  fixedParameter,
  integerParameter,
  optionalParameter,
  textParameter,
  type Parameter,
  type ParameterPlace,
} from './parameters.js';
import { isOnGlobe, readGeoPoint } from './geo-point.js';
import { JOIN } from './join.js';
import { similarityNamed } from './similarity.js';
import type { FieldType } from './types.js';
import { mapperParsing, readBoolean, readInteger, readNumber, readString, show } from './values.js';

export const DEFAULT_DATE_FORMAT = 'strict_date_optional_time||epoch_millis';
/** `date_nanos` reads the same and prints all nine digits. */
export const DEFAULT_DATE_NANOS_FORMAT = 'strict_date_optional_time_nanos||epoch_millis';
export const IGNORE_ABOVE_DEFAULT = 2 ** 31 - 1;
/** `max_shingle_size` */
export const MAX_SHINGLE_SIZE_DEFAULT = 3;
export const POSITION_INCREMENT_GAP_DEFAULT = 100;

const INDEX = booleanParameter('index', true);
const STORE = booleanParameter('store', false);
const DOC_VALUES = booleanParameter('doc_values', true);
const IGNORE_MALFORMED = booleanParameter('ignore_malformed', (settings) => settings.ignoreMalformed, {
  updateable: true,
});
const COERCE = booleanParameter('coerce', (settings) => settings.coerce, { updateable: true });
/** Ordinals are always at hand, so that the hint asks for nothing more. */
const EAGER_GLOBAL_ORDINALS = booleanParameter('eager_global_ordinals', false, { updateable: true });
const SIMILARITY = optionalParameter('similarity', (value, { field, context }) => {
  const name = readString(value);
  if (similarityNamed(name, context.settings) !== undefined) return name;
  throw mapperParsing(`Unknown Similarity type [${name}] for field [${field}]`);
});

const asName = (name: unknown, otherwise: string): string => (typeof name === 'string' ? name : otherwise);
const orDefault = (name: unknown): string => asName(name, 'default');

const INDEX_PREFIX_CHARS_MAX = 20;

/** Prefixes are looked up in the dictionary at no cost; the lengths say for which of them that goes without leave. */
const INDEX_PREFIXES = optionalParameter('index_prefixes', (value, { field }) => {
  if (!isJsonObject(value)) throw mapperParsing(`[index_prefixes] on field [${field}] must be an object`);
  const { min_chars: min = 2, max_chars: max = 5, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw mapperParsing(`[index_prefixes] has unsupported parameters: [${unknown}]`);
  const [least, most] = [readInteger(min), readInteger(max)];
  if (least > most) throw illegalArgument(`min_chars [${least}] must be less than max_chars [${most}]`);
  if (least < 1) throw illegalArgument(`min_chars [${least}] must be greater than zero`);
  if (most >= INDEX_PREFIX_CHARS_MAX) throw illegalArgument(`max_chars [${most}] must be less than 20`);
  return { min_chars: least, max_chars: most };
});

const FIELDDATA = booleanParameter('fielddata', false, { updateable: true });

const TEXT: readonly Parameter[] = [
  INDEX,
  STORE,
  choiceParameter('index_options', ['positions', 'docs', 'freqs', 'offsets']),
  TEXT_NORMS,
  // Vectors are made of the text when they are asked for.
  choiceParameter('term_vector', [
    'no',
    'yes',
    'with_positions',
    'with_offsets',
    'with_positions_offsets',
    'with_positions_payloads',
    'with_positions_offsets_payloads',
  ]),
  analyzerParameter('analyzer', () => 'default'),
  analyzerParameter('search_analyzer', (own) => orDefault(own['analyzer']), { updateable: true }),
  analyzerParameter('search_quote_analyzer', (own) => orDefault(own['search_analyzer'] ?? own['analyzer']), {
    updateable: true,
  }),
  SIMILARITY,
  integerParameter('position_increment_gap', POSITION_INCREMENT_GAP_DEFAULT),
  FIELDDATA,
  EAGER_GLOBAL_ORDINALS,
  INDEX_PREFIXES,
  // Phrases are found by positions either way.
  booleanParameter('index_phrases', false),
  META,
];

const SPLIT_QUERIES = booleanParameter('split_queries_on_whitespace', false, { updateable: true });

const KEYWORD: readonly Parameter[] = [
  INDEX,
  DOC_VALUES,
  STORE,
  optionalParameter('null_value', readString),
  EAGER_GLOBAL_ORDINALS,
  integerParameter('ignore_above', IGNORE_ABOVE_DEFAULT, { updateable: true }),
  choiceParameter('index_options', ['docs'], { unsupported: ['freqs'] }),
  fixedParameter('norms', false),
  SIMILARITY,
  optionalParameter('normalizer', (value, { field, context }) => {
    const normalizer = readString(value);
    if (context.hasNormalizer(normalizer)) return normalizer;
    throw mapperParsing(`normalizer [${normalizer}] not found for field [${field}]`);
  }),
  SPLIT_QUERIES,
  META,
];

const textAnalyzers: readonly Parameter[] = TEXT.filter(({ name }) =>
  ['analyzer', 'search_analyzer', 'search_quote_analyzer'].includes(name),
);

const SEARCH_AS_YOU_TYPE: readonly Parameter[] = [
  INDEX,
  STORE,
  choiceParameter('index_options', ['positions', 'docs', 'freqs', 'offsets']),
  TEXT_NORMS,
  choiceParameter('term_vector', ['no'], { unsupported: ['yes', 'with_positions', 'with_positions_offsets'] }),
  ...textAnalyzers,
  SIMILARITY,
  fixedParameter('doc_values', false),
  integerParameter('max_shingle_size', MAX_SHINGLE_SIZE_DEFAULT, { min: 2, max: 4 }),
  META,
];

/** Where the mapping says no value, it is that of the first document with one. */
const CONSTANT_KEYWORD: readonly Parameter[] = [
  { ...optionalParameter('value', (value) => readString(value)), mayChange: (from) => from === null },
  META,
];

const WILDCARD: readonly Parameter[] = KEYWORD.filter(({ name }) =>
  ['null_value', 'ignore_above', 'normalizer', 'meta'].includes(name),
).concat([DOC_VALUES]);

const TOKEN_COUNT: readonly Parameter[] = [
  analyzerParameter('analyzer', () => 'default'),
  booleanParameter('enable_position_increments', true),
  INDEX,
  DOC_VALUES,
  STORE,
  optionalParameter('null_value', (value) => Math.trunc(readNumber(value))),
  META,
];

/** The default of an analyzer that is not the index's. */
const COMPLETION_ANALYZER = 'simple';

const COMPLETION: readonly Parameter[] = [
  alwaysShown(analyzerParameter('analyzer', () => COMPLETION_ANALYZER)),
  analyzerParameter('search_analyzer', (own) => asName(own['analyzer'], COMPLETION_ANALYZER), { updateable: true }),
  alwaysShown(booleanParameter('preserve_separators', true)),
  alwaysShown(booleanParameter('preserve_position_increments', true)),
  alwaysShown(integerParameter('max_input_length', 50, { min: 1, updateable: true })),
  optionalParameter('contexts', readContexts),
  META,
];

const FLATTENED_DEPTH_DEFAULT = 20;

const FLATTENED: readonly Parameter[] = [
  INDEX,
  DOC_VALUES,
  integerParameter('depth_limit', FLATTENED_DEPTH_DEFAULT, { updateable: true, min: 1 }),
  integerParameter('ignore_above', IGNORE_ABOVE_DEFAULT, { updateable: true }),
  optionalParameter('null_value', readString),
  EAGER_GLOBAL_ORDINALS,
  choiceParameter('index_options', ['docs'], { unsupported: ['freqs'] }),
  SIMILARITY,
  SPLIT_QUERIES,
  META,
];

const BINARY: readonly Parameter[] = [STORE, booleanParameter('doc_values', false), META];

const ALIAS: readonly Parameter[] = [optionalParameter('path', (value) => readString(value))];

const RANK_FEATURE: readonly Parameter[] = [booleanParameter('positive_score_impact', true), META];

/** Ends of the whole-number types; beyond 53 bits a JSON number only comes near them. */
const WHOLE_RANGES: Readonly<Partial<Record<FieldType, readonly [number, number]>>> = {
  byte: [-128, 127],
  short: [-32_768, 32_767],
  integer: [-(2 ** 31), 2 ** 31 - 1],
  long: [-(2 ** 63), 2 ** 63],
  unsigned_long: [0, 2 ** 64],
};

function readNullNumber(type: FieldType): Parameter['read'] {
  return (value, { field }) => {
    try {
      const number = readNumber(value);
      const range = WHOLE_RANGES[type];
      if (range !== undefined && (number < range[0] || number > range[1])) {
        throw illegalArgument(`Value [${show(value)}] is out of range for ${type === 'integer' ? 'an' : 'a'} ${type}`);
      }
      return range === undefined ? number : Math.trunc(number);
    } catch (cause) {
      throw nullValueError(field, value, cause);
    }
  };
}

function nullValueError(field: string, value: JsonValue, cause: unknown): QuarryError {
  const why = cause instanceof Error ? cause.message : `[${show(value)}] does not fit`;
  return mapperParsing(`Error parsing [null_value] on field [${field}]: ${why}`, cause);
}

function numberParameters(type: FieldType, ...more: readonly Parameter[]): readonly Parameter[] {
  const nullValue = optionalParameter('null_value', readNullNumber(type));
  return [INDEX, DOC_VALUES, STORE, IGNORE_MALFORMED, COERCE, ...more, nullValue, META];
}

const SCALING_FACTOR = optionalParameter('scaling_factor', (value) => {
  const factor = readNumber(value);
  if (factor > 0) return factor;
  throw illegalArgument(`[scaling_factor] must be a positive number, got [${show(value)}]`);
});

function readLocale(value: string, { field, type }: ParameterPlace): void {
  if (['', 'ROOT', 'root', 'en', 'en_US', 'en-US'].includes(value)) return;
  throw mapperParsing(`[locale] on mapper [${field}] of type [${type}] does not support the value [${value}]`);
}

const LOCALE = textParameter('locale', '', readLocale);

function dateFormatParameter(defaultFormat: string): Parameter {
  return textParameter('format', defaultFormat, (value, { field }) => {
    try {
      checkDateFormat(value);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : '';
      throw mapperParsing(`Error parsing [format] on field [${field}]: ${why}`, cause);
    }
  });
}

function dateParameters(defaultFormat: string): readonly Parameter[] {
  return [
    INDEX,
    DOC_VALUES,
    STORE,
    dateFormatParameter(defaultFormat),
    LOCALE,
    IGNORE_MALFORMED,
    optionalParameter('null_value', readString),
    META,
  ];
}

/** Of ranges of numbers and addresses: there are no dates to format. */
const NO_DATE_FORMAT = optionalParameter('format', (_, { field }) => {
  throw illegalArgument(
    `field [${field}] of type [range] should not define a dateTimeFormatter unless it is a DATE type`,
  );
});

function rangeParameters(format: Parameter): readonly Parameter[] {
  return [INDEX, DOC_VALUES, STORE, COERCE, format, LOCALE, META, IGNORE_MALFORMED];
}

const IP_NULL_VALUE = optionalParameter('null_value', (value, { field }) => {
  const address = readString(value);
  if (isIP(address) !== 0) return address;
  throw nullValueError(field, value, illegalArgument(`'${address}' is not an IP string literal.`));
});

const IGNORE_Z_VALUE = booleanParameter('ignore_z_value', true, { updateable: true });

const ORIENTATIONS: ReadonlySet<string> = new Set(['right', 'counterclockwise', 'ccw', 'left', 'clockwise', 'cw']);

/** Which way around outer rings go. */
const ORIENTATION = textParameter(
  'orientation',
  'right',
  (value) => {
    if (!ORIENTATIONS.has(value.toLowerCase())) throw illegalArgument(`Unknown orientation [${value}]`);
  },
  { updateable: true },
);

/** A place in one of its forms; shown as an object. */
const POINT_NULL_VALUE = optionalParameter('null_value', (value, { field }) => {
  try {
    const point = readGeoPoint(value);
    if (isOnGlobe(point)) return { lat: point.lat, lon: point.lon };
  } catch (cause) {
    throw nullValueError(field, value, cause);
  }
  throw nullValueError(field, value, illegalArgument(`[${show(value)}] is not on the globe`));
});

/** The parameters of a type, besides `type`, `fields` and `copy_to`, which all types take. */
export const PARAMETERS: Readonly<Record<FieldType, readonly Parameter[]>> = {
  text: TEXT,
  match_only_text: [...textAnalyzers, STORE, FIELDDATA, META],
  search_as_you_type: SEARCH_AS_YOU_TYPE,
  keyword: KEYWORD,
  constant_keyword: CONSTANT_KEYWORD,
  wildcard: WILDCARD,
  completion: COMPLETION,
  token_count: TOKEN_COUNT,
  rank_feature: RANK_FEATURE,
  join: JOIN,
  rank_features: RANK_FEATURE,
  flattened: FLATTENED,
  flat_object: [],
  histogram: [IGNORE_MALFORMED, META],
  murmur3: [STORE, META],
  dense_vector: DENSE_VECTOR,
  percolator: [META],
  binary: BINARY,
  version: [META],
  alias: ALIAS,
  byte: numberParameters('byte'),
  short: numberParameters('short'),
  integer: numberParameters('integer'),
  long: numberParameters('long'),
  unsigned_long: numberParameters('unsigned_long'),
  float: numberParameters('float'),
  half_float: numberParameters('half_float'),
  double: numberParameters('double'),
  scaled_float: numberParameters('scaled_float', SCALING_FACTOR),
  boolean: [DOC_VALUES, INDEX, optionalParameter('null_value', readBoolean), STORE, IGNORE_MALFORMED, META],
  date: dateParameters(DEFAULT_DATE_FORMAT),
  date_nanos: dateParameters(DEFAULT_DATE_NANOS_FORMAT),
  geo_point: [INDEX, DOC_VALUES, STORE, IGNORE_MALFORMED, IGNORE_Z_VALUE, POINT_NULL_VALUE, META],
  geo_shape: [
    INDEX,
    DOC_VALUES,
    STORE,
    IGNORE_MALFORMED,
    IGNORE_Z_VALUE,
    booleanParameter('coerce', false, { updateable: true }),
    ORIENTATION,
    META,
  ],
  ip: [INDEX, DOC_VALUES, STORE, IGNORE_MALFORMED, IP_NULL_VALUE, META],
  integer_range: rangeParameters(NO_DATE_FORMAT),
  long_range: rangeParameters(NO_DATE_FORMAT),
  float_range: rangeParameters(NO_DATE_FORMAT),
  double_range: rangeParameters(NO_DATE_FORMAT),
  date_range: rangeParameters(dateFormatParameter(DEFAULT_DATE_FORMAT)),
  ip_range: rangeParameters(NO_DATE_FORMAT),
};

/** Of objects and arrays that are one field. */
const OF_WHOLES: readonly FieldType[] = [
  'flattened',
  'flat_object',
  'histogram',
  'percolator',
  'rank_features',
  'dense_vector',
];

/** Whether the objects, or arrays, are one field, which has no multi-fields and is copied nowhere. */
export function isFlattened(type: FieldType): boolean {
  return OF_WHOLES.includes(type);
}

/** Parameters that a type cannot do without. */
const NEEDED: readonly (readonly [FieldType, string])[] = [
  ['alias', 'path'],
  ['token_count', 'analyzer'],
];

/** Rules between the parameters of one field, checked when all are read. */
export function checkTogether(type: FieldType, field: string, parameters: JsonObject): void {
  if (type === 'scaled_float' && parameters['scaling_factor'] === undefined) {
    throw mapperParsing('Field [scaling_factor] is required');
  }
  for (const [needy, name] of NEEDED) {
    if (type === needy && parameters[name] === undefined) {
      throw mapperParsing(`Field [${field}] is missing required parameter [${name}]`);
    }
  }
  if (type === 'dense_vector') {
    checkVectorParameters(parameters);
    return;
  }
  const options = parameters['index_options'];
  const hasPositions = options === undefined || options === 'positions' || options === 'offsets';
  if (parameters['position_increment_gap'] !== undefined && !hasPositions) {
    throw illegalArgument(`Cannot set position_increment_gap on field [${field}] without positions enabled`);
  }
}
