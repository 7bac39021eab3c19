/** What a parameter of a field is: how it is read, what it is when absent, and whether an update may change it. */
import { QuarryError, illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import type { MappingContext, MappingSettings } from './types.js';
import { entriesOf, mapperParsing, readBoolean, readInteger, readString, show } from './values.js';

/** Where a parameter stands, for messages. */
export interface ParameterPlace {
  /** The field as it is named in its mapping (not its full path). */
  readonly field: string;
  readonly type: string;
  readonly context: MappingContext;
}

export interface Parameter {
  readonly name: string;
  /** Brings a given value into its normal form; throws when it is none. */
  readonly read: (value: JsonValue, place: ParameterPlace) => JsonValue;
  /** The value when nothing was given. `parameters` are the field's own. */
  readonly defaultValue: (parameters: JsonObject, settings: MappingSettings) => JsonValue;
  /** Whether an update may turn `from` into `to`. */
  readonly mayChange: (from: JsonValue, to: JsonValue) => boolean;
  /** Why an update may not be made, where that can be told better than by naming the parameter. */
  readonly conflicts?: (from: JsonValue, to: JsonValue, field: string) => readonly string[];
  /** Printed with the mapping although it has its default. */
  readonly alwaysPrinted?: boolean;
}

export function alwaysShown(shown: Parameter): Parameter {
  return { ...shown, alwaysPrinted: true };
}

interface Options {
  readonly updateable?: boolean;
}

function parameter(
  name: string,
  defaultValue: JsonValue | Parameter['defaultValue'],
  read: Parameter['read'],
  { updateable = false }: Options,
): Parameter {
  return {
    name,
    read,
    defaultValue: typeof defaultValue === 'function' ? defaultValue : () => defaultValue,
    mayChange: () => updateable,
  };
}

export function booleanParameter(
  name: string,
  defaultValue: boolean | ((settings: MappingSettings) => boolean),
  options: Options = {},
): Parameter {
  const byDefault = typeof defaultValue === 'function' ? defaultValue : () => defaultValue;
  return parameter(name, (_, settings) => byDefault(settings), readBoolean, options);
}

export function integerParameter(
  name: string,
  defaultValue: number,
  options: Options & { min?: number; max?: number } = {},
): Parameter {
  const { min = 0, max } = options;
  const read = (value: JsonValue): number => {
    const number = readInteger(value);
    if (max !== undefined && (number < min || number > max)) {
      throw illegalArgument(`[${name}] must be at least [${min}] and at most [${max}], got [${number}]`);
    }
    if (number < min) throw illegalArgument(`[${name}] must be at least [${min}] but was [${number}]`);
    return number;
  };
  return parameter(name, defaultValue, read, options);
}

/** One of a few words; the first is the default. Words that the API knows and we do not have are refused by name. */
export function choiceParameter(
  name: string,
  choices: readonly [string, ...string[]],
  options: Options & { unsupported?: readonly string[] } = {},
): Parameter {
  const read = (value: JsonValue, place: ParameterPlace): string => {
    const word = readString(value);
    if (choices.includes(word)) return word;
    if (options.unsupported?.includes(word) === true) throw notSupported(name, word, place);
    throw mapperParsing(`Unknown value [${word}] for field [${name}] - accepted values are [${choices.join(', ')}]`);
  };
  return parameter(name, choices[0], read, options);
}

/** A switch that only has its default here. */
export function fixedParameter(name: string, defaultValue: boolean): Parameter {
  const read = (value: JsonValue, place: ParameterPlace): boolean => {
    const given = readBoolean(value);
    if (given !== defaultValue) throw notSupported(name, String(given), place);
    return given;
  };
  return parameter(name, defaultValue, read, {});
}

function notSupported(name: string, value: string, { field, type }: ParameterPlace): QuarryError {
  return mapperParsing(`[${name}] on mapper [${field}] of type [${type}] does not support the value [${value}]`);
}

/** A parameter that is null unless given, such as `null_value`. */
export function optionalParameter(name: string, read: Parameter['read'], options: Options = {}): Parameter {
  return parameter(name, null, read, options);
}

export function textParameter(
  name: string,
  defaultValue: string,
  check: (value: string, place: ParameterPlace) => void,
  options: Options = {},
): Parameter {
  const read = (value: JsonValue, place: ParameterPlace): string => {
    const text = readString(value);
    check(text, place);
    return text;
  };
  return parameter(name, defaultValue, read, options);
}

/** The name of an analyzer of the index. `defaultValue` sees the field's own parameters. */
export function analyzerParameter(
  name: string,
  defaultValue: (parameters: JsonObject) => string,
  options: Options = {},
): Parameter {
  const read = (value: JsonValue, { field, context }: ParameterPlace): string => {
    const analyzer = readString(value);
    if (!context.hasAnalyzer(analyzer)) {
      throw mapperParsing(`analyzer [${analyzer}] has not been configured in mappings for field [${field}]`);
    }
    return analyzer;
  };
  return parameter(name, (parameters) => defaultValue(parameters), read, options);
}

/** Norms can be given up, but not taken up later. */
export const TEXT_NORMS: Parameter = {
  ...booleanParameter('norms', true),
  mayChange: (from, to) => from === true && to === false,
};

const META_ENTRIES_MAX = 5;
const META_KEY_CHARS_MAX = 20;
const META_VALUE_CHARS_MAX = 50;

/** `meta`: a few short texts for whoever reads the mapping. */
export const META: Parameter = parameter(
  'meta',
  () => ({}),
  (value, { field }) => {
    if (!isJsonObject(value)) throw mapperParsing(`[meta] must be an object, got ${show(value)} for field [${field}]`);
    const entries = entriesOf(value);
    if (entries.length > META_ENTRIES_MAX) {
      throw mapperParsing(
        `[meta] can't have more than ${META_ENTRIES_MAX} entries, but got ${entries.length} on field [${field}]`,
      );
    }
    for (const [key, text] of entries) {
      if (key.length > META_KEY_CHARS_MAX) {
        throw mapperParsing(
          `[meta] keys can't be longer than ${META_KEY_CHARS_MAX} chars, but got [${key}] for field [${field}]`,
        );
      }
      if (typeof text !== 'string') {
        throw mapperParsing(`[meta] values can only be strings, but got [${show(text)}] for field [${field}]`);
      }
      if (text.length > META_VALUE_CHARS_MAX) {
        throw mapperParsing(
          `[meta] values can't be longer than ${META_VALUE_CHARS_MAX} chars, but got [${text}] for field [${field}]`,
        );
      }
    }
    return value;
  },
  { updateable: true },
);
