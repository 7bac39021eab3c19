/** What requests say about aliases, checked. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { resolveDateMathName } from '../names/date-math-name.js';
import type { AliasMetadata } from '../state.js';

/** The `aliases` member of an index creation: name to body. */
export function parseAliases(body: JsonObject, nowMs: number): ReadonlyMap<string, AliasMetadata> {
  const aliases = new Map<string, AliasMetadata>();
  for (const [expression, alias] of Object.entries(body)) {
    if (!isJsonObject(alias)) {
      throw new QuarryError('parsing_exception', `alias [${expression}] must be an object`);
    }
    aliases.set(resolveDateMathName(expression, nowMs), parseAlias(alias, expression));
  }
  return aliases;
}

/** The body of one alias. `routing` stands for both routings where they are not given. */
export function parseAlias(body: JsonObject, name: string): AliasMetadata {
  let filter: JsonObject | undefined;
  let routing: string | undefined;
  let indexRouting: string | undefined;
  let searchRouting: string | undefined;
  let isWriteIndex: boolean | undefined;
  let isHidden: boolean | undefined;
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined || value === null) continue;
    switch (key) {
      case 'filter':
        filter = objectOf(value, key, name);
        break;
      case 'routing':
        routing = textOf(value, key, name);
        break;
      case 'index_routing':
      case 'indexRouting':
      case 'index-routing':
        indexRouting = textOf(value, key, name);
        break;
      case 'search_routing':
      case 'searchRouting':
      case 'search-routing':
        searchRouting = textOf(value, key, name);
        break;
      case 'is_write_index':
        isWriteIndex = booleanOf(value, key, name);
        break;
      case 'is_hidden':
        isHidden = booleanOf(value, key, name);
        break;
      default:
        throw illegalArgument(`unknown field [${key}] in alias [${name}]`);
    }
  }
  indexRouting ??= routing;
  searchRouting ??= routing;
  return {
    ...(filter === undefined || Object.keys(filter).length === 0 ? {} : { filter }),
    ...(indexRouting === undefined ? {} : { indexRouting }),
    ...(searchRouting === undefined ? {} : { searchRouting }),
    ...(isWriteIndex === undefined ? {} : { isWriteIndex }),
    ...(isHidden === undefined ? {} : { isHidden }),
  };
}

/** As the API prints it. */
export function renderAlias(alias: AliasMetadata): JsonObject {
  return {
    ...(alias.filter === undefined ? {} : { filter: alias.filter }),
    ...(alias.indexRouting === undefined ? {} : { index_routing: alias.indexRouting }),
    ...(alias.searchRouting === undefined ? {} : { search_routing: alias.searchRouting }),
    ...(alias.isWriteIndex === undefined ? {} : { is_write_index: alias.isWriteIndex }),
    ...(alias.isHidden === undefined ? {} : { is_hidden: alias.isHidden }),
  };
}

function objectOf(value: JsonValue, key: string, name: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw illegalArgument(`[${key}] of alias [${name}] must be an object`);
}

function textOf(value: JsonValue, key: string, name: string): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw illegalArgument(`[${key}] of alias [${name}] must be a string`);
}

function booleanOf(value: JsonValue, key: string, name: string): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw illegalArgument(`[${key}] of alias [${name}] must be a boolean`);
}
