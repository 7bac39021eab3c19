/** A mapping to the flat specification that the native side reads: every default resolved. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import { contextSpecs } from './completion-contexts.js';
import { vectorSpec } from './dense-vector.js';
import { MAX_SHINGLE_SIZE_DEFAULT, PARAMETERS, isFlattened } from './field-types.js';
import { joinIdField, relationsOf } from './join.js';
import { effectiveValue } from './merge-fields.js';
import { compileRuntime, isIndexedRuntime } from './runtime.js';
import { DEFAULT_SIMILARITY, similarityNamed, similarityNameOf } from './similarity.js';
import type {
  CompletionSpec,
  Dynamic,
  FieldMapping,
  FieldSpec,
  FieldType,
  Mapping,
  MappingSettings,
  MappingSpec,
  ObjectMapping,
  ObjectSpec,
  RuntimeField,
  ShingleSpec,
  StorageType,
} from './types.js';
import { fieldsOf, findMapper } from './walk.js';

export const DEFAULT_DYNAMIC_DATE_FORMATS: readonly string[] = [
  'strict_date_optional_time||epoch_millis',
  'yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis',
];

/** No document has more nested ones: what the native side counts in 32 bits. */
const NESTED_OBJECTS_MAX = 2 ** 31 - 1;

/** `version` rises by one with each change of the index's mapping. */
export function compileMapping(mapping: Mapping, version: number, settings: MappingSettings): MappingSpec {
  const { root } = mapping;
  const dynamic = root.dynamic ?? 'true';
  const byDefault = settings.similarities.get(DEFAULT_SIMILARITY);
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
      ...[...fieldsOf(mapping)].flatMap(({ path, field, parent }) => compileFields(path, field, parent, settings)),
      ...[...mapping.runtime].flatMap(([path, runtime]) => compileRuntimeField(mapping, path, runtime, settings)),
    ],
    aliases: [...fieldsOf(mapping)].flatMap(({ path, field }) => {
      const target = field.parameters['path'];
      return field.type === 'alias' && typeof target === 'string' ? [{ name: path, path: target }] : [];
    }),
    runtime: [...mapping.runtime].flatMap(([name, field]) =>
      isIndexedRuntime(field) ? [] : compileRuntime(name, field),
    ),
    objects: [...disabledRoot, ...compileObjects(root, '', dynamic)],
    depth_limit: settings.depthLimit,
    nested_objects_limit: Math.min(settings.nestedObjectsLimit, NESTED_OBJECTS_MAX),
    unmapped_queries_as_text: settings.unmappedQueriesAsText,
    ...(byDefault === undefined ? {} : { default_similarity: byDefault.spec }),
  };
}

function compileRuntimeField(
  mapping: Mapping,
  path: string,
  runtime: RuntimeField,
  settings: MappingSettings,
): readonly FieldSpec[] {
  const { type = runtime.lookup && 'keyword', format } = runtime;
  const isIndexed = isIndexedRuntime(runtime);
  if (type === undefined || (!isIndexed && findMapper(mapping, path) !== undefined)) return [];
  const ignored: JsonObject = isIndexed ? {} : { index: false, doc_values: false };
  const parameters: JsonObject = { ...ignored, ...(format === undefined ? {} : { format }) };
  const field: FieldMapping = { kind: 'field', type, parameters, copyTo: [], fields: new Map() };
  const compiled = compileField(path, field, undefined, settings);
  return [isIndexed ? compiled : { ...compiled, left_alone: true }];
}

function compileObjects(object: ObjectMapping, path: string, inherited: Dynamic): ObjectSpec[] {
  return [...object.properties].flatMap(([name, mapper]) => {
    if (mapper.kind !== 'object') return [];
    const full = path === '' ? name : `${path}.${name}`;
    const dynamic = mapper.dynamic ?? inherited;
    const { nested } = mapper;
    const own: ObjectSpec = {
      path: full,
      dynamic,
      enabled: mapper.enabled ?? true,
      ...(nested === undefined
        ? {}
        : { nested: { include_in_parent: nested.includeInParent, include_in_root: nested.includeInRoot } }),
    };
    return [own, ...compileObjects(mapper, full, dynamic)];
  });
}

/** An alias is no field; some fields feed others. */
function compileFields(
  path: string,
  field: FieldMapping,
  parent: string | undefined,
  settings: MappingSettings,
): readonly FieldSpec[] {
  if (field.type === 'alias') return [];
  const own = compileField(path, field, parent, settings);
  if (field.type === 'join') return compileJoin(own, field);
  if (field.type === 'histogram') return [own, hidden(own, 'values', 'double'), hidden(own, 'totals', 'long')];
  if (field.type === 'percolator' || field.type === 'dense_vector') return [own];
  if (isFlattened(field.type)) return [own, hidden(own, 'keyed', 'keyword')];
  return field.type === 'search_as_you_type' ? [own, ...compileShingles(own, field)] : [own];
}

/** The parts of a `search_as_you_type` field: words of two words and more, and how words of the most words begin. */
function compileShingles(own: FieldSpec, field: FieldMapping): readonly FieldSpec[] {
  const most = asNumber(field.parameters['max_shingle_size'] ?? null) ?? MAX_SHINGLE_SIZE_DEFAULT;
  const part = (name: string, shingle: ShingleSpec): FieldSpec => ({
    ...own,
    name: `${own.name}.${name}`,
    shingle,
    store: false,
    copy_to: [],
    parent: own.name,
  });
  const shingles = Array.from({ length: most - 1 }, (_, at) =>
    part(`_${at + 2}gram`, { size: at + 2, prefixes: false }),
  );
  const prefixes = part('_index_prefix', { size: most, prefixes: true });
  return [...shingles, { ...prefixes, declared_type: 'prefix', norms: false }];
}

/** A join is the field itself and one of ids for each kind of parent. */
function compileJoin(own: FieldSpec, field: FieldMapping): readonly FieldSpec[] {
  const relations = relationsOf(field);
  const ids = relations.map(({ parent }): FieldSpec => ({
    ...own,
    name: joinIdField(own.name, parent),
    declared_type: 'join_parent',
    parent: own.name,
  }));
  return [{ ...own, join: { relations } }, ...ids];
}

/** A field that holds what another one is given, and that no name or pattern means. */
function hidden(own: FieldSpec, name: string, type: StorageType): FieldSpec {
  return {
    ...own,
    name: `${own.name}\0${name}`,
    type,
    declared_type: null,
    index: true,
    doc_values: true,
    ignore_above: null,
    null_value: null,
    depth_limit: null,
    hidden_of: own.name,
  };
}

/** The types that are special cases of others. */
const STORAGE: Readonly<Partial<Record<FieldType, StorageType>>> = {
  binary: 'keyword',
  completion: 'keyword',
  constant_keyword: 'keyword',
  flat_object: 'keyword',
  flattened: 'keyword',
  histogram: 'double',
  join: 'keyword',
  match_only_text: 'text',
  murmur3: 'long',
  // What a query is found by.
  percolator: 'keyword',
  rank_feature: 'float',
  rank_features: 'keyword',
  search_as_you_type: 'text',
  token_count: 'integer',
  wildcard: 'keyword',
};

/** What the parameters of a special case would say if it took them. */
const IMPLIED: Readonly<Partial<Record<FieldType, JsonObject>>> = {
  constant_keyword: { index: true, doc_values: true },
  flat_object: { index: true, doc_values: true },
  join: { index: true, doc_values: true },
  match_only_text: { index: true, norms: false, index_options: 'positions', position_increment_gap: 100 },
  murmur3: { doc_values: true },
  percolator: { index: true },
  rank_feature: { index: true },
  search_as_you_type: { position_increment_gap: 100 },
  version: { index: true, doc_values: true },
  wildcard: { index: true },
};

function compileField(
  path: string,
  field: FieldMapping,
  parent: string | undefined,
  settings: MappingSettings,
): FieldSpec {
  const storage = STORAGE[field.type] ?? (field.type as StorageType);
  const isText = storage === 'text';
  const value = (name: string): JsonValue => {
    const parameter = PARAMETERS[field.type].find((candidate) => candidate.name === name);
    if (parameter === undefined) return IMPLIED[field.type]?.[name] ?? null;
    return effectiveValue(parameter, field.parameters, { settings });
  };
  const prefixes = field.parameters['index_prefixes'];
  const indexOptions = isText ? asIndexOptions(value('index_options')) : 'docs';
  const given = (name: string): string | null => asString(field.parameters[name] ?? null);
  return {
    name: path,
    type: storage,
    declared_type: storage === field.type ? null : field.type,
    constant: field.type === 'constant_keyword' ? given('value') : null,
    shingle: null,
    token_count:
      field.type === 'token_count' ? { position_increments: value('enable_position_increments') === true } : null,
    fielddata: value('fielddata') === true,
    completion: field.type === 'completion' ? compileCompletion(value) : null,
    positive_score_impact: value('positive_score_impact') !== false,
    ...(field.type === 'dense_vector' ? { vector: vectorSpec(value) } : {}),
    index_prefixes: isJsonObject(prefixes) ? (prefixes as unknown as FieldSpec['index_prefixes']) : null,
    index: value('index') === true,
    doc_values: !isText && value('doc_values') === true,
    store: value('store') === true,
    norms: isText && value('norms') === true,
    index_options: indexOptions,
    ...scoredBy(field, isText ? indexOptions : 'positions', settings),
    // An analyzer that was not given is the index's default one, which the native side knows.
    analyzer: field.type === 'completion' ? asString(value('analyzer')) : given('analyzer'),
    search_analyzer: given('search_analyzer'),
    search_quote_analyzer: given('search_quote_analyzer'),
    position_increment_gap: asNumber(value('position_increment_gap')) ?? 0,
    term_vectors: isText && asString(value('term_vector'))?.startsWith('with_positions_offsets') === true,
    normalizer: given('normalizer'),
    ignore_above: asNumber(field.parameters['ignore_above'] ?? null),
    split_queries_on_whitespace: value('split_queries_on_whitespace') === true,
    depth_limit: asNumber(value('depth_limit')),
    hidden_of: null,
    null_value: storage === 'geo_point' ? asPlace(value('null_value')) : asScalar(value('null_value')),
    format: asString(value('format')),
    scaling_factor: asNumber(value('scaling_factor')),
    coerce: value('coerce') === true,
    ignore_malformed: value('ignore_malformed') === true,
    orientation: asString(value('orientation')),
    ignore_z_value: value('ignore_z_value') !== false,
    copy_to: field.copyTo,
    parent: parent ?? null,
  };
}

function scoredBy(
  field: FieldMapping,
  indexOptions: FieldSpec['index_options'],
  settings: MappingSettings,
): Pick<FieldSpec, 'similarity' | 'text_length'> {
  const name = similarityNameOf(field);
  const own = name === undefined ? undefined : similarityNamed(name, settings);
  const scored = own ?? settings.similarities.get(DEFAULT_SIMILARITY);
  const countsTerms = indexOptions === 'docs' && scored?.spec.type !== 'scripted';
  const length = countsTerms ? 'terms' : scored?.discountOverlaps === false ? 'tokens' : undefined;
  return {
    ...(own === undefined ? {} : { similarity: own.spec }),
    ...(length === undefined ? {} : { text_length: length }),
  };
}

function compileCompletion(value: (name: string) => JsonValue): CompletionSpec {
  return {
    preserve_separators: value('preserve_separators') === true,
    preserve_position_increments: value('preserve_position_increments') === true,
    max_input_length: asNumber(value('max_input_length')) ?? 0,
    contexts: contextSpecs(value('contexts')),
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

function asPlace(value: JsonValue): string | null {
  return isJsonObject(value) ? `${asNumber(value['lat'] ?? null)},${asNumber(value['lon'] ?? null)}` : null;
}

function asIndexOptions(value: JsonValue): FieldSpec['index_options'] {
  return value === 'docs' || value === 'freqs' || value === 'offsets' ? value : 'positions';
}
