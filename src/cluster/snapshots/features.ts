/** Features of which a snapshot may have a state: where it is asked for, or with the global state where nothing is said. */
import { illegalArgument, QuarryError } from '../../base/errors.js';

export const SECURITY = 'security';

/** By name, what the API tells of them. */
export const FEATURES: Readonly<Record<string, string>> = {
  [SECURITY]: 'Users, roles, role mappings, application privileges, API keys, tokens and user profiles of the cluster',
};

/** In the place of a list: of no feature. */
const NONE = 'none';

/** Throws `illegal_argument_exception` for a name that no feature has. `asked`: nothing stands for what goes with the global state. */
export function featuresToSnapshot(asked: readonly string[], includesGlobal: boolean): readonly string[] {
  const names = named(asked, 'snapshotted');
  if (names === undefined) return includesGlobal ? Object.keys(FEATURES) : [];
  const unknown = names.find((name) => !Object.hasOwn(FEATURES, name));
  if (unknown === undefined) return [...new Set(names)];
  throw illegalArgument(`feature state [${unknown}] does not exist, there is [${Object.keys(FEATURES).join(', ')}]`);
}

/** Throws `snapshot_restore_exception` for a name that is not in the snapshot, which `has` these. `what` names the snapshot. */
export function featuresToRestore(
  asked: readonly string[],
  includesGlobal: boolean,
  has: readonly string[],
  what: string,
): readonly string[] {
  const names = named(asked, 'restored');
  if (names === undefined) return includesGlobal ? has.filter((name) => Object.hasOwn(FEATURES, name)) : [];
  const missing = names.filter((name) => !has.includes(name) || !Object.hasOwn(FEATURES, name));
  if (missing.length === 0) return names;
  const why = `requested feature states [[${missing.join(', ')}]] are not present in snapshot`;
  throw new QuarryError('snapshot_restore_exception', `[${what}] ${why}`);
}

/** Undefined where none is named, and it is not said that none is meant. */
function named(asked: readonly string[], done: string): readonly string[] | undefined {
  if (asked.length === 0) return undefined;
  const others = asked.filter((name) => name.toLowerCase() !== NONE);
  if (others.length === asked.length) return others;
  if (others.length === 0) return [];
  throw illegalArgument(
    `the feature_states value [${NONE}] indicates that no feature states should be ${done}, but other feature states ` +
      `were requested: [${asked.join(', ')}]`,
  );
}
