/** Privileges as sets of actions, and the order in which refusals list them. */
import { namePatterns, type NamePatterns } from './name-patterns.js';

/** A privilege by its documented name. */
export interface NamedPrivilege {
  readonly name: string;
  readonly actions: ActionSet;
}

export class ActionSet {
  readonly #patterns: readonly string[];
  readonly #granted: NamePatterns;
  readonly #excluded: NamePatterns | undefined;
  readonly #excludedPatterns: readonly string[];

  /** `excluded` takes away from what `patterns` grant. */
  constructor(patterns: readonly string[], excluded: readonly string[] = []) {
    this.#patterns = patterns;
    this.#granted = namePatterns(patterns);
    this.#excludedPatterns = excluded;
    this.#excluded = excluded.length === 0 ? undefined : namePatterns(excluded);
  }

  has(action: string): boolean {
    return this.#granted.matches(action) && this.#excluded?.matches(action) !== true;
  }

  /** Whether all actions of the other are in this. Never true by mistake. */
  includes(other: ActionSet): boolean {
    return other.#patterns.every((pattern) => this.#granted.covers(pattern) && this.#keeps(pattern, other));
  }

  /** What this excludes of a pattern, the other excludes too. */
  #keeps(pattern: string, other: ActionSet): boolean {
    return this.#excludedPatterns.every(
      (excluded) =>
        other.#excluded?.covers(excluded) === true ||
        !(namePatterns([pattern]).covers(excluded) || namePatterns([excluded]).covers(pattern)),
    );
  }
}

/** From the least to the most: by how many of the others each includes, then by name. */
export function byAccessLevel(privileges: readonly NamedPrivilege[]): readonly NamedPrivilege[] {
  const levels = new Map(
    privileges.map((each) => [
      each.name,
      privileges.filter((other) => other !== each && each.actions.includes(other.actions)).length,
    ]),
  );
  const level = (name: string): number => levels.get(name) ?? 0;
  return [...privileges].sort(
    (left, right) => level(left.name) - level(right.name) || (left.name < right.name ? -1 : 1),
  );
}
