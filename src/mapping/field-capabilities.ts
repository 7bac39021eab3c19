/** What can be done with the fields of a mapping: `_field_caps`, for one index. */
import type { JsonObject } from '../base/json-value.js';
import { compileMapping } from './compile.js';
import type { Mapping, MappingSettings } from './types.js';
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

export function fieldCapabilities(mapping: Mapping, settings: MappingSettings): readonly FieldCapability[] {
  const fields = compileMapping(mapping, 0, settings).fields.map((spec): FieldCapability => ({
    name: spec.name,
    type: spec.type,
    searchable: spec.index,
    aggregatable: spec.doc_values,
    isMetadata: false,
    isMultiField: spec.parent !== null,
    meta: metaOf(mapping, spec.name),
  }));
  const objects = [...objectsOf(mapping)].map(({ path }) => plain(path, 'object', false));
  const metadata = METADATA_FIELDS.map((field) => ({ ...plain(field.name, field.name, true), ...field }));
  return [...fields, ...objects, ...metadata];
}

function plain(name: string, type: string, isMetadata: boolean): FieldCapability {
  return { name, type, searchable: false, aggregatable: false, isMetadata, isMultiField: false, meta: {} };
}

function metaOf(mapping: Mapping, path: string): JsonObject {
  const mapper = findMapper(mapping, path);
  const meta = mapper?.kind === 'field' ? mapper.parameters['meta'] : undefined;
  return typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? (meta as JsonObject) : {};
}
