/** The fields of one index that may be read: by the rules of roles, and by what its mapping makes of others. */
import { isJsonObject, type JsonValue } from '../../base/json-value.js';
import { PairMemo } from '../../base/pair-memo.js';
import type { FieldMapping, Mapping, RuntimeField } from '../../mapping/types.js';
import { fieldsOf } from '../../mapping/walk.js';
import { simpleMatch } from '../../mapping/wildcard.js';
import { around, exceptsBelow, isExcepted, isLetThrough } from './field-rules.js';
import type { Restriction } from './restriction.js';

export type FieldRules = Restriction['fields'];

/** Of each document, and told of it without being asked for. */
const METADATA: ReadonlySet<string> = new Set([
  ...['_id', '_index', '_routing', '_source', '_version', '_seq_no', '_primary_term', '_doc_count'],
  ...['_score', '_doc', '_shard_doc', '_type', '_tier', '_field_names', '_nested_path', '_none_', '_size', '_name'],
]);

/** Names fields: hits list those that may be read, and nobody asks for documents by it. */
const IGNORED = '_ignored';

/** Types whose fields have keys that no mapping names. */
const KEYED: ReadonlySet<string> = new Set(['flattened', 'flat_object', 'rank_features']);

const views = new PairMemo<Mapping, FieldRules, FieldView>();

/** The same object for the same mapping and rules. */
export function fieldView(mapping: Mapping, rules: FieldRules): FieldView {
  return views.get(mapping, rules, () => new FieldView(mapping, rules));
}

export class FieldView {
  readonly rules: FieldRules;
  /** Leaf fields and multi-fields by path. */
  readonly #mapped: ReadonlyMap<string, FieldMapping>;
  readonly #runtime: ReadonlyMap<string, RuntimeField>;
  /** Fields whose values are those of others, some of which may not be read. */
  readonly #tainted: ReadonlySet<string>;
  /** Leaf fields that are parts of sources. */
  readonly #sourceFields: readonly string[];

  constructor(mapping: Mapping, rules: FieldRules) {
    this.rules = rules;
    const all = [...fieldsOf(mapping)];
    this.#mapped = new Map(all.map(({ path, field }) => [path, field]));
    this.#runtime = mapping.runtime;
    this.#sourceFields = all.filter(({ parent }) => parent === undefined).map(({ path }) => path);
    const hidden = all.filter(({ path, field }) => !this.#allowsWhole(path, field));
    const told = all.filter(({ field }) => contextPaths(field).some((path) => !this.allowsName(path)));
    this.#tainted = new Set([...hidden.flatMap(({ field }) => field.copyTo), ...told.map(({ path }) => path)]);
  }

  /** Whether the rules let the name through, whatever it is in the mapping. */
  allowsName(name: string): boolean {
    return this.rules.every((either) => either.some((rule) => isLetThrough(rule, name)));
  }

  /** Whether the values of a field may be read: under its own name, as those that it is made of may be. */
  grants(name: string): boolean {
    if (METADATA.has(name)) return true;
    if (name === IGNORED) return false;
    const [joined, relation] = name.split('#');
    if (joined !== undefined && relation !== undefined) return this.grants(joined);
    const field = this.#mapped.get(name);
    if (field !== undefined) return this.#grantsMapped(name, field);
    const computed = this.#runtime.get(name);
    if (computed !== undefined) return this.allowsName(name) && this.#grantsComputed(computed);
    const owner = this.#ownerOf(name);
    if (owner === undefined) return this.allowsName(name);
    const mapped = this.#mapped.get(owner);
    // A key, or a part that the engine makes of the field.
    if (mapped !== undefined) return this.#grantsKey(name, owner, mapped);
    return this.grants(owner) && this.allowsName(name);
  }

  /** Whether some field in the object may be read. */
  grantsWithin(path: string): boolean {
    return [...this.#mapped.keys()].some((name) => name.startsWith(`${path}.`) && this.grants(name));
  }

  /** Names of the fields that a name or pattern means and that may be read, of those that `fits` takes. */
  named(pattern: string, fits: (field: FieldMapping | undefined) => boolean = () => true): readonly string[] {
    const computed = [...this.#runtime].flatMap(([name, { fields }]) =>
      fields === undefined ? [name] : [...fields.keys()].map((part) => `${name}.${part}`),
    );
    return [...new Set([...this.#mapped.keys(), ...computed])].filter(
      (name) => simpleMatch(pattern, name) && fits(this.#mapped.get(name)) && this.grants(name),
    );
  }

  /** Whether the path is that of an object of the mapping. */
  isObject(path: string): boolean {
    return !this.#mapped.has(path) && [...this.#mapped.keys()].some((name) => name.startsWith(`${path}.`));
  }

  /** Paths of leaf fields in sources that may be read. */
  get sourceFields(): readonly string[] {
    return this.#sourceFields.filter((name) => this.grants(name));
  }

  #grantsMapped(name: string, field: FieldMapping): boolean {
    if (!this.#allowsWhole(name, field) || this.#isTainted(name)) return false;
    const { path } = field.parameters;
    return field.type !== 'alias' || (typeof path === 'string' && this.grants(path));
  }

  #isTainted(name: string): boolean {
    return around(name).some((each) => this.#tainted.has(each));
  }

  /** Where one of its keys is hidden, so is a field as a whole: its values are those of all keys. */
  #allowsWhole(name: string, { type }: FieldMapping): boolean {
    if (!KEYED.has(type)) return this.allowsName(name);
    return this.rules.every((either) => either.some((rule) => isLetThrough(rule, name) && !exceptsBelow(rule, name)));
  }

  /** Who may read the field may read a key that is not excepted, nor anything below it. */
  #grantsKey(name: string, owner: string, { type, parameters: { path } }: FieldMapping): boolean {
    if (this.#isTainted(owner)) return false;
    const isLet = this.rules.every((either) =>
      either.some((rule) => isLetThrough(rule, owner) && !isExcepted(rule, name) && !exceptsBelow(rule, name)),
    );
    if (!isLet || type !== 'alias') return isLet;
    return typeof path === 'string' && this.grants(`${path}${name.slice(owner.length)}`);
  }

  /** What a script of the mapping reads is not known. */
  #grantsComputed({ script, lookup }: RuntimeField): boolean {
    return script === undefined && (lookup === undefined || this.grants(lookup.inputField));
  }

  /** The field that a name with more behind it is part of. */
  #ownerOf(name: string): string | undefined {
    return around(name)
      .slice(0, -1)
      .reverse()
      .find((each) => this.#mapped.has(each) || this.#runtime.has(each));
  }
}

/** Fields whose values tell the completions of a field apart. */
function contextPaths({ parameters: { contexts } }: FieldMapping): readonly string[] {
  const list = Array.isArray(contexts) ? (contexts as readonly JsonValue[]) : [contexts ?? null];
  return list.flatMap((context) => {
    const path = isJsonObject(context) ? context['path'] : undefined;
    return typeof path === 'string' ? [path] : [];
  });
}
