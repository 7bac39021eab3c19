/** What the coordinator tells the other threads: the whole state once, then what changed. */
import { QuarryError } from '../base/errors.js';
import { differenceOf, isAnyMap, plainMap, withEntries } from '../base/shared-map.js';
import type { ClusterState } from '../cluster/state.js';

/** Values of maps of the state are objects, all of them. */
type StateMap = ReadonlyMap<string, object>;

interface MapChange {
  readonly set: readonly (readonly [string, object])[];
  readonly removed: readonly string[];
}

/** Those with so many entries that a copy of them for each change would be too much. */
const LARGE_MAPS: ReadonlySet<string> = new Set<keyof ClusterState>([
  'apiKeys',
  'bearerTokens',
  'indices',
  'routing',
  'users',
]);

export type Publication =
  | { readonly kind: 'full'; readonly state: ClusterState }
  | {
      readonly kind: 'change';
      readonly fromVersion: number;
      /** Members that are maps, by name, as what changed in them. */
      readonly maps: Readonly<Record<string, MapChange>>;
      /** All other members that changed, by name. */
      readonly members: Readonly<Record<string, unknown>>;
    };

export function publishFull(state: ClusterState): Publication {
  const { apiKeys, bearerTokens, indices, routing, users } = state;
  const plain = {
    apiKeys: plainMap(apiKeys),
    bearerTokens: plainMap(bearerTokens),
    indices: plainMap(indices),
    routing: plainMap(routing),
    users: plainMap(users),
  };
  return { kind: 'full', state: { ...state, ...plain } };
}

export function publishChange(before: ClusterState, after: ClusterState): Publication {
  const maps: Record<string, MapChange> = {};
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(after)) {
    const old: unknown = before[name as keyof ClusterState];
    if (old === value) continue;
    if (isAnyMap(value) && isAnyMap(old)) maps[name] = mapChange(old as StateMap, value as StateMap);
    else members[name] = value;
  }
  return { kind: 'change', fromVersion: before.version, maps, members };
}

/** The state after a publication. A change on top of another version than its own is refused: a bug. */
export function applyPublication(current: ClusterState | undefined, publication: Publication): ClusterState {
  if (publication.kind === 'full') return publication.state;
  if (current?.version !== publication.fromVersion) {
    const reason = `a change of state [${publication.fromVersion}] cannot be applied to state [${current?.version}]`;
    throw new QuarryError('internal_error', reason);
  }
  const next: Record<string, unknown> = { ...current, ...publication.members };
  for (const [name, change] of Object.entries(publication.maps)) {
    const changed = withEntries(current[name as keyof ClusterState] as StateMap, change.set, change.removed);
    next[name] = LARGE_MAPS.has(name) ? changed : plainMap(changed);
  }
  return next as unknown as ClusterState;
}

function mapChange(before: StateMap, after: StateMap): MapChange {
  const { put, removed } = differenceOf(before, after);
  return { set: put, removed };
}
