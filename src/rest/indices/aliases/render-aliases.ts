/** The `aliases` object of an index or data stream. */
import type { JsonObject } from '../../../base/json-value.js';
import { renderAlias } from '../../../cluster/aliases/alias-body.js';
import type { AliasMetadata } from '../../../cluster/state.js';

/** All its aliases in order of their names, or those for which `wanted` holds. */
export function renderAliases(
  { aliases }: { readonly aliases?: ReadonlyMap<string, AliasMetadata> },
  wanted: (alias: string) => boolean = () => true,
): JsonObject {
  const chosen = [...(aliases ?? [])].filter(([alias]) => wanted(alias));
  chosen.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(chosen.map(([alias, metadata]) => [alias, renderAlias(metadata)]));
}
