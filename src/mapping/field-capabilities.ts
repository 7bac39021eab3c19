/** What can be done with the fields of a mapping: `_field_caps`, for one index. */
import type { JsonObject } from '../base/json-value.js';
import { compileMapping } from './compile.js';
import type { FieldSpec, Mapping, MappingSettings, RuntimeSpec } from './types.js';
import { findMapper, objectsOf } from './walk.js';

export interface FieldCapability {
  /** Full path. */
  readonly name: string;
  /** As the API groups types: a field type, `object`, or the name of a metadata field. */
  readonly type: string;
  readonly searchable: boolean;
  readonly aggregatable: boolean;
  readonly isMetadata: boolean;
  readonly isMultiField: boolean;
  /** The mapping parameter `meta`. */
  readonly meta: JsonObject;
}

interface MetadataField {
  readonly name: string;
  readonly searchable: boolean;
  readonly aggregatable: boolean;
}

const METADATA_FIELDS: readonly MetadataField[] = [
  { name: '_field_names', searchable: true, aggregatable: false },
  { name: '_id', searchable: true, aggregatable: true },
  { name: '_ignored', searchable: true, aggregatable: false },
  { name: '_index', searchable: true, aggregatable: true },
  { name: '_routing', searchable: true, aggregatable: false },
  { name: '_seq_no', searchable: true, aggregatable: true },
  { name: '_source', searchable: false, aggregatable: false },
  { name: '_version', searchable: false, aggregatable: true },
];

/** Others count as the type that holds them. */
const SHOWN_AS_DECLARED: ReadonlySet<string> = new Set([
  'binary',
  'completion',
  'flat_object',
  'flattened',
  'histogram',
  'join',
  'murmur3',
  'percolator',
  'prefix',
  'rank_features',
  'search_as_you_type',
]);

/** `runtime`: fields of the request, which hide those of the mapping. */
export function fieldCapabilities(
  mapping: Mapping,
  settings: MappingSettings,
  runtime: readonly RuntimeSpec[] = [],
): readonly FieldCapability[] {
  const compiled = compileMapping(mapping, 0, settings);
  const computed = new Map([...compiled.runtime, ...runtime].map((field) => [field.name, field] as const));
  const indexed = compiled.fields.filter(({ name, hidden_of: hiddenOf }) => hiddenOf === null && !computed.has(name));
  const fields = indexed.map((spec): FieldCapability => ({
    name: spec.name,
    type: typeOf(spec),
    searchable: (spec.index && spec.declared_type !== 'percolator') || spec.completion !== null,
    aggregatable: spec.doc_values || spec.fielddata || spec.declared_type === 'histogram',
    isMetadata: false,
    isMultiField: spec.parent !== null && spec.declared_type !== 'join_parent',
    meta: metaOf(mapping, spec.name),
  }));
  const objects = [...objectsOf(mapping)].map(({ path, object }) =>
    plain(path, object.nested === undefined ? 'object' : 'nested', false),
  );
  const metadata = METADATA_FIELDS.map((field) => ({ ...plain(field.name, field.name, true), ...field }));
  return [...fields, ...[...computed.values()].map(ofRuntime), ...objects, ...metadata];
}

/** What is looked up elsewhere hits alone show. */
function ofRuntime({ name, type, lookup }: RuntimeSpec): FieldCapability {
  if (type === undefined || lookup !== undefined) return plain(name, 'lookup', false);
  return { ...plain(name, type, false), searchable: true, aggregatable: true };
}

function typeOf({ type, declared_type: declared }: FieldSpec): string {
  if (declared === 'join_parent') return 'parent';
  return declared !== null && SHOWN_AS_DECLARED.has(declared) ? declared : type;
}

function plain(name: string, type: string, isMetadata: boolean): FieldCapability {
  return { name, type, searchable: false, aggregatable: false, isMetadata, isMultiField: false, meta: {} };
}

function metaOf(mapping: Mapping, path: string): JsonObject {
  const mapper = findMapper(mapping, path);
  const meta = mapper?.kind === 'field' ? mapper.parameters['meta'] : undefined;
  return typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? (meta as JsonObject) : {};
}
