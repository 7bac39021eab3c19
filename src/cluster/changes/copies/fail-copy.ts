/** A copy of a shard is lost to its node: what becomes of it, of its move, and of the primary's office. */
import {
  isActive,
  isRelocationTarget,
  otherEndOfMove,
  primaryOf,
  unassignedCopy,
  unassignedInfo,
} from '../../copies/shard-copies.js';
import type { ShardCopy, UnassignedInfo } from '../../state.js';
import type { StateDraft } from '../../state-draft.js';
import { raisePrimaryTerm } from './in-sync.js';

export interface LostCopy {
  readonly copy: ShardCopy;
  readonly info: UnassignedInfo;
}

/**
 * Takes copies of one shard away from their nodes, all at the same moment: none of them can take over from another. An
 * in-sync copy that is left takes over from a lost primary, under the next primary term. What was in sync stays so, with or
 * without a place, until a primary is about to acknowledge what it lacks: see `removeInSync`.
 */
export function failCopies(draft: StateDraft, name: string, shard: number, lost: readonly LostCopy[]): void {
  if (lost.length === 0) return;
  const isPrimary = ({ copy }: LostCopy): boolean => copy.primary && !isRelocationTarget(copy);
  // A primary last: by then only copies are left that live.
  for (const each of lost.filter((one) => !isPrimary(one))) failReplicaOrTarget(draft, name, shard, each);
  for (const each of lost.filter(isPrimary)) failPrimary(draft, name, shard, each);
}

function failReplicaOrTarget(draft: StateDraft, name: string, shard: number, lost: LostCopy): void {
  const copies = draft.copies(name, shard);
  // An earlier loss may have changed the copy, for example ended its move.
  const copy = copies.find((each) => each.allocationId === lost.copy.allocationId);
  if (copy === undefined) return;
  if (isRelocationTarget(copy)) {
    const source = otherEndOfMove(copies, copy);
    const failedRelocations = lost.info.reason === 'ALLOCATION_FAILED' ? (source?.failedRelocations ?? 0) + 1 : 0;
    draft.putCopies(name, shard, withoutMove(copies, copy, source, failedRelocations));
    return;
  }
  const target = otherEndOfMove(copies, copy);
  if (target !== undefined) {
    // The target recovers from the primary, not from its source: it goes on and takes the place of its source.
    const info = unassignedInfo('REALLOCATED_REPLICA', lost.info.atMs, copy);
    const heir = { ...target, relocatingNodeId: null, unassigned: info };
    draft.putCopies(
      name,
      shard,
      copies.filter((each) => each !== target).map((each) => (each === copy ? heir : each)),
    );
    return;
  }
  draft.replaceCopy(name, copy, unassignedCopy(shard, false, lost.info));
}

/** The move has not taken place. */
function withoutMove(
  copies: readonly ShardCopy[],
  target: ShardCopy,
  source: ShardCopy | undefined,
  failedRelocations: number,
): readonly ShardCopy[] {
  const stays = (copy: ShardCopy): ShardCopy => ({
    ...copy,
    state: 'STARTED',
    relocatingNodeId: null,
    ...(failedRelocations === 0 ? {} : { failedRelocations }),
  });
  return copies.filter((each) => each !== target).map((each) => (each === source ? stays(each) : each));
}

/** Copies that recover from the lost primary start again, from the next one. */
function failPrimary(draft: StateDraft, name: string, shard: number, lost: LostCopy): void {
  for (const copy of draft.copies(name, shard)) {
    if (copy.state !== 'INITIALIZING' || copy.allocationId === lost.copy.allocationId) continue;
    const info = unassignedInfo('PRIMARY_FAILED', lost.info.atMs, copy);
    failReplicaOrTarget(draft, name, shard, {
      copy,
      info: { ...info, details: 'primary failed while replica initializing' },
    });
  }
  raisePrimaryTerm(draft, name, shard);
  const copies = draft.copies(name, shard);
  const primary = primaryOf(copies);
  if (primary === undefined) return;
  const heir = chooseHeir(draft, name, shard, copies);
  if (heir === undefined) {
    draft.replaceCopy(name, primary, unassignedCopy(shard, true, lost.info));
    return;
  }
  const others = copies.filter((copy) => copy !== primary && copy !== heir);
  draft.putCopies(name, shard, [{ ...heir, primary: true }, ...others, unassignedCopy(shard, false, lost.info)]);
}

/** An active in-sync replica, rather one whose node is not about to stop. */
function chooseHeir(
  draft: StateDraft,
  name: string,
  shard: number,
  copies: readonly ShardCopy[],
): ShardCopy | undefined {
  const inSync = draft.index(name)?.inSyncAllocationIds[shard] ?? [];
  const able = copies.filter(
    (copy) => !copy.primary && isActive(copy) && copy.allocationId !== null && inSync.includes(copy.allocationId),
  );
  return able.find(({ nodeId }) => !draft.base.shutdowns.has(nodeId ?? '')) ?? able[0];
}
