/** A mapping to the flat specification that the native side reads: every default resolved. */
import type { JsonObject, JsonValue } from '../base/json-value.js';
import { PARAMETERS } from './field-types.js';
import { effectiveValue } from './merge-fields.js';
import type {
  Dynamic,
  FieldMapping,
  FieldSpec,
  Mapping,
  MappingSettings,
  MappingSpec,
  ObjectMapping,
  ObjectSpec,
} from './types.js';
import { fieldsOf } from './walk.js';

export const DEFAULT_DYNAMIC_DATE_FORMATS: readonly string[] = [
  'strict_date_optional_time||epoch_millis',
  'yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis',
];

/** `version` rises by one with each change of the index's mapping. */
export function compileMapping(mapping: Mapping, version: number, settings: MappingSettings): MappingSpec {
  const { root } = mapping;
  const dynamic = root.dynamic ?? 'true';
  const disabledRoot: readonly ObjectSpec[] = root.enabled === false ? [{ path: '', dynamic, enabled: false }] : [];
  return {
    version,
    dynamic,
    date_detection: mapping.dateDetection ?? true,
    numeric_detection: mapping.numericDetection ?? false,
    dynamic_date_formats: mapping.dynamicDateFormats ?? DEFAULT_DYNAMIC_DATE_FORMATS,
    source_enabled: mapping.source?.enabled ?? true,
    source_includes: mapping.source?.includes ?? [],
    source_excludes: mapping.source?.excludes ?? [],
    routing_required: mapping.routingRequired ?? false,
    fields: [
      ...[...fieldsOf(mapping)].map(({ path, field, parent }) => compileField(path, field, parent, settings)),
      ...[...mapping.runtime].map(([path, { type, format }]) => {
        const parameters: JsonObject = format === undefined ? {} : { format };
        const field: FieldMapping = { kind: 'field', type, parameters, copyTo: [], fields: new Map() };
        return compileField(path, field, undefined, settings);
      }),
    ],
    objects: [...disabledRoot, ...compileObjects(root, '', dynamic)],
    depth_limit: settings.depthLimit,
  };
}

function compileObjects(object: ObjectMapping, path: string, inherited: Dynamic): ObjectSpec[] {
  return [...object.properties].flatMap(([name, mapper]) => {
    if (mapper.kind !== 'object') return [];
    const full = path === '' ? name : `${path}.${name}`;
    const dynamic = mapper.dynamic ?? inherited;
    return [{ path: full, dynamic, enabled: mapper.enabled ?? true }, ...compileObjects(mapper, full, dynamic)];
  });
}

function compileField(
  path: string,
  field: FieldMapping,
  parent: string | undefined,
  settings: MappingSettings,
): FieldSpec {
  const isText = field.type === 'text';
  const value = (name: string): JsonValue => {
    const parameter = PARAMETERS[field.type].find((candidate) => candidate.name === name);
    return parameter === undefined ? null : effectiveValue(parameter, field.parameters, { settings });
  };
  const given = (name: string): string | null => asString(field.parameters[name] ?? null);
  return {
    name: path,
    type: field.type,
    index: value('index') === true,
    doc_values: !isText && value('doc_values') === true,
    store: value('store') === true,
    norms: isText && value('norms') === true,
    index_options: isText ? asIndexOptions(value('index_options')) : 'docs',
    // An analyzer that was not given is the index's default one, which the native side knows.
    analyzer: given('analyzer'),
    search_analyzer: given('search_analyzer'),
    search_quote_analyzer: given('search_quote_analyzer'),
    position_increment_gap: asNumber(value('position_increment_gap')) ?? 0,
    normalizer: given('normalizer'),
    ignore_above: asNumber(field.parameters['ignore_above'] ?? null),
    null_value: asScalar(value('null_value')),
    format: asString(value('format')),
    scaling_factor: asNumber(value('scaling_factor')),
    coerce: value('coerce') === true,
    ignore_malformed: value('ignore_malformed') === true,
    copy_to: field.copyTo,
    parent: parent ?? null,
  };
}

function asString(value: JsonValue): string | null {
  return typeof value === 'string' ? value : null;
}

function asNumber(value: JsonValue): number | null {
  return typeof value === 'number' ? value : null;
}

function asScalar(value: JsonValue): string | number | boolean | null {
  return typeof value === 'object' ? null : value;
}

function asIndexOptions(value: JsonValue): FieldSpec['index_options'] {
  return value === 'docs' || value === 'freqs' || value === 'offsets' ? value : 'positions';
}
