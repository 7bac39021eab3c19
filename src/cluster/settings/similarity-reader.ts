/** Reading the settings of one similarity: numbers, words and scripts, each named by its key where it is refused. */
import { illegalArgument } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import type { ScriptSpec } from '../../mapping/similarity.js';
import { renderNested, type SettingValue } from './flat-settings.js';

export const SIMILARITY_PREFIX = 'index.similarity.';

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The settings of one similarity, by their names behind its own. */
export class SimilarityReader {
  readonly name: string;
  readonly #values: ReadonlyMap<string, SettingValue>;

  constructor(name: string, values: ReadonlyMap<string, SettingValue>) {
    this.name = name;
    this.#values = values;
  }

  /** Throws when there are settings that no such similarity has. A known one that ends in a dot stands for all that begin so. */
  refuseOthers(type: string, known: readonly string[]): void {
    const isKnown = (key: string): boolean =>
      key === 'type' || known.some((name) => key === name || (name.endsWith('.') && key.startsWith(name)));
    const unknown = [...this.#values.keys()].filter((key) => !isKnown(key)).sort();
    if (unknown.length === 0) return;
    throw illegalArgument(
      `Unknown settings for similarity of type [${type}]: [${unknown.join(', ')}] of [${this.name}]`,
    );
  }

  keyOf(setting: string): string {
    return `${SIMILARITY_PREFIX}${this.name}.${setting}`;
  }

  text(setting: string): string | undefined {
    const value = this.#values.get(setting);
    if (value === undefined || typeof value === 'string') return value;
    throw illegalArgument(`setting [${this.keyOf(setting)}] must be one value, not a list`);
  }

  number(setting: string, fallback: number, isValid: (value: number) => boolean, rule: string): number {
    const text = this.text(setting)?.trim();
    if (text === undefined) return fallback;
    if (!NUMBER.test(text)) {
      throw illegalArgument(`Failed to parse value [${text}] for setting [${this.keyOf(setting)}]`);
    }
    // Formulas have single precision: what is 0 or infinite there is so here.
    const value = Math.fround(Number(text));
    if (Number.isFinite(value) && isValid(value)) return Number(text);
    throw illegalArgument(`illegal value [${text}] for setting [${this.keyOf(setting)}], ${rule}`);
  }

  flag(setting: string, fallback: boolean): boolean {
    const text = this.text(setting);
    if (text === undefined) return fallback;
    if (text === 'true' || text === 'false') return text === 'true';
    throw illegalArgument(
      `Failed to parse value [${text}] as only [true] or [false] are allowed, for setting [${this.keyOf(setting)}]`,
    );
  }

  /** One of a few words. `former` ones are known to have been offered once. */
  choice(setting: string, what: string, known: readonly string[], former: readonly string[] = []): string {
    const word = this.text(setting);
    if (word !== undefined && known.includes(word)) return word;
    const place = `for setting [${this.keyOf(setting)}]`;
    if (word !== undefined && former.includes(word)) {
      throw illegalArgument(
        `${what} [${word}] isn't supported anymore ${place}, expected one of [${known.join(', ')}]`,
      );
    }
    throw illegalArgument(`Unsupported ${what} [${word ?? 'null'}] ${place}, expected one of [${known.join(', ')}]`);
  }

  script(setting: string): ScriptSpec | undefined {
    const script = nestedUnder(this.#values, setting);
    if (script === undefined) return undefined;
    const { source, id, lang, params, options: _, ...others } = script;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw illegalArgument(`unknown field [${unknown}] in setting [${this.keyOf(setting)}]`);
    const word = (name: string, value: unknown): string | undefined => {
      if (value === undefined || typeof value === 'string') return value;
      throw illegalArgument(`setting [${this.keyOf(setting)}.${name}] must be a text`);
    };
    const [given, stored, language] = [word('source', source), word('id', id), word('lang', lang)];
    return {
      ...(given === undefined ? {} : { source: given }),
      ...(stored === undefined ? {} : { id: stored }),
      ...(language === undefined ? {} : { lang: language }),
      ...(isJsonObject(params) ? { params } : {}),
    };
  }
}

function nestedUnder(values: ReadonlyMap<string, SettingValue>, prefix: string): JsonObject | undefined {
  const below = new Map([...values].filter(([key]) => key.startsWith(`${prefix}.`)));
  const tree = below.size === 0 ? undefined : renderNested(below)[prefix];
  return isJsonObject(tree) ? tree : undefined;
}
