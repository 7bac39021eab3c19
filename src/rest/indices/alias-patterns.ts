/** Lists of alias names: wildcards, `_all`, and exclusions with a minus sign after a wildcard. */
import { isPattern, patternMatcher } from '../../cluster/wildcard.js';

/** Which aliases a list of names means; no name means all. */
export function aliasSelector(names: readonly string[]): (alias: string) => boolean {
  const rules = aliasRules(names);
  if (names.length === 0) return () => true;
  return (alias) => rules.reduce((chosen, { excludes, matches }) => (matches(alias) ? !excludes : chosen), false);
}

/** Names in the list that are neither patterns nor exclusions: they must exist. */
export function literalAliases(names: readonly string[]): readonly string[] {
  return aliasRules(names).flatMap(({ excludes, name }) => (excludes || isWildcard(name) ? [] : [name]));
}

interface AliasRule {
  readonly name: string;
  readonly excludes: boolean;
  readonly matches: (alias: string) => boolean;
}

function aliasRules(names: readonly string[]): readonly AliasRule[] {
  let wildcardSeen = false;
  return names.map((given) => {
    const excludes = given.startsWith('-') && wildcardSeen;
    const name = excludes ? given.slice(1) : given;
    wildcardSeen ||= isWildcard(name);
    return { name, excludes, matches: name === '_all' ? () => true : patternMatcher(name) };
  });
}

function isWildcard(name: string): boolean {
  return name === '_all' || isPattern(name);
}
