/** Whether a started copy may stay where it is, and whether another place would be better. */
import type { JsonObject } from '../../base/json-value.js';
import type { Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { gainOf, isWorth } from '../allocation/rebalance.js';
import { ranking } from '../allocation/weights.js';
import { explainAllocate, explainRebalance, explainRebalanceCluster, explainRemain, worst } from '../deciders/all.js';
import type { Decision, Verdict } from '../deciders/decider.js';
import {
  OUTCOME_OF,
  renderDecisions,
  renderNode,
  renderNodeResults,
  type NodeResult,
  type Outcome,
} from './node-result.js';

export function explainAssigned(question: Question, node: NodeLoad, includeYes: boolean): JsonObject {
  const stay = explainRemain(question, node);
  if (worst(stay) !== 'NO') return explainBalance(question, node, includeYes);
  const results = resultsOf(question, node, (verdict) => OUTCOME_OF[verdict]);
  const best = lightest(results, 'yes');
  const isThrottled = best === undefined && results.some(({ outcome }) => outcome === 'throttled');
  return {
    ...(best === undefined ? {} : { target_node: renderNode(best.node.node) }),
    can_remain_on_current_node: 'no',
    ...renderDecisions('can_remain_decisions', stay, includeYes),
    can_move_to_other_node: best === undefined ? 'no' : 'yes',
    move_explanation:
      best !== undefined
        ? 'shard cannot remain on this node and is force-moved to another node'
        : isThrottled
          ? 'shard cannot remain on this node but is throttled on moving to another node'
          : 'cannot move shard to another node, even though it is not allowed to remain on its current node',
    ...renderNodeResults(results, includeYes),
  };
}

function explainBalance(question: Question, node: NodeLoad, includeYes: boolean): JsonObject {
  const { round, index, copy } = question;
  const counts = round.countsOf(index.name);
  const size = round.sizeOf(index, copy);
  const isBetter = (target: NodeLoad): boolean => isWorth(round, gainOf(round, counts, size, node, target));
  const results = resultsOf(question, node, (verdict, target) =>
    verdict === 'YES' && !isBetter(target) ? 'worse_balance' : OUTCOME_OF[verdict],
  );
  const rules = [...explainRebalanceCluster(round), ...explainRebalance(question)];
  const told = strictestOfEach(rules);
  const cluster = worst(rules);
  const best = cluster === 'YES' ? lightest(results, 'yes') : undefined;
  const throttled = results.find((result) => result.outcome === 'throttled' && isBetter(result.node));
  const other: Outcome = best !== undefined ? 'yes' : throttled !== undefined && cluster === 'YES' ? 'throttled' : 'no';
  return {
    ...(best === undefined ? {} : { target_node: renderNode(best.node.node) }),
    can_remain_on_current_node: 'yes',
    can_rebalance_cluster: OUTCOME_OF[cluster],
    ...(cluster === 'YES' ? {} : renderDecisions('can_rebalance_cluster_decisions', told, includeYes)),
    can_rebalance_to_other_node: other,
    rebalance_explanation: balanceSentence(cluster, other, results),
    ...renderNodeResults(results, includeYes),
  };
}

/** A rule may speak of all copies and of this one: what it has most against is what counts. */
function strictestOfEach(rules: readonly Decision[]): readonly Decision[] {
  const names = [...new Set(rules.map(({ decider }) => decider))];
  return names.flatMap((name) => {
    const said = rules.filter(({ decider }) => decider === name);
    const verdict = worst(said);
    return said.find((rule) => rule.verdict === verdict) ?? [];
  });
}

function balanceSentence(cluster: Verdict, other: Outcome, results: readonly NodeResult[]): string {
  switch (cluster) {
    case 'NO':
      return results.some(({ outcome }) => outcome === 'yes')
        ? 'rebalancing is not allowed, even though there is at least one node on which the shard can be allocated'
        : 'rebalancing is not allowed';
    case 'THROTTLE':
      return 'rebalancing is throttled';
    case 'YES':
      if (other === 'yes') return 'can rebalance shard';
      return other === 'throttled'
        ? 'shard rebalancing throttled'
        : 'cannot rebalance as no target node exists that can both allocate this shard and improve the cluster balance';
  }
}

/** Of all nodes but the copy's own. */
function resultsOf(
  question: Question,
  current: NodeLoad,
  outcomeOf: (verdict: Verdict, node: NodeLoad) => Outcome,
): readonly NodeResult[] {
  const ranks = ranking(question.round, question.index);
  return question.round.nodes
    .filter((node) => node !== current)
    .map((node) => {
      const decisions = explainAllocate(question, node);
      return { node, outcome: outcomeOf(worst(decisions), node), ranking: ranks.get(node.id) ?? 0, decisions };
    });
}

function lightest(results: readonly NodeResult[], outcome: Outcome): NodeResult | undefined {
  return results
    .filter((result) => result.outcome === outcome)
    .reduce<NodeResult | undefined>(
      (best, result) => (best === undefined || result.ranking < best.ranking ? result : best),
      undefined,
    );
}
