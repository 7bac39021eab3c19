/**
 * All nodes of a whole cluster end within moments, in an order that the seed names, and some of them come back. Each shard of which
 * one of these had a copy in sync must come back with them; where nothing was written meanwhile, that is every copy there was.
 */
import { PUBLISH_MS_MAX } from '../../src/base/limits.js';
import { shardKey } from '../../src/cluster/disks/cluster-info.js';
import { hasActivePrimary, isActive } from '../../src/cluster/copies/shard-copies.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { isInSync } from './copy-store.js';
import type { Machine, World } from './machine.js';

/** What happens beside. */
export interface OutageServices {
  readonly world: World;
  readonly machines: readonly Machine[];
  readonly pass: (byMs: number, isOver?: () => boolean) => Promise<void>;
  /** Until the cluster is whole. */
  readonly heal: () => Promise<unknown>;
  /** A client writes to some primaries. */
  readonly write: () => void;
}

const INDICES = 2;
const WRITES = 5;
const WRITE_PAUSE_MS = 30;
/** All of them have been answered. */
const ANSWERED_MS = 500;
/** Longest time from the end of one node to that of the next: together, while the first is missed, after that. */
const GAPS_MS_MAX = [1, 8, 60, 700] as const;
const DOWN_MS_MAX = 2_000;
const RETURN_MS_MAX = [1, 200, 1_500] as const;
const RETURNED_MS_MAX = 90_000;

export class Outage {
  private readonly services: OutageServices;
  private readonly order: readonly Machine[];
  private readonly returning: readonly Machine[];
  private readonly isWritten: boolean;

  /** Seeds that follow each other go through all orders, each with all parts that are a majority. */
  constructor(seed: number, services: OutageServices) {
    const { machines, world } = services;
    this.services = services;
    const orders = ordersOf(machines);
    const parts = majoritiesOf(machines);
    this.order = orders[seed % orders.length] ?? machines;
    this.returning = parts[Math.floor(seed / orders.length) % parts.length] ?? machines;
    this.isWritten = world.random.below(3) === 0;
  }

  async run(): Promise<void> {
    const { world, machines, heal, pass, write } = this.services;
    await heal();
    for (let count = 1; count <= INDICES; count++) await this.createIndex(`o${count}`);
    await heal();
    for (let count = 0; count < WRITES; count++) {
      write();
      await pass(WRITE_PAUSE_MS);
    }
    await pass(ANSWERED_MS);
    const before = world.witness.state;
    await this.endAll();
    await pass(world.random.below(DOWN_MS_MAX));
    const isAble = this.canElect();
    world.log(`${namesOf(this.returning)} return${isAble ? '' : ', who cannot elect'}`);
    if (world.random.below(2) === 0) this.loseAddresses();
    const gapMs = this.choose(RETURN_MS_MAX);
    for (const machine of this.returning) {
      machine.start();
      await pass(world.random.below(gapMs));
    }
    if (isAble) await this.expectShards(this.isWritten ? world.witness.state : before);
    world.network.heal();
    for (const machine of machines) machine.start();
  }

  /** Machines without power refuse no connections: nothing tells at once that they are gone. */
  private loseAddresses(): void {
    const { machines, world } = this.services;
    for (const gone of machines.filter((machine) => !this.returning.includes(machine))) {
      for (const other of machines.filter((machine) => machine !== gone)) {
        world.network.cut(gone.address, other.address);
        world.network.cut(other.address, gone.address);
      }
    }
  }

  private choose(values: readonly number[]): number {
    return values[this.services.world.random.below(values.length)] ?? 1;
  }

  private async createIndex(name: string): Promise<void> {
    const { world, machines, pass } = this.services;
    const settings = {
      number_of_shards: 2,
      number_of_replicas: 1 + world.random.below(machines.length - 1),
      // What is away is not made anew elsewhere, which would be as good.
      'unassigned.node_left.delayed_timeout': '10m',
    };
    let isDone = false;
    const created = machines[0]?.node?.coordinator.submit('create-index', { name, settings }, PUBLISH_MS_MAX);
    created?.then(
      () => (isDone = true),
      () => undefined,
    );
    await pass(PUBLISH_MS_MAX, () => isDone);
    if (!isDone) world.witness.fault(10, `${name} could not be created`);
  }

  private async endAll(): Promise<void> {
    const { world, pass, write } = this.services;
    const gapMs = this.choose(GAPS_MS_MAX);
    world.log(`all end: ${namesOf(this.order)}, up to ${gapMs}ms after each other`);
    for (const machine of this.order) {
      if (this.isWritten) write();
      if (world.random.below(2) === 0) machine.kill();
      else machine.losePower();
      await pass(world.random.below(gapMs));
    }
  }

  /** Whether those who return are a majority, whichever voters the last master had. */
  private canElect(): boolean {
    const back = new Set(this.returning.map(({ raftId }) => raftId));
    const groups = this.services.machines.flatMap(({ node }) => node?.group ?? []);
    return groups
      .flatMap(({ voters, outgoingVoters }) => [voters, outgoingVoters])
      .every((voters) => voters.length === 0 || voters.filter((id) => back.has(id)).length * 2 > voters.length);
  }

  private async expectShards(then: ClusterState): Promise<void> {
    const { world, pass } = this.services;
    const shards = [...then.indices.values()].flatMap(({ name, uuid, inSyncAllocationIds }) =>
      inSyncAllocationIds.flatMap((ids, shard) => {
        const copies = then.routing.get(name)?.shards[shard] ?? [];
        const isHere = this.returning.some(({ nodeId, stores }) => {
          const store = stores.get(shardKey(uuid, shard));
          if (this.isWritten) return store !== undefined && isInSync(store, ids);
          return copies.some((copy) => copy.nodeId === nodeId && isActive(copy));
        });
        return isHere ? [{ name, shard }] : [];
      }),
    );
    const missing = (): { name: string; shard: number } | undefined =>
      shards.find(({ name, shard }) => !hasActivePrimary(world.witness.state.routing.get(name)?.shards[shard] ?? []));
    await pass(RETURNED_MS_MAX, () => missing() === undefined && world.witness.state.masterNodeId !== '');
    const lost = missing();
    if (lost === undefined) return;
    const { indices, routing } = world.witness.state;
    const copies = JSON.stringify(routing.get(lost.name)?.shards[lost.shard]);
    const inSync = indices.get(lost.name)?.inSyncAllocationIds[lost.shard]?.join() ?? '';
    world.witness.fault(
      10,
      `shard ${lost.shard} of ${lost.name} was in sync on a node that is back, and is lost: ${copies}, in sync ${inSync}`,
    );
    await pass(0);
  }
}

function namesOf(machines: readonly Machine[]): string {
  return machines.map(({ name }) => name).join(', ');
}

function ordersOf(machines: readonly Machine[]): readonly (readonly Machine[])[] {
  if (machines.length < 2) return [machines];
  return machines.flatMap((first) =>
    ordersOf(machines.filter((machine) => machine !== first)).map((rest) => [first, ...rest]),
  );
}

function majoritiesOf(machines: readonly Machine[]): readonly (readonly Machine[])[] {
  const parts = Array.from({ length: 2 ** machines.length }, (_, bits) =>
    machines.filter((_machine, place) => (bits & (1 << place)) !== 0),
  );
  return parts.filter((part) => part.length * 2 > machines.length);
}
