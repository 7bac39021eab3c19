/** What the coordinator tells the other threads: the whole state once, then what changed. */
import { QuarryError } from '../base/errors.js';
import type { ClusterState } from '../cluster/state.js';

type StateMap = ReadonlyMap<string, unknown>;

interface MapChange {
  readonly set: readonly (readonly [string, unknown])[];
  readonly removed: readonly string[];
}

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
  return { kind: 'full', state };
}

export function publishChange(before: ClusterState, after: ClusterState): Publication {
  const maps: Record<string, MapChange> = {};
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(after)) {
    const old: unknown = before[name as keyof ClusterState];
    if (old === value) continue;
    if (value instanceof Map && old instanceof Map) maps[name] = mapChange(old as StateMap, value as StateMap);
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
    const map = new Map(current[name as keyof ClusterState] as StateMap);
    for (const key of change.removed) map.delete(key);
    for (const [key, value] of change.set) map.set(key, value);
    next[name] = map;
  }
  return next as unknown as ClusterState;
}

function mapChange(before: StateMap, after: StateMap): MapChange {
  const set = [...after].filter(([key, value]) => before.get(key) !== value);
  const removed = [...before.keys()].filter((key) => !after.has(key));
  return { set, removed };
}
