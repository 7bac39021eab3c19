/** Reads the settings of one repository; what cannot be meant is a `repository_exception` that names the repository and the setting. */
import { QuarryError } from '../base/errors.js';
import { parseBytes, parseTimeMs } from '../base/units.js';

/** As they were given, without a prefix. */
export type RepositorySettings = ReadonlyMap<string, string | readonly string[]>;

export interface RepositoryDefinition {
  readonly name: string;
  readonly type: string;
  readonly settings: RepositorySettings;
}

export class SettingReader {
  private readonly definition: RepositoryDefinition;

  constructor(definition: RepositoryDefinition) {
    this.definition = definition;
  }

  /** Undefined where it was not given. */
  text(key: string): string | undefined {
    const value = this.definition.settings.get(key);
    if (value === undefined || typeof value === 'string') return value;
    throw this.refused(`setting [${key}] takes one value`);
  }

  flag(key: string, fallback: boolean): boolean {
    const value = this.text(key) ?? String(fallback);
    if (value === 'true' || value === 'false') return value === 'true';
    throw this.refused(`failed to parse value [${value}] of setting [${key}] as [true] or [false]`);
  }

  bytes(key: string, fallback: string): number {
    return this.parsed(() => parseBytes(this.text(key) ?? fallback, key));
  }

  /** In milliseconds. */
  time(key: string, fallback: string): number {
    return this.parsed(() => parseTimeMs(this.text(key) ?? fallback, key));
  }

  count(key: string, fallback: number, least: number, most: number): number {
    const value = Number(this.text(key) ?? fallback);
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
    throw this.refused(`setting [${key}] must be a whole number of [${least}] to [${most}]`);
  }

  oneOf<const Name extends string>(key: string, names: readonly Name[]): Name | undefined {
    const value = this.text(key);
    const found = names.find((name) => name === value);
    if (found !== undefined || value === undefined) return found;
    throw this.refused(`setting [${key}] is [${value}] and must be one of [${names.join(', ')}]`);
  }

  /** A mistake of whoever registers the repository. */
  refused(why: string): QuarryError {
    return new QuarryError('repository_exception', `[${this.definition.name}] ${why}`, { status: 400 });
  }

  private parsed(parse: () => number): number {
    try {
      return parse();
    } catch (cause) {
      throw this.refused(cause instanceof Error ? cause.message : String(cause));
    }
  }
}
