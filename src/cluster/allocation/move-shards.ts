/** Moves copies away from where they may not remain. */
import { canAllocate, canRemain, mayRefuseStay } from '../deciders/all.js';
import { indexFacts } from './index-facts.js';
import type { AllocationRound, Question } from './allocation-round.js';
import type { NodeLoad } from './node-load.js';
import { byPriority } from './pending-indices.js';
import { EligibleNodes, takeLightest } from './weights.js';

export function moveShards(round: AllocationRound): void {
  if (round.nodes.length < 2 || round.isFullOfRecoveries) return;
  const mayRefuse = mayRefuseStay(round);
  const indices = [...round.state.indices.values()]
    .filter((index) => index.state === 'open' && mayRefuse(indexFacts(index)))
    .sort(byPriority);
  const eligible = new EligibleNodes(round);
  for (const index of indices) {
    for (const copies of round.draft.shards(index.name)) {
      for (const copy of copies) {
        if (copy.state !== 'STARTED') continue;
        const question = round.question(index, copy);
        const node = round.node(copy.nodeId);
        if (node === undefined || canRemain(question, node) !== 'NO') continue;
        const target = chooseTarget(question, eligible);
        if (target !== undefined) round.relocate(index, copy, target);
      }
    }
  }
}

/** The lightest node that takes the copy now. */
function chooseTarget(question: Question, eligible: EligibleNodes): NodeLoad | undefined {
  const { round, index, copy } = question;
  let target: NodeLoad | undefined;
  takeLightest(round, index, eligible.of(question), [], (node) => {
    if (node.id !== copy.nodeId && canAllocate(question, node) === 'YES') target = node;
    return target !== undefined;
  });
  return target;
}
