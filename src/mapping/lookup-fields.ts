/** Runtime fields of type `lookup`: their values are those of documents of another index. */
import { illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import type { FetchedField, LookupField, LookupSpec } from './types.js';
import { entriesOf, mapperParsing, readString, show } from './values.js';

const PARAMETERS = ['target_index', 'input_field', 'target_field', 'fetch_fields'] as const;
type LookupParameter = (typeof PARAMETERS)[number];

/** `definition` has the members of the field but its type. */
export function readLookup(name: string, definition: JsonObject): LookupField {
  checkParameters(name, definition);
  const { fetch_fields: fetched } = definition;
  const field: LookupField = {
    targetIndex: readRequired(definition, 'target_index'),
    inputField: readRequired(definition, 'input_field'),
    targetField: readRequired(definition, 'target_field'),
    fetchFields: fetched === undefined ? [] : readFetchFields(name, fetched),
  };
  if (field.inputField === name) throw illegalArgument(`lookup field [${name}] can't use input from itself`);
  if (field.fetchFields.length === 0) throw mapperParsing('[fetch_fields] parameter must not be empty');
  return field;
}

function checkParameters(name: string, definition: JsonObject): void {
  const ofField = `on runtime field [${name}] of type [lookup]`;
  for (const [parameter, value] of entriesOf(definition)) {
    if (!(PARAMETERS as readonly string[]).includes(parameter)) {
      throw mapperParsing(`unknown parameter [${parameter}] ${ofField}`);
    }
    if (value === null) throw mapperParsing(`[${parameter}] ${ofField} must not have a [null] value`);
  }
}

function readRequired(definition: JsonObject, parameter: LookupParameter): string {
  const given = definition[parameter];
  const text = given === undefined ? '' : readString(given);
  if (text === '') throw illegalArgument(`[${parameter}] parameter must be specified`);
  return text;
}

function readFetchFields(name: string, value: JsonValue): readonly FetchedField[] {
  if (!Array.isArray(value)) {
    throw mapperParsing(`[fetch_fields] of runtime field [${name}] must be an array, but is [${show(value)}]`);
  }
  return (value as readonly JsonValue[]).map(readFetchedField);
}

function readFetchedField(value: JsonValue): FetchedField {
  if (typeof value === 'string') return { field: value };
  if (!isJsonObject(value)) throw mapperParsing(`unexpected value [${show(value)}] for [fetch_fields] parameter`);
  const { field, format, ...rest } = value;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw mapperParsing(`unknown parameter [${unknown}] of [fetch_fields]`);
  if (field === undefined || field === null) {
    throw mapperParsing('[field] parameter of [fetch_fields] must be provided');
  }
  if (format === undefined || format === null) return { field: readString(field) };
  return { field: readString(field), format: readString(format) };
}

export function lookupSpec({ targetIndex, inputField, targetField, fetchFields }: LookupField): LookupSpec {
  return { target_index: targetIndex, input_field: inputField, target_field: targetField, fetch_fields: fetchFields };
}

/** As mappings show it. */
export function renderLookup(field: LookupField): JsonObject {
  const { fetch_fields: fetched, ...names } = lookupSpec(field);
  return { type: 'lookup', ...names, fetch_fields: fetched.map((shown) => ({ ...shown })) };
}
