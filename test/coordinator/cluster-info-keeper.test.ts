import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.js';
import type { DiskBlocksInput } from '../../src/cluster/changes/update-disk-blocks.js';
import type { DiskReport, FoundStore } from '../../src/cluster/nodes/node-reports.js';
import type { ClusterState, NodeRecord } from '../../src/cluster/state.js';
import { ClusterInfoKeeper } from '../../src/coordinator/cluster-info-keeper.js';
import type { CommandName } from '../../src/coordinator/commands.js';
import { COMMANDS } from '../../src/coordinator/commands.js';
import type { Coordinator } from '../../src/coordinator/coordinator.js';
import type { WantedShard } from '../../src/coordinator/store-finder.js';
import type { CommandDefinition } from '../../src/coordinator/command.js';
import { TestCluster } from '../cluster/allocation/cluster.js';
import { indexOf } from '../cluster/support.js';
import { SimulatedClock } from './simulated-clock.js';

const BLOCK = 'index.blocks.read_only_allow_delete';
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A master whose nodes answer as the test says; states become visible at once. */
class Master {
  readonly cluster: TestCluster;
  readonly clock = new SimulatedClock();
  readonly free = new Map<string, number>();
  readonly stores = new Map<string, FoundStore>();
  readonly asked: string[] = [];
  /** Nodes that answer only when told. */
  readonly slow = new Map<string, () => void>();
  readonly commands: string[] = [];
  /** Of each look at the disks: whether copies may be moved because of it. */
  readonly rounds: boolean[] = [];
  readonly keeper: ClusterInfoKeeper;
  private readonly watchers = new Set<(state: ClusterState) => void>();

  constructor(cluster: TestCluster) {
    this.cluster = cluster;
    const coordinator = {
      watch: (watcher: (state: ClusterState) => void) => {
        this.watchers.add(watcher);
        return () => this.watchers.delete(watcher);
      },
      useClusterInfo: (info: TestCluster['info']) => {
        cluster.info = info;
      },
      submitHere: (name: CommandName, input: unknown) => {
        this.commands.push(name);
        if (name === 'update-disk-blocks') this.rounds.push((input as DiskBlocksInput).reroutes);
        const command = COMMANDS[name] as unknown as CommandDefinition<string, unknown, unknown>;
        this.change(() =>
          cluster.run((state: ClusterState, given: unknown, at) => command.reduce(state, given, at), input),
        );
        return Promise.resolve(null);
      },
    };
    Object.defineProperty(coordinator, 'current', { get: () => cluster.state });
    this.keeper = new ClusterInfoKeeper({
      coordinator: coordinator as unknown as Coordinator,
      clock: this.clock,
      logger: silentLogger,
      questions: {
        diskUsage: (node) => this.answerDisk(node),
        shardStores: (node, shards) => this.answerStores(node, shards),
        writeTimes: () => Promise.resolve([]),
      },
    });
  }

  change(work: () => unknown): void {
    const before = this.cluster.state;
    work();
    if (this.cluster.state !== before) for (const watcher of [...this.watchers]) watcher(this.cluster.state);
  }

  async settle(): Promise<void> {
    for (let round = 0; round < 10; round++) await turn();
  }

  private answerDisk({ id }: NodeRecord): Promise<DiskReport> {
    this.asked.push(`disk of ${id}`);
    const freeBytes = this.free.get(id);
    if (freeBytes === undefined) return Promise.reject(new Error('no answer'));
    return Promise.resolve({ path: '/', totalBytes: 100, freeBytes, shards: [] });
  }

  private async answerStores(
    { id }: NodeRecord,
    shards: readonly WantedShard[],
  ): Promise<readonly (FoundStore | null)[]> {
    this.asked.push(`stores of ${id}`);
    if (this.slow.has(id)) await new Promise<void>((resolve) => this.slow.set(id, resolve));
    return shards.map(() => this.stores.get(id) ?? null);
  }
}

function storeOf(allocationId: string): FoundStore {
  return { allocationId, totalBytes: 1, segments: [], historyUuid: 'h', maxSeqNo: 1, historyStart: null };
}

describe('what the master hears of disks', () => {
  it('blocks writes above the flood stage at once and lifts the block when there is room', async () => {
    const cluster = new TestCluster('ab');
    cluster.create('x');
    cluster.settle();
    const master = new Master(cluster);
    for (const id of 'ab') master.free.set(id, 50);
    master.keeper.begin();
    await master.settle();
    const block = (): unknown => indexOf(cluster.state, 'x').settings.get(BLOCK);
    expect([block(), cluster.info.disks.size]).toEqual([undefined, 2]);
    master.free.set('a', 4);
    await master.clock.advance(30_000);
    await master.settle();
    expect(block()).toBe('true');
    // Other rules hold at once.
    master.change(() => {
      cluster.settings({
        'cluster.routing.allocation.disk.watermark': { low: '95%', high: '96%', flood_stage: '97%' },
      });
    });
    await master.settle();
    expect(block()).toBeUndefined();
    // A node that does not answer is one of which nothing is known.
    master.free.delete('a');
    await master.clock.advance(30_000);
    await master.settle();
    expect([...cluster.info.disks.keys()]).toEqual(['b']);
    master.keeper.end();
    expect(cluster.info.disks.size).toBe(0);
  });

  it('looks at nodes that join, and at the interval that is set', async () => {
    const cluster = new TestCluster('a');
    const master = new Master(cluster);
    for (const id of 'ab') master.free.set(id, 50);
    master.keeper.begin();
    await master.settle();
    master.change(() => {
      cluster.join('b');
    });
    await master.settle();
    expect(master.asked).toEqual(['disk of a', 'disk of a', 'disk of b']);
    master.change(() => {
      cluster.settings({ 'cluster.info.update.interval': '10s' });
    });
    await master.settle();
    master.asked.length = 0;
    await master.clock.advance(10_000);
    await master.settle();
    expect(master.asked).toEqual(['disk of a', 'disk of b']);
  });

  it('moves copies when a disk passes a watermark, and otherwise once in the interval that is set', async () => {
    const master = new Master(new TestCluster('ab'));
    for (const id of 'ab') master.free.set(id, 50);
    master.keeper.begin();
    await master.settle();
    const look = async (): Promise<void> => {
      await master.clock.advance(30_000);
      await master.settle();
    };
    await look();
    await look();
    expect(master.rounds).toEqual([true, false, true]);
    master.free.set('a', 8);
    await look();
    await look();
    expect(master.rounds.slice(3)).toEqual([true, false]);
    master.change(() => {
      master.cluster.settings({ 'cluster.routing.allocation.disk.reroute_interval': '0s' });
    });
    await master.settle();
    await look();
    expect(master.rounds.slice(5)).toEqual([true, true]);
  });

  it('ends blocks where disks are not watched any more', async () => {
    const cluster = new TestCluster('a');
    cluster.create('x', { number_of_replicas: 0 });
    cluster.settle();
    const master = new Master(cluster);
    master.free.set('a', 1);
    master.keeper.begin();
    await master.settle();
    expect(indexOf(cluster.state, 'x').settings.get(BLOCK)).toBe('true');
    cluster.settings({ 'cluster.routing.allocation.disk.threshold_enabled': 'false' });
    expect(indexOf(cluster.state, 'x').settings.get(BLOCK)).toBeUndefined();
  });
});

describe('stores of lost copies', () => {
  it('bring a primary back to whichever node has an in-sync one', async () => {
    const cluster = new TestCluster('abc');
    cluster.create('x', { number_of_replicas: 0 });
    cluster.settle();
    const [lost] = cluster.copies('x');
    const home = lost?.nodeId ?? '';
    const [other = '', third = ''] = ['a', 'b', 'c'].filter((id) => id !== home);
    const master = new Master(cluster);
    master.stores.set(other, storeOf(lost?.allocationId ?? ''));
    master.stores.set(third, storeOf('stale'));
    master.keeper.begin();
    master.change(() => {
      cluster.leave(home);
    });
    await master.settle();
    expect(cluster.copies('x')[0]).toMatchObject({
      state: 'INITIALIZING',
      nodeId: other,
      allocationId: lost?.allocationId,
    });
  });

  it('are not believed when a copy was put on the node, or the node restarted, meanwhile', async () => {
    const cluster = new TestCluster('ab');
    cluster.create('x', { number_of_replicas: 0 });
    cluster.settle();
    const [lost] = cluster.copies('x');
    const home = lost?.nodeId ?? '';
    const other = home === 'a' ? 'b' : 'a';
    const master = new Master(cluster);
    master.stores.set(other, storeOf(lost?.allocationId ?? ''));
    master.slow.set(other, () => undefined);
    master.keeper.begin();
    master.change(() => {
      cluster.leave(home);
    });
    await master.settle();
    const answerOfFormerRun = master.slow.get(other);
    master.stores.clear();
    master.change(() => {
      cluster.join(other);
    });
    await master.settle();
    expect(master.asked.filter((question) => question === `stores of ${other}`)).toHaveLength(2);
    answerOfFormerRun?.();
    await master.settle();
    expect(cluster.places('x')).toBe('-:P:UNASSIGNED');
    master.slow.get(other)?.();
    await master.settle();
    expect(cluster.copies('x')[0]?.unassigned?.lastAllocationStatus).toBe('no_valid_shard_copy');
  });

  it('make a replica go where most of it is', async () => {
    const cluster = new TestCluster('abcd');
    cluster.create('x');
    cluster.settle();
    const [primary, replica] = cluster.copies('x');
    const [, best = ''] = ['a', 'b', 'c', 'd'].filter((id) => id !== primary?.nodeId && id !== replica?.nodeId);
    cluster.settings({ 'cluster.routing.allocation.enable': 'none' });
    cluster.indexSettings('x', { 'unassigned.node_left.delayed_timeout': '0' });
    const master = new Master(cluster);
    const segments = [{ uuid: 'one', bytes: 50 }];
    master.stores.set(best, { ...storeOf('stale'), segments });
    master.stores.set(primary?.nodeId ?? '', { ...storeOf(primary?.allocationId ?? ''), segments });
    master.keeper.begin();
    master.change(() => {
      cluster.leave(replica?.nodeId ?? '');
    });
    await master.settle();
    master.change(() => {
      cluster.settings({ 'cluster.routing.allocation.enable': null });
    });
    expect(cluster.copies('x')[1]).toMatchObject({ state: 'INITIALIZING', nodeId: best });
  });
});
