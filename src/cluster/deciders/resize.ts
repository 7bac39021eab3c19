/** A shard that is made of the files of another index goes where these are. */
import type { Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { sourceOfCopy, sourceShards } from '../resize.js';
import { isActive, primaryOf } from '../copies/shard-copies.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'resize';

export const resize: Decider = {
  name: NAME,
  canAllocate({ round, index, copy }: Question, node: NodeLoad): Decision {
    const source = sourceOfCopy(index, copy);
    if (source === undefined) return decision(round, NAME, 'YES', () => 'shard is not made of another index');
    const sourceIndex = round.state.indices.get(source.name);
    if (sourceIndex?.uuid !== source.uuid) {
      return decision(round, NAME, 'NO', () => `resize source index [[${source.name}/${source.uuid}]] doesn't exists`);
    }
    const numbers = sourceShards(sourceIndex.numberOfShards, index.numberOfShards, copy.shard);
    const shards = numbers.map((shard) => round.copies(source.name, shard));
    const [only] = shards;
    if (shards.length === 1 && only !== undefined)
      return besidePrimary(round, only, `[${source.name}][${numbers[0] ?? 0}]`, node);
    return shards.every((copies) => copies.some((each) => each.nodeId === node.id && isActive(each)))
      ? decision(round, NAME, 'YES', () => 'all source shards have an active copy on this node')
      : decision(round, NAME, 'NO', () => `not all shards of [${source.name}] have an active copy on this node`);
  },
};

function besidePrimary(
  round: Question['round'],
  copies: ReturnType<Question['round']['copies']>,
  shard: string,
  node: NodeLoad,
): Decision {
  const primary = primaryOf(copies);
  if (primary === undefined || !isActive(primary)) {
    return decision(round, NAME, 'NO', () => `source primary shard [${shard}] is not active`);
  }
  return primary.nodeId === node.id
    ? decision(round, NAME, 'YES', () => 'source primary is allocated on this node')
    : decision(round, NAME, 'NO', () => 'source primary is allocated on another node');
}
