/** `indices_boost`: what the scores of an index are multiplied with. */
import { aliasTable } from '../../cluster/aliases/aliases.js';
import { indexNotFound } from '../../cluster/names/index-expression.js';
import type { ClusterState } from '../../cluster/state.js';
import { isPattern, patternMatcher } from '../../cluster/names/wildcard.js';
import type { IndexBoostPlan } from '../../search/plan/search-plan.js';

/** By index name; the first entry that means an index counts. */
export function indexBoosts(
  state: ClusterState,
  boosts: readonly IndexBoostPlan[],
  ignoreUnavailable: boolean,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { index, boost } of boosts) {
    const names = namesOf(state, index);
    if (names.length === 0 && !ignoreUnavailable && !isPattern(index)) throw indexNotFound(index, 'index_or_alias');
    for (const name of names) if (!found.has(name)) found.set(name, boost);
  }
  return found;
}

function namesOf(state: ClusterState, expression: string): readonly string[] {
  if (state.indices.has(expression)) return [expression];
  const aliases = aliasTable(state);
  if (!isPattern(expression)) return (aliases.get(expression) ?? []).map((target) => target.index.name);
  const matches = patternMatcher(expression);
  const throughAliases = [...aliases].flatMap(([alias, targets]) => (matches(alias) ? targets : []));
  return [...[...state.indices.keys()].filter(matches), ...throughAliases.map((target) => target.index.name)];
}
