/** The `aliases` object of an index. */
import type { JsonObject } from '../../base/json-value.js';
import { renderAlias } from '../../cluster/alias-body.js';
import type { IndexMetadata } from '../../cluster/state.js';

/** All aliases of the index in order of their names, or those for which `wanted` holds. */
export function renderAliases(index: IndexMetadata, wanted: (alias: string) => boolean = () => true): JsonObject {
  const chosen = [...index.aliases].filter(([alias]) => wanted(alias));
  chosen.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(chosen.map(([alias, metadata]) => [alias, renderAlias(metadata)]));
}
