/** `total_shards_per_node` of the cluster and of the index. */
import type { Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'shards_limit';
const SETTING = 'routing.allocation.total_shards_per_node';

export const shardsLimit: Decider = {
  name: NAME,
  allowsStay: {
    inRound: ({ facts }) => facts.totalShardsPerNode <= 0,
    ofIndex: ({ totalShardsPerNode }) => totalShardsPerNode <= 0,
  },
  canAllocate: (question, node) => within(question, node, (count, limit) => count < limit),
  canRemain: (question, node) => within(question, node, (count, limit) => count <= limit),
};

function within(
  { round, index, facts }: Question,
  node: NodeLoad,
  fits: (count: number, limit: number) => boolean,
): Decision {
  const ofIndex = facts.totalShardsPerNode;
  const ofCluster = round.facts.totalShardsPerNode;
  if (ofIndex <= 0 && ofCluster <= 0) {
    return decision(
      round,
      NAME,
      'YES',
      () => `total shard limits are disabled: [index: ${ofIndex}, cluster: ${ofCluster}] <= 0`,
    );
  }
  const { shards } = node;
  if (ofCluster > 0 && !fits(shards, ofCluster)) {
    return decision(
      round,
      NAME,
      'NO',
      () => `too many shards [${shards}] allocated to this node, cluster setting [cluster.${SETTING}=${ofCluster}]`,
    );
  }
  const shardsOfIndex = ofIndex > 0 ? (round.countsOf(index.name)[node.ordinal] ?? 0) : 0;
  if (ofIndex > 0 && !fits(shardsOfIndex, ofIndex)) {
    return decision(
      round,
      NAME,
      'NO',
      () =>
        `too many shards [${shardsOfIndex}] allocated to this node for index [${index.name}], ` +
        `index setting [index.${SETTING}=${ofIndex}]`,
    );
  }
  return decision(
    round,
    NAME,
    'YES',
    () =>
      `the shard count [${shards}] for this node is under the index limit [${ofIndex}] and cluster level node limit ` +
      `[${ofCluster}]`,
  );
}
