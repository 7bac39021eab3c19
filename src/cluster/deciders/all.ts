/** All rules of allocation together. */
import type { AllocationRound, Question } from '../allocation/allocation-round.js';
import type { IndexFacts } from '../allocation/index-facts.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { awareness } from './awareness.js';
import { dataTier } from './data-tier.js';
import type { Decider, Decision, Verdict } from './decider.js';
import { diskThreshold } from './disk-threshold.js';
import { enable } from './enable.js';
import { dedicatedFrozenNode, hasFrozenCache } from './frozen.js';
import { filter } from './filter.js';
import { maxRetry } from './max-retry.js';
import { nodeReplacement, nodeShutdown } from './node-shutdown.js';
import { nodeVersion } from './node-version.js';
import { clusterRebalance, concurrentRebalance, rebalanceOnlyWhenActive } from './rebalancing.js';
import { replicaAfterPrimary } from './replica-after-primary.js';
import { resize } from './resize.js';
import { sameShard } from './same-shard.js';
import { shardsLimit } from './shards-limit.js';
import { restoreInProgress, snapshotInProgress } from './snapshots.js';
import { throttling } from './throttling.js';

/** In the order in which the API lists their answers. */
export const DECIDERS: readonly Decider[] = [
  maxRetry,
  resize,
  replicaAfterPrimary,
  rebalanceOnlyWhenActive,
  clusterRebalance,
  concurrentRebalance,
  enable,
  nodeVersion,
  snapshotInProgress,
  restoreInProgress,
  nodeShutdown,
  nodeReplacement,
  filter,
  sameShard,
  diskThreshold,
  throttling,
  shardsLimit,
  awareness,
  dataTier,
  dedicatedFrozenNode,
  hasFrozenCache,
];

type NodeRule = (question: Question, node: NodeLoad) => Decision;

const RULES_OF_PLACE = rulesOf((decider) => decider.canAllocate?.bind(decider));
const RULES_OF_STAY = rulesOf((decider) => decider.canRemain?.bind(decider));
const RULES_OF_LAST_COPY = rulesOf((decider) =>
  decider.holdsForLastCopy === true || decider === throttling ? decider.canAllocate?.bind(decider) : undefined,
);

const RULES_OF_COPY = rulesOf((decider) =>
  decider.looksAtCopyAlone === true ? decider.canAllocate?.bind(decider) : undefined,
);

function rulesOf(pick: (decider: Decider) => NodeRule | undefined): readonly NodeRule[] {
  return DECIDERS.flatMap((decider) => pick(decider) ?? []);
}

export function canAllocate(question: Question, node: NodeLoad): Verdict {
  return judge(RULES_OF_PLACE, question, node);
}

/** `NO` when no node will do; asked of any node, before the nodes are looked at. */
export function canAllocateAnywhere(question: Question): Verdict {
  const [any] = question.round.nodes;
  return any === undefined ? 'NO' : judge(RULES_OF_COPY, question, any);
}

export function canRemain(question: Question, node: NodeLoad): Verdict {
  return judge(RULES_OF_STAY, question, node);
}

/**
 * May a primary that has its data on the node be there, if it can be nowhere else? Its data matters more than filters,
 * tiers, watermarks or a pause of allocation.
 */
export function canForceAllocate(question: Question, node: NodeLoad): Verdict {
  return judge(RULES_OF_LAST_COPY, question, node);
}

/** Spares the questions about staying where no rule has anything against it. */
export function mayRefuseStay(round: AllocationRound): (facts: IndexFacts) => boolean {
  const rules = DECIDERS.filter((decider) => 'canRemain' in decider);
  if (rules.some(({ allowsStay }) => allowsStay?.inRound(round) !== true)) return () => true;
  return (facts) => rules.some(({ allowsStay }) => allowsStay?.ofIndex(facts) !== true);
}

function judge(rules: readonly NodeRule[], question: Question, node: NodeLoad): Verdict {
  let verdict: Verdict = 'YES';
  for (const rule of rules) {
    const answer = rule(question, node).verdict;
    if (answer === 'NO') return 'NO';
    if (answer === 'THROTTLE') verdict = 'THROTTLE';
  }
  return verdict;
}

export function canRebalance(question: Question): Verdict {
  return worst(explainRebalance(question));
}

export function canRebalanceCluster(round: AllocationRound): Verdict {
  return worst(explainRebalanceCluster(round));
}

export function explainAllocate(question: Question, node: NodeLoad): readonly Decision[] {
  return RULES_OF_PLACE.map((rule) => rule(question, node));
}

export function explainRemain(question: Question, node: NodeLoad): readonly Decision[] {
  return RULES_OF_STAY.map((rule) => rule(question, node));
}

export function explainRebalanceCluster(round: AllocationRound): readonly Decision[] {
  return DECIDERS.flatMap((decider) => decider.canRebalanceCluster?.(round) ?? []);
}

/** What is said of the copy. */
export function explainRebalance(question: Question): readonly Decision[] {
  return DECIDERS.flatMap((decider) => decider.canRebalance?.(question) ?? []);
}

export function worst(decisions: readonly Decision[]): Verdict {
  if (decisions.some(({ verdict }) => verdict === 'NO')) return 'NO';
  return decisions.some(({ verdict }) => verdict === 'THROTTLE') ? 'THROTTLE' : 'YES';
}
