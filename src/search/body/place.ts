/** A value inside a request body that knows where it stands, so that a refusal can name line and column. */
import { QuarryError, type ErrorType } from '../../base/errors.js';
import type { ExactJsonValue } from '../../base/json.js';
import { isJsonObject, type JsonObject, type JsonScalar, type JsonValue } from '../../base/json-value.js';
import { withExactNumbers } from './exact-numbers.js';
import { placeOf, type LineAndColumn, type PathStep } from './json-place.js';

/** The body of a request as the REST layer holds it. */
export interface RequestBody {
  /** JSON; empty when the body was made up here. */
  readonly bytes: Uint8Array;
  /** Number of its first line in the body that it is part of; absent: 1. */
  readonly firstLine?: number;
  /** Of a body within another: where it stands. */
  readonly place?: Place;
  /** Takes the texts that are passed on as they are, see {@link Place.verbatim}. */
  readonly verbatim?: Set<string>;
  object(): JsonObject | undefined;
}

/** One body and what is computed from it on demand. */
class BodyText {
  readonly verbatim: Set<string> | undefined;
  readonly #bytes: Uint8Array;
  readonly #firstLine: number;
  #exact: { readonly value: JsonValue | undefined } | undefined;

  constructor({ bytes, firstLine = 1, verbatim }: Omit<RequestBody, 'object'>) {
    this.verbatim = verbatim;
    this.#bytes = bytes;
    this.#firstLine = firstLine;
  }

  locate(path: readonly PathStep[]): LineAndColumn | undefined {
    const found = this.#bytes.length === 0 ? undefined : placeOf(this.#text(), path);
    return found === undefined ? undefined : { ...found, line: found.line + this.#firstLine - 1 };
  }

  exact(path: readonly PathStep[]): JsonValue | undefined {
    this.#exact ??= { value: this.#bytes.length === 0 ? undefined : withExactNumbers(this.#text()) };
    let value = this.#exact.value;
    for (const step of path) value = (value as Record<PathStep, JsonValue> | undefined)?.[step];
    return value;
  }

  #text(): string {
    return new TextDecoder().decode(this.#bytes);
  }
}

/** How the API's parser calls the beginning of a value. */
export type TokenName =
  'START_OBJECT' | 'START_ARRAY' | 'VALUE_STRING' | 'VALUE_NUMBER' | 'VALUE_BOOLEAN' | 'VALUE_NULL';

export class Place {
  readonly value: JsonValue;
  readonly #parent: Place | undefined;
  readonly #step: PathStep;
  readonly #text: BodyText;

  private constructor(value: JsonValue, parent: Place | undefined, step: PathStep, text: BodyText) {
    this.value = value;
    this.#parent = parent;
    this.#step = step;
    this.#text = text;
  }

  /** The whole body; an absent one reads as `{}`. */
  static ofBody(body: RequestBody | undefined): Place {
    if (body?.place !== undefined) return body.place;
    return new Place(body?.object() ?? {}, undefined, '', new BodyText(body ?? { bytes: new Uint8Array() }));
  }

  /** A value that no body holds, such as one from the query string. */
  static ofValue(value: JsonValue): Place {
    return new Place(value, undefined, '', new BodyText({ bytes: new Uint8Array() }));
  }

  /** An object that is the body of a request of its own; errors about it name its place in the whole body. */
  asBody(): RequestBody {
    if (!isJsonObject(this.value)) throw this.error(`Expected [START_OBJECT] but found [${this.token}]`);
    const { value } = this;
    return { bytes: new Uint8Array(), place: this, object: () => value };
  }

  /** Name of the member or index of the item that this is; empty for the body. */
  get step(): PathStep {
    return this.#step;
  }

  get token(): TokenName {
    if (this.value === null) return 'VALUE_NULL';
    if (Array.isArray(this.value)) return 'START_ARRAY';
    switch (typeof this.value) {
      case 'object':
        return 'START_OBJECT';
      case 'string':
        return 'VALUE_STRING';
      case 'number':
        return 'VALUE_NUMBER';
      default:
        return 'VALUE_BOOLEAN';
    }
  }

  get isObject(): boolean {
    return isJsonObject(this.value);
  }

  get isArray(): boolean {
    return Array.isArray(this.value);
  }

  get isScalar(): boolean {
    return this.value === null || typeof this.value !== 'object';
  }

  /** Members of an object in the order of the body; none for anything else. */
  members(): readonly (readonly [string, Place])[] {
    if (!isJsonObject(this.value)) return [];
    return Object.entries(this.value).map(([name, value]) => [
      name,
      new Place(value as JsonValue, this, name, this.#text),
    ]);
  }

  /** Items of an array; the value itself as the only one for anything else. */
  items(): readonly Place[] {
    if (!Array.isArray(this.value)) return [this];
    return (this.value as readonly JsonValue[]).map((item, index) => new Place(item, this, index, this.#text));
  }

  /** The scalar with digits as they were written: a string where a number would not repeat its text. */
  exactScalar(): JsonScalar {
    const value = this.value as JsonScalar;
    if (typeof value !== 'number') return value;
    const exact = this.#text.exact(this.#path());
    return typeof exact === 'string' ? exact : value;
  }

  /**
   * As {@link exactScalar}, for a value that goes into the plan as it is and decides nothing else of it: with another text in its place, the plan
   * would be the same but for that text. Searches that differ in such texts alone need not be understood anew.
   */
  verbatim(): JsonScalar {
    if (typeof this.value === 'string') this.#text.verbatim?.add(this.value);
    return this.exactScalar();
  }

  /** The value with integers as they were written: bigints where numbers would lose digits. */
  exactValue(): ExactJsonValue {
    if (this.isObject) return Object.fromEntries(this.members().map(([name, member]) => [name, member.exactValue()]));
    if (this.isArray) return this.items().map((item) => item.exactValue());
    const scalar = this.exactScalar();
    const isInteger = typeof this.value === 'number' && typeof scalar === 'string' && /^-?\d+$/.test(scalar);
    return isInteger ? BigInt(scalar) : (this.value as JsonScalar);
  }

  /** A refusal that names the place. */
  error(reason: string, type: ErrorType = 'parsing_exception', cause?: unknown): QuarryError {
    const found = this.#text.locate(this.#path());
    const details = found === undefined ? {} : { line: found.line, col: found.column };
    return new QuarryError(type, reason, { details, ...(cause === undefined ? {} : { cause }) });
  }

  /** A refusal whose sentence begins with `[line:column]`, as those of the API's declarative parsers do. */
  errorWithPlace(reason: string, type: ErrorType = 'x_content_parse_exception', cause?: unknown): QuarryError {
    const found = this.#text.locate(this.#path());
    const prefix = found === undefined ? '' : `[${found.line}:${found.column}] `;
    return new QuarryError(type, prefix + reason, cause === undefined ? {} : { cause });
  }

  #path(): readonly PathStep[] {
    return this.#parent === undefined ? [] : [...this.#parent.#path(), this.#step];
  }
}
