/** Reads the members of a body one by one; what is left over is refused by name. No value is ever part of a refusal: it may be a secret. */
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { parseTimeMs } from '../../base/units.js';

export class BodyMembers {
  private readonly what: string;
  private readonly members: Map<string, JsonValue | undefined>;

  /** `what` is what the body is of, as refusals name it: `add user request`. */
  constructor(body: JsonObject, what: string) {
    this.what = what;
    this.members = new Map(Object.entries(body));
  }

  string(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'string') return value;
    throw this.wrongType(name, 'string', value);
  }

  requiredString(name: string): string {
    const value = this.string(name);
    if (value !== undefined && value !== '') return value;
    throw new QuarryError('parse_exception', `failed to parse ${this.what}. [${name}] is required`);
  }

  /** A text or null. */
  optionalText(name: string): string | null {
    const value = this.take(name);
    if (value === undefined || value === null) return null;
    if (typeof value === 'string') return value;
    throw this.wrongType(name, 'string', value);
  }

  boolean(name: string): boolean | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.wrongType(name, 'boolean', value);
  }

  number(name: string): number | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'number') return value;
    throw this.wrongType(name, 'number', value);
  }

  object(name: string): JsonObject | undefined {
    const value = this.take(name);
    if (value === undefined || isJsonObject(value)) return value;
    throw this.wrongType(name, 'object', value);
  }

  value(name: string): JsonValue | undefined {
    return this.take(name);
  }

  /** A list of texts. `separated`: or one text with commas. */
  strings(name: string, separated: 'separated' | 'single' | 'listed' = 'listed'): readonly string[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    if (typeof value === 'string' && separated !== 'listed') {
      return separated === 'single' ? [value] : value.split(',').filter((each) => each !== '');
    }
    if (!Array.isArray(value)) throw this.wrongType(name, 'array of strings', value);
    const items = value as readonly JsonValue[];
    const wrong = items.findIndex((item) => typeof item !== 'string');
    if (wrong >= 0) throw this.wrongType(`${name}[${wrong}]`, 'string', items[wrong]);
    return items as readonly string[];
  }

  /** In milliseconds. */
  time(name: string): number | undefined {
    const text = this.string(name);
    return text === undefined ? undefined : parseTimeMs(text, name);
  }

  /** In milliseconds, or null. */
  timeOrNull(name: string): number | null | undefined {
    if (this.members.get(name) !== null) return this.time(name);
    this.members.delete(name);
    return null;
  }

  /** Refuses what nobody asked for. */
  end(): void {
    for (const name of this.members.keys()) {
      throw new QuarryError('parse_exception', `failed to parse ${this.what}. unexpected field [${name}]`);
    }
  }

  private take(name: string): JsonValue | undefined {
    const value = this.members.get(name);
    this.members.delete(name);
    return value;
  }

  private wrongType(name: string, expected: string, found: JsonValue | undefined): QuarryError {
    const kind = found === null ? 'null' : Array.isArray(found) ? 'array' : typeof found;
    const reason = `expected field [${name}] to be of type ${expected}, but found [${kind}] instead`;
    return new QuarryError('parse_exception', reason);
  }
}

/** Refuses metadata whose members are the system's own. */
export function metadataFaults(metadata: JsonObject): readonly string[] {
  const isReserved = Object.keys(metadata).some((key) => key.startsWith('_'));
  return isReserved ? ['metadata keys may not start with [_]'] : [];
}
