/**
 * The mapping of one index as immutable data: what was said, not what follows from it. Defaults are filled in by
 * `compile.ts`; the API's JSON is written by `render.ts`.
 */
import type { JsonObject } from '../base/json-value.js';
import type { Similarity, SimilaritySpec } from './similarity.js';

export const FIELD_TYPES = [
  'alias',
  'binary',
  'boolean',
  'byte',
  'completion',
  'constant_keyword',
  'date',
  'date_nanos',
  'date_range',
  'dense_vector',
  'double',
  'double_range',
  'flat_object',
  'flattened',
  'float',
  'float_range',
  'geo_point',
  'geo_shape',
  'half_float',
  'histogram',
  'integer',
  'integer_range',
  'ip',
  'ip_range',
  'join',
  'keyword',
  'long',
  'long_range',
  'match_only_text',
  'murmur3',
  'percolator',
  'rank_feature',
  'rank_features',
  'scaled_float',
  'search_as_you_type',
  'short',
  'text',
  'token_count',
  'unsigned_long',
  'version',
  'wildcard',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** How the native side holds the values of a field; several types of the API are special cases of one. */
export type StorageType = Exclude<
  FieldType,
  | 'alias'
  | 'binary'
  | 'completion'
  | 'constant_keyword'
  | 'flat_object'
  | 'flattened'
  | 'histogram'
  | 'join'
  | 'match_only_text'
  | 'murmur3'
  | 'percolator'
  | 'rank_feature'
  | 'rank_features'
  | 'search_as_you_type'
  | 'token_count'
  | 'wildcard'
>;

export function isFieldType(name: string): name is FieldType {
  return (FIELD_TYPES as readonly string[]).includes(name);
}

export type Dynamic = 'true' | 'false' | 'runtime' | 'strict';

/** One leaf field. */
export interface FieldMapping {
  readonly kind: 'field';
  readonly type: FieldType;
  /** Parameters as given, in normal form (a boolean is a boolean, never `"true"`); those never given are absent. */
  readonly parameters: JsonObject;
  readonly copyTo: readonly string[];
  /** Multi-fields by name. */
  readonly fields: ReadonlyMap<string, FieldMapping>;
}

/** Objects that are documents of their own, and where their values belong beside that. */
export interface NestedMapping {
  readonly includeInParent: boolean;
  readonly includeInRoot: boolean;
}

export interface ObjectMapping {
  readonly kind: 'object';
  readonly nested?: NestedMapping;
  /** Absent: inherited from the parent. */
  readonly dynamic?: Dynamic;
  readonly enabled?: boolean;
  readonly properties: ReadonlyMap<string, Mapper>;
}

export type Mapper = FieldMapping | ObjectMapping;

/**
 * A field of the `runtime` section. One without a script, as `dynamic: runtime` makes them, is compiled to an ordinary field, so
 * its values are known for the documents indexed since it was added; a script computes them when a search asks, and those of a
 * lookup are asked for when hits are shown.
 */
export interface RuntimeField {
  /** Absent of a composite and of a lookup. */
  readonly type?: FieldType;
  readonly format?: string;
  readonly script?: RuntimeScript;
  /** Of a composite, by name. */
  readonly fields?: ReadonlyMap<string, { readonly type: FieldType; readonly format?: string }>;
  readonly lookup?: LookupField;
}

/** What hits show of the first document of the target index whose target field has a value of the input field. */
export interface LookupField {
  readonly targetIndex: string;
  readonly inputField: string;
  readonly targetField: string;
  readonly fetchFields: readonly FetchedField[];
}

export interface FetchedField {
  /** A name, or a pattern of names. */
  readonly field: string;
  readonly format?: string;
}

export interface RuntimeScript {
  readonly source: string;
  readonly lang?: string;
  readonly params?: JsonObject;
}

/** A field that is computed when a search asks for it, as the kernels read it. */
export interface RuntimeSpec {
  readonly name: string;
  /** Absent of a lookup. */
  readonly type?: FieldType;
  readonly script?: { readonly source: string; readonly lang?: string; readonly params?: string };
  readonly context?: string;
  /** Of a composite: the name under which the script emits the values. */
  readonly part?: string;
  readonly format?: string;
  readonly lookup?: LookupSpec;
}

export interface LookupSpec {
  readonly target_index: string;
  readonly input_field: string;
  readonly target_field: string;
  readonly fetch_fields: readonly FetchedField[];
}

export interface DynamicTemplate {
  readonly name: string;
  /** As given; checked when it was parsed. */
  readonly body: JsonObject;
}

/** The root of an index's mapping. Optional members were never given. */
export interface Mapping {
  readonly root: ObjectMapping;
  readonly runtime: ReadonlyMap<string, RuntimeField>;
  /** Of an update alone: names that it takes out of `runtime`. */
  readonly removedRuntime?: readonly string[];
  readonly dateDetection?: boolean;
  readonly numericDetection?: boolean;
  readonly dynamicDateFormats?: readonly string[];
  readonly dynamicTemplates?: readonly DynamicTemplate[];
  readonly source?: {
    readonly enabled?: boolean;
    readonly includes?: readonly string[];
    readonly excludes?: readonly string[];
  };
  readonly routingRequired?: boolean;
  readonly meta?: JsonObject;
}

/** Throws why a script does not run in a context of the API: `script_exception`, or that it is not allowed. */
export type ScriptCheck = (script: RuntimeScript, context: string) => void;

/** What the rules need to know of the index besides its mapping. */
export interface MappingContext {
  /** Whether the index has an analyzer (built-in or its own) of this name. */
  readonly hasAnalyzer: (name: string) => boolean;
  readonly hasNormalizer: (name: string) => boolean;
  readonly checkScript: ScriptCheck;
  readonly settings: MappingSettings;
}

/** The `index.mapping.*` settings. */
export interface MappingSettings {
  /** `index.mapping.total_fields.limit` */
  readonly totalFieldsLimit: number;
  /** `index.mapping.depth.limit` */
  readonly depthLimit: number;
  /** `index.mapping.nested_fields.limit` */
  readonly nestedFieldsLimit: number;
  /** `index.mapping.nested_objects.limit` */
  readonly nestedObjectsLimit: number;
  /** `index.mapping.field_name_length.limit` */
  readonly fieldNameLengthLimit: number;
  /** `index.mapping.coerce` */
  readonly coerce: boolean;
  /** `index.mapping.ignore_malformed` */
  readonly ignoreMalformed: boolean;
  /** `index.percolator.map_unmapped_fields_as_text` */
  readonly unmappedQueriesAsText: boolean;
  /** `index.sort.field` names something: documents of a block would not stay together. */
  readonly isSorted: boolean;
  /** `index.similarity.<name>.*`, by name. */
  readonly similarities: ReadonlyMap<string, Similarity>;
}

export const DEFAULT_MAPPING_SETTINGS: MappingSettings = {
  totalFieldsLimit: 1000,
  depthLimit: 20,
  nestedFieldsLimit: 50,
  nestedObjectsLimit: 10_000,
  fieldNameLengthLimit: Number.MAX_SAFE_INTEGER,
  coerce: true,
  ignoreMalformed: false,
  unmappedQueriesAsText: false,
  isSorted: false,
  similarities: new Map(),
};

/** A mapping that says nothing: of an index created without one. */
export const EMPTY_MAPPING: Mapping = {
  root: { kind: 'object', properties: new Map() },
  runtime: new Map(),
};

/** One entry of the native parser's report on fields that the mapping lacks. Parents come before their children. */
export interface UnmappedField {
  readonly path: string;
  readonly kind: 'string' | 'long' | 'double' | 'boolean' | 'date' | 'object';
  /** The entry of `dynamic_date_formats` that recognised a date. */
  readonly format?: string;
  /** Of fractions that came as an array of nothing else: how many they are. */
  readonly dims?: number;
}

/** A field of vectors whose mapping lacks their number of dimensions, and that of its first vector. */
export interface UnsizedVector {
  readonly path: string;
  readonly kind: 'vector';
  readonly dims: number;
}

/** A constant field whose mapping lacks its value, and the first value that a document gave it. */
export interface UnsetConstant {
  readonly path: string;
  readonly kind: 'constant';
  readonly value: string;
}

export type ReportedField = UnmappedField | UnsizedVector | UnsetConstant;

/** The compiled mapping: `MappingSpec` of the native side, as JSON. */
export interface MappingSpec {
  readonly version: number;
  readonly dynamic: Dynamic;
  readonly date_detection: boolean;
  readonly numeric_detection: boolean;
  readonly dynamic_date_formats: readonly string[];
  readonly source_enabled: boolean;
  readonly source_includes: readonly string[];
  readonly source_excludes: readonly string[];
  readonly routing_required: boolean;
  readonly fields: readonly FieldSpec[];
  /** Other names of fields. */
  readonly aliases: readonly { readonly name: string; readonly path: string }[];
  readonly runtime: readonly RuntimeSpec[];
  readonly objects: readonly ObjectSpec[];
  readonly depth_limit: number;
  readonly nested_objects_limit: number;
  readonly unmapped_queries_as_text: boolean;
  /** Of fields that have none of their own; absent: BM25 with the usual parameters. */
  readonly default_similarity?: SimilaritySpec;
}

/** A kind of parent, and the kinds of its children. */
export interface JoinRelation {
  readonly parent: string;
  readonly children: readonly string[];
}

export interface ObjectSpec {
  readonly path: string;
  readonly dynamic: Dynamic;
  readonly enabled: boolean;
  readonly nested?: { readonly include_in_parent: boolean; readonly include_in_root: boolean };
}

/** What a completion field makes of its inputs. */
export interface CompletionSpec {
  readonly preserve_separators: boolean;
  readonly preserve_position_increments: boolean;
  readonly max_input_length: number;
  readonly contexts: readonly ContextSpec[];
}

export interface ContextSpec {
  readonly name: string;
  readonly type: 'category' | 'geo';
  /** Its values are also those of the document at this path. */
  readonly path: string | null;
  /** Of a geo context: length of its geohashes. */
  readonly precision: number;
}

/** What a field of vectors holds. */
export interface VectorSpec {
  /** `null` until a document has said it. */
  readonly dims: number | null;
  readonly element: 'float' | 'byte' | 'bit';
  /** `null`: not searched for. */
  readonly similarity: 'cosine' | 'dot_product' | 'l2_norm' | 'max_inner_product' | null;
  /** `null`: no graph is built. */
  readonly hnsw: { readonly m: number; readonly ef_construction: number } | null;
  /** `null`: not quantised. */
  readonly quantised: {
    readonly bits: 4 | 8;
    readonly confidence_interval: number | null;
    readonly oversample: number | null;
  } | null;
}

/** What a part of a `search_as_you_type` field holds. */
export interface ShingleSpec {
  readonly size: number;
  readonly prefixes: boolean;
}

export interface FieldSpec {
  readonly name: string;
  readonly type: StorageType;
  /** The type in the mapping, where that is a special case of `type`. */
  readonly declared_type: FieldType | 'join_parent' | 'prefix' | null;
  /** The one value that every document has. */
  readonly constant: string | null;
  /** Searches compute the field or look it up: what documents have under its name is no value of it. */
  readonly left_alone?: true;
  /** Words of so many words, as a part of a `search_as_you_type` field has them; `prefixes`: their beginnings. */
  readonly shingle: ShingleSpec | null;
  /** The number of words of a text; whether those that were left out count. */
  readonly token_count: { readonly position_increments: boolean } | null;
  readonly completion: CompletionSpec | null;
  /** Of a text field: sorts and aggregations may ask for the terms of documents. */
  readonly fielddata: boolean;
  /** `false`: the less the better. */
  readonly positive_score_impact: boolean;
  readonly index_prefixes: { readonly min_chars: number; readonly max_chars: number } | null;
  /** Of a `dense_vector` field. */
  readonly vector?: VectorSpec;
  /** Of a `join` field. */
  readonly join?: { readonly relations: readonly JoinRelation[] };
  readonly index: boolean;
  readonly doc_values: boolean;
  readonly store: boolean;
  readonly norms: boolean;
  readonly index_options: 'docs' | 'freqs' | 'positions' | 'offsets';
  /** Absent: that of the mapping. */
  readonly similarity?: SimilaritySpec;
  /** What counts for the length of a text: different terms, all tokens, or (absent) those at positions of their own. */
  readonly text_length?: 'terms' | 'tokens';
  readonly analyzer: string | null;
  readonly search_analyzer: string | null;
  readonly search_quote_analyzer: string | null;
  readonly position_increment_gap: number;
  readonly term_vectors: boolean;
  readonly normalizer: string | null;
  readonly ignore_above: number | null;
  /** A text that is searched for is several words. */
  readonly split_queries_on_whitespace: boolean;
  /** Flattened objects: how many may be within each other. */
  readonly depth_limit: number | null;
  /** Of a hidden field: whose values it holds. */
  readonly hidden_of: string | null;
  readonly null_value: string | number | boolean | null;
  readonly format: string | null;
  readonly scaling_factor: number | null;
  readonly coerce: boolean;
  readonly ignore_malformed: boolean;
  readonly ignore_z_value: boolean;
  readonly orientation: string | null;
  readonly copy_to: readonly string[];
  readonly parent: string | null;
}
