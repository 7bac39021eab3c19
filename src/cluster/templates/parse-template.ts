/** Bodies of template requests, checked member by member; what only holds together is checked when they are put. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { parseAlias } from '../aliases/alias-body.js';
import { parseLifecycle } from '../data-streams/data-stream-lifecycle.js';
import { checkStreamOptions } from '../data-streams/data-stream-options.js';
import { flattenSettings, withIndexPrefix } from '../settings/flat-settings.js';
import type { AliasMetadata } from '../state.js';
import { withoutType } from './merge-mappings.js';
import type { ComponentTemplate, DataStreamTemplate, IndexTemplate, LegacyTemplate, TemplateContent } from './types.js';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Reads one member into what it is handed; all members are known by name. */
type Readers = Readonly<Record<string, (value: JsonValue) => void>>;

/** The body of `PUT _index_template/{name}`. */
export function parseIndexTemplate(body: JsonObject): IndexTemplate {
  const template: Partial<Writable<IndexTemplate>> = { composedOf: [], ignoreMissing: [] };
  readMembers('index_template', body, {
    index_patterns: (value) => (template.indexPatterns = textList(value, 'index_template', 'index_patterns')),
    composed_of: (value) => (template.composedOf = textList(value, 'index_template', 'composed_of')),
    ignore_missing_component_templates: (value) =>
      (template.ignoreMissing = textList(value, 'index_template', 'ignore_missing_component_templates')),
    template: (value) => (template.template = parseContent(value, 'template')),
    priority: (value) => (template.priority = priorityOf(value)),
    version: (value) => (template.version = integerOf(value, 'index_template', 'version')),
    _meta: (value) => (template.meta = objectOf(value, 'index_template', '_meta')),
    data_stream: (value) => (template.dataStream = parseDataStream(value)),
    allow_auto_create: (value) => (template.allowAutoCreate = booleanOf(value, 'index_template', 'allow_auto_create')),
    deprecated: (value) => (template.deprecated = booleanOf(value, 'index_template', 'deprecated')),
  });
  const { indexPatterns, composedOf = [], ignoreMissing = [] } = template;
  if (indexPatterns === undefined) {
    throw badMember('Required one of fields [index_patterns], but none were specified. ');
  }
  return { ...template, indexPatterns, composedOf, ignoreMissing };
}

/** The body of `PUT _component_template/{name}`. */
export function parseComponentTemplate(body: JsonObject): ComponentTemplate {
  const template: Partial<Writable<ComponentTemplate>> = {};
  readMembers('component_template', body, {
    template: (value) => (template.template = parseContent(value, 'template')),
    version: (value) => (template.version = integerOf(value, 'component_template', 'version')),
    _meta: (value) => (template.meta = objectOf(value, 'component_template', '_meta')),
    deprecated: (value) => (template.deprecated = booleanOf(value, 'component_template', 'deprecated')),
  });
  if (template.template === undefined) {
    throw badMember('Required one of fields [template], but none were specified. ');
  }
  return { ...template, template: template.template };
}

/** The body of `PUT _template/{name}`; `order` is that of the query string. */
export function parseLegacyTemplate(body: JsonObject, order: number | undefined): LegacyTemplate {
  let bodyOrder: number | undefined;
  let indexPatterns: readonly string[] | undefined;
  let version: number | undefined;
  let content: TemplateContent = {};
  readMembers('template', body, {
    index_patterns: (value) => (indexPatterns = textList(value, 'template', 'index_patterns')),
    order: (value) => (bodyOrder = integerOf(value, 'template', 'order')),
    version: (value) => (version = integerOf(value, 'template', 'version')),
    settings: (value) => (content = { ...content, settings: settingsOf(value, 'template') }),
    mappings: (value) => (content = { ...content, mappings: mappingsOf(value, 'template') }),
    aliases: (value) => (content = { ...content, aliases: aliasesOf(value, 'template') }),
  });
  if (indexPatterns === undefined || indexPatterns.length === 0) {
    const reason = 'Validation Failed: 1: index patterns are missing;';
    throw new QuarryError('action_request_validation_exception', reason);
  }
  return {
    indexPatterns,
    order: order ?? bodyOrder ?? 0,
    ...(version === undefined ? {} : { version }),
    settings: content.settings ?? new Map(),
    mappings: content.mappings ?? {},
    aliases: content.aliases ?? new Map(),
  };
}

function parseContent(value: JsonValue, place: string): TemplateContent {
  const content: Writable<TemplateContent> = {};
  readMembers(place, objectOf(value, 'index_template', 'template'), {
    settings: (given) => (content.settings = settingsOf(given, place)),
    mappings: (given) => (content.mappings = mappingsOf(given, place)),
    aliases: (given) => (content.aliases = aliasesOf(given, place)),
    data_stream_options: (given) => {
      checkStreamOptions(objectOf(given, place, 'data_stream_options'));
    },
    lifecycle: (given) => (content.lifecycle = parseLifecycle(objectOf(given, place, 'lifecycle'))),
  });
  return content;
}

function parseDataStream(value: JsonValue): DataStreamTemplate {
  const place = 'data_stream';
  const stream: Writable<DataStreamTemplate> = { hidden: false, allowCustomRouting: false };
  readMembers(place, objectOf(value, 'index_template', place), {
    hidden: (given) => (stream.hidden = booleanOf(given, place, 'hidden')),
    allow_custom_routing: (given) => (stream.allowCustomRouting = booleanOf(given, place, 'allow_custom_routing')),
    timestamp_field: (given) => {
      const { name, ...others } = objectOf(given, place, 'timestamp_field');
      refuseOthers('timestamp_field', others);
      if (name === '@timestamp') return;
      throw illegalArgument(
        `[timestamp_field.name] of [data_stream] is [${show(name)}], but only [@timestamp] is supported`,
      );
    },
  });
  return stream;
}

function settingsOf(value: JsonValue, place: string): NonNullable<TemplateContent['settings']> {
  return withIndexPrefix(flattenSettings(objectOf(value, place, 'settings')));
}

function mappingsOf(value: JsonValue, place: string): JsonObject {
  return withoutType(objectOf(value, place, 'mappings'));
}

function aliasesOf(value: JsonValue, place: string): ReadonlyMap<string, AliasMetadata> {
  const aliases = Object.entries(objectOf(value, place, 'aliases'));
  return new Map(
    aliases.map(([name, alias]) => [name, parseAlias(objectOf(alias ?? null, `${place}.aliases`, name), name)]),
  );
}

function readMembers(place: string, body: JsonObject, readers: Readers): void {
  for (const [name, value] of Object.entries(body)) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) throw badMember(`[${place}] unknown field [${name}]`);
    if (value !== null && value !== undefined) read(value);
  }
}

function refuseOthers(place: string, others: JsonObject): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw badMember(`[${place}] unknown field [${unknown}]`);
}

function objectOf(value: JsonValue, place: string, name: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw badMember(`[${place}] ${name} doesn't support values of type: ${typeName(value)}`);
}

function textList(value: JsonValue, place: string, name: string): readonly string[] {
  const items: readonly JsonValue[] = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  return items.map((item) => {
    if (typeof item === 'string') return item;
    throw badMember(`[${place}] ${name} doesn't support values of type: ${typeName(item)}`);
  });
}

function priorityOf(value: JsonValue): number {
  const priority = integerOf(value, 'index_template', 'priority');
  if (priority >= 0) return priority;
  throw new QuarryError(
    'action_request_validation_exception',
    'Validation Failed: 1: index template priority must be >= 0;',
  );
}

function integerOf(value: JsonValue, place: string, name: string): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw badMember(`[${place}] failed to parse field [${name}]: [${show(value)}] is no integer`);
}

function booleanOf(value: JsonValue, place: string, name: string): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw badMember(`[${place}] failed to parse field [${name}]: [${show(value)}] is no boolean`);
}

function show(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'START_ARRAY';
  if (typeof value === 'object') return value === null ? 'VALUE_NULL' : 'START_OBJECT';
  return `VALUE_${typeof value === 'string' ? 'STRING' : typeof value === 'number' ? 'NUMBER' : 'BOOLEAN'}`;
}

function badMember(reason: string): QuarryError {
  return new QuarryError('x_content_parse_exception', reason);
}
