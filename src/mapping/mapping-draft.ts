/** A mapping while fields are added to it. */
import { must } from '../base/assert.js';
import { isIndexedRuntime } from './runtime.js';
import type { FieldMapping, Mapper, Mapping, ObjectMapping, RuntimeField } from './types.js';

/**
 * What it shares with the mapping that it began with is copied when it first changes, and only then: a thousand fields of one document cost a
 * thousand steps, not a copy of all fields for each of them.
 */
export class MappingDraft {
  private mapping: Mapping;
  /** Maps that were made here, and may change. */
  private readonly owned = new WeakSet<ReadonlyMap<string, unknown>>();
  /** Paths around indexed runtime fields; made when it is first asked for. */
  private aroundRuntime: Set<string> | undefined;

  constructor(mapping: Mapping) {
    this.mapping = mapping;
  }

  /** As it is now; no longer to be changed through the draft once it is handed on. */
  get current(): Mapping {
    return this.mapping;
  }

  /** Puts a mapper at a path, which may be that of a multi-field; objects on the way are made as needed. */
  place(path: string, mapper: Mapper): void {
    const names = path.split('.');
    const root = this.owning(this.mapping.root);
    this.mapping = { ...this.mapping, root };
    let object = root;
    for (const [place, name] of names.entries()) {
      const properties = this.own(object.properties);
      const existing = properties.get(name);
      const multiField = names[place + 1];
      if (existing?.kind === 'field' && mapper.kind === 'field' && multiField !== undefined) {
        properties.set(name, this.withMultiField(existing, multiField, mapper));
        return;
      }
      if (multiField === undefined) {
        properties.set(name, mapper);
        return;
      }
      const inner: ObjectMapping = existing?.kind === 'object' ? existing : { kind: 'object', properties: new Map() };
      object = this.owning(inner);
      properties.set(name, object);
    }
  }

  addRuntime(path: string, field: RuntimeField): void {
    const runtime = this.owned.has(this.mapping.runtime)
      ? this.mapping.runtime
      : this.copied<RuntimeField>(this.mapping.runtime);
    this.own(runtime).set(path, field);
    this.mapping = { ...this.mapping, runtime };
    if (this.aroundRuntime !== undefined && isIndexedRuntime(field)) addAncestors(this.aroundRuntime, path);
  }

  /** Whether documents are indexed with a runtime field around the path, or below it. */
  meetsIndexedRuntime(path: string): boolean {
    const { runtime } = this.mapping;
    if (runtime.size === 0) return false;
    if (this.aroundRuntime === undefined) {
      this.aroundRuntime = new Set();
      for (const [name, field] of runtime) if (isIndexedRuntime(field)) addAncestors(this.aroundRuntime, name);
    }
    if (this.aroundRuntime.has(path)) return true;
    const isIndexed = (name: string): boolean => {
      const field = runtime.get(name);
      return field !== undefined && isIndexedRuntime(field);
    };
    return ancestorsOf(path).some(isIndexed);
  }

  private withMultiField(field: FieldMapping, name: string, mapper: FieldMapping): FieldMapping {
    const fields = this.owned.has(field.fields) ? field.fields : this.copied<FieldMapping>(field.fields);
    this.own(fields).set(name, mapper);
    return { ...field, fields };
  }

  /** The object, with properties that may change. */
  private owning(object: ObjectMapping): ObjectMapping {
    if (this.owned.has(object.properties)) return object;
    return { ...object, properties: this.copied<Mapper>(object.properties) };
  }

  private copied<Value>(map: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
    const copy = new Map(map);
    this.owned.add(copy);
    return copy;
  }

  /** A map that was made here, as what it is. */
  private own<Value>(map: ReadonlyMap<string, Value>): Map<string, Value> {
    return must(this.owned.has(map) ? (map as Map<string, Value>) : undefined, 'a map that the draft may change');
  }
}

function addAncestors(to: Set<string>, path: string): void {
  for (const ancestor of ancestorsOf(path)) to.add(ancestor);
}

/** `a` and `a.b` of `a.b.c`. */
function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) ancestors.push(path.slice(0, dot));
  return ancestors;
}
