/** Reads the members of a part of a policy by name and kind, and refuses those that nobody read. */
import { illegalArgument } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { parseTimeMs } from '../../base/units.js';

const COUNT_MAX = 0x7fff_ffff;

export class PolicyMembers {
  /** For errors: `deletion.condition`; empty for the policy itself. */
  readonly place: string;
  readonly source: JsonObject;
  private readonly unread: Set<string>;

  constructor(place: string, source: JsonObject) {
    this.place = place;
    this.source = source;
    this.unread = new Set(Object.keys(source));
  }

  has(name: string): boolean {
    return this.source[name] !== undefined && this.source[name] !== null;
  }

  skip(name: string): void {
    this.unread.delete(name);
  }

  text(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.malformed(name, 'a text');
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

  /** A list, or one text with commas. */
  list(name: string): readonly string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string') return value.split(',').map((each) => each.trim());
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw this.malformed(name, 'a text or a list of texts');
  }

  object(name: string): PolicyMembers | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (isJsonObject(value)) return new PolicyMembers(this.placeOf(name), value);
    throw this.malformed(name, 'an object');
  }

  /** As it was written; longer than nothing. */
  duration(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || parseTimeMs(text, this.placeOf(name)) > 0) return text;
    throw illegalArgument(`[${this.placeOf(name)}] must be positive, but was [${text}]`);
  }

  /** To be called at last. */
  refuseOthers(): void {
    const [unknown] = this.unread;
    if (unknown !== undefined) throw illegalArgument(`unknown field [${this.placeOf(unknown)}] of a policy`);
  }

  private take(name: string): JsonValue | undefined {
    this.unread.delete(name);
    return this.source[name] ?? undefined;
  }

  private placeOf(name: string): string {
    return this.place === '' ? name : `${this.place}.${name}`;
  }

  private malformed(name: string, wanted: string): Error {
    const found = JSON.stringify(this.source[name]);
    return illegalArgument(`[${this.placeOf(name)}] must be ${wanted}, found [${found}]`);
  }
}
