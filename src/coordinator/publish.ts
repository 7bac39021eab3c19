/** Makes what the coordinator tells of a change of the state: other threads only read it, see `publication.ts`. */
import { differenceOf, isAnyMap, plainMap } from '../base/shared-map.js';
import type { ClusterState, IndexMetadata } from '../cluster/state.js';
import type { MapChange, Publication, StateMap } from './publication.js';

export function publishFull(state: ClusterState): Publication {
  const { apiKeys, bearerTokens, indices, routing, userProfiles, users } = state;
  const plain = {
    apiKeys: plainMap(apiKeys),
    bearerTokens: plainMap(bearerTokens),
    indices: plainMap(indices),
    routing: plainMap(routing),
    userProfiles: plainMap(userProfiles),
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

/** As {@link publishChange}, for threads that have the same parts of the state as this one: large records are not sent for a small change. */
export function publishToThreads(before: ClusterState, after: ClusterState): Publication {
  const publication = publishChange(before, after);
  const indices = publication.kind === 'change' ? publication.maps['indices'] : undefined;
  if (publication.kind === 'full' || indices === undefined) return publication;
  const set: (readonly [string, object])[] = [];
  const indexChanges: (readonly [string, Partial<IndexMetadata>])[] = [];
  for (const [name, index] of indices.set as readonly (readonly [string, IndexMetadata])[]) {
    const change = changedMembers(before.indices.get(name), index);
    if (change === undefined) set.push([name, index]);
    else indexChanges.push([name, change]);
  }
  return { ...publication, maps: { ...publication.maps, indices: { ...indices, set } }, indexChanges };
}

/** Undefined where the whole record is to be told. */
function changedMembers(before: IndexMetadata | undefined, after: IndexMetadata): Partial<IndexMetadata> | undefined {
  if (before?.uuid !== after.uuid || Object.keys(before).some((name) => !Object.hasOwn(after, name))) return undefined;
  const changed = Object.entries(after).filter(([name, value]) => before[name as keyof IndexMetadata] !== value);
  return Object.fromEntries(changed);
}

/**
 * The publication with the parts of records that the state has already: what is kept of them by who has seen them stays known, and the
 * threads need not be told of them again.
 */
export function withKnownParts(current: ClusterState, publication: Publication): Publication {
  const indices = publication.kind === 'change' ? publication.maps['indices'] : undefined;
  if (publication.kind === 'full' || indices === undefined) return publication;
  const set = (indices.set as readonly (readonly [string, IndexMetadata])[]).map(
    ([name, index]) => [name, withPartsOf(current.indices.get(name), index)] as const,
  );
  return { ...publication, maps: { ...publication.maps, indices: { ...indices, set } } };
}

function withPartsOf(former: IndexMetadata | undefined, index: IndexMetadata): IndexMetadata {
  if (former?.uuid !== index.uuid) return index;
  return {
    ...index,
    ...(former.settingsVersion === index.settingsVersion ? { settings: former.settings } : {}),
    ...(former.mappingVersion === index.mappingVersion ? { mapping: former.mapping } : {}),
    ...(former.aliasesVersion === index.aliasesVersion ? { aliases: former.aliases } : {}),
  };
}

function mapChange(before: StateMap, after: StateMap): MapChange {
  const { put, removed } = differenceOf(before, after);
  return { set: put, removed };
}
