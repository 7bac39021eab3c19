/**
 * What follows from the use of disks: indices with a copy on a disk above the flood stage watermark take no more writes; when
 * no disk that holds a copy of theirs is above the high watermark any more they take them again. Then copies are moved.
 */
import { reroute } from '../allocation/reroute.js';
import { clusterFacts } from '../allocation/index-facts.js';
import type { DiskInfo } from '../disks/cluster-info.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { diskLevels } from '../disks/disk-levels.js';
import type { ClusterState, IndexMetadata } from '../state.js';
import { nextState, withIndices, type Change, type ChangeEnvironment } from './change.js';

export interface DiskBlocksInput {
  /** Copies may be moved even where no block changes. */
  readonly reroutes: boolean;
}

const BLOCK = 'index.blocks.read_only_allow_delete';

/** To be run whenever the cluster information of the environment is new. */
export function updateDiskBlocks(
  state: ClusterState,
  { reroutes }: DiskBlocksInput,
  environment: ChangeEnvironment,
): Change<null> {
  const disks = environment.clusterInfo?.disks ?? new Map<string, DiskInfo>();
  const facts = clusterFacts(effectiveClusterSettings(state));
  const changed = facts.diskThresholdEnabled ? changedIndices(state, disks) : [];
  if (changed.length === 0 && !reroutes) return { state, result: null };
  const indices = changed.length === 0 ? state.indices : withIndices(state, changed);
  const routing = reroute({ ...state, indices }, environment);
  if (indices === state.indices && routing === state.routing) return { state, result: null };
  return { state: nextState(state, { indices, routing }, environment), result: null };
}

function changedIndices(state: ClusterState, disks: ReadonlyMap<string, DiskInfo>): readonly IndexMetadata[] {
  const levels = diskLevels(state, disks);
  return [...state.indices.values()].flatMap((index) => {
    const levelsOf = nodesOf(state, index).map((id) => levels.get(id));
    const isBlocked = index.settings.get(BLOCK) === 'true';
    if (!isBlocked) return levelsOf.includes('flood_stage') ? [withBlock(index, true)] : [];
    // A disk of which nothing is known may still be full.
    const isRelieved = levelsOf.length > 0 && levelsOf.every((level) => level === 'below' || level === 'low');
    return isRelieved ? [withBlock(index, false)] : [];
  });
}

/** Where nobody watches disks any more, no write is refused because of them. */
export function withoutDiskBlocks(state: ClusterState): readonly IndexMetadata[] {
  return [...state.indices.values()].flatMap((index) =>
    index.settings.get(BLOCK) === 'true' ? [withBlock(index, false)] : [],
  );
}

function nodesOf(state: ClusterState, { name }: IndexMetadata): readonly string[] {
  return (state.routing.get(name)?.shards ?? []).flat().flatMap(({ nodeId }) => nodeId ?? []);
}

function withBlock(index: IndexMetadata, isBlocked: boolean): IndexMetadata {
  const settings = new Map(index.settings);
  if (isBlocked) settings.set(BLOCK, 'true');
  else settings.delete(BLOCK);
  return { ...index, settings, version: index.version + 1, settingsVersion: index.settingsVersion + 1 };
}
