import { expect, it } from 'vitest';
import { NO_CLUSTER_INFO, shardKey } from '../../../src/cluster/disks/cluster-info.js';
import { balanceFigures } from '../../../src/cluster/explain/balance-figures.js';
import { indexOf } from '../support.js';
import { TestCluster } from './cluster.js';

it('tells what the balancer weighs on each node, and what is not where it should be', () => {
  const cluster = new TestCluster('ab');
  cluster.create('x', { number_of_replicas: 1 });
  cluster.settle();
  const key = shardKey(indexOf(cluster.state, 'x').uuid, 0);
  cluster.info = { ...NO_CLUSTER_INFO, writeLoads: new Map([[key, 0.5]]), shardBytes: new Map([[key, 1_000]]) };
  const primary = cluster.copies('x')[0]?.nodeId ?? '';
  const of = (nodeId: string) => cluster.run(balanceFigures, null).find((each) => each.nodeId === nodeId);
  const replica = primary === 'a' ? 'b' : 'a';
  expect(of(primary)).toEqual({ nodeId: primary, writeLoad: 0.5, shardBytes: 1_000, undesired: 0 });
  expect(of(replica)).toEqual({ nodeId: replica, writeLoad: 0, shardBytes: 1_000, undesired: 0 });
  // There is no other place for it.
  cluster.settings({ 'cluster.routing.allocation.exclude._name': replica });
  expect(of(replica)?.undesired).toBe(1);
  expect(of(primary)?.undesired).toBe(0);
});
