/** `properties`: fields and objects from the API's JSON. */
import { illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import { PARAMETERS, checkTogether, isFlattened } from './field-types.js';
import { mergeMappers } from './merge-fields.js';
import {
  isFieldType,
  type Dynamic,
  type FieldMapping,
  type FieldType,
  type Mapper,
  type MappingContext,
  type ObjectMapping,
} from './types.js';
import {
  entriesOf,
  mapperParsing,
  readNamedBoolean,
  readString,
  readStrings,
  show,
  unsupportedParameters,
} from './values.js';

/** Reads `properties` (an empty array means none). `path` is the full path of the object they belong to. */
export function parseProperties(value: JsonValue, path: string, context: MappingContext): ReadonlyMap<string, Mapper> {
  if (Array.isArray(value) && value.length === 0) return new Map();
  if (!isJsonObject(value)) throw mapperParsing('properties must be a map type');
  const properties = new Map<string, Mapper>();
  for (const [name, definition] of entriesOf(value)) {
    if (Array.isArray(definition) && definition.length === 0) continue;
    if (!isJsonObject(definition)) {
      throw mapperParsing(`Expected map for property [fields] on field [${name}] but got a ${javaClass(definition)}`);
    }
    addDotted(properties, name, path, definition, context);
  }
  return properties;
}

/** Adds a definition under a name that may have dots: the parts before the last are objects. */
function addDotted(
  properties: Map<string, Mapper>,
  name: string,
  path: string,
  definition: JsonObject,
  context: MappingContext,
): void {
  const parts = splitName(name);
  const last = parts[parts.length - 1] ?? name;
  let mapper = parseMapper(last, join(path, name), definition, context);
  for (const inner of parts.slice(1).reverse()) {
    mapper = { kind: 'object', properties: new Map([[inner, mapper]]) };
  }
  const first = parts[0] ?? name;
  const existing = properties.get(first);
  properties.set(first, existing === undefined ? mapper : mergeMappers(existing, mapper, join(path, first), context));
}

function splitName(name: string): readonly string[] {
  if (name === '') throw illegalArgument('name cannot be empty string');
  // What follows this character tells hidden fields from those of users.
  if (name.includes('\0')) throw illegalArgument(`field name cannot contain the null character: [${name}]`);
  const parts = name.split('.');
  if (parts.every((part) => part === '')) throw mapperParsing(`Invalid field name ${name}`);
  for (const part of parts) {
    if (part === '') throw illegalArgument(`name cannot be empty string: [${name}]`);
    if (part.trim() === '') throw illegalArgument(`field name cannot contain only whitespace: [${name}]`);
  }
  return parts;
}

/** Full path of a name inside the object at `path`. */
export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** One definition. `name` is without dots, `path` its full path. */
export function parseMapper(name: string, path: string, definition: JsonObject, context: MappingContext): Mapper {
  const type = typeOf(path, definition);
  if (type === 'object' || type === 'nested') return parseObject(path, type, definition, context);
  if (!isFieldType(type)) throw mapperParsing(`No handler for type [${type}] declared on field [${name}]`);
  return parseField(name, path, type, definition, context);
}

function typeOf(path: string, definition: JsonObject): string {
  if (definition['type'] !== undefined) return readString(definition['type']);
  const names = Object.keys(definition);
  const looksLikeObject = definition['properties'] !== undefined || (names.length === 1 && names[0] === 'enabled');
  if (looksLikeObject) return 'object';
  throw mapperParsing(`No type specified for field [${path}]`);
}

function parseObject(
  path: string,
  type: 'object' | 'nested',
  definition: JsonObject,
  context: MappingContext,
): ObjectMapping {
  let properties: ReadonlyMap<string, Mapper> = new Map();
  const own: { dynamic?: Dynamic; enabled?: boolean } = {};
  const nested = { includeInParent: false, includeInRoot: false };
  const unknown: [string, JsonValue][] = [];
  for (const [name, value] of entriesOf(definition)) {
    if (name === 'properties') properties = parseProperties(value, path, context);
    else if (name === 'dynamic') own.dynamic = readDynamic(value);
    else if (name === 'enabled') own.enabled = readNamedBoolean(value, `${name}.enabled`);
    else if (type === 'nested' && name === 'include_in_parent') {
      nested.includeInParent = readNamedBoolean(value, `${path}.${name}`);
    } else if (type === 'nested' && name === 'include_in_root') {
      nested.includeInRoot = readNamedBoolean(value, `${path}.${name}`);
    } else if (name !== 'type') unknown.push([name, value]);
  }
  if (unknown.length > 0) {
    throw unsupportedParameters(`Mapping definition for [${path}] has unsupported parameters`, unknown);
  }
  return { kind: 'object', ...(type === 'nested' ? { nested } : {}), ...own, properties };
}

export function readDynamic(value: JsonValue): Dynamic {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === 'strict' || word === 'runtime') return word;
  return readNamedBoolean(typeof word === 'string' ? word : value, 'dynamic.dynamic') ? 'true' : 'false';
}

/** Types without multi-fields and `copy_to`; what they do not know is refused in the words for objects. */
const TAKES_NOTHING_BESIDE: ReadonlySet<FieldType> = new Set(['alias', 'constant_keyword', 'flat_object']);

function parseField(
  name: string,
  path: string,
  type: FieldType,
  definition: JsonObject,
  context: MappingContext,
): FieldMapping {
  const known = new Map(PARAMETERS[type].map((parameter) => [parameter.name, parameter]));
  const parameters: Record<string, JsonValue> = {};
  let copyTo: readonly string[] = [];
  let fields: ReadonlyMap<string, FieldMapping> = new Map();
  for (const [parameterName, value] of entriesOf(definition)) {
    if (parameterName === 'type') continue;
    if (TAKES_NOTHING_BESIDE.has(type) && !known.has(parameterName)) {
      throw unsupportedParameters(`Mapping definition for [${name}] has unsupported parameters`, [
        [parameterName, value],
      ]);
    }
    if (parameterName === 'fields' && !isFlattened(type)) {
      fields = parseMultiFields(name, path, value, context);
      continue;
    }
    if (parameterName === 'copy_to') {
      if (isFlattened(type)) throw mapperParsing(`[copy_to] is not supported on mapper [${name}] of type [${type}]`);
      copyTo = readStrings(value);
      continue;
    }
    const parameter = known.get(parameterName);
    if (parameter === undefined) {
      throw mapperParsing(`unknown parameter [${parameterName}] on mapper [${name}] of type [${type}]`);
    }
    if (value === null) {
      if (parameterName === 'null_value' || parameterName === 'similarity') continue;
      throw mapperParsing(`[${parameterName}] on mapper [${name}] of type [${type}] must not have a [null] value`);
    }
    parameters[parameterName] = parameter.read(value, { field: name, type, context });
  }
  checkTogether(type, name, parameters);
  return { kind: 'field', type, parameters, copyTo, fields };
}

function parseMultiFields(
  name: string,
  path: string,
  value: JsonValue,
  context: MappingContext,
): ReadonlyMap<string, FieldMapping> {
  if (Array.isArray(value) && value.length === 0) return new Map();
  if (!isJsonObject(value)) {
    throw mapperParsing(`expected map for property [fields] on field [${name}] but got a ${javaClass(value)}`);
  }
  const fields = new Map<string, FieldMapping>();
  for (const [fieldName, definition] of entriesOf(value)) {
    if (fieldName.includes('.')) {
      throw mapperParsing(`Field name [${fieldName}] which is a multi field of [${name}] cannot contain '.'`);
    }
    if (!isJsonObject(definition))
      throw mapperParsing(`illegal field [${fieldName}], only fields can be specified inside fields`);
    const type = definition['type'];
    if (type === undefined) throw mapperParsing(`no type specified for property [${fieldName}]`);
    if (type === 'object' || type === 'nested') throw mapperParsing(`Type [${type}] cannot be used in multi field`);
    const field = parseMapper(fieldName, join(path, fieldName), definition, context);
    if (field.kind !== 'field') throw mapperParsing(`Type [${show(type)}] cannot be used in multi field`);
    if (isFlattened(field.type)) {
      throw mapperParsing(`Field [${fieldName}] of type [${field.type}] can't be used in multifields`);
    }
    if (field.fields.size > 0) {
      throw mapperParsing(
        `Encountered a multi-field [${fieldName}] which itself contains a multi-field. Defining chained multi-fields is not supported.`,
      );
    }
    fields.set(fieldName, field);
  }
  return fields;
}

/** How the reference names the class of a JSON value. */
function javaClass(value: JsonValue): string {
  if (typeof value === 'string') return 'class java.lang.String';
  if (typeof value === 'boolean') return 'class java.lang.Boolean';
  if (typeof value === 'number') return Number.isInteger(value) ? 'class java.lang.Integer' : 'class java.lang.Double';
  return value === null ? 'null' : 'class java.util.ArrayList';
}
