/** Settings as flat keys: `index.number_of_shards` to `"1"`. The API's nested form is turned into this and back. */
import { illegalArgument } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';

/** Every scalar is kept as the text that the API prints. */
export type SettingValue = string | readonly string[];

export type FlatSettings = ReadonlyMap<string, SettingValue>;

/** A change of settings: `null` removes the key. */
export type SettingsUpdate = ReadonlyMap<string, SettingValue | null>;

/** Nested and dotted keys alike become flat keys; `null` stays, for removal. Lists may hold scalars only. */
export function flattenSettings(body: JsonObject): SettingsUpdate {
  const flat = new Map<string, SettingValue | null>();
  flattenInto(flat, '', body);
  return flat;
}

function flattenInto(flat: Map<string, SettingValue | null>, prefix: string, tree: JsonObject): void {
  for (const [name, child] of Object.entries(tree)) {
    if (child === undefined) continue;
    const key = prefix === '' ? name : `${prefix}.${name}`;
    if (isJsonObject(child)) {
      flattenInto(flat, key, child);
      continue;
    }
    if (flat.has(key)) throw illegalArgument(`duplicate settings key [${key}]`);
    flat.set(key, settingValue(key, child));
  }
}

function settingValue(key: string, value: JsonValue): SettingValue | null {
  if (value === null) return null;
  if (typeof value !== 'object') return String(value);
  return (value as readonly JsonValue[]).map((item) => {
    if (typeof item === 'object') throw illegalArgument(`the list of setting [${key}] may hold only scalars`);
    return String(item);
  });
}

/** Gives every key without it the prefix `index.`, as the API does for the settings of an index. */
export function withIndexPrefix<Value>(settings: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  const prefixed = new Map<string, Value>();
  for (const [key, value] of settings) {
    const isWhole = key.startsWith('index.') || key.startsWith('archived.') || key === '*';
    const full = isWhole ? key : `index.${key}`;
    if (prefixed.has(full)) throw illegalArgument(`duplicate settings key [${full}]`);
    prefixed.set(full, value);
  }
  return prefixed;
}

/** `{ "index.number_of_shards": "1" }`, keys in order. */
export function renderFlat(settings: FlatSettings): JsonObject {
  return Object.fromEntries(sortedEntries(settings));
}

/**
 * `{ index: { number_of_shards: "1" } }`, keys in order. Where one key is the beginning of another (`a` and `a.b`), the
 * longer one stays dotted beside the shorter.
 */
export function renderNested(settings: FlatSettings): JsonObject {
  const root: Record<string, unknown> = {};
  for (const [key, value] of sortedEntries(settings)) insertNested(root, key.split('.'), value);
  return root as JsonObject;
}

function insertNested(root: Record<string, unknown>, path: readonly string[], value: SettingValue): void {
  let node = root;
  for (let depth = 0; depth < path.length - 1; depth++) {
    const step = path[depth] ?? '';
    const child = Object.hasOwn(node, step) ? node[step] : undefined;
    if (child === undefined) {
      const created: Record<string, unknown> = {};
      define(node, step, created);
      node = created;
    } else if (isJsonObject(child)) {
      node = child;
    } else {
      define(node, path.slice(depth).join('.'), value);
      return;
    }
  }
  define(node, path[path.length - 1] ?? '', value);
}

/** Unlike assignment, safe for `__proto__`. */
function define(node: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(node, name, { value, enumerable: true, writable: true, configurable: true });
}

function sortedEntries(settings: FlatSettings): readonly (readonly [string, SettingValue])[] {
  return [...settings].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
}
