/** Mappings of several templates into one, before anything of them is parsed. */
import { setMember } from '../../base/json.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';

/**
 * How two definitions of one field come together.
 * - `replace`: the later one stands alone.
 * - `merge`: it adds to the earlier one and wins where both say something.
 */
export type FieldMerging = 'replace' | 'merge';

/** The later ones win. */
export function mergeMappings(mappings: readonly JsonObject[], fields: FieldMerging): JsonObject {
  return mappings.reduce<JsonObject>((merged, next) => mergeTwo(merged, next, fields), {});
}

/** Older clients wrap a mapping in the name of its only type. */
export function withoutType(mapping: JsonObject): JsonObject {
  const { _doc: inner, ...others } = mapping;
  return isJsonObject(inner) && Object.keys(others).length === 0 ? inner : mapping;
}

function mergeTwo(earlier: JsonObject, laterAsGiven: JsonObject, fields: FieldMerging): JsonObject {
  const later = withoutDots(laterAsGiven);
  const merged: Record<string, JsonValue | undefined> = { ...earlier };
  for (const [name, value] of Object.entries(later)) {
    setMember(merged, name, mergeMember(name, earlier[name], value, fields));
  }
  return merged;
}

/** A field `a.b` is the field `b` of the object `a`. */
function withoutDots(mapping: JsonObject): JsonObject {
  const { properties } = mapping;
  if (!isJsonObject(properties) || !Object.keys(properties).some(isPath)) return mapping;
  const expanded = Object.entries(properties).map(([name, field]) => {
    const [first = name, ...rest] = isPath(name) ? name.split('.') : [name];
    const nested = rest.reduceRight<JsonValue | undefined>((inner, step) => ({ properties: { [step]: inner } }), field);
    return { [first]: nested };
  });
  const merged = expanded.reduce<JsonObject>((all, next) => mergeProperties(all, next, 'replace'), {});
  return { ...mapping, properties: merged };
}

function isPath(name: string): boolean {
  return name.includes('.') && !name.split('.').includes('');
}

function mergeMember(
  name: string,
  earlier: JsonValue | undefined,
  later: JsonValue | undefined,
  fields: FieldMerging,
): JsonValue | undefined {
  if (name === 'dynamic_templates') return mergeDynamicTemplates(earlier, later);
  if (!isJsonObject(earlier) || !isJsonObject(later)) return later;
  if (name === 'properties') return mergeProperties(earlier, later, fields);
  if (name === '_meta') return mergeDeep(earlier, later);
  return { ...earlier, ...later };
}

function mergeProperties(earlier: JsonObject, later: JsonObject, fields: FieldMerging): JsonObject {
  const merged: Record<string, JsonValue | undefined> = { ...earlier };
  for (const [name, field] of Object.entries(later)) {
    const before = earlier[name];
    setMember(merged, name, isJsonObject(before) && isJsonObject(field) ? mergeField(before, field, fields) : field);
  }
  return merged;
}

function mergeField(earlier: JsonObject, later: JsonObject, fields: FieldMerging): JsonObject {
  if (isJsonObject(earlier['properties']) && isJsonObject(later['properties'])) return mergeTwo(earlier, later, fields);
  return fields === 'merge' ? mergeDeep(earlier, later) : later;
}

/** A list of objects with one member each: the name of the rule, which stands for it. */
function mergeDynamicTemplates(earlier: JsonValue | undefined, later: JsonValue | undefined): JsonValue | undefined {
  if (!isRuleList(earlier) || !isRuleList(later)) return later;
  const rules = new Map([...earlier, ...later].flatMap((rule) => Object.entries(rule)));
  return [...rules].map(([name, rule]) => ({ [name]: rule }));
}

function isRuleList(value: JsonValue | undefined): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every((rule) => isJsonObject(rule));
}

function mergeDeep(earlier: JsonObject, later: JsonObject): JsonObject {
  const merged: Record<string, JsonValue | undefined> = { ...earlier };
  for (const [name, value] of Object.entries(later)) {
    const before = earlier[name];
    setMember(merged, name, isJsonObject(before) && isJsonObject(value) ? mergeDeep(before, value) : value);
  }
  return merged;
}
