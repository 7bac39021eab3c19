/**
 * A plan as it is put to an index of which not every field may be read: the names of others become names that no mapping has, and patterns become the
 * names that they mean. Members of plans that hold texts are listed with what these are: one that is not listed is refused, so that a new kind of
 * query or aggregation shows nothing before somebody has looked at it.
 */
import { QuarryError } from '../../../base/errors.js';
import type { FieldView } from '../../../cluster/security/field-view.js';
import type { FieldMapping } from '../../../mapping/types.js';
import { isMembers, type Members } from './plan-members.js';
import { refusedToReader } from './refusal.js';
import { readableFilter } from './source-filter.js';

/** Names and patterns of fields, alone or in lists. */
const FIELD_NAMES: ReadonlySet<string> = new Set([
  ...['field', 'fields', 'base', 'collapse', 'matched_fields', 'minimum_should_match_field', 'source_fields'],
  'use_field',
]);

/** Texts that are no names of fields. */
const OTHER_TEXTS: ReadonlySet<string> = new Set([
  ...['name', 'names', 'query', 'text', 'value', 'values', 'term', 'terms', 'like_texts', 'unlike_texts', 'stop_words'],
  ...[
    'prefix',
    'pattern',
    'include',
    'exclude',
    'regexp',
    'missing',
    'from',
    'to',
    'min',
    'max',
    'after',
    'key',
    'mask',
  ],
  ...['id', 'ids', 'index', 'type', 'parent_type', 'routing', 'documents', 'bitmap', 'shape', 'cell', 'origin'],
  ...['scale', 'offset', 'pivot', 'search_after', 'minimum_should_match', 'fuzziness', 'flags', 'operator', 'analyzer'],
  ...[
    'zero_terms',
    'format',
    'time_zone',
    'relation',
    'rewrite',
    'score_mode',
    'boost_mode',
    'modifier',
    'mode',
    'order',
  ],
  ...[
    'unmapped_type',
    'unknown_type',
    'numeric_type',
    'track_total_hits',
    'by',
    'grid',
    'distance_type',
    'kind',
    'keys',
  ],
  ...['unit', 'heuristic', 'separator', 'other_bucket', 'value_type', 'statistics', 'boundary', 'boundary_chars'],
  ...['fragmenter', 'pre_tags', 'post_tags', 'suggest_mode', 'sort', 'string_distance', 'pre_filter', 'post_filter'],
  ...['highlight', 'aggregations', 'field_suffix', 'date_histogram', 'calendar', 'values_mode', 'interval', 'filter'],
  ...['cells', 'shards', 'precision', 'parsed', 'stats', 'method', 'smoothing', 'gap_policy', 'calculation'],
]);

/** What clients send along, which names nothing that is looked up in the index. */
const FOREIGN: ReadonlySet<string> = new Set(['meta', 'analyzers', 'contexts', 'pipeline', 'limits']);

/** The plan with nothing in it that could be learnt of other fields. Throws `security_exception` for what cannot be asked then. */
export function withFields<Plan extends object>(plan: Plan, view: FieldView): Plan {
  return new FieldWalk(view).plan(plan as unknown as Members) as unknown as Plan;
}

/** Names as they may be asked for; patterns become the names that they mean. */
export function readableNames(
  names: readonly string[],
  view: FieldView,
  fits?: (field: FieldMapping | undefined) => boolean,
): readonly string[] {
  return names.flatMap((name) => (name.includes('*') ? view.named(name, fits) : [readableName(name, view)]));
}

/** The name, or one that no mapping has. */
function readableName(name: string, view: FieldView): string {
  return view.grants(name) || name.startsWith(UNREADABLE) ? name : `${UNREADABLE}${name}`;
}

const UNREADABLE = '..';
const UNREADABLE_NAMES = /(?<=[[`])\.\.(?=[^\]`]+[\]`])/g;

/** What an error says of names, as who asked wrote them. */
export function asAsked(error: QuarryError): QuarryError {
  const { type, message, details, status, rootCauses, cause } = error;
  if (!message.includes(UNREADABLE) && cause === undefined) return error;
  return new QuarryError(type, message.replace(UNREADABLE_NAMES, ''), {
    ...{ details, status, rootCauses: rootCauses.map(asAsked) },
    ...(cause === undefined ? {} : { cause: cause instanceof QuarryError ? asAsked(cause) : cause }),
  });
}

class FieldWalk {
  readonly #view: FieldView;

  constructor(view: FieldView) {
    this.#view = view;
  }

  plan({ runtime, ...members }: Members): Members {
    const fields = Array.isArray(runtime) ? runtime.filter(isMembers).filter((field) => this.#mayCompute(field)) : [];
    return { ...this.#members(members), ...(fields.length === 0 ? {} : { runtime: this.#walk('runtime', fields) }) };
  }

  /** A field that a request defines needs a name that may be read. Without a script it shows the source's member of that name. */
  #mayCompute({ name, lookup }: Members): boolean {
    const input = isMembers(lookup) ? lookup['input_field'] : undefined;
    const isFit = input === undefined || (typeof input === 'string' && this.#view.grants(input));
    return typeof name === 'string' && this.#view.allowsName(name) && this.#view.grants(name) && isFit;
  }

  #walk(name: string, value: unknown): unknown {
    if (FOREIGN.has(name)) return value;
    if (typeof value === 'string') return this.#text(name, value);
    if (Array.isArray(value)) return this.#list(name, value);
    return isMembers(value) ? this.#object(name, value) : value;
  }

  #text(name: string, text: string): unknown {
    if (FIELD_NAMES.has(name)) return readableName(text, this.#view);
    if (name === 'path') return this.#path(text);
    if (OTHER_TEXTS.has(name)) return text;
    throw refusedToReader(`[${name}] isn't supported if field level security is enabled`);
  }

  #list(name: string, list: readonly unknown[]): readonly unknown[] {
    if (!FIELD_NAMES.has(name)) return list.map((each) => this.#walk(name, each));
    return list.flatMap((each): readonly unknown[] => {
      if (typeof each === 'string') return readableNames([each], this.#view, takesText);
      return this.#expanded(each, takesText);
    });
  }

  /** An entry of a list for each field that its name or pattern means. */
  #expanded(entry: unknown, fits: (field: FieldMapping | undefined) => boolean): readonly unknown[] {
    if (!isMembers(entry) || typeof entry['field'] !== 'string') return [this.#walk('fields', entry)];
    const { field, ...others } = entry;
    const walked = this.#members(others);
    return readableNames([field], this.#view, fits).map((each) => ({ field: each, ...walked }));
  }

  #object(name: string, members: Members): unknown {
    if (name === 'lookup') return members;
    if (name === 'like_documents' || name === 'unlike_documents') return this.#likedDocument(members);
    if (name === 'fetch') return this.#fetch(members);
    if (name === 'more_like_this') return this.#moreLikeThis(members);
    if (isScript(members)) throw refusedToReader("scripts aren't supported if field level security is enabled");
    const isJoin = JOINS.has(name) && 'type' in members;
    if ((isJoin || name === 'has_parent') && !this.#grantsJoin()) {
      throw refusedToReader(`[${name}] isn't supported where the join field may not be read`);
    }
    return this.#members(members);
  }

  #members(members: Members): Members {
    const { exists } = members;
    if (isMembers(exists) && Object.keys(members).length === 1) return this.#exists(exists);
    return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, this.#walk(name, member)]));
  }

  #grantsJoin(): boolean {
    return this.#view.named('*', (field) => field?.type === 'join').length > 0;
  }

  /** Of nested objects: of those of which nothing may be read it is not told whether they are there. */
  #path(path: string): string {
    return this.#view.grantsWithin(path) || path.startsWith(UNREADABLE) ? path : `${UNREADABLE}${path}`;
  }

  /** An object exists where one of its fields does. */
  #exists({ field, ...others }: Members): Members {
    const name = String(field);
    const existing = (each: string): Members => ({ exists: { field: each } });
    if (!name.includes('*') && !this.#view.isObject(name)) {
      return { exists: { field: readableName(name, this.#view), ...others } };
    }
    const names = this.#view.named(name.includes('*') ? name : `${name}.*`);
    if (names.length === 0) return { exists: { field: `${UNREADABLE}${name}`, ...others } };
    const filter = { bool: { should: names.map(existing), minimum_should_match: '1' } };
    return { constant_score: { filter, ...others } };
  }

  #moreLikeThis({ fields, ...others }: Members): Members {
    const names = Array.isArray(fields) ? (fields as readonly string[]) : ['*'];
    return { ...this.#members(others), fields: readableNames(names, this.#view, isText) };
  }

  #likedDocument({ fields, source, ...others }: Members): Members {
    const named = Array.isArray(fields)
      ? { fields: readableNames(fields as readonly string[], this.#view, isText) }
      : {};
    return { ...this.#members(others), ...(source === undefined ? {} : { source }), ...named };
  }

  #fetch({ source, docvalue_fields, stored_fields, fields, highlight, ...others }: Members): Members {
    const list = (given: unknown, fits: (field: FieldMapping | undefined) => boolean): readonly unknown[] =>
      (Array.isArray(given) ? given : []).flatMap((each) => this.#expanded(each, fits));
    const stored = Array.isArray(stored_fields) ? (stored_fields as readonly string[]) : undefined;
    return {
      ...this.#members(others),
      source: isMembers(source) ? readableFilter(source, this.#view) : source,
      ...(docvalue_fields === undefined ? {} : { docvalue_fields: list(docvalue_fields, hasDocValues) }),
      ...(fields === undefined ? {} : { fields: list(fields, isShown) }),
      ...(stored === undefined ? {} : { stored_fields: readableNames(stored, this.#view, isStored) }),
      ...(isMembers(highlight) ? { highlight: { ...highlight, fields: list(highlight['fields'], isText) } } : {}),
    };
  }
}

const JOINS: ReadonlySet<string> = new Set(['has_child', 'parent_id', 'children', 'parent']);

function isScript(members: Members): boolean {
  return 'stored_id' in members || typeof members['source'] === 'string';
}

const TEXT_TYPES: ReadonlySet<string> = new Set([
  'text',
  'match_only_text',
  'search_as_you_type',
  'keyword',
  'wildcard',
]);
/** Types in which no text can be looked for. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set([
  ...['binary', 'completion', 'dense_vector', 'geo_point', 'geo_shape', 'histogram', 'join', 'murmur3', 'percolator'],
  ...['point', 'rank_feature', 'rank_features', 'shape', 'knn_vector', 'alias'],
]);
const DOC_VALUE_TYPES: ReadonlySet<string> = new Set([
  ...['boolean', 'byte', 'constant_keyword', 'date', 'date_nanos', 'double', 'float', 'half_float', 'integer', 'ip'],
  ...['keyword', 'long', 'scaled_float', 'short', 'unsigned_long', 'version', 'geo_point', 'wildcard', 'token_count'],
]);

export function isText(field: FieldMapping | undefined): boolean {
  return field !== undefined && TEXT_TYPES.has(field.type);
}

/** As the kernels choose fields for a pattern. */
function takesText(field: FieldMapping | undefined): boolean {
  if (field === undefined) return true;
  const { index, doc_values: docValues } = field.parameters;
  return !WITHOUT_TEXT.has(field.type) && (index !== false || (!isText(field) && docValues !== false));
}

function hasDocValues(field: FieldMapping | undefined): boolean {
  return field === undefined || (DOC_VALUE_TYPES.has(field.type) && field.parameters['doc_values'] !== false);
}

function isShown(field: FieldMapping | undefined): boolean {
  return field?.type !== 'percolator';
}

export function isStored(field: FieldMapping | undefined): boolean {
  return field?.parameters['store'] === true;
}
