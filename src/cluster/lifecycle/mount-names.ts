/** What policies call the snapshots that they take, and the indices that they mount from these. */
import { isMounted } from '../snapshots/mounted.js';
import type { MountStorage } from '../snapshots/mounts.js';
import { isPartial } from '../snapshots/partial.js';
import type { RestoreSource } from '../snapshots/types.js';
import type { IndexMetadata } from '../state.js';

/** Whether the index was mounted by a policy in order to take the place of the other one. */
export function isMountOf({ name, restoredFrom, ...target }: IndexMetadata, index: IndexMetadata): boolean {
  if (!isMounted(target) || name !== targetName(index, isPartial(target) ? 'shared_cache' : 'full_copy')) return false;
  const former = isMounted(index) ? index.restoredFrom?.snapshot : undefined;
  return restoredFrom?.snapshot === (former ?? snapshotName(index));
}

/** Whether a policy made the snapshot: it goes with the index. */
export function isOfPolicy({ index, snapshot }: RestoreSource): boolean {
  return snapshot.startsWith(snapshotPrefix(index));
}

export function targetName({ name }: IndexMetadata, storage: MountStorage): string {
  return `${storage === 'shared_cache' ? 'partial' : 'restored'}-${name}`;
}

/** The same in each round, so that one that was interrupted is found. */
export function snapshotName({ name, uuid }: IndexMetadata): string {
  return `${snapshotPrefix(name)}${uuid.toLowerCase()}`;
}

/** Names of snapshots are bounded as those of indices are. */
const NAME_CHARACTERS_MAX = 60;

function snapshotPrefix(index: string): string {
  return `ilm-${index.slice(0, NAME_CHARACTERS_MAX)}-`;
}
