/** An explanation of the allocation in plain words. */
import type { Explanation } from './explanation.js';

/** Why a copy lost its place, or never had one. */
const REASONS: Readonly<Record<string, string>> = {
  ALLOCATION_FAILED: 'a node tried to open it and failed',
  CLUSTER_RECOVERED: 'the whole cluster was started again',
  DANGLING_INDEX_IMPORTED: 'its index was imported from files that were found on a node',
  EXISTING_INDEX_RESTORED: 'its index is restored from a snapshot over a closed one',
  INDEX_CLOSED: 'its index was closed',
  INDEX_CREATED: 'its index was created',
  INDEX_REOPENED: 'its index was opened again',
  MANUAL_ALLOCATION: 'somebody moved it by hand',
  NEW_INDEX_RESTORED: 'its index is restored from a snapshot',
  NODE_LEFT: 'the node that held it left the cluster',
  NODE_RESTARTING: 'the node that held it is being restarted',
  PRIMARY_FAILED: 'its primary failed while it was being copied',
  REALLOCATED_REPLICA: 'a better place was found for it',
  REINITIALIZED: 'it had to start from the beginning',
  REPLICA_ADDED: 'the number of replicas was raised',
  REROUTE_CANCELLED: 'somebody cancelled its allocation',
};

/** What a rule wants, by the name of its decider. */
const RULES: Readonly<Record<string, string>> = {
  awareness: 'copies are spread over zones, and its zone has as many as it may',
  data_tier: 'the index wants nodes of another tier',
  disk_threshold: 'its disk is above a watermark',
  dedicated_frozen_node: 'it holds the frozen tier alone, which this index is not of',
  enable: 'allocation is turned off by a setting',
  filter: 'a filter of the cluster or the index keeps copies from it',
  has_frozen_cache: 'it has no cache to read partially mounted indices through',
  max_retry: 'the copy failed so often that it is not tried again by itself',
  node_replacement: 'it is being replaced by another node, or replaces one',
  node_shutdown: 'it is about to be shut down',
  node_version: 'its version is older than the one that wrote the data',
  replica_after_primary: 'the primary has to start first',
  resize: 'the index that this one is made from is not there',
  restore_in_progress: 'the restore of this shard failed or is not ready',
  same_shard: 'it holds a copy of this shard already, and two on one node protect nothing',
  shards_limit: 'it has as many shards as a limit allows',
  snapshot_in_progress: 'a snapshot of the shard is being made',
  throttling: 'it is busy with other recoveries: this passes by itself',
};

export function copyName({ index, shard, primary }: Pick<Explanation, 'index' | 'shard' | 'primary'>): string {
  return `${primary ? 'primary' : 'replica'} of shard ${shard} of ${index}`;
}

/** One or two sentences: since when and why. */
export function headline(explanation: Explanation): string {
  const { current_state: state, current_node: node, unassigned_info: info, primary } = explanation;
  if (state !== 'unassigned') return `The ${copyName(explanation)} is ${state} on ${node?.name ?? 'a node'}.`;
  const harm = primary
    ? 'Its documents cannot be searched or changed until it has a place.'
    : 'Nothing is lost: other copies answer. If their nodes fail, there is one copy less.';
  const reason =
    info === undefined ? '' : ` since ${REASONS[info.reason] ?? info.reason.toLowerCase().replaceAll('_', ' ')}`;
  return `The ${copyName(explanation)} has no place${reason}. ${harm}`;
}

/** What the cluster does about it. */
export function outlook({ can_allocate: outcome, remaining_delay: delay, explanation }: Explanation): string {
  switch (outcome) {
    case 'yes':
      return 'It gets a place now: nothing is to be done.';
    case 'throttled':
      return 'It waits for other recoveries and gets a place after them: nothing is to be done.';
    case 'awaiting_info':
      return 'The master is asking the nodes what they have of it: wait a moment.';
    case 'allocation_delayed':
      return `The node may come back: the cluster waits for it (${delay ?? 'a while'} more) before it makes another copy.`;
    case 'no_valid_shard_copy':
      return 'No node has a valid copy of its data. Start the node that has one, or restore the index from a snapshot.';
    case 'no':
    case 'no_attempt':
      return 'Each node has a reason not to take it. It stays like this until one of the reasons is gone.';
    default:
      return explanation ?? '';
  }
}

export function ruleInWords(decider: string): string {
  return RULES[decider] ?? `the rule ${decider} says no`;
}
