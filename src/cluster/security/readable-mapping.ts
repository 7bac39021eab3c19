/** The mapping of an index without the fields that may not be read. */
import type { FieldMapping, Mapper, Mapping, ObjectMapping } from '../../mapping/types.js';
import { fieldView, type FieldRules, type FieldView } from './field-view.js';

export function readableMapping(mapping: Mapping, rules: FieldRules): Mapping {
  const view = fieldView(mapping, rules);
  const root = readableObject(mapping.root, '', view) ?? { ...mapping.root, properties: new Map() };
  return {
    ...mapping,
    root,
    runtime: new Map([...mapping.runtime].filter(([name]) => view.grants(name))),
    // They may name fields.
    meta: {},
    dynamicTemplates: [],
  };
}

/** Undefined where nothing of it may be read. */
function readableObject(object: ObjectMapping, path: string, view: FieldView): ObjectMapping | undefined {
  const kept = new Map<string, Mapper>();
  for (const [name, mapper] of object.properties) {
    const full = path === '' ? name : `${path}.${name}`;
    const shown = mapper.kind === 'object' ? readableObject(mapper, full, view) : readableField(mapper, full, view);
    if (shown !== undefined) kept.set(name, shown);
  }
  const isEmpty = kept.size === 0 && (object.properties.size > 0 || !view.allowsName(path));
  return isEmpty && path !== '' ? undefined : { ...object, properties: kept };
}

/** A field of which a multi-field alone may be read is shown for that one. */
function readableField(field: FieldMapping, path: string, view: FieldView): FieldMapping | undefined {
  const fields = new Map([...field.fields].filter(([name]) => view.grants(`${path}.${name}`)));
  const copyTo = field.copyTo.filter((target) => view.grants(target));
  if (!view.grants(path)) return undefined;
  return { ...field, fields, copyTo };
}
