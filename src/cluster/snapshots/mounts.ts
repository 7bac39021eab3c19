/**
 * Mounted indices ("searchable snapshots"): their data is that of a snapshot and never changes. What a node has of it is a copy, fetched from the
 * repository again when no node has one any more.
 */
import { illegalArgument } from '../../base/errors.js';
import type { FlatSettings, SettingValue } from '../settings/flat-settings.js';
import type { ClusterState, IndexMetadata } from '../state.js';
import { isMounted, MOUNTED, STORE_TYPE } from './mounted.js';
import type { RestoreSource } from './types.js';

const STORE_SNAPSHOT = 'index.store.snapshot.';
const BLOCK = 'index.blocks.write';
/** Copies that can be fetched again need no others, and rest where data is seldom asked for. */
const DEFAULTS: FlatSettings = new Map([
  ['index.number_of_replicas', '0'],
  ['index.auto_expand_replicas', 'false'],
  ['index.routing.allocation.include._tier_preference', 'data_cold,data_warm,data_hot,data_content'],
]);

/** Takes away what made the index of a snapshot a mounted one: whatever is restored from it is another index. */
export function withoutMount(settings: FlatSettings): FlatSettings {
  return new Map([...settings].filter(([key]) => key !== STORE_TYPE && !key.startsWith(STORE_SNAPSHOT)));
}

/**
 * Settings of a mounted index. `kept`: of the index in the snapshot, with those that are `given`. Throws `illegal_argument_exception` where the write
 * block is given away.
 */
export function mountedSettings(kept: FlatSettings, given: FlatSettings, source: RestoreSource): FlatSettings {
  refuseToUnblock(given.get(BLOCK));
  const settings = new Map<string, SettingValue>(withoutMount(kept));
  for (const [key, value] of DEFAULTS) settings.set(key, given.get(key) ?? value);
  settings.set(BLOCK, 'true');
  settings.set(STORE_TYPE, MOUNTED);
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

/** Throws `illegal_argument_exception` when the update would let writes into a mounted index. `null` takes a setting away. */
export function checkMountedUpdate(index: IndexMetadata, after: FlatSettings): void {
  if (isMounted(index)) refuseToUnblock(after.get(BLOCK) ?? 'false', index.name);
}

function refuseToUnblock(block: SettingValue | undefined, name?: string): void {
  if (block === undefined || String(block) === 'true') return;
  const which = name === undefined ? '' : ` [${name}]`;
  throw illegalArgument(`cannot remove the write block [${BLOCK}] of a searchable snapshot index${which}`);
}

export function mountsFrom(state: Pick<ClusterState, 'indices'>, repository: string): readonly IndexMetadata[] {
  return [...state.indices.values()].filter(
    (index) => isMounted(index) && index.restoredFrom?.repository === repository,
  );
}
