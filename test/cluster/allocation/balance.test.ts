import { describe, expect, it } from 'vitest';
import { NO_CLUSTER_INFO, shardKey } from '../../../src/cluster/disks/cluster-info.js';
import { nextState } from '../../../src/cluster/changes/change.js';
import { rerouteCluster } from '../../../src/cluster/changes/copies/reroute-cluster.js';
import { indexOf } from '../support.js';
import { TestCluster } from './cluster.js';

describe('the balancer', () => {
  it('spreads new copies evenly over nodes and over the worker slots of each', () => {
    const cluster = new TestCluster('abc', { workerSlots: 4 });
    for (let number = 0; number < 12; number++) cluster.create(`i${number}`, { number_of_shards: 2 });
    cluster.settle();
    expect(cluster.load()).toEqual({ a: 16, b: 16, c: 16 });
    const slots = new Map<string, number>();
    for (const { copy } of cluster.all()) {
      const slot = `${copy.nodeId} ${copy.workerSlot}`;
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
    }
    expect([...slots.values()]).toEqual(Array.from({ length: 12 }, () => 4));
  });

  it('moves copies to a node that joins, two at a time, and then rests', () => {
    const cluster = new TestCluster('ab');
    for (let number = 0; number < 6; number++) cluster.create(`i${number}`, { number_of_replicas: 1 });
    cluster.settle();
    cluster.join('c');
    const moving = (): number => cluster.all().filter(({ copy }) => copy.state === 'RELOCATING').length;
    expect(moving()).toBe(2);
    cluster.settle();
    expect(cluster.load()).toEqual({ a: 4, b: 4, c: 4 });
    const before = cluster.state;
    cluster.run(rerouteCluster, {});
    expect(cluster.state).toBe(before);
  });

  it('waits until all copies are active, and stops where it is told to', () => {
    const cluster = new TestCluster('a');
    cluster.settings({ 'cluster.routing.rebalance.enable': 'none' });
    for (let number = 0; number < 4; number++) cluster.create(`i${number}`, { number_of_replicas: 0 });
    cluster.settle();
    cluster.join('b');
    expect(cluster.load()).toEqual({ a: 4, b: 0 });
    cluster.create('waits', { number_of_replicas: 2 });
    cluster.settings({ 'cluster.routing.rebalance.enable': null });
    expect(cluster.all().some(({ copy }) => copy.state === 'RELOCATING')).toBe(false);
    cluster.indexSettings('waits', { number_of_replicas: 0 });
    cluster.settle();
    expect(cluster.load()).toEqual({ a: 3, b: 2 });
  });

  it('drains a node by exclude._ip, primaries and replicas', () => {
    const cluster = new TestCluster();
    for (const id of 'abc') cluster.join(id, { ip: `10.0.0.${id.charCodeAt(0)}` });
    for (let number = 0; number < 5; number++) cluster.create(`i${number}`);
    cluster.settle();
    cluster.settings({ 'cluster.routing.allocation.exclude._ip': '10.0.0.97' });
    cluster.settle();
    expect(cluster.load()).toEqual({ a: 0, b: 5, c: 5 });
    expect(cluster.all().every(({ copy }) => copy.state === 'STARTED')).toBe(true);
  });

  it('weighs bytes', () => {
    const cluster = placed({ big: 'a', bigger: 'a', s1: 'b', s2: 'b' });
    cluster.run(rerouteCluster, {});
    expect(cluster.all().some(({ copy }) => copy.state === 'RELOCATING')).toBe(false);
    const size = (name: string, bytes: number): readonly [string, number] => [
      shardKey(indexOf(cluster.state, name).uuid, 0),
      bytes,
    ];
    const terabyte = 1e12;
    cluster.info = {
      ...NO_CLUSTER_INFO,
      shardBytes: new Map([size('big', terabyte), size('bigger', 2 * terabyte), size('s1', 1e6), size('s2', 1e6)]),
    };
    cluster.run(rerouteCluster, {});
    cluster.settle();
    expect(cluster.copies('big')[0]?.nodeId).not.toBe(cluster.copies('bigger')[0]?.nodeId);
  });

  it('weighs how much primaries are written to', () => {
    const cluster = placed({ busy: 'a', busier: 'a', idle: 'b', empty: 'b' });
    const load = (name: string, processors: number): readonly [string, number] => [
      shardKey(indexOf(cluster.state, name).uuid, 0),
      processors,
    ];
    // Nothing is gained where all the load would only be elsewhere.
    cluster.info = { ...NO_CLUSTER_INFO, writeLoads: new Map([load('busier', 1)]) };
    cluster.run(rerouteCluster, {});
    expect(cluster.all().some(({ copy }) => copy.state === 'RELOCATING')).toBe(false);
    cluster.info = { ...NO_CLUSTER_INFO, writeLoads: new Map([load('busy', 0.5), load('busier', 1)]) };
    cluster.settings({ 'cluster.routing.allocation.balance.write_load': '0' });
    cluster.run(rerouteCluster, {});
    expect(cluster.all().some(({ copy }) => copy.state === 'RELOCATING')).toBe(false);
    cluster.settings({ 'cluster.routing.allocation.balance.write_load': null });
    cluster.run(rerouteCluster, {});
    cluster.settle();
    expect(cluster.copies('busy')[0]?.nodeId).not.toBe(cluster.copies('busier')[0]?.nodeId);
    expect(cluster.load()).toEqual({ a: 2, b: 2 });
  });
});

/** A cluster of the nodes a and b, with an index of one copy at each of these places. */
function placed(places: Readonly<Record<string, string>>): TestCluster {
  const cluster = new TestCluster('ab');
  for (const name of Object.keys(places)) cluster.create(name, { number_of_replicas: 0 });
  cluster.settle();
  for (const [name, nodeId] of Object.entries(places)) {
    const [copy] = cluster.copies(name);
    const table = cluster.state.routing.get(name);
    if (copy === undefined || table === undefined) throw new Error(`no index ${name}`);
    const routing = new Map(cluster.state.routing).set(name, { ...table, shards: [[{ ...copy, nodeId }]] });
    cluster.state = nextState(cluster.state, { routing }, cluster.environment);
  }
  return cluster;
}
