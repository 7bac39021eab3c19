/** The API's mapping JSON to a {@link Mapping}: every parameter checked, unknown ones refused by name. */
import { illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonValue } from '../base/json-value.js';
import { checkDateFormat } from './date-format.js';
import { parseDynamicTemplates } from './dynamic-templates.js';
import { parseProperties, readDynamic } from './parse-field.js';
import { checkRuntimeScripts, readRuntimeUpdate } from './runtime.js';
import type { Mapping, MappingContext, ObjectMapping } from './types.js';
import {
  entriesOf,
  mapperParsing,
  readBoolean,
  readNamedBoolean,
  readStrings,
  show,
  unsupportedParameters,
} from './values.js';

/**
 * Parses the body of `PUT {index}/_mapping`, or the `mappings` member of an index creation.
 * Throws `mapper_parsing_exception` or `illegal_argument_exception`.
 */
export function parseMapping(body: unknown, context: MappingContext): Mapping {
  if (!isJsonObject(body)) throw mapperParsing('Failed to parse mapping: an object is expected');
  const entries = entriesOf(body);
  if (entries.length === 1 && entries[0]?.[0] === '_doc') {
    throw illegalArgument('Types cannot be provided in put mapping requests');
  }
  const root: Writable<ObjectMapping> = { kind: 'object', properties: new Map() };
  const mapping: Writable<Mapping> = { root, runtime: new Map() };
  const unknown: [string, JsonValue][] = [];
  for (const [name, value] of entries) {
    if (!readRootMember(name, value, mapping, root, context)) unknown.push([name, value]);
  }
  if (unknown.length > 0) throw unsupportedParameters('Root mapping definition has unsupported parameters', unknown);
  checkMetadataNames(root);
  return mapping;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** `false`: the root has no such member. */
function readRootMember(
  name: string,
  value: JsonValue,
  mapping: Writable<Mapping>,
  root: Writable<ObjectMapping>,
  context: MappingContext,
): boolean {
  switch (name) {
    case 'properties':
      root.properties = parseProperties(value, '', context);
      return true;
    case 'dynamic':
      root.dynamic = readDynamic(value);
      return true;
    case 'enabled':
      root.enabled = readNamedBoolean(value, 'enabled.enabled');
      return true;
    case 'date_detection':
      mapping.dateDetection = readNamedBoolean(value, 'date_detection');
      return true;
    case 'numeric_detection':
      mapping.numericDetection = readNamedBoolean(value, 'numeric_detection');
      return true;
    case 'dynamic_date_formats':
      mapping.dynamicDateFormats = readDynamicDateFormats(value);
      return true;
    case 'dynamic_templates':
      mapping.dynamicTemplates = parseDynamicTemplates(value, context);
      return true;
    case '_source':
      mapping.source = readSource(value);
      return true;
    case '_routing':
      mapping.routingRequired = readRouting(value);
      return true;
    case '_meta':
      if (!isJsonObject(value)) throw mapperParsing(`[_meta] must be an object, got ${show(value)}`);
      mapping.meta = value;
      return true;
    case 'runtime':
      setRuntime(mapping, value, context);
      return true;
    default:
      return false;
  }
}

function setRuntime(mapping: Writable<Mapping>, value: JsonValue, context: MappingContext): void {
  const { fields, removed } = readRuntimeUpdate(value);
  checkRuntimeScripts(fields, context.checkScript);
  mapping.runtime = fields;
  if (removed.length > 0) mapping.removedRuntime = removed;
}

function readDynamicDateFormats(value: JsonValue): readonly string[] {
  if (value === 'none') return [];
  const formats = readStrings(value);
  for (const format of formats) {
    if (format.startsWith('epoch_')) {
      throw mapperParsing(`Epoch [${format}] is not supported as dynamic date format`);
    }
    checkDateFormat(format);
  }
  return formats;
}

/** The members of a metadata field, each known one read. */
function readMetadataField(
  name: string,
  value: JsonValue,
  readers: Readonly<Record<string, (value: JsonValue) => void>>,
): void {
  if (!isJsonObject(value)) throw mapperParsing(`[${name}] must be an object, got ${show(value)}`);
  for (const [parameter, given] of entriesOf(value)) {
    const read = readers[parameter];
    if (read === undefined) throw mapperParsing(`unknown parameter [${parameter}] on metadata field [${name}]`);
    read(given);
  }
}

function readSource(value: JsonValue): NonNullable<Mapping['source']> {
  const source: Writable<NonNullable<Mapping['source']>> = {};
  readMetadataField('_source', value, {
    enabled: (given) => (source.enabled = readBoolean(given)),
    includes: (given) => (source.includes = readStrings(given)),
    excludes: (given) => (source.excludes = readStrings(given)),
  });
  return source;
}

function readRouting(value: JsonValue): boolean {
  let required = false;
  readMetadataField('_routing', value, { required: (given) => (required = readBoolean(given)) });
  return required;
}

/** Names of the fields that every document has. */
const METADATA_FIELDS = new Set(
  '_id _index _source _routing _seq_no _version _primary_term _ignored _field_names _type _nested_path _doc_count _tier'.split(
    ' ',
  ),
);

function checkMetadataNames(root: ObjectMapping): void {
  for (const name of root.properties.keys()) {
    if (METADATA_FIELDS.has(name)) throw mapperParsing(`Field [${name}] is defined more than once`);
  }
}
