/**
 * Moves copies from heavy nodes to light ones.
 *
 * The balancer settles because every move makes one number smaller, the sum over all nodes of
 * `shard/2 * S^2 + index/2 * sum of I^2 + byte/2m * B^2 + write/2w * W^2` (see `weights.ts`; m is the mean size of a shard, w the mean
 * load of those that are written to), and there are only so many places for so many copies. What a move takes off is its gain; for a copy of mean size it is the difference of the
 * two nodes' weights less the weight of the copy itself, which both ends change by. `balance.threshold` asks for more than that.
 */
import { canAllocate, canRebalance, canRebalanceCluster } from '../deciders/all.js';
import type { IndexMetadata, ShardCopy } from '../state.js';
import type { AllocationRound } from './allocation-round.js';
import type { CopySize, NodeLoad } from './node-load.js';
import { EligibleNodes } from './weights.js';

/** Sums of fractions are not exact. */
const ROUNDING = 1e-6;

interface Move {
  readonly copy: ShardCopy;
  readonly target: NodeLoad;
  readonly gain: number;
}

export function rebalance(round: AllocationRound): void {
  if (round.nodes.length < 2) return;
  const eligible = new EligibleNodes(round);
  let hasMoved = true;
  while (hasMoved) {
    hasMoved = false;
    for (const index of inOrderOfGain(round)) {
      if (canRebalanceCluster(round) !== 'YES') return;
      if (moveBest(round, index, eligible)) hasMoved = true;
    }
  }
}

/** Indices from whose moves most can be gained come first; those that are balanced are left out. */
function inOrderOfGain(round: AllocationRound): readonly IndexMetadata[] {
  if (canRebalanceCluster(round) !== 'YES') return [];
  const ofSizes = greatestGainOfBytes(round) + greatestGainOfWrites(round);
  return [...round.state.indices.values()]
    .filter(({ state, name }) => state === 'open' && round.state.routing.has(name))
    .map((index) => ({ index, gain: greatestGain(round, index, ofSizes) }))
    .filter(({ gain }) => isWorth(round, gain))
    .sort((left, right) => right.gain - left.gain || (left.index.name < right.index.name ? -1 : 1))
    .map(({ index }) => index);
}

export function isWorth(round: AllocationRound, gain: number): boolean {
  return gain > Math.max(0, round.facts.balance.threshold - 1) + ROUNDING;
}

/** What moving the copy from one node to the other takes off the sum. */
export function gainOf(
  round: AllocationRound,
  counts: Int32Array,
  { bytes, writeLoad }: CopySize,
  from: NodeLoad,
  to: NodeLoad,
): number {
  const { shard, index, byte, write } = round.facts.balance;
  const ofIndex = (counts[from.ordinal] ?? 0) - (counts[to.ordinal] ?? 0) - 1;
  const sized = round.meanShardBytes === 0 ? 0 : bytes / round.meanShardBytes;
  const loaded = round.meanWriteLoad === 0 ? 0 : writeLoad / round.meanWriteLoad;
  return (
    shard * (from.shards - to.shards - 1) +
    index * ofIndex +
    byte * sized * (from.shardBytes - to.shardBytes - bytes) +
    write * loaded * (from.writeLoad - to.writeLoad - writeLoad)
  );
}

/** An upper bound of what a move of the index gains, whatever the rules say: most indices end here. */
function greatestGain(round: AllocationRound, index: IndexMetadata, ofSizes: number): number {
  const { shard, index: weight } = round.facts.balance;
  const counts = round.countsOf(index.name);
  let lightest = Infinity;
  let heaviest = -Infinity;
  for (const node of round.nodes) {
    const count = counts[node.ordinal] ?? 0;
    const total = shard * node.shards + weight * count;
    if (total < lightest) lightest = total;
    if (count > 0 && total > heaviest) heaviest = total;
  }
  return heaviest - lightest - 1 + ofSizes;
}

/** An upper bound of what a move gains by evening out bytes: that of the largest shard between the extremes. */
function greatestGainOfBytes(round: AllocationRound): number {
  if (round.meanShardBytes === 0) return 0;
  const bytes = round.nodes.map((node) => node.shardBytes);
  const [most, least] = [Math.max(...bytes), Math.min(...bytes)];
  let largest = 0;
  for (const size of round.info.shardBytes.values()) if (size > largest) largest = size;
  return (round.facts.balance.byte * largest * (most - least)) / round.meanShardBytes;
}

/** The same of the load of writes. */
function greatestGainOfWrites(round: AllocationRound): number {
  if (round.meanWriteLoad === 0) return 0;
  const loads = round.nodes.map((node) => node.writeLoad);
  const most = Math.max(...round.info.writeLoads.values());
  return (round.facts.balance.write * most * (Math.max(...loads) - Math.min(...loads))) / round.meanWriteLoad;
}

/** Makes the best move of the index that the rules allow. */
function moveBest(round: AllocationRound, index: IndexMetadata, eligible: EligibleNodes): boolean {
  for (const { copy, target } of movesOf(round, index, eligible)) {
    const question = round.question(index, copy);
    if (canRebalance(question) !== 'YES' || canAllocate(question, target) !== 'YES') continue;
    round.relocate(index, copy, target);
    return true;
  }
  return false;
}

function movesOf(round: AllocationRound, index: IndexMetadata, eligible: EligibleNodes): readonly Move[] {
  const counts = round.countsOf(index.name);
  const moves: Move[] = [];
  for (const copies of round.draft.shards(index.name)) {
    for (const copy of copies) {
      const from = copy.state === 'STARTED' ? round.node(copy.nodeId) : undefined;
      if (from === undefined) continue;
      const size = round.sizeOf(index, copy);
      for (const target of eligible.of(round.question(index, copy))) {
        const gain = gainOf(round, counts, size, from, target);
        if (target !== from && isWorth(round, gain)) moves.push({ copy, target, gain });
      }
    }
  }
  return moves.sort(
    (left, right) =>
      right.gain - left.gain || left.target.ordinal - right.target.ordinal || left.copy.shard - right.copy.shard,
  );
}
