/** The properties of one definition, each read once; what is left over is not supported. */
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import { isJsonObject } from '../../base/json-value.js';
import { typeName } from '../document/values.js';
import { configurationError, type Owner } from './configuration-error.js';

export class Options {
  readonly owner: Owner;
  readonly #left: Map<string, JsonValue>;

  constructor(definition: JsonObject, owner: Owner) {
    this.owner = owner;
    this.#left = new Map(
      Object.entries(definition).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    );
  }

  /** Names that nobody has read. */
  get unread(): readonly string[] {
    return [...this.#left.keys()];
  }

  has(name: string): boolean {
    return this.#left.has(name);
  }

  /** Undefined also for null. */
  take(name: string): JsonValue | undefined {
    const value = this.#left.get(name);
    this.#left.delete(name);
    return value ?? undefined;
  }

  required(name: string): JsonValue {
    const value = this.take(name);
    if (value === undefined) throw this.error(name, 'required property is missing');
    return value;
  }

  text(name: string): string {
    return this.#asText(name, this.required(name));
  }

  optionalText(name: string): string | undefined;
  optionalText(name: string, fallback: string): string;
  optionalText(name: string, fallback?: string): string | undefined {
    const value = this.take(name);
    return value === undefined ? fallback : this.#asText(name, value);
  }

  /** A text, or a number as it is written. */
  textOrNumber(name: string): string {
    const value = this.required(name);
    if (typeof value === 'number' && Number.isInteger(value)) return String(value);
    if (typeof value === 'string') return value;
    throw this.error(name, `property isn't a string or int, but of type [${typeName(value)}]`);
  }

  flag(name: string, fallback = false): boolean {
    const value = this.take(name);
    if (value === undefined) return fallback;
    if (typeof value === 'boolean') return value;
    throw this.error(name, `property isn't a boolean, but of type [${typeName(value)}]`);
  }

  optionalInteger(name: string): number | undefined;
  optionalInteger(name: string, fallback: number): number;
  optionalInteger(name: string, fallback?: number): number | undefined {
    const value = this.take(name);
    if (value === undefined) return fallback;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (/^[+-]?\d{1,10}$/.test(text)) return Number(text);
    throw this.error(name, `property cannot be converted to an int [${JSON.stringify(value)}]`);
  }

  list(name: string): readonly JsonValue[] {
    return this.#asList(name, this.required(name));
  }

  optionalList(name: string): readonly JsonValue[] | undefined {
    const value = this.take(name);
    return value === undefined ? undefined : this.#asList(name, value);
  }

  texts(name: string): readonly string[] {
    return this.list(name).map((item) => this.#asText(name, item));
  }

  optionalTexts(name: string): readonly string[] | undefined {
    return this.optionalList(name)?.map((item) => this.#asText(name, item));
  }

  /** One text stands for a list of it. */
  oneOrMoreTexts(name: string): readonly string[] {
    const value = this.required(name);
    return (Array.isArray(value) ? value : [value]).map((item) => this.#asText(name, item as JsonValue));
  }

  optionalOneOrMoreTexts(name: string): readonly string[] | undefined {
    return this.#left.has(name) ? this.oneOrMoreTexts(name) : undefined;
  }

  object(name: string): JsonObject {
    return this.#asObject(name, this.required(name));
  }

  optionalObject(name: string): JsonObject | undefined {
    const value = this.take(name);
    return value === undefined ? undefined : this.#asObject(name, value);
  }

  error(property: string | undefined, reason: string): Error {
    return configurationError(this.owner, property, reason);
  }

  #asText(name: string, value: JsonValue): string {
    if (typeof value === 'string') return value;
    throw this.error(name, `property isn't a string, but of type [${typeName(value)}]`);
  }

  #asList(name: string, value: JsonValue): readonly JsonValue[] {
    if (Array.isArray(value)) return value as readonly JsonValue[];
    throw this.error(name, `property isn't a list, but of type [${typeName(value)}]`);
  }

  #asObject(name: string, value: JsonValue): JsonObject {
    if (isJsonObject(value)) return value;
    throw this.error(name, `property isn't a map, but of type [${typeName(value)}]`);
  }
}
