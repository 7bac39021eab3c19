/** Fields that documents brought: dynamic templates, then the defaults for each JSON kind. */
import type { JsonObject } from '../base/json-value.js';
import { checkVectorParameters, VALUES_MAX } from './dense-vector.js';
import { DEFAULT_DATE_FORMAT } from './field-types.js';
import { findTemplate, instantiate, instantiateRuntime, isRuntimeTemplate } from './dynamic-templates.js';
import { checkMapping } from './limits.js';
import { parseMapper } from './parse-field.js';
import { isIndexedRuntime, isRuntimeField } from './runtime.js';
import { findMapper } from './walk.js';
import type {
  Dynamic,
  FieldType,
  Mapper,
  Mapping,
  MappingContext,
  ObjectMapping,
  ReportedField,
  RuntimeField,
  UnmappedField,
  UnsetConstant,
  UnsizedVector,
} from './types.js';

/**
 * The mapping with the reported fields added (those meanwhile known are skipped). Returns `current` itself when
 * nothing changes. Throws `illegal_argument_exception` when a limit of the index would be exceeded.
 */
export function applyDynamicUpdates(
  current: Mapping,
  report: readonly ReportedField[],
  context: MappingContext,
): Mapping {
  const updated = report.reduce((mapping, field) => addField(mapping, field, context), current);
  if (updated !== current) checkMapping(updated, context.settings);
  return updated;
}

/** The first vector of a field says how long all of them are. */
function withDims(mapping: Mapping, { path, dims }: UnsizedVector): Mapping {
  const found = findMapper(mapping, path);
  if (found?.kind !== 'field' || found.type !== 'dense_vector') return mapping;
  if (found.parameters['dims'] !== undefined) return mapping;
  const parameters = { ...found.parameters, dims };
  checkVectorParameters(parameters);
  return place(mapping, path, { ...found, parameters });
}

/** The first value of a constant field is that of all documents. */
function withConstant(mapping: Mapping, { path, value }: UnsetConstant): Mapping {
  const found = findMapper(mapping, path);
  if (found?.kind !== 'field' || found.type !== 'constant_keyword') return mapping;
  if (found.parameters['value'] !== undefined) return mapping;
  return place(mapping, path, { ...found, parameters: { ...found.parameters, value } });
}

/** What the mapping has around a path. */
interface Surroundings {
  readonly dynamic: Dynamic;
  /** `false`: a field or a disabled object is in the way, so that the document must fail or be ignored there. */
  readonly isOpen: boolean;
  readonly isMapped: boolean;
}

function addField(mapping: Mapping, field: ReportedField, context: MappingContext): Mapping {
  if (field.kind === 'vector') return withDims(mapping, field);
  if (field.kind === 'constant') return withConstant(mapping, field);
  const { dynamic, isOpen, isMapped } = look(mapping, field);
  if (!isOpen || isMapped || dynamic === 'false' || dynamic === 'strict') return mapping;
  const template = findTemplate(mapping.dynamicTemplates ?? [], field);
  if (template !== undefined && isRuntimeTemplate(template.body)) {
    return withRuntime(mapping, field.path, instantiateRuntime(template, field, context));
  }
  if (template !== undefined) return place(mapping, field.path, instantiate(template, field, context));
  if (dynamic === 'runtime') return addRuntimeField(mapping, field);
  const name = field.path.slice(field.path.lastIndexOf('.') + 1);
  return place(mapping, field.path, parseMapper(name, field.path, defaultDefinition(field), context));
}

function look(mapping: Mapping, { path, kind }: UnmappedField): Surroundings {
  const names = path.split('.');
  let dynamic: Dynamic = mapping.root.dynamic ?? 'true';
  let isOpen = mapping.root.enabled !== false && !meetsIndexedRuntime(mapping, path);
  let at: Mapper | undefined = mapping.root;
  for (const name of names.slice(0, -1)) {
    at = at.kind === 'object' ? at.properties.get(name) : undefined;
    if (at === undefined) break;
    if (at.kind === 'field' || at.enabled === false) isOpen = false;
    if (at.kind === 'object') dynamic = at.dynamic ?? dynamic;
  }
  const last = names[names.length - 1] ?? path;
  // An object may have the name of a field that is computed.
  const isComputed = kind !== 'object' && isRuntimeField(mapping.runtime, path);
  const isMapped = isComputed || (at?.kind === 'object' && at.properties.has(last));
  return { dynamic, isOpen, isMapped };
}

/** Whether documents are indexed with a runtime field around the path, or below it. */
function meetsIndexedRuntime({ runtime }: Mapping, path: string): boolean {
  return [...runtime].some(
    ([name, field]) => isIndexedRuntime(field) && (path.startsWith(`${name}.`) || name.startsWith(`${path}.`)),
  );
}

/** The mapping with a mapper at a path, which may be that of a multi-field; objects on the way are made as needed. */
function place(mapping: Mapping, path: string, mapper: Mapper): Mapping {
  return { ...mapping, root: placeWithin(mapping.root, path.split('.'), mapper) };
}

function placeWithin(object: ObjectMapping, names: readonly string[], mapper: Mapper): ObjectMapping {
  const [name, ...rest] = names;
  if (name === undefined) return object;
  const existing = object.properties.get(name);
  const [multiField] = rest;
  if (existing?.kind === 'field' && mapper.kind === 'field' && multiField !== undefined) {
    const around = { ...existing, fields: new Map([...existing.fields, [multiField, mapper]]) };
    return { ...object, properties: new Map([...object.properties, [name, around]]) };
  }
  const inner: ObjectMapping = existing?.kind === 'object' ? existing : { kind: 'object', properties: new Map() };
  const child = rest.length === 0 ? mapper : placeWithin(inner, rest, mapper);
  return { ...object, properties: new Map([...object.properties, [name, child]]) };
}

/** Fewer fractions are just numbers. */
const DYNAMIC_DIMS_MIN = 128;

function isVector(dims: number | undefined): dims is number {
  return dims !== undefined && dims >= DYNAMIC_DIMS_MIN && dims <= VALUES_MAX;
}

/** Characters that the keyword beside a dynamic text field takes. */
const DYNAMIC_KEYWORD_IGNORE_ABOVE = 256;

function defaultDefinition(field: UnmappedField): JsonObject {
  switch (field.kind) {
    case 'string':
      return {
        type: 'text',
        fields: { keyword: { type: 'keyword', ignore_above: DYNAMIC_KEYWORD_IGNORE_ABOVE } },
      };
    case 'double':
      if (isVector(field.dims)) return { type: 'dense_vector', dims: field.dims };
      // Takes half the room of a double, and is enough most of the time.
      return { type: 'float' };
    case 'date':
      return { type: 'date', ...(field.format === undefined ? {} : { format: field.format }) };
    case 'long':
    case 'boolean':
    case 'object':
      return { type: field.kind };
  }
}

/** Objects are no runtime fields: their leaves carry the full path. */
function addRuntimeField(mapping: Mapping, field: UnmappedField): Mapping {
  if (field.kind === 'object') return mapping;
  const type: FieldType = field.kind === 'string' ? 'keyword' : field.kind;
  const { format } = field;
  const definition = format === undefined || format === DEFAULT_DATE_FORMAT ? { type } : { type, format };
  return withRuntime(mapping, field.path, definition);
}

function withRuntime(mapping: Mapping, path: string, field: RuntimeField): Mapping {
  return { ...mapping, runtime: new Map([...mapping.runtime, [path, field]]) };
}
