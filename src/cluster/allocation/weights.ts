/**
 * How good a place is for a copy: the lighter the node, the better.
 *
 * The weight of a node for an index is `shard * S + index * I + byte * B + write * W`, where S are the copies on the node, I those
 * of the index, B the bytes of all, and W the processors that writes to its primaries keep busy: the weights of Elasticsearch's balanced allocator without their means, which are the same for
 * all nodes.
 */
import { dataTier } from '../deciders/data-tier.js';
import { passesFilters } from '../deciders/filter.js';
import type { IndexMetadata } from '../state.js';
import type { AllocationRound, Question } from './allocation-round.js';
import type { NodeLoad } from './node-load.js';

/** Those that filters and tiers open to the index; the same list for indices of the same rules. */
export class EligibleNodes {
  private readonly round: AllocationRound;
  private readonly known = new Map<string, readonly NodeLoad[]>();

  constructor(round: AllocationRound) {
    this.round = round;
  }

  of(question: Question): readonly NodeLoad[] {
    const { placementKey } = question.facts;
    let nodes = this.known.get(placementKey);
    if (nodes === undefined) {
      nodes = this.select(question);
      this.known.set(placementKey, nodes);
    }
    return nodes;
  }

  private select(question: Question): readonly NodeLoad[] {
    const filters = [this.round.facts.filters, question.facts.filters];
    return this.round.nodes.filter(
      (node) => passesFilters(filters, node.node) && dataTier.canAllocate?.(question, node).verdict !== 'NO',
    );
  }
}

/**
 * Shows the nodes from the lightest to the heaviest until one is taken. Nodes where the copy failed before come last; ties go
 * by id. Nearly always the first is taken, so nothing is sorted.
 */
export function takeLightest(
  round: AllocationRound,
  index: IndexMetadata,
  nodes: readonly NodeLoad[],
  failedNodeIds: readonly string[],
  isTaken: (node: NodeLoad) => boolean,
): void {
  const weights = weightsOf(round, index, nodes, failedNodeIds);
  for (let shown = 0; shown < nodes.length; shown++) {
    let place = 0;
    let least = Infinity;
    for (let at = 0; at < weights.length; at++) {
      const weight = weights[at] ?? Infinity;
      if (weight < least) {
        least = weight;
        place = at;
      }
    }
    const node = nodes[place];
    if (node !== undefined && isTaken(node)) return;
    weights[place] = Infinity;
  }
}

/** Relative to the same index only. A plain loop: it runs for every copy that gets a place. */
function weightsOf(
  round: AllocationRound,
  index: IndexMetadata,
  nodes: readonly NodeLoad[],
  failedNodeIds: readonly string[],
): Float64Array {
  const counts = round.countsOf(index.name);
  const { shard, index: ofIndex, byte, write } = round.facts.balance;
  const weights = new Float64Array(nodes.length);
  let at = 0;
  for (const node of nodes) {
    const ofCopies = shard * node.shards + ofIndex * (counts[node.ordinal] ?? 0);
    weights[at++] = ofCopies + byte * node.shardBytes + write * node.writeLoad;
  }
  if (failedNodeIds.length === 0) return weights;
  return weights.map((weight, place) =>
    failedNodeIds.includes(nodes[place]?.id ?? '') ? weight + AFTER_ALL_OTHERS : weight,
  );
}

/** Heavier than any node is by what it holds. */
const AFTER_ALL_OTHERS = 1e15;

/** By node id: the place of each node by weight, the lightest is 1. */
export function ranking(round: AllocationRound, index: IndexMetadata): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  takeLightest(round, index, round.nodes, [], (node) => {
    ranks.set(node.id, ranks.size + 1);
    return false;
  });
  return ranks;
}
