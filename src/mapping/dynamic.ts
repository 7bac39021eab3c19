/** Fields that documents brought: dynamic templates, then the defaults for each JSON kind. */
import type { JsonObject } from '../base/json-value.js';
import { checkVectorParameters, VALUES_MAX } from './dense-vector.js';
import { DEFAULT_DATE_FORMAT } from './field-types.js';
import { findTemplate, instantiate, instantiateRuntime, isRuntimeTemplate } from './dynamic-templates.js';
import { checkDepth, checkMapping } from './limits.js';
import { MappingDraft } from './mapping-draft.js';
import { parseMapper } from './parse-field.js';
import { isRuntimeField } from './runtime.js';
import { findMapper } from './walk.js';
import type {
  Dynamic,
  FieldType,
  Mapper,
  Mapping,
  MappingContext,
  ReportedField,
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
  const draft = new MappingDraft(current);
  for (const field of report) addField(draft, field, context);
  if (draft.current !== current) checkMapping(draft.current, context.settings);
  return draft.current;
}

/** The first vector of a field says how long all of them are. */
function addDims(draft: MappingDraft, { path, dims }: UnsizedVector): void {
  const found = findMapper(draft.current, path);
  if (found?.kind !== 'field' || found.type !== 'dense_vector') return;
  if (found.parameters['dims'] !== undefined) return;
  const parameters = { ...found.parameters, dims };
  checkVectorParameters(parameters);
  draft.place(path, { ...found, parameters });
}

/** The first value of a constant field is that of all documents. */
function addConstant(draft: MappingDraft, { path, value }: UnsetConstant): void {
  const found = findMapper(draft.current, path);
  if (found?.kind !== 'field' || found.type !== 'constant_keyword') return;
  if (found.parameters['value'] !== undefined) return;
  draft.place(path, { ...found, parameters: { ...found.parameters, value } });
}

/** What the mapping has around a path. */
interface Surroundings {
  readonly dynamic: Dynamic;
  /** `false`: a field or a disabled object is in the way, so that the document must fail or be ignored there. */
  readonly isOpen: boolean;
  readonly isMapped: boolean;
}

function addField(draft: MappingDraft, field: ReportedField, context: MappingContext): void {
  if (field.kind === 'vector') {
    addDims(draft, field);
    return;
  }
  if (field.kind === 'constant') {
    addConstant(draft, field);
    return;
  }
  const { dynamic, isOpen, isMapped } = look(draft, field);
  if (!isOpen || isMapped || dynamic === 'false' || dynamic === 'strict') return;
  const template = findTemplate(draft.current.dynamicTemplates ?? [], field);
  if (template !== undefined && isRuntimeTemplate(template.body)) {
    draft.addRuntime(field.path, instantiateRuntime(template, field, context));
  } else if (template === undefined && dynamic === 'runtime') {
    addRuntimeField(draft, field);
  } else {
    // Parents come first: the first object that lies too deep is met before it is made.
    if (field.kind === 'object') checkDepth(field.path, context.settings);
    draft.place(field.path, template === undefined ? byDefault(field, context) : instantiate(template, field, context));
  }
}

function byDefault(field: UnmappedField, context: MappingContext): Mapper {
  const name = field.path.slice(field.path.lastIndexOf('.') + 1);
  return parseMapper(name, field.path, defaultDefinition(field), context);
}

function look(draft: MappingDraft, { path, kind }: UnmappedField): Surroundings {
  const mapping = draft.current;
  const names = path.split('.');
  let dynamic: Dynamic = mapping.root.dynamic ?? 'true';
  let isOpen = mapping.root.enabled !== false && !draft.meetsIndexedRuntime(path);
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
function addRuntimeField(draft: MappingDraft, field: UnmappedField): void {
  if (field.kind === 'object') return;
  const type: FieldType = field.kind === 'string' ? 'keyword' : field.kind;
  const { format } = field;
  draft.addRuntime(field.path, format === undefined || format === DEFAULT_DATE_FORMAT ? { type } : { type, format });
}
