/** What the `searchable_snapshot` action of a policy does next for an index. Pure: the state tells how far it is. */
import type { JsonObject } from '../../base/json-value.js';
import { isBlocked } from '../blocks/blocks.js';
import { isWhole } from '../copies/shard-copies.js';
import { isMounted } from '../snapshots/mounted.js';
import { operationsOf } from '../snapshots/queue.js';
import type { RestoreSource } from '../snapshots/types.js';
import type { ClusterState, IndexId, IndexMetadata } from '../state.js';
import { repositoryOf } from './mount-rules.js';

export type MountPlan =
  /** It is mounted already, perhaps by an earlier phase. */
  | { readonly next: 'skip' }
  | { readonly next: 'settings'; readonly settings: JsonObject }
  | { readonly next: 'wait' }
  /** To be made where the repository has none such, else to be mounted. */
  | { readonly next: 'make'; readonly repository: string; readonly snapshot: string; readonly target: string }
  | { readonly next: 'replace'; readonly target: IndexId };

export function planMount(state: ClusterState, index: IndexMetadata, body: JsonObject): MountPlan {
  if (isMounted(index)) return { next: 'skip' };
  const target = state.indices.get(targetName(index));
  if (target !== undefined && isMountOf(target, index)) {
    return isWhole(state, target)
      ? { next: 'replace', target: { name: target.name, uuid: target.uuid } }
      : { next: 'wait' };
  }
  // What was written after the snapshot would be lost.
  if (!isBlocked(index, 'write')) return { next: 'settings', settings: { 'index.blocks.write': 'true' } };
  const repository = repositoryOf(body);
  const snapshot = snapshotName(index);
  const isBeingMade = operationsOf(state, repository).some(
    (operation) => operation.kind === 'create' && operation.name === snapshot,
  );
  return isBeingMade ? { next: 'wait' } : { next: 'make', repository, snapshot, target: targetName(index) };
}

/** Whether the index was mounted by a policy in order to take the place of the other one. */
export function isMountOf({ name, restoredFrom, ...target }: IndexMetadata, index: IndexMetadata): boolean {
  return isMounted(target) && name === targetName(index) && restoredFrom?.snapshot === snapshotName(index);
}

/** Whether a policy made the snapshot: it goes with the index. */
export function isOfPolicy({ index, snapshot }: RestoreSource): boolean {
  return snapshot.startsWith(snapshotPrefix(index));
}

function targetName({ name }: IndexMetadata): string {
  return `restored-${name}`;
}

/** The same in each round, so that one that was interrupted is found. */
function snapshotName({ name, uuid }: IndexMetadata): string {
  return `${snapshotPrefix(name)}${uuid.toLowerCase()}`;
}

/** Names of snapshots are bounded as those of indices are. */
const NAME_CHARACTERS_MAX = 60;

function snapshotPrefix(index: string): string {
  return `ilm-${index.slice(0, NAME_CHARACTERS_MAX)}-`;
}
