/** Why a copy has no place, and what each node says to taking it. */
import type { JsonObject } from '../../base/json-value.js';
import { formatTime } from '../../base/units.js';
import { choosePlace, type Placement } from '../allocation/allocate-unassigned.js';
import type { Question } from '../allocation/allocation-round.js';
import { inSyncIdOf, mustBeFound, storedPrimaries, storeOn } from '../allocation/shard-stores.js';
import { EligibleNodes, ranking } from '../allocation/weights.js';
import { delayOf, remainingDelayMs } from '../copies/delayed-allocation.js';
import { explainAllocate, worst } from '../deciders/all.js';
import type { AllocationStatus } from '../state.js';
import {
  OUTCOME_OF,
  renderNode,
  renderNodeResults,
  renderPrimaryStore,
  renderReplicaStore,
  type NodeResult,
  type Outcome,
} from './node-result.js';

const OUTCOME_OF_STATUS: Readonly<Record<AllocationStatus, Outcome>> = {
  no_attempt: 'no_attempt',
  deciders_no: 'no',
  deciders_throttled: 'throttled',
  delayed_allocation: 'allocation_delayed',
  fetching_shard_data: 'awaiting_info',
  no_valid_shard_copy: 'no_valid_shard_copy',
};

/** `last_allocation_status` in the API's words. */
export function outcomeOfStatus(status: AllocationStatus): Outcome {
  return OUTCOME_OF_STATUS[status];
}

export function explainUnassigned(question: Question, includeYes: boolean): JsonObject {
  const placement = choosePlace(question, new EligibleNodes(question.round));
  const outcome = placement.node === undefined ? OUTCOME_OF_STATUS[placement.status] : 'yes';
  const results = mustBeFound(question) ? resultsOfStores(question) : resultsOfNodes(question);
  return {
    can_allocate: outcome,
    allocate_explanation: sentence(question, outcome, results),
    ...(placement.node === undefined ? {} : target(placement)),
    ...(outcome === 'allocation_delayed' ? delays(question) : {}),
    ...renderNodeResults(results, includeYes),
  };
}

function target({ node, allocationId }: Extract<Placement, { readonly allocationId?: string }>): JsonObject {
  return {
    target_node: renderNode(node.node),
    ...(allocationId === undefined ? {} : { allocation_id: allocationId }),
  };
}

/** A primary with data: what counts is what lies on the nodes. Nodes that did not answer yet are left out. */
function resultsOfStores(question: Question): readonly NodeResult[] {
  const { round, index, copy } = question;
  const inSyncIds = index.inSyncAllocationIds[copy.shard] ?? [];
  const candidates = new Set(storedPrimaries(question).inSync.map(({ node }) => node));
  return round.nodes.flatMap((node): readonly NodeResult[] => {
    const store = storeOn(question, node);
    if (store === undefined && !candidates.has(node)) return [];
    const shown =
      store === undefined
        ? { in_sync: true, allocation_id: copy.unassigned?.lastAllocationId ?? '' }
        : renderPrimaryStore(store, inSyncIdOf(store, inSyncIds));
    const decisions = candidates.has(node) ? explainAllocate(question, node) : [];
    const outcome = candidates.has(node) ? OUTCOME_OF[worst(decisions)] : 'no';
    return [{ node, outcome, ranking: 0, decisions, store: shown }];
  });
}

function resultsOfNodes(question: Question): readonly NodeResult[] {
  const { round, index, copy } = question;
  const ranks = ranking(round, index);
  return round.nodes.map((node) => {
    const decisions = explainAllocate(question, node);
    const store = storeOn(question, node);
    const isPart = !copy.primary && store !== undefined && store !== null && store.matchingBytes > 0;
    return {
      node,
      outcome: OUTCOME_OF[worst(decisions)],
      ranking: ranks.get(node.id) ?? 0,
      decisions,
      ...(isPart ? { store: renderReplicaStore(store) } : {}),
    };
  });
}

function sentence(question: Question, outcome: Outcome, results: readonly NodeResult[]): string {
  switch (outcome) {
    case 'yes':
      return 'can allocate the shard';
    case 'throttled':
      return 'allocation temporarily throttled';
    case 'awaiting_info':
      return 'cannot allocate because information about existing shard data is still being retrieved from some of the nodes';
    case 'no_valid_shard_copy':
      return results.some(({ store }) => store !== undefined && store['found'] !== false)
        ? 'cannot allocate because all found copies of the shard are either stale or corrupt'
        : 'cannot allocate because a previous copy of the primary shard existed but can no longer be found on the nodes in ' +
            'the cluster';
    case 'allocation_delayed':
      return (
        `cannot allocate because the cluster is still waiting ${formatTime(remaining(question))} for the departed node ` +
        `holding a replica to rejoin${
          results.some((result) => result.outcome === 'yes')
            ? ', despite being allowed to allocate the shard to at least one other node'
            : ''
        }`
      );
    case 'no':
    case 'worse_balance':
    case 'no_attempt':
      return mustBeFound(question)
        ? 'cannot allocate because allocation is not permitted to any of the nodes that hold an in-sync shard copy'
        : 'cannot allocate because allocation is not permitted to any of the nodes';
  }
}

function remaining({ round, index, copy }: Question): number {
  return copy.unassigned === null ? 0 : remainingDelayMs(round.state, index, copy.unassigned, round.nowMs);
}

function delays(question: Question): JsonObject {
  const { round, index, copy } = question;
  const configured = copy.unassigned === null ? 0 : delayOf(round.state, index, copy.unassigned);
  const left = remaining(question);
  return {
    configured_delay: formatTime(configured),
    configured_delay_in_millis: configured,
    remaining_delay: formatTime(left),
    remaining_delay_in_millis: left,
  };
}
