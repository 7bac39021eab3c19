/** What the `searchable_snapshot` action of a policy does next for an index. Pure: the state tells how far it is. */
import type { JsonObject } from '../../base/json-value.js';
import { isBlocked } from '../blocks/blocks.js';
import { isWhole } from '../copies/shard-copies.js';
import { isMounted } from '../snapshots/mounted.js';
import type { MountStorage } from '../snapshots/mounts.js';
import { isPartial } from '../snapshots/partial.js';
import { operationsOf } from '../snapshots/queue.js';
import { restoredShard } from '../snapshots/restores.js';
import type { ClusterState, IndexId, IndexMetadata } from '../state.js';
import { isMountOf, snapshotName, targetName } from './mount-names.js';
import { repositoryOf } from './mount-rules.js';

export type MountPlan =
  /** It is mounted already, perhaps by an earlier phase. */
  | { readonly next: 'skip' }
  | { readonly next: 'settings'; readonly settings: JsonObject }
  | { readonly next: 'wait' }
  /** To be made where the repository has none such, else to be mounted. */
  | {
      readonly next: 'make';
      readonly repository: string;
      readonly snapshot: string;
      /** As the snapshot calls the index. */
      readonly source: string;
      readonly target: string;
      /** A mount under this name of which a shard was refused by all nodes: it stays so, and makes room for another try. */
      readonly failed?: IndexId;
    }
  | { readonly next: 'replace'; readonly target: IndexId };

export function planMount(
  state: ClusterState,
  index: IndexMetadata,
  body: JsonObject,
  storage: MountStorage,
): MountPlan {
  if (isPartial(index) || (storage === 'full_copy' && isMounted(index))) return { next: 'skip' };
  const name = targetName(index, storage);
  const target = state.indices.get(name);
  const mount = target !== undefined && isMountOf(target, index) ? { name, uuid: target.uuid } : undefined;
  if (target !== undefined && mount !== undefined) {
    if (isWhole(state, target)) return { next: 'replace', target: mount };
    if (!hasFailedToRestore(state, target)) return { next: 'wait' };
  }
  const failed = mount === undefined ? {} : { failed: mount };
  // One that is mounted as a whole has its snapshot already.
  const { restoredFrom } = index;
  if (isMounted(index) && restoredFrom !== undefined) {
    const { repository, snapshot, index: source } = restoredFrom;
    return { next: 'make', repository, snapshot, source, target: name, ...failed };
  }
  // What was written after the snapshot would be lost.
  if (!isBlocked(index, 'write')) return { next: 'settings', settings: { 'index.blocks.write': 'true' } };
  const repository = repositoryOf(body);
  const snapshot = snapshotName(index);
  const isBeingMade = operationsOf(state, repository).some(
    (operation) => operation.kind === 'create' && operation.name === snapshot,
  );
  return isBeingMade
    ? { next: 'wait' }
    : { next: 'make', repository, snapshot, source: index.name, target: name, ...failed };
}

/** Whether a shard of the index was given up. */
export function hasFailedToRestore({ routing }: Pick<ClusterState, 'routing'>, index: IndexMetadata): boolean {
  const shards = routing.get(index.name)?.shards ?? [];
  return shards.some((copies) => restoredShard(index, copies) === 'failed');
}
