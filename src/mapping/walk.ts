/** Finding fields and objects of a mapping by their full paths. */
import type { FieldMapping, Mapper, Mapping, ObjectMapping } from './types.js';

export interface VisitedField {
  /** Full path. */
  readonly path: string;
  readonly field: FieldMapping;
  /** Full path of the field that feeds it, for multi-fields. */
  readonly parent: string | undefined;
}

/** All leaf fields, each followed by its multi-fields. */
export function* fieldsOf(mapping: Mapping): Generator<VisitedField> {
  yield* fieldsWithin(mapping.root, '');
}

function* fieldsWithin(object: ObjectMapping, path: string): Generator<VisitedField> {
  for (const [name, mapper] of object.properties) {
    const full = path === '' ? name : `${path}.${name}`;
    if (mapper.kind === 'object') {
      yield* fieldsWithin(mapper, full);
      continue;
    }
    yield { path: full, field: mapper, parent: undefined };
    for (const [multiName, field] of mapper.fields) yield { path: `${full}.${multiName}`, field, parent: full };
  }
}

/** All objects below the root, parents first. */
export function* objectsOf(mapping: Mapping): Generator<{ readonly path: string; readonly object: ObjectMapping }> {
  yield* objectsWithin(mapping.root, '');
}

function* objectsWithin(
  object: ObjectMapping,
  path: string,
): Generator<{ readonly path: string; readonly object: ObjectMapping }> {
  for (const [name, mapper] of object.properties) {
    if (mapper.kind !== 'object') continue;
    const full = path === '' ? name : `${path}.${name}`;
    yield { path: full, object: mapper };
    yield* objectsWithin(mapper, full);
  }
}

/** The innermost nested object that a path leads through; undefined where there is none. */
export function nestedAround(mapping: Mapping, path: string): string | undefined {
  const names = path.split('.');
  for (let length = names.length - 1; length > 0; length -= 1) {
    const around = names.slice(0, length).join('.');
    const mapper = findMapper(mapping, around);
    if (mapper?.kind === 'object' && mapper.nested !== undefined) return around;
  }
  return undefined;
}

/** The field, multi-field or object at a full path. */
export function findMapper(mapping: Mapping, path: string): Mapper | undefined {
  let at: Mapper | undefined = mapping.root;
  for (const name of path.split('.')) {
    at = at?.kind === 'object' ? at.properties.get(name) : at?.fields.get(name);
  }
  return at;
}
