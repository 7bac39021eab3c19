/** Gives unassigned copies their places: primaries before replicas, indices by priority. */
import { canAllocate, canAllocateAnywhere, canForceAllocate } from '../deciders/all.js';
import { remainingDelayMs } from '../copies/delayed-allocation.js';
import { hasActivePrimary, primaryOf } from '../copies/shard-copies.js';
import { restoreFailure } from '../snapshots/restores.js';
import type { AllocationStatus, IndexMetadata, ShardCopy } from '../state.js';
import type { AllocationRound, Question } from './allocation-round.js';
import type { NodeLoad } from './node-load.js';
import { isToBeFetchedAgain, mustBeFound, storedPrimaries, storedReplicas, type StoredCopy } from './shard-stores.js';
import { EligibleNodes, takeLightest } from './weights.js';

export function allocateUnassigned(round: AllocationRound): void {
  if (round.unassignedPrimaries + round.unassignedReplicas === 0) return;
  endDelays(round);
  const eligible = new EligibleNodes(round);
  allocatePrimaries(round, eligible);
  allocateReplicas(round, eligible);
}

function allocatePrimaries(round: AllocationRound, eligible: EligibleNodes): void {
  const { primaries, refusedPrimaries } = round.tally;
  for (const index of primaries.inOrder()) {
    if (isFullOfPrimaries(round) && refusedPrimaries === 0) return;
    for (const [primary] of round.draft.shards(index.name)) {
      if (primary?.state === 'UNASSIGNED') allocateOne(round, index, primary, eligible);
    }
  }
}

function allocateReplicas(round: AllocationRound, eligible: EligibleNodes): void {
  // A node holds one copy of a shard.
  if (round.nodes.length < 2) return;
  for (const index of round.tally.replicas.inOrder()) {
    if (round.isFullOfRecoveries) return;
    for (const copies of round.draft.shards(index.name)) {
      if (!hasActivePrimary(copies) || isEverywhere(round, copies)) continue;
      for (const copy of copies) if (copy.state === 'UNASSIGNED') allocateOne(round, index, copy, eligible);
    }
  }
}

function isEverywhere({ nodes }: AllocationRound, copies: readonly ShardCopy[]): boolean {
  return nodes.every(({ id }) => copies.some(({ nodeId }) => nodeId === id));
}

/** Copies that waited for their node long enough wait no more, even where they find no other place yet. */
function endDelays(round: AllocationRound): void {
  for (const name of round.tally.delayed) {
    const index = round.index(name);
    for (const copy of round.draft.shards(name).flat()) {
      const { unassigned } = copy;
      if (unassigned?.delayed !== true || remainingDelayMs(round.state, index, unassigned, round.nowMs) > 0) continue;
      round.putUnassigned(index, copy, { ...unassigned, delayed: false });
    }
  }
}

function allocateOne(round: AllocationRound, index: IndexMetadata, copy: ShardCopy, eligible: EligibleNodes): void {
  if (isThrottledEverywhere(round, index, copy)) {
    // Written only where it says something new: there may be thousands that wait.
    const wasRefused = copy.unassigned?.lastAllocationStatus === 'deciders_no';
    if (wasRefused && restoreFailure(index, copy) === undefined) note(round, index, copy, 'deciders_throttled');
    return;
  }
  const placement = choosePlace(round.question(index, copy), eligible);
  if (placement.node === undefined) note(round, index, copy, placement.status);
  else round.assign(index, copy, placement.node, placement.allocationId);
}

/** Spares the questions when their answers are known: no node can take part in another recovery. */
function isThrottledEverywhere(round: AllocationRound, index: IndexMetadata, copy: ShardCopy): boolean {
  if (copy.primary) return isFullOfPrimaries(round);
  const source = round.node(primaryOf(round.copies(index.name, copy.shard))?.nodeId ?? null);
  return (source?.outgoingRecoveries ?? 0) >= round.facts.outgoingRecoveries || round.isFullOfRecoveries;
}

function isFullOfPrimaries({ nodes, isFullOfPrimaries: isFull }: AllocationRound): boolean {
  return nodes.length > 0 && isFull;
}

export type Placement =
  | { readonly node: NodeLoad; readonly allocationId?: string }
  | { readonly node?: undefined; readonly status: AllocationStatus };

/** Where the unassigned copy goes now, or why it goes nowhere. */
export function choosePlace(question: Question, eligible: EligibleNodes): Placement {
  if (mustBeFound(question)) return placeOfExistingPrimary(question);
  if (!question.copy.primary) return placeOfReplica(question, eligible);
  // Waiting for the node that has the data is cheaper than fetching it again.
  const mayWait = isToBeFetchedAgain(question) && isWaiting(question);
  return mayWait ? { status: 'delayed_allocation' } : placeOfNewCopy(question, eligible);
}

function placeOfExistingPrimary(question: Question): Placement {
  const { inSync, isComplete } = storedPrimaries(question);
  if (inSync.length === 0) {
    const knowsSomething = question.round.info.shardStores.size > 0;
    return { status: !isComplete && knowsSomething ? 'fetching_shard_data' : 'no_valid_shard_copy' };
  }
  for (const verdictOn of [canAllocate, canForceAllocate]) {
    const verdicts = inSync.map(({ node }) => verdictOn(question, node));
    const place: StoredCopy | undefined = inSync[verdicts.indexOf('YES')];
    if (place !== undefined) return place;
    if (verdicts.includes('THROTTLE')) return { status: 'deciders_throttled' };
  }
  return { status: 'deciders_no' };
}

function placeOfReplica(question: Question, eligible: EligibleNodes): Placement {
  for (const node of storedReplicas(question)) {
    const verdict = canAllocate(question, node);
    if (verdict === 'YES') return { node };
    // Waiting is cheaper than copying everything.
    if (verdict === 'THROTTLE') return { status: 'deciders_throttled' };
  }
  if (isWaiting(question)) return { status: 'delayed_allocation' };
  return placeOfNewCopy(question, eligible);
}

/** Its node left a short while ago, and may return. */
function isWaiting({ round, index, copy: { unassigned } }: Question): boolean {
  if (unassigned === null || round.node(unassigned.lastNodeId) !== undefined) return false;
  return remainingDelayMs(round.state, index, unassigned, round.nowMs) > 0;
}

/** The lightest node that takes it. One that is only busy is waited for: another place would be worse for long. */
function placeOfNewCopy(question: Question, eligible: EligibleNodes): Placement {
  const { round, index, copy } = question;
  if (canAllocateAnywhere(question) === 'NO') return { status: 'deciders_no' };
  let placement: Placement = { status: 'deciders_no' };
  takeLightest(round, index, eligible.of(question), copy.unassigned?.failedNodeIds ?? [], (node) => {
    const verdict = canAllocate(question, node);
    if (verdict !== 'NO') placement = verdict === 'YES' ? { node } : { status: 'deciders_throttled' };
    return verdict !== 'NO';
  });
  return placement;
}

/** Of primaries the outcome of a try is kept; replicas are too many for what it would tell. */
function note(round: AllocationRound, index: IndexMetadata, copy: ShardCopy, status: AllocationStatus): void {
  const { unassigned } = copy;
  if (!copy.primary || unassigned === null || unassigned.lastAllocationStatus === status) return;
  round.putUnassigned(index, copy, { ...unassigned, lastAllocationStatus: status });
}
