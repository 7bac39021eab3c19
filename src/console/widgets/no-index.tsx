/** What stands where a list of indices is empty: there is none, or none that the privileges of the account show. */
import type { VNode } from 'preact';
import { CLUSTER_HEALTH, type ClusterHealth } from '../api/answers.js';
import { usePolled } from '../api/polling.js';
import { Empty } from './panel.js';

/** Health is of all indices, whoever asks. */
export function NoIndex(): VNode {
  const { data: health, failure } = usePolled(CLUSTER_HEALTH);
  if (health === undefined) return <Empty>{failure === undefined ? 'Loading …' : 'No index can be seen.'}</Empty>;
  return (
    <Empty>
      {copiesIn(health) === 0
        ? 'There is no index yet.'
        : 'The cluster has indices, but none that your privileges let you see.'}
    </Empty>
  );
}

function copiesIn({ active_shards, initializing_shards, unassigned_shards }: ClusterHealth): number {
  return active_shards + initializing_shards + unassigned_shards;
}
