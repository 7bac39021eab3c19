/** One node's part of an explanation, as the allocation explain API prints it. */
import { formatBytes } from '../../base/units.js';
import type { JsonObject } from '../../base/json-value.js';
import type { Decision, Verdict } from '../deciders/decider.js';
import type { ShardStore } from '../disks/cluster-info.js';
import type { NodeLoad } from '../allocation/node-load.js';
import type { NodeRecord } from '../state.js';

/** The API's words for what comes of a question about a place. */
export type Outcome =
  | 'yes'
  | 'throttled'
  | 'no'
  | 'worse_balance'
  | 'awaiting_info'
  | 'allocation_delayed'
  | 'no_valid_shard_copy'
  | 'no_attempt';

export const OUTCOME_OF: Readonly<Record<Verdict, Outcome>> = { YES: 'yes', THROTTLE: 'throttled', NO: 'no' };

export interface NodeResult {
  readonly node: NodeLoad;
  readonly outcome: Outcome;
  /** Place among all nodes by weight, from 1; 0 where weight plays no part. */
  readonly ranking: number;
  readonly decisions: readonly Decision[];
  readonly store?: JsonObject;
}

const ORDER: readonly Outcome[] = ['yes', 'throttled', 'no', 'worse_balance'];

/** Best outcome first, then by ranking. */
export function renderNodeResults(results: readonly NodeResult[], includeYes: boolean): JsonObject {
  if (results.length === 0) return {};
  const sorted = [...results].sort(
    (left, right) =>
      ORDER.indexOf(left.outcome) - ORDER.indexOf(right.outcome) ||
      left.ranking - right.ranking ||
      left.node.ordinal - right.node.ordinal,
  );
  return { node_allocation_decisions: sorted.map((result) => renderNodeResult(result, includeYes)) };
}

function renderNodeResult({ node, outcome, ranking, decisions, store }: NodeResult, includeYes: boolean): JsonObject {
  const { id, name, transportAddress, attributes, roles } = node.node;
  return {
    node_id: id,
    node_name: name,
    transport_address: transportAddress,
    ...(Object.keys(attributes).length === 0 ? {} : { node_attributes: attributes }),
    roles: [...roles].sort(),
    node_decision: outcome,
    ...(store === undefined ? {} : { store }),
    ...(ranking === 0 ? {} : { weight_ranking: ranking }),
    ...renderDecisions('deciders', decisions, includeYes),
  };
}

/** Nothing where no decision is left to tell of. */
export function renderDecisions(member: string, decisions: readonly Decision[], includeYes: boolean): JsonObject {
  const told = decisions.filter(({ verdict }) => includeYes || verdict !== 'YES');
  return told.length === 0 ? {} : { [member]: told.map(renderDecision) };
}

export function renderDecision({ decider, verdict, explanation }: Decision): JsonObject {
  return { decider, decision: verdict, explanation };
}

export function renderNode(node: NodeRecord): JsonObject {
  const { id, name, transportAddress, attributes, roles } = node;
  return {
    id,
    name,
    transport_address: transportAddress,
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    roles: [...roles].sort(),
  };
}

/** Of a node that may hold the data of a primary. `inSyncId`: of the in-sync copy that it stands for, if for any. */
export function renderPrimaryStore(store: ShardStore | null, inSyncId: string | undefined): JsonObject {
  if (store === null) return { found: false };
  const failure =
    store.error === undefined ? {} : { store_exception: { type: 'corrupt_index_exception', reason: store.error } };
  const allocationId = inSyncId ?? store.allocationId;
  const id = allocationId === null ? {} : { allocation_id: allocationId };
  return { in_sync: inSyncId !== undefined, ...id, ...failure };
}

/** Of a node that may hold part of a replica. */
export function renderReplicaStore({ matchingBytes }: ShardStore): JsonObject {
  return { matching_size: formatBytes(matchingBytes), matching_size_in_bytes: matchingBytes };
}
