/** A mapping as the API prints it: only what differs from the defaults, fields in order of their names. */
import type { JsonObject, JsonValue } from '../base/json-value.js';
import { PARAMETERS } from './field-types.js';
import { effectiveValue } from './merge-fields.js';
import type { Parameter } from './parameters.js';
import { renderRuntimeField } from './runtime.js';
import {
  DEFAULT_MAPPING_SETTINGS,
  type FieldMapping,
  type Mapper,
  type Mapping,
  type MappingSettings,
  type ObjectMapping,
} from './types.js';
import { compareNames, sameJson } from './values.js';

/** The `mappings` object of `GET {index}/_mapping` and `GET {index}`. */
export function renderMapping(mapping: Mapping, settings: MappingSettings = DEFAULT_MAPPING_SETTINGS): JsonObject {
  const { root } = mapping;
  return {
    ...renderObjectHead(root),
    ...(mapping.meta === undefined ? {} : { _meta: mapping.meta }),
    ...(mapping.routingRequired === true ? { _routing: { required: true } } : {}),
    ...renderSource(mapping.source),
    ...(mapping.dynamicDateFormats === undefined ? {} : { dynamic_date_formats: mapping.dynamicDateFormats }),
    ...(mapping.dynamicTemplates === undefined
      ? {}
      : { dynamic_templates: mapping.dynamicTemplates.map(({ name, body }) => ({ [name]: body })) }),
    ...(mapping.dateDetection === undefined ? {} : { date_detection: mapping.dateDetection }),
    ...(mapping.numericDetection === undefined ? {} : { numeric_detection: mapping.numericDetection }),
    ...(mapping.runtime.size === 0 ? {} : { runtime: renderRuntime(mapping) }),
    ...renderProperties(root, settings),
  };
}

function renderSource(source: Mapping['source']): JsonObject {
  const members: JsonObject = {
    ...(source?.enabled === false ? { enabled: false } : {}),
    ...(source?.includes === undefined || source.includes.length === 0 ? {} : { includes: source.includes }),
    ...(source?.excludes === undefined || source.excludes.length === 0 ? {} : { excludes: source.excludes }),
  };
  return Object.keys(members).length === 0 ? {} : { _source: members };
}

function renderRuntime(mapping: Mapping): JsonObject {
  const fields = [...mapping.runtime].sort(([a], [b]) => compareNames(a, b));
  return Object.fromEntries(fields.map(([name, field]) => [name, renderRuntimeField(field)]));
}

function renderObjectHead(object: ObjectMapping): JsonObject {
  return {
    ...(object.dynamic === undefined ? {} : { dynamic: object.dynamic }),
    ...(object.enabled === false ? { enabled: false } : {}),
  };
}

function renderProperties(object: ObjectMapping, settings: MappingSettings): JsonObject {
  if (object.properties.size === 0) return {};
  const sorted = [...object.properties].sort(([a], [b]) => compareNames(a, b));
  return { properties: Object.fromEntries(sorted.map(([name, mapper]) => [name, renderMapper(mapper, settings)])) };
}

function renderMapper(mapper: Mapper, settings: MappingSettings): JsonObject {
  if (mapper.kind === 'field') return renderField(mapper, { settings, includeDefaults: false });
  // The type goes without saying where there are properties.
  const type = mapper.properties.size === 0 ? { type: 'object' } : {};
  const { nested } = mapper;
  const head =
    nested === undefined
      ? type
      : {
          type: 'nested',
          ...(nested.includeInParent ? { include_in_parent: true } : {}),
          ...(nested.includeInRoot ? { include_in_root: true } : {}),
        };
  return { ...head, ...renderObjectHead(mapper), ...renderProperties(mapper, settings) };
}

export interface RenderFieldOptions {
  readonly settings: MappingSettings;
  /** Also print the parameters that have their defaults. */
  readonly includeDefaults: boolean;
}

export function renderField(field: FieldMapping, options: RenderFieldOptions): JsonObject {
  const parameters: Record<string, JsonValue> = {};
  for (const parameter of PARAMETERS[field.type]) {
    if (!options.includeDefaults && !isWorthPrinting(parameter, field, options.settings)) continue;
    const value = effectiveValue(parameter, field.parameters, options);
    if (value !== null || parameter.alwaysPrinted !== true) parameters[parameter.name] = value;
  }
  const fields = [...field.fields].sort(([a], [b]) => compareNames(a, b));
  return {
    type: field.type,
    ...parameters,
    ...(fields.length === 0
      ? {}
      : { fields: Object.fromEntries(fields.map(([name, multiField]) => [name, renderField(multiField, options)])) }),
    ...(field.copyTo.length === 0 ? {} : { copy_to: field.copyTo }),
  };
}

function isWorthPrinting(parameter: Parameter, field: FieldMapping, settings: MappingSettings): boolean {
  const given = (name: string): boolean => {
    const own = field.parameters[name];
    const rule = PARAMETERS[field.type].find((candidate) => candidate.name === name);
    return own !== undefined && rule !== undefined && !sameJson(own, rule.defaultValue(field.parameters, settings));
  };
  if (parameter.alwaysPrinted === true || given(parameter.name)) return true;
  // A search analyzer of its own is only read rightly beside those it replaces.
  if (parameter.name === 'analyzer') return given('search_analyzer') || given('search_quote_analyzer');
  return parameter.name === 'search_analyzer' && given('search_quote_analyzer');
}
