/**
 * Mounted indices ("searchable snapshots"): their data is that of a snapshot and never changes. What a node has of it is a copy, fetched from the
 * repository again when no node has one any more.
 */
import { illegalArgument } from '../../base/errors.js';
import type { FlatSettings, SettingValue } from '../settings/flat-settings.js';
import type { ClusterState, IndexMetadata } from '../state.js';
import { isMounted, MOUNTED, STORE_TYPE } from './mounted.js';
import { isPartial, PARTIAL } from './partial.js';
import type { RestoreSource } from './types.js';

const STORE_SNAPSHOT = 'index.store.snapshot.';
const BLOCK = 'index.blocks.write';
const TIERS = 'index.routing.allocation.include._tier_preference';
const REPLICAS = 'index.number_of_replicas';
const EXPAND = 'index.auto_expand_replicas';
const FROZEN = 'data_frozen';

/** What nodes have of a mounted index: all of it, or what searches needed of late. */
export type MountStorage = 'full_copy' | 'shared_cache';

/** Copies that can be fetched again need no others, and rest where data is seldom asked for. */
const DEFAULTS: Readonly<Record<MountStorage, FlatSettings>> = {
  full_copy: new Map([
    [REPLICAS, '0'],
    [EXPAND, 'false'],
    [TIERS, 'data_cold,data_warm,data_hot,data_content'],
  ]),
  shared_cache: new Map([
    [REPLICAS, '0'],
    [EXPAND, 'false'],
    [TIERS, FROZEN],
    // A node that comes back has nothing that another one would have to fetch.
    ['index.unassigned.node_left.delayed_timeout', '0s'],
  ]),
};

/** Takes away what made the index of a snapshot a mounted one: whatever is restored from it is another index. */
export function withoutMount(settings: FlatSettings): FlatSettings {
  return new Map([...settings].filter(([key]) => key !== STORE_TYPE && !key.startsWith(STORE_SNAPSHOT)));
}

/**
 * Settings of a mounted index. `kept`: of the index in the snapshot, with those that are `given`. Throws `illegal_argument_exception` where the write
 * block is given away, or the copies are to be where they cannot.
 */
export function mountedSettings(
  kept: FlatSettings,
  given: FlatSettings,
  source: RestoreSource,
  storage: MountStorage,
): FlatSettings {
  refuseToUnblock(given.get(BLOCK));
  const settings = new Map<string, SettingValue>(withoutMount(kept));
  for (const [key, value] of DEFAULTS[storage]) settings.set(key, given.get(key) ?? value);
  settings.set(BLOCK, 'true');
  settings.set(STORE_TYPE, MOUNTED);
  if (storage === 'shared_cache') settings.set(PARTIAL, 'true');
  checkCopies(settings);
  const { repository, repositoryUuid, snapshot, snapshotUuid, index, indexId } = source;
  const place = {
    repository_name: repository,
    repository_uuid: repositoryUuid,
    snapshot_name: snapshot,
    snapshot_uuid: snapshotUuid,
    index_name: index,
    index_uuid: indexId,
  };
  for (const [name, value] of Object.entries(place)) settings.set(STORE_SNAPSHOT + name, value);
  return settings;
}

/**
 * Throws `illegal_argument_exception` when the update would let writes into a mounted index, or have its copies where they cannot be. `null` takes
 * a setting away.
 */
export function checkMountedUpdate(index: IndexMetadata, after: FlatSettings): void {
  if (!isMounted(index)) return;
  refuseToUnblock(after.get(BLOCK) ?? 'false', index.name);
  checkCopies(after);
}

/** Of a mounted index. */
function checkCopies(settings: FlatSettings): void {
  const tiers = String(settings.get(TIERS) ?? '');
  if (!isPartial({ settings })) {
    if (!tiers.split(',').includes(FROZEN)) return;
    throw illegalArgument(`[${FROZEN}] tier can only be used for partial searchable snapshots (got: [${tiers}])`);
  }
  if (tiers !== FROZEN) {
    throw illegalArgument(
      `only the [${FROZEN}] tier preference may be used for partial searchable snapshots (got: [${tiers}])`,
    );
  }
  // Another copy would fetch the same, and be no safer.
  const more = [REPLICAS, EXPAND].find((key) => !['0', 'false', 'undefined'].includes(String(settings.get(key))));
  if (more === undefined) return;
  throw illegalArgument(
    `[${more}] of a partial searchable snapshot may not ask for replicas (got: [${String(settings.get(more))}])`,
  );
}

function refuseToUnblock(block: SettingValue | undefined, name?: string): void {
  if (block === undefined || String(block) === 'true') return;
  const which = name === undefined ? '' : ` [${name}]`;
  throw illegalArgument(`cannot remove the write block [${BLOCK}] of a searchable snapshot index${which}`);
}

/** Those that read through the repository of this name. */
export function mountsFrom(state: Pick<ClusterState, 'indices'>, repository: string): readonly IndexMetadata[] {
  return mounts(state).filter(({ restoredFrom }) => restoredFrom?.repository === repository);
}

/** Of all repositories. */
export function mounts(state: Pick<ClusterState, 'indices'>): readonly IndexMetadata[] {
  return [...state.indices.values()].filter(isMounted);
}
