/**
 * A document on its way through pipelines: its source together with its metadata (`_index`, `_id`, ...), and what is
 * known of that way (`_ingest`). Fields are named by paths; a path that cannot be followed is an
 * `illegal_argument_exception` that says where it ends.
 */
import { illegalArgument } from '../../base/errors.js';
import { MEMBER_CHARACTERS, PRODUCED_MAX } from '../limits.js';
import { fieldPath, type FieldPath } from './field-path.js';
import { isObject, memberOf, putMember, sameValue, typeName, type IngestObject, type IngestValue } from './values.js';

export class IngestDocument {
  /** Source and metadata, as scripts see them in `ctx`. */
  readonly root: IngestObject;
  /** `timestamp`, `pipeline`, `_value`, `on_failure_message`, ... */
  readonly ingest: IngestObject;
  /** It shall not be indexed. */
  isDropped = false;
  /** It goes through the pipelines of another index, and no further through these. */
  isRerouted = false;
  #produced = 0;

  constructor(root: IngestObject, ingest: IngestObject) {
    this.root = root;
    this.ingest = ingest;
  }

  drop(): void {
    this.isDropped = true;
  }

  reroute(index: string): void {
    this.set('_index', index);
    this.isRerouted = true;
  }

  /** No further step of a pipeline sees it. */
  get isOver(): boolean {
    return this.isDropped || this.isRerouted;
  }

  has(text: string): boolean {
    const path = fieldPath(text);
    const parent = this.#walk(path);
    return stepInto(parent, path.leaf) !== undefined;
  }

  /** The path of the first value on the way that is no object; undefined when there is none. */
  obstacleOf(text: string): string | undefined {
    const path = fieldPath(text);
    let value: IngestValue | undefined = this.#start(path);
    // `_ingest.` and `_source.` are not among the parts.
    let end = text.length - path.rest.length - 1;
    for (const part of path.parents) {
      value = stepInto(value, part);
      if (value === undefined) return undefined;
      end += 1 + part.length;
      if (!isObject(value)) return text.slice(0, end);
    }
    return undefined;
  }

  /** Throws when there is none. */
  get(text: string): IngestValue {
    const path = fieldPath(text);
    let value: IngestValue = this.#start(path);
    for (const part of path.parents) value = resolve(value, part, path);
    return resolve(value, path.leaf, path);
  }

  /** Null when there is none. */
  find(text: string): IngestValue {
    const path = fieldPath(text);
    return stepInto(this.#walk(path), path.leaf) ?? null;
  }

  /** Makes the objects on the way that are missing. */
  set(text: string, value: IngestValue): void {
    const path = fieldPath(text);
    this.#spend(value);
    put(this.#parent(path), path, () => value);
  }

  /** A value that is no list becomes one. */
  append(text: string, values: IngestValue, allowDuplicates = true): void {
    const path = fieldPath(text);
    this.#spend(values);
    const added = Array.isArray(values) ? values : [values];
    put(this.#parent(path), path, (before) => {
      const list = before === undefined ? [] : Array.isArray(before) ? before : [before];
      for (const value of added) {
        if (allowDuplicates || !list.some((each) => sameValue(each, value))) list.push(value);
      }
      return list;
    });
  }

  /** Throws when there is none. */
  remove(text: string): void {
    const path = fieldPath(text);
    let parent: IngestValue = this.#start(path);
    for (const part of path.parents) parent = resolve(parent, part, path);
    if (Array.isArray(parent)) {
      parent.splice(indexIn(parent, path.leaf, path), 1);
    } else if (isObject(parent)) {
      if (!Object.hasOwn(parent, path.leaf)) throw notPresent(path.leaf, path);
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- fields of documents have any name
      delete parent[path.leaf];
    } else if (parent === null) {
      throw illegalArgument(`cannot remove [${path.leaf}] from null as part of path [${text}]`);
    } else {
      throw illegalArgument(
        `cannot remove [${path.leaf}] from object of type [${typeName(parent)}] as part of path [${text}]`,
      );
    }
  }

  /** Another value that is the same, without anything in common. */
  copyOf(value: IngestValue): IngestValue {
    this.#produce(MEMBER_CHARACTERS);
    if (Array.isArray(value)) return value.map((item) => this.copyOf(item));
    if (!isObject(value)) return value;
    const copy: IngestObject = {};
    for (const [name, member] of Object.entries(value)) putMember(copy, name, this.copyOf(member));
    return copy;
  }

  /** The other document as it is now; what is copied counts as produced here. */
  snapshotOf(other: IngestDocument): IngestDocument {
    const [root, ingest] = [this.copyOf(other.root), this.copyOf(other.ingest)];
    return new IngestDocument(root as IngestObject, ingest as IngestObject);
  }

  /** Counts what processors produce. */
  #produce(amount: number): void {
    this.#produced += amount;
    if (this.#produced > PRODUCED_MAX) {
      throw illegalArgument(`pipelines may not put more than [${PRODUCED_MAX}] characters into a document`);
    }
  }

  #spend(value: IngestValue): void {
    this.#produce(typeof value === 'string' ? value.length : MEMBER_CHARACTERS);
  }

  #start(path: FieldPath): IngestObject {
    return path.isIngest ? this.ingest : this.root;
  }

  /** Where the leaf would be; undefined where the way there ends. */
  #walk(path: FieldPath): IngestValue | undefined {
    let value: IngestValue | undefined = this.#start(path);
    for (const part of path.parents) value = stepInto(value, part);
    return value;
  }

  #parent(path: FieldPath): IngestValue {
    let value: IngestValue = this.#start(path);
    for (const part of path.parents) {
      if (isObject(value) && !Object.hasOwn(value, part)) {
        const made: IngestObject = {};
        putMember(value, part, made);
        value = made;
      } else {
        value = resolve(value, part, path);
      }
    }
    return value;
  }
}

function stepInto(value: IngestValue | undefined, part: string): IngestValue | undefined {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(part) ? value[Number(part)] : undefined;
  return isObject(value) ? memberOf(value, part) : undefined;
}

function resolve(value: IngestValue, part: string, path: FieldPath): IngestValue {
  if (Array.isArray(value)) return value[indexIn(value, part, path)] ?? null;
  if (isObject(value)) {
    const member = memberOf(value, part);
    if (member === undefined) throw notPresent(part, path);
    return member;
  }
  if (value === null) throw illegalArgument(`cannot resolve [${part}] from null as part of path [${path.text}]`);
  throw illegalArgument(
    `cannot resolve [${part}] from object of type [${typeName(value)}] as part of path [${path.text}]`,
  );
}

function put(parent: IngestValue, path: FieldPath, change: (before: IngestValue | undefined) => IngestValue): void {
  const { leaf, text } = path;
  if (Array.isArray(parent)) {
    const index = indexIn(parent, leaf, path);
    parent[index] = change(parent[index]);
  } else if (isObject(parent)) {
    putMember(parent, leaf, change(memberOf(parent, leaf)));
  } else if (parent === null) {
    throw illegalArgument(`cannot set [${leaf}] with null parent as part of path [${text}]`);
  } else {
    throw illegalArgument(
      `cannot set [${leaf}] with parent object of type [${typeName(parent)}] as part of path [${text}]`,
    );
  }
}

function indexIn(list: readonly unknown[], part: string, path: FieldPath): number {
  if (!/^-?\d{1,10}$/.test(part)) {
    throw illegalArgument(`[${part}] is not an integer, cannot be used as an index as part of path [${path.text}]`);
  }
  const index = Number(part);
  if (index >= 0 && index < list.length) return index;
  throw illegalArgument(
    `[${index}] is out of bounds for array with length [${list.length}] as part of path [${path.text}]`,
  );
}

function notPresent(part: string, path: FieldPath): Error {
  return illegalArgument(`field [${part}] not present as part of path [${path.text}]`);
}

export function castError(path: string, value: IngestValue, wanted: string): Error {
  return illegalArgument(`field [${path}] of type [${typeName(value)}] cannot be cast to [${wanted}]`);
}
