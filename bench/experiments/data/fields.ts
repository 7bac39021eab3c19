/** Fields of a mapping as a flat list, and their values in documents. */
import { isArray, isObject, type Json, type JsonObject } from '../../json.js';

export interface Field {
  /** With dots, of sub-fields too. */
  readonly path: string;
  readonly type: string;
  /** Where documents have its values: the field itself, of a sub-field the one above. */
  readonly source: string;
}

/** Fields with values of their own; those below `nested` are left out, since queries reach them otherwise. */
export function fieldsOf(mappings: JsonObject): readonly Field[] {
  return fieldsBelow(mappings['properties'], '', undefined);
}

function fieldsBelow(properties: Json | undefined, prefix: string, source: string | undefined): readonly Field[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, field]): readonly Field[] => {
    if (!isObject(field)) return [];
    const path = `${prefix}${name}`;
    const type = typeof field['type'] === 'string' ? field['type'] : 'object';
    if (type === 'nested') return [];
    if (type === 'object') return fieldsBelow(field['properties'], `${path}.`, undefined);
    const own = { path, type, source: source ?? path };
    return [own, ...fieldsBelow(field['fields'], `${path}.`, own.source)];
  });
}

/** What a document has at a path, with dots in names or as objects, as one list. */
export function valuesAt(document: Json, path: string): readonly Json[] {
  if (path === '') return isArray(document) ? document.flatMap((each) => valuesAt(each, '')) : [document];
  if (isArray(document)) return document.flatMap((each) => valuesAt(each, path));
  if (!isObject(document)) return [];
  const found: Json[] = [];
  const whole = document[path];
  if (whole !== undefined) found.push(...valuesAt(whole, ''));
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const below = document[path.slice(0, dot)];
    if (below !== undefined) found.push(...valuesAt(below, path.slice(dot + 1)));
  }
  return found;
}

/** A copy of the document without what is at a path. */
export function without(document: Json, path: string): Json {
  if (isArray(document)) return document.map((each) => without(each, path));
  if (!isObject(document)) return document;
  return Object.fromEntries(
    Object.entries(document).flatMap(([name, value]): [string, Json][] => {
      if (name === path) return [];
      return path.startsWith(`${name}.`) ? [[name, without(value, path.slice(name.length + 1))]] : [[name, value]];
    }),
  );
}
