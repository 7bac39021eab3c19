/** Lists of alias names: wildcards, `_all`, and exclusions with a minus sign. */
import { mayUseName, requireNames } from '../../../cluster/security/index-access.js';
import type { ClusterState } from '../../../cluster/state.js';
import { isPattern, patternMatcher } from '../../../cluster/names/wildcard.js';

/** Which aliases a list of names means; no name means all. Throws `security_exception` for names that the request may not use. */
export function aliasSelector(state: ClusterState, names: readonly string[]): (alias: string) => boolean {
  requireNames(state, literalAliases(names));
  const rules = aliasRules(names);
  const isMeant = (alias: string): boolean =>
    rules.reduce((chosen, { excludes, matches }) => (matches(alias) ? !excludes : chosen), names.length === 0);
  return (alias) => isMeant(alias) && mayUseName(state, alias);
}

/**
 * Names in the list that must exist: neither patterns nor excluded further on. A minus sign before any wildcard is
 * part of a name, which no alias has.
 */
export function literalAliases(names: readonly string[]): readonly string[] {
  const rules = aliasRules(names);
  const firstWildcard = names.findIndex(isWildcard);
  const explicit = (at: number): boolean => firstWildcard < 0 || at < firstWildcard;
  return names.filter((name, at) => {
    if (isWildcard(name) || (name.startsWith('-') && !explicit(at))) return false;
    const later = rules.slice(Math.max(at + 1, firstWildcard < 0 ? names.length : firstWildcard));
    return !later.some(({ excludes, matches }) => excludes && matches(name));
  });
}

interface AliasRule {
  readonly excludes: boolean;
  readonly matches: (alias: string) => boolean;
}

function aliasRules(names: readonly string[]): readonly AliasRule[] {
  return names.map((given) => {
    const excludes = given.startsWith('-');
    const name = excludes ? given.slice(1) : given;
    return { excludes, matches: name === '_all' ? () => true : patternMatcher(name) };
  });
}

function isWildcard(name: string): boolean {
  return name === '_all' || isPattern(name);
}
