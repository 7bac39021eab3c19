/** What other nodes and the threads of a node are told of the state: all of it once, then what changed. */
import { QuarryError } from '../base/errors.js';
import { plainMap, withEntries } from '../base/shared-map.js';
import type { ClusterState, IndexMetadata } from '../cluster/state.js';

/** Values of maps of the state are objects, all of them. */
export type StateMap = ReadonlyMap<string, object>;

export interface MapChange {
  readonly set: readonly (readonly [string, object])[];
  readonly removed: readonly string[];
}

/** Those with so many entries that a copy of them for each change would be too much. */
const LARGE_MAPS: ReadonlySet<string> = new Set<keyof ClusterState>([
  'apiKeys',
  'bearerTokens',
  'indices',
  'routing',
  'userProfiles',
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
      /** By name of an index that was there before: what changed in its record. Other nodes are told of whole records. */
      readonly indexChanges?: readonly (readonly [string, Partial<IndexMetadata>])[];
    };

/** The state after a publication. A change on top of another version than its own is refused: a bug. */
export function applyPublication(current: ClusterState | undefined, publication: Publication): ClusterState {
  if (publication.kind === 'full') return publication.state;
  if (current?.version !== publication.fromVersion) {
    const reason = `a change of state [${publication.fromVersion}] cannot be applied to state [${current?.version}]`;
    throw new QuarryError('internal_error', reason);
  }
  const next: Record<string, unknown> = { ...current, ...publication.members };
  for (const [name, change] of Object.entries(publication.maps)) {
    const set = name === 'indices' ? [...change.set, ...changedIndices(current, publication.indexChanges)] : change.set;
    const changed = withEntries(current[name as keyof ClusterState] as StateMap, set, change.removed);
    next[name] = LARGE_MAPS.has(name) ? changed : plainMap(changed);
  }
  return next as unknown as ClusterState;
}

function* changedIndices(
  { indices }: ClusterState,
  changes: readonly (readonly [string, Partial<IndexMetadata>])[] = [],
): Generator<readonly [string, object]> {
  for (const [name, change] of changes) yield [name, { ...indices.get(name), ...change }];
}
