/** The copies of a shard that hold every acknowledged operation. */
import { hasActivePrimary, isActive } from '../shard-copies.js';
import type { StateDraft } from '../state-draft.js';

export function addInSync(draft: StateDraft, name: string, shard: number, allocationId: string): void {
  const ids = draft.index(name)?.inSyncAllocationIds[shard] ?? [];
  if (!ids.includes(allocationId)) putInSync(draft, name, shard, [...ids, allocationId]);
}

/**
 * While a primary is active it acknowledges operations that only active copies have, so all others are out of sync. Without
 * one nothing is acknowledged, and every copy that was in sync stays so, wherever it is.
 */
export function trimInSync(draft: StateDraft, name: string, shard: number): void {
  const copies = draft.copies(name, shard);
  if (draft.index(name)?.state !== 'open' || !hasActivePrimary(copies)) return;
  const ids = draft.index(name)?.inSyncAllocationIds[shard] ?? [];
  const active = new Set(copies.filter(isActive).map(({ allocationId }) => allocationId));
  if (!ids.every((id) => active.has(id)))
    putInSync(
      draft,
      name,
      shard,
      ids.filter((id) => active.has(id)),
    );
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
