/** Reads the members of a JSON object by name and kind, and refuses those that nobody read. Null is as good as absent. */
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.js';
import { splitList } from './split-list.js';

const COUNT_MAX = 0x7fff_ffff;

export abstract class JsonMembers {
  readonly source: JsonObject;
  private readonly unread: Set<string>;

  constructor(source: JsonObject) {
    this.source = source;
    this.unread = new Set(Object.keys(source).filter((name) => source[name] !== undefined));
  }

  has(name: string): boolean {
    return this.source[name] !== undefined && this.source[name] !== null;
  }

  /** Others read it, or nobody needs to. */
  skip(name: string): void {
    this.unread.delete(name);
  }

  text(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.malformed(name, 'a string');
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.take(name);
    if (value === undefined) return fallback;
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw this.malformed(name, 'true or false');
  }

  count(name: string): number | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= COUNT_MAX) return value;
    throw this.malformed(name, 'a whole number');
  }

  /** An array, or one string with commas. */
  list(name: string): readonly string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return splitList(value);
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw this.malformed(name, 'a string or an array of strings');
  }

  /** To be called at last. */
  refuseOthers(): void {
    const [unknown] = this.unread;
    if (unknown !== undefined) throw this.unknown(unknown);
  }

  protected take(name: string): JsonValue | undefined {
    this.unread.delete(name);
    return this.source[name] ?? undefined;
  }

  protected takeObject(name: string): JsonObject | undefined {
    const value = this.take(name);
    if (value === undefined || isJsonObject(value)) return value;
    throw this.malformed(name, 'an object');
  }

  protected abstract malformed(name: string, wanted: string): Error;
  protected abstract unknown(name: string): Error;
}
