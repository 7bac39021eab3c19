/** What the balancer knows of each node that holds data. Changes nothing. */
import { AllocationRound } from '../allocation/allocation-round.js';
import { indexFacts } from '../allocation/index-facts.js';
import type { Change, ChangeEnvironment } from '../changes/change.js';
import { canRemain, mayRefuseStay } from '../deciders/all.js';
import type { ClusterState, ShardCopy } from '../state.js';

export interface NodeBalance {
  readonly nodeId: string;
  /** Processors that writes to its primaries keep busy. */
  readonly writeLoad: number;
  /** Of the copies that are to stay, or come. */
  readonly shardBytes: number;
  /** Copies that move away, or may not remain. */
  readonly undesired: number;
}

export function balanceFigures(
  state: ClusterState,
  _input: null,
  environment: ChangeEnvironment,
): Change<readonly NodeBalance[]> {
  const round = new AllocationRound(state, environment);
  const undesired = undesiredCopies(round);
  const result = round.nodes.map(({ id, writeLoad, shardBytes }) => {
    const copies = undesired.filter(({ nodeId }) => nodeId === id).length;
    return { nodeId: id, writeLoad, shardBytes, undesired: copies };
  });
  return { state, result };
}

function undesiredCopies(round: AllocationRound): readonly ShardCopy[] {
  const mayRefuse = mayRefuseStay(round);
  return [...round.state.indices.values()].flatMap((index) => {
    const isAsked = index.state === 'open' && mayRefuse(indexFacts(index));
    return (round.state.routing.get(index.name)?.shards ?? []).flat().filter((copy) => {
      if (copy.state === 'RELOCATING') return true;
      const node = round.node(copy.nodeId);
      if (!isAsked || copy.state !== 'STARTED' || node === undefined) return false;
      return canRemain(round.question(index, copy), node) === 'NO';
    });
  });
}
