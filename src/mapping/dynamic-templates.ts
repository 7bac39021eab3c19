/** Dynamic templates: rules that say how a new field is mapped, by its name, path and JSON kind. */
import { CacheCounter } from '../base/cache-counters.js';
import { QuarryError, illegalArgument } from '../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import { LinearRegex } from '../base/linear-regex.js';
import { Memo } from '../base/memo.js';
import { parseMapper } from './parse-field.js';
import { checkRuntimeScripts, readRuntimeField } from './runtime.js';
import type { DynamicTemplate, FieldType, Mapper, MappingContext, RuntimeField, UnmappedField } from './types.js';
import { compareNames, entriesOf, mapperParsing, readString, readStrings, show } from './values.js';
import { simpleMatch } from './wildcard.js';

/** The words of `match_mapping_type` and the type that a field of that kind has by default. */
const DEFAULT_TYPES = {
  object: 'object',
  string: 'text',
  long: 'long',
  double: 'float',
  boolean: 'boolean',
  date: 'date',
  binary: 'binary',
} as const;

type Kind = keyof typeof DEFAULT_TYPES;

/** The types that a runtime field of that kind has by default; values of other kinds are no runtime fields. */
const RUNTIME_TYPES: Readonly<Partial<Record<Kind, FieldType>>> = {
  string: 'keyword',
  long: 'long',
  double: 'double',
  boolean: 'boolean',
  date: 'date',
};

const KIND_MEMBERS = ['match_mapping_type', 'unmatch_mapping_type'] as const;

/** One of them says what becomes of the field. */
const DEFINITION_MEMBERS = ['mapping', 'runtime'] as const;

const PATTERN_MEMBERS = ['match', 'path_match', 'unmatch', 'path_unmatch'] as const;

export function parseDynamicTemplates(value: JsonValue, context: MappingContext): readonly DynamicTemplate[] {
  if (!Array.isArray(value)) {
    throw mapperParsing('Dynamic template syntax error. An array of named objects is expected.');
  }
  return (value as readonly JsonValue[]).map((entry) => {
    const named = isJsonObject(entry) ? entriesOf(entry) : [];
    const [name, body] = named[0] ?? [];
    if (named.length !== 1 || name === undefined || !isJsonObject(body)) {
      throw mapperParsing('A dynamic template must be defined with a name');
    }
    const template = { name, body: normalizeTemplate(name, body) };
    checkTemplateMapping(template, context);
    return template;
  });
}

/** Checks every member and puts them into the order in which they are printed. */
function normalizeTemplate(name: string, body: JsonObject): JsonObject {
  const known: readonly string[] = [...PATTERN_MEMBERS, ...KIND_MEMBERS, 'match_pattern', ...DEFINITION_MEMBERS];
  const unknown = Object.keys(body).find((member) => !known.includes(member));
  if (unknown !== undefined) throw illegalArgument(`Illegal dynamic template parameter: [${unknown}]`);
  const { match, path_match: pathMatch, match_mapping_type: kinds } = body;
  if (match === undefined && pathMatch === undefined && kinds === undefined) {
    throw mapperParsing(`template must have match, path_match or match_mapping_type set ${show(body)}`);
  }
  const definition = definitionOf(name, body);
  for (const kind of KIND_MEMBERS.flatMap((member) => patternsOf(body, member))) {
    if (kind !== '*' && !Object.hasOwn(DEFAULT_TYPES, kind)) {
      throw illegalArgument(
        `No field type matched on [${kind}], possible values are [${Object.keys(DEFAULT_TYPES).join(', ')}]`,
      );
    }
  }
  if (isRuntimeTemplate(body)) {
    const kind = patternsOf(body, 'match_mapping_type').find(
      (word) => word !== '*' && !Object.hasOwn(RUNTIME_TYPES, word),
    );
    if (kind !== undefined) {
      throw mapperParsing(
        `Dynamic template [${name}] defines a runtime field but type [${kind}] is not supported as runtime field`,
      );
    }
  }
  const matchPattern = body['match_pattern'] === undefined ? 'simple' : readString(body['match_pattern']);
  if (matchPattern !== 'simple' && matchPattern !== 'regex') {
    throw illegalArgument(`No matching pattern matched on [${matchPattern}]`);
  }
  checkPatterns(name, body, matchPattern);
  const members: (readonly [string, JsonValue | undefined])[] = PATTERN_MEMBERS.map((member) => [member, body[member]]);
  members.push(...KIND_MEMBERS.map((member) => [member, body[member]] as const));
  if (matchPattern === 'regex') members.push(['match_pattern', matchPattern]);
  const sorted = Object.fromEntries(entriesOf(definition).sort(([a], [b]) => compareNames(a, b)));
  members.push([isRuntimeTemplate(body) ? 'runtime' : 'mapping', sorted]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function definitionOf(name: string, body: JsonObject): JsonObject {
  const given = DEFINITION_MEMBERS.map((member) => body[member]).filter((definition) => definition !== undefined);
  if (given.length > 1) {
    throw mapperParsing(`mapping and runtime cannot be both specified in the same dynamic template [${name}]`);
  }
  const [definition] = given;
  if (isJsonObject(definition)) return definition;
  throw mapperParsing(`template [${name}] must have either mapping or runtime set`);
}

/** Whether the fields of a template are runtime fields. */
export function isRuntimeTemplate(body: JsonObject): boolean {
  return body['runtime'] !== undefined;
}

function checkPatterns(name: string, body: JsonObject, matchPattern: 'simple' | 'regex'): void {
  for (const member of PATTERN_MEMBERS) {
    for (const pattern of patternsOf(body, member)) {
      if (matchPattern === 'simple') continue;
      try {
        compileRegex(pattern);
      } catch (cause) {
        throw new QuarryError(
          'illegal_argument_exception',
          `Pattern [${pattern}] of type [regex] is invalid. Cannot create dynamic template [${name}].`,
          { cause: new QuarryError('pattern_syntax_exception', (cause as Error).message) },
        );
      }
    }
  }
}

function patternsOf(body: JsonObject, member: string): readonly string[] {
  const value = body[member];
  return value === undefined ? [] : readStrings(value);
}

/** The whole text must match. Fields that documents add are matched against every template in turn. */
function compileRegex(pattern: string): LinearRegex {
  return compiledRegexes.get(pattern, () => new LinearRegex(`^(?s:${pattern})\\z`));
}

const compiledRegexes = new Memo<LinearRegex>({
  counter: new CacheCounter('template_patterns'),
  valuesMax: 256,
  textMax: 1_024,
});

/** A template whose mapping no kind of field could have is refused when it is put, not when a document meets it. */
function checkTemplateMapping(template: DynamicTemplate, context: MappingContext): void {
  if (JSON.stringify(definitionOf(template.name, template.body)).includes('{name}')) return;
  const kinds = kindsOf(template.body);
  let failure: unknown;
  for (const kind of kinds) {
    try {
      const field = { path: `__dynamic__${template.name}`, kind };
      if (isRuntimeTemplate(template.body)) instantiateRuntime(template, field, context);
      else instantiate(template, field, context);
      return;
    } catch (cause) {
      failure = cause;
    }
  }
  const mapping = JSON.stringify({ [template.name]: template.body });
  const why = failure instanceof Error ? failure.message : '';
  throw new QuarryError(
    'illegal_argument_exception',
    `dynamic template [${template.name}] has invalid content [${mapping}], attempted to validate it with the following match_mapping_type: [${kinds.join(', ')}], caused by [${why}]`,
    { cause: failure },
  );
}

/** The kinds a template is for; all when it does not say, or says `*`; less those that it says it is not for. */
function kindsOf(body: JsonObject): readonly Kind[] {
  const all = Object.keys(isRuntimeTemplate(body) ? RUNTIME_TYPES : DEFAULT_TYPES) as Kind[];
  const named = (member: (typeof KIND_MEMBERS)[number], absent: boolean): readonly Kind[] => {
    const given = patternsOf(body, member);
    if (given.length === 0) return absent ? all : [];
    return given.includes('*') ? all : all.filter((kind) => given.includes(kind));
  };
  const excluded = named('unmatch_mapping_type', false);
  return named('match_mapping_type', true).filter((kind) => !excluded.includes(kind));
}

/** The first template that fits the field, if any. */
export function findTemplate(templates: readonly DynamicTemplate[], field: UnmappedField): DynamicTemplate | undefined {
  const name = lastName(field.path);
  return templates.find(({ body }) => {
    const matches = matcherOf(body);
    const fits = (member: string, text: string, absent: boolean): boolean => {
      const patterns = patternsOf(body, member);
      return patterns.length === 0 ? absent : patterns.some((pattern) => matches(pattern, text));
    };
    return (
      fits('path_match', field.path, true) &&
      fits('match', name, true) &&
      !fits('path_unmatch', field.path, false) &&
      !fits('unmatch', name, false) &&
      kindsOf(body).includes(field.kind)
    );
  });
}

function matcherOf(body: JsonObject): (pattern: string, text: string) => boolean {
  if (body['match_pattern'] !== 'regex') return simpleMatch;
  return (pattern, text) => acceptedRegex(pattern)?.test(text) ?? false;
}

/** A template that an earlier version accepted, with what is refused now, matches nothing: documents are taken as before. */
function acceptedRegex(pattern: string): LinearRegex | undefined {
  try {
    return compileRegex(pattern);
  } catch {
    return undefined;
  }
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

interface Instance {
  readonly path: string;
  readonly kind: Kind;
  readonly format?: string;
}

/** The mapper that a template makes of a field. */
export function instantiate(template: DynamicTemplate, field: Instance, context: MappingContext): Mapper {
  const name = lastName(field.path);
  return parseMapper(name, field.path, definitionFor(template, field, DEFAULT_TYPES[field.kind]), context);
}

/** The runtime field that a template makes of a field. */
export function instantiateRuntime(template: DynamicTemplate, field: Instance, context: MappingContext): RuntimeField {
  const dynamicType = RUNTIME_TYPES[field.kind] ?? field.kind;
  const { path } = field;
  const runtime = readRuntimeField(path, definitionFor(template, field, dynamicType));
  if (runtime.fields !== undefined) {
    throw mapperParsing(`dynamic template [${template.name}] cannot make runtime fields of type [composite]`);
  }
  checkRuntimeScripts(new Map([[path, runtime]]), context.checkScript);
  return runtime;
}

/** What a template says of a field, with its type, and the format that a date was recognised by. */
function definitionFor(template: DynamicTemplate, field: Instance, dynamicType: string): JsonObject {
  const filled = fill(definitionOf(template.name, template.body), lastName(field.path), dynamicType);
  const definition: JsonObject = { type: dynamicType, ...filled };
  const needsFormat = field.format !== undefined && definition['type'] === 'date' && definition['format'] === undefined;
  return needsFormat ? { ...definition, format: field.format } : definition;
}

/** Replaces the placeholders in every text and name. */
function fill(mapping: JsonObject, name: string, dynamicType: string): JsonObject {
  const fillText = (text: string): string =>
    text.replaceAll('{name}', name).replaceAll('{dynamic_type}', dynamicType).replaceAll('{dynamicType}', dynamicType);
  const fillValue = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return fillText(value);
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map(fillValue);
    return isJsonObject(value) ? fill(value, name, dynamicType) : value;
  };
  return Object.fromEntries(entriesOf(mapping).map(([key, value]) => [fillText(key), fillValue(value)]));
}
