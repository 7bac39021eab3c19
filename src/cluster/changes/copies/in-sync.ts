/** The copies of a shard that hold every acknowledged operation, wherever they are: some may be on nodes that are away. */
import { hasActivePrimary, isRelocationTarget } from '../../copies/shard-copies.js';
import type { StateDraft } from '../../state-draft.js';

/**
 * Stands in the in-sync set for a stale copy that was made primary by force, until that has started: if it fails before,
 * no other copy counts as good, and only another command brings the shard back.
 */
export const FORCED_ALLOCATION_ID = '_forced_allocation_';

/**
 * The copy has started, perhaps in place of another one. A set that grows beyond the copies that the index asks for loses
 * those that have no place, the oldest first; one that does not grow keeps them, also where replicas were taken away while
 * nodes were gone.
 */
export function addInSync(
  draft: StateDraft,
  name: string,
  shard: number,
  { allocationId, replacedId }: { readonly allocationId: string; readonly replacedId: string | undefined },
): void {
  const ids = draft.index(name)?.inSyncAllocationIds[shard] ?? [];
  if (ids.includes(allocationId)) return;
  const grown = [...ids.filter((id) => id !== FORCED_ALLOCATION_ID && id !== replacedId), allocationId];
  let excess = grown.length - 1 - (draft.index(name)?.numberOfReplicas ?? 0);
  const placed = new Set(
    draft.copies(name, shard).flatMap((copy) => (isRelocationTarget(copy) ? [] : (copy.allocationId ?? []))),
  );
  putInSync(
    draft,
    name,
    shard,
    grown.filter((id) => placed.has(id) || excess-- <= 0),
  );
}

/**
 * The copy counts as good no more: its primary is about to acknowledge what it lacks, or nobody wants it. Where no primary
 * is active nothing is known to be better, and it stays.
 */
export function removeInSync(draft: StateDraft, name: string, shard: number, allocationId: string | null): void {
  const ids = draft.index(name)?.inSyncAllocationIds[shard] ?? [];
  const rest = ids.filter((id) => id !== allocationId);
  if (rest.length === ids.length || rest.length === 0 || !hasActivePrimary(draft.copies(name, shard))) return;
  putInSync(draft, name, shard, rest);
}

export function putInSync(draft: StateDraft, name: string, shard: number, ids: readonly string[]): void {
  const index = draft.index(name);
  if (index === undefined) return;
  draft.putIndex({
    ...index,
    inSyncAllocationIds: index.inSyncAllocationIds.with(shard, ids),
    version: index.version + 1,
  });
}

/** A new primary, or a primary that starts anew, works under the next term. */
export function raisePrimaryTerm(draft: StateDraft, name: string, shard: number): void {
  const index = draft.index(name);
  if (index === undefined) return;
  const primaryTerms = index.primaryTerms.with(shard, (index.primaryTerms[shard] ?? 1) + 1);
  draft.putIndex({ ...index, primaryTerms, version: index.version + 1 });
}
