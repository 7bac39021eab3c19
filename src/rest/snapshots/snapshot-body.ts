/** Members that the bodies of snapshots, clones and restores share. */
import { illegalArgument } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { indicesOptions, type IndicesOptions } from '../../cluster/names/indices-options.js';
import { splitList } from '../parameters.js';

/** Reads members by name, and refuses those that nobody read. */
export class SnapshotBody {
  private readonly kind: string;
  private readonly members: Map<string, JsonValue>;

  /** `kind`: what the body describes, for errors. */
  constructor(kind: string, body: JsonObject) {
    this.kind = kind;
    this.members = new Map(
      Object.entries(body).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.take(name);
    if (value === undefined) return fallback;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw this.malformed(name, 'true or false');
  }

  text(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.malformed(name, 'a string');
  }

  /** A list, or one string with commas; undefined where it is absent. */
  list(name: string): readonly string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return splitList(value);
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw this.malformed(name, 'a string or an array of strings');
  }

  object(name: string): JsonObject | undefined {
    const value = this.take(name);
    if (value === undefined || isJsonObject(value)) return value;
    throw this.malformed(name, 'an object');
  }

  /** `ignore_unavailable`, `allow_no_indices`, `expand_wildcards`. */
  indicesOptions(defaults: IndicesOptions): IndicesOptions {
    const has = (name: string): boolean => this.members.has(name);
    const ignore = has('ignore_unavailable') ? this.flag('ignore_unavailable', false) : undefined;
    const allow = has('allow_no_indices') ? this.flag('allow_no_indices', false) : undefined;
    const expand = this.list('expand_wildcards');
    return indicesOptions(defaults, {
      ignore_unavailable: ignore,
      allow_no_indices: allow,
      expand_wildcards: expand,
    });
  }

  /** To be called at last. */
  refuseOthers(): void {
    const [unknown] = this.members.keys();
    if (unknown !== undefined) throw illegalArgument(`Unknown parameter ${unknown} of a ${this.kind}`);
  }

  private take(name: string): JsonValue | undefined {
    const value = this.members.get(name);
    this.members.delete(name);
    return value === null ? undefined : value;
  }

  private malformed(name: string, wanted: string): Error {
    return illegalArgument(`malformed ${name} of a ${this.kind}, should be ${wanted}`);
  }
}
