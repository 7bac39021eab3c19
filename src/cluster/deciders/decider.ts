/** What one rule of allocation answers. */
import type { AllocationRound, Question } from '../allocation/allocation-round.js';
import type { IndexFacts } from '../allocation/index-facts.js';
import type { NodeLoad } from '../allocation/node-load.js';

/** `THROTTLE`: not now, but without anybody's doing later. */
export type Verdict = 'YES' | 'THROTTLE' | 'NO';

export interface Decision {
  /** The rule's name in the API. */
  readonly decider: string;
  readonly verdict: Verdict;
  /** Names the setting that is responsible. Empty in rounds that do not explain. */
  readonly explanation: string;
}

/**
 * A rule. It answers only the questions that concern it; what it leaves out it allows. Its sentences are the API's:
 * tools and people look for them.
 */
export interface Decider {
  readonly name: string;
  /** May the copy be put on the node? */
  canAllocate?(question: Question, node: NodeLoad): Decision;
  /** May the copy stay on the node? */
  canRemain?(question: Question, node: NodeLoad): Decision;
  /**
   * Where both are given and true, `canRemain` is known to allow everything: to copies of any index in this round, and to
   * those of an index with these settings.
   */
  readonly allowsStay?: { inRound(round: AllocationRound): boolean; ofIndex(facts: IndexFacts): boolean };
  /** May the copy be moved for the sake of balance? */
  canRebalance?(question: Question): Decision;
  /** May anything be moved for the sake of balance? */
  canRebalanceCluster?(round: AllocationRound): Decision;
  /** Its answer is the same for all nodes. */
  readonly looksAtCopyAlone?: true;
  /** Its NO holds even for a primary that has its data on the node and no other choice. */
  readonly holdsForLastCopy?: true;
}

const WITHOUT_WORDS: Readonly<Record<Verdict, Decision>> = {
  YES: { decider: '', verdict: 'YES', explanation: '' },
  THROTTLE: { decider: '', verdict: 'THROTTLE', explanation: '' },
  NO: { decider: '', verdict: 'NO', explanation: '' },
};

/** The sentence is made only where it will be read. */
export function decision(
  round: AllocationRound,
  decider: string,
  verdict: Verdict,
  explanation: () => string,
): Decision {
  return round.options.explains === true ? { decider, verdict, explanation: explanation() } : WITHOUT_WORDS[verdict];
}
