/**
 * One history of a simulated cluster: nodes join, leave and return, copies start and fail, indices come and go, disks fill and
 * settings change, in an order that the seed decides. After every step the invariants are checked; a fault names the seed, and
 * the same seed gives the same history.
 *
 *  1. A shard has one primary at most, and every primary of it works under a higher term than the one before.
 *  2. No node holds two copies of a shard.
 *  3. Copies are on nodes that are there, in slots that these have, under allocation ids of their own.
 *  4. What was given a place in a step was allowed there by every decider.
 *  5. A primary comes from the in-sync set: one that becomes active was in it, and a shard with data never starts empty.
 *  6. While a primary is active, active copies are in sync, what it reported is not, and the set does not outgrow the copies.
 *  7. The ends of a move know each other.
 *  8. A shard has the copies that its index asks for.
 *  9. Left alone, with nodes that start what they are given, the cluster settles, and does nothing more after that.
 * 10. The state survives its encoding.
 */
import { seededRandom, type Random } from '../../../src/base/random.js';
import { AllocationRound } from '../../../src/cluster/allocation/allocation-round.js';
import { shardKey, type DiskInfo, type ShardStore } from '../../../src/cluster/disks/cluster-info.js';
import { canAllocate, canForceAllocate } from '../../../src/cluster/deciders/all.js';
import { closeIndices, openIndices } from '../../../src/cluster/changes/indices/open-close-indices.js';
import { deleteIndices } from '../../../src/cluster/changes/indices/delete-indices.js';
import { nodesChanged } from '../../../src/cluster/changes/nodes/membership.js';
import { rerouteCluster } from '../../../src/cluster/changes/copies/reroute-cluster.js';
import { shardFailed } from '../../../src/cluster/changes/copies/shard-reports.js';
import { shardsOfWorker, workerLost } from '../../../src/cluster/changes/nodes/worker-lost.js';
import { nextRerouteAtMs } from '../../../src/cluster/copies/delayed-allocation.js';
import {
  copiesWithoutTargets,
  isActive,
  isRelocationTarget,
  otherEndOfMove,
} from '../../../src/cluster/copies/shard-copies.js';
import { decodeState, encodeState } from '../../../src/cluster/state-codec.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../../../src/cluster/state.js';
import { TestCluster } from './cluster.js';
import { withoutCopy } from './without-copy.js';

const NODES = ['a', 'b', 'c', 'd', 'e', 'f'];
const INDICES = ['x', 'y', 'z'];
const GIGABYTE = 2 ** 30;

interface Knowledge {
  /** By shard key: the last active primary's allocation id and term. */
  readonly primaries: Map<string, { readonly allocationId: string; readonly term: number }>;
}

export class Simulation {
  readonly cluster = new TestCluster('abc', { workerSlots: 2 });
  readonly seed: number;
  private readonly random: Random;
  private readonly knowledge: Knowledge = { primaries: new Map() };
  /** By node id, by shard key: what its disk holds, whether the node runs or not. */
  private readonly disks = new Map<string, Map<string, string>>();
  private readonly freeBytes = new Map<string, number>();
  private readonly log: string[] = [];

  constructor(seed: number) {
    this.seed = seed;
    this.random = seededRandom(seed);
  }

  /** Throws an error with the seed and the steps before when an invariant does not hold. */
  run(steps: number): void {
    try {
      for (let step = 0; step < steps; step++) this.step();
      this.calmDown();
    } catch (error) {
      const history = this.log.slice(-25).join('\n  ');
      throw new Error(`seed ${this.seed}: ${String(error)}\n  ${history}`, { cause: error });
    }
  }

  private step(): void {
    const before = this.cluster.state;
    this.tellWhatDisksHold();
    const actions = this.actions();
    const action = actions[this.random.below(actions.length)] as () => string;
    const infoBefore = this.cluster.info;
    this.log.push(action());
    this.checkAll(before, infoBefore);
  }

  /** Likelier ones are named more than once. */
  private actions(): (() => string)[] {
    return [
      () => this.start(1),
      () => this.start(0.5),
      () => this.start(1),
      () => this.failOne(),
      () => this.leave(),
      () => this.join(),
      () => this.join(),
      () => this.restart(),
      () => this.crashWorker(),
      () => this.createOrDelete(),
      () => this.createOrDelete(),
      () => this.changeReplicas(),
      () => this.changeClusterSettings(),
      () => this.changeIndexFilter(),
      () => this.closeOrOpen(),
      () => this.write(),
      () => this.fillDisk(),
      () => this.wait(),
      () => this.restartAll(),
    ];
  }

  private pick<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : items[this.random.below(items.length)];
  }

  private start(share: number): string {
    const { cluster } = this;
    const shards = cluster
      .all()
      .filter(({ copy }) => copy.state === 'INITIALIZING' && this.random.below(100) < share * 100)
      .map(({ index, copy }) => cluster.report(index, copy));
    cluster.nowMs += 50;
    cluster.startReported(shards);
    return `start ${shards.length}`;
  }

  private failOne(): string {
    const victim = this.pick(
      this.cluster.all().filter(({ index, copy }) => copy.nodeId !== null && this.isOpen(index)),
    );
    if (victim === undefined) return 'nothing to fail';
    this.cluster.fail(victim.index, victim.copy);
    return `fail ${victim.index} ${victim.copy.shard} ${victim.copy.state} on ${victim.copy.nodeId}`;
  }

  /** A primary wants to acknowledge a write, of which some copies know nothing: one that is active, or those that are away. */
  private write(): string {
    const { cluster } = this;
    const primary = this.pick(
      cluster.all().filter(({ index, copy }) => copy.primary && isActive(copy) && this.isOpen(index)),
    );
    if (primary === undefined) return 'nothing to write to';
    const { index, copy } = primary;
    const { shard } = copy;
    const copies = cluster.copies(index, shard);
    const away = cluster.inSync(index, shard).filter((id) => copies.every((each) => each.allocationId !== id));
    const active = this.pick(copies.filter((each) => !each.primary && isActive(each)));
    const lost = this.random.below(2) === 0 && active !== undefined ? [active.allocationId ?? ''] : away;
    const ofPrimary = { ...cluster.report(index, copy), primaryTerm: cluster.term(index, shard) };
    for (const allocationId of lost) {
      cluster.run(shardFailed, { shard: { ...ofPrimary, allocationId }, reason: 'it lacks operations' });
      holds(!cluster.inSync(index, shard).includes(allocationId), 6, `${allocationId} was reported`);
    }
    return `write to ${index} ${shard} without ${lost.join()}`;
  }

  private isOpen(index: string): boolean {
    return this.cluster.state.indices.get(index)?.state === 'open';
  }

  private leave(): string {
    const id = this.pick([...this.cluster.state.nodes.keys()]);
    if (id === undefined) return 'nobody to leave';
    this.cluster.leave(id);
    return `leave ${id}`;
  }

  private join(): string {
    const id = this.pick(NODES.filter((each) => !this.cluster.state.nodes.has(each)));
    if (id === undefined) return 'nobody to join';
    this.cluster.join(id, this.nodeOptions(id));
    return `join ${id}`;
  }

  private nodeOptions(id: string): Parameters<TestCluster['join']>[1] {
    return { workerSlots: 2, attributes: { zone: 'ace'.includes(id) ? 'one' : 'two' } };
  }

  private restart(): string {
    const id = this.pick([...this.cluster.state.nodes.keys()]);
    if (id === undefined) return 'nobody to restart';
    this.cluster.join(id, this.nodeOptions(id));
    return `restart ${id}`;
  }

  private crashWorker(): string {
    const nodeId = this.pick([...this.cluster.state.nodes.keys()]);
    if (nodeId === undefined) return 'no worker to crash';
    const workerSlot = this.random.below(2);
    const shards = shardsOfWorker(this.cluster.state, nodeId, workerSlot);
    this.cluster.run(workerLost, { nodeId, workerSlot, shards });
    return `worker ${workerSlot} of ${nodeId} crashes with ${shards.length} copies`;
  }

  private restartAll(): string {
    if (this.random.below(3) > 0) return 'no power cut';
    const joined = [...this.cluster.state.nodes.keys()].map((id) => this.cluster.record(id, this.nodeOptions(id)));
    this.cluster.run(nodesChanged, { joined });
    return 'restart all';
  }

  private createOrDelete(): string {
    const { cluster } = this;
    const name = this.pick(INDICES) ?? 'x';
    const index = cluster.state.indices.get(name);
    if (index !== undefined) {
      if (this.random.below(4) > 0) return `keep ${name}`;
      cluster.run(deleteIndices, { indices: [index] });
      return `delete ${name}`;
    }
    const expands = this.random.below(6) === 0;
    cluster.create(name, {
      number_of_shards: 1 + this.random.below(3),
      ...(expands ? { auto_expand_replicas: '0-2' } : { number_of_replicas: this.random.below(3) }),
    });
    return `create ${name}`;
  }

  private changeReplicas(): string {
    const name = this.pick([...this.cluster.state.indices.keys()]);
    if (name === undefined) return 'no index';
    const replicas = this.random.below(4);
    this.cluster.indexSettings(name, { number_of_replicas: replicas });
    return `${name} with ${replicas} replicas`;
  }

  private changeClusterSettings(): string {
    const prefix = 'cluster.routing.allocation';
    const change = this.pick<readonly [string, string | null]>([
      [`${prefix}.enable`, 'primaries'],
      [`${prefix}.enable`, 'none'],
      [`${prefix}.enable`, null],
      [`${prefix}.enable`, null],
      [`${prefix}.exclude._name`, this.pick(NODES) ?? 'a'],
      [`${prefix}.exclude._name`, null],
      [`${prefix}.awareness.attributes`, 'zone'],
      [`${prefix}.awareness.attributes`, null],
      [`${prefix}.allow_rebalance`, 'always'],
      [`${prefix}.cluster_concurrent_rebalance`, '-1'],
      [`${prefix}.total_shards_per_node`, String(2 + this.random.below(4))],
      [`${prefix}.total_shards_per_node`, null],
      [`${prefix}.node_concurrent_recoveries`, String(1 + this.random.below(3))],
      [`${prefix}.balance.threshold`, this.pick(['0.5', '1.0', '2.0']) ?? null],
    ]);
    if (change === undefined) return 'no change';
    this.cluster.settings({ [change[0]]: change[1] });
    return `${change[0]} = ${change[1]}`;
  }

  private changeIndexFilter(): string {
    const name = this.pick([...this.cluster.state.indices.keys()]);
    if (name === undefined) return 'no index';
    const value = this.random.below(2) === 0 ? null : `${this.pick(NODES)},${this.pick(NODES)}`;
    this.cluster.indexSettings(name, { 'routing.allocation.include._name': value });
    return `${name} only on ${value}`;
  }

  private closeOrOpen(): string {
    const index = this.pick([...this.cluster.state.indices.values()]);
    if (index === undefined) return 'no index';
    const isOpen = index.state === 'open';
    if (isOpen && this.random.below(3) > 0) return 'no change';
    this.cluster.run(isOpen ? closeIndices : openIndices, { indices: [index] });
    return `${isOpen ? 'close' : 'open'} ${index.name}`;
  }

  private fillDisk(): string {
    const id = this.pick(NODES) ?? 'a';
    const free = this.random.below(100);
    this.freeBytes.set(id, free * GIGABYTE);
    return `disk of ${id} has ${free}% free`;
  }

  private wait(): string {
    const { cluster } = this;
    cluster.nowMs =
      this.random.below(2) === 0 ? cluster.nowMs + 70_000 : (nextRerouteAtMs(cluster.state) ?? cluster.nowMs);
    cluster.run(rerouteCluster, {});
    return 'wait and reroute';
  }

  /** Disks keep every copy that was ever active there, until another takes its place. */
  private tellWhatDisksHold(): void {
    const { cluster } = this;
    for (const { index, copy } of cluster.all()) {
      if (copy.nodeId === null || copy.allocationId === null || !isActive(copy)) continue;
      const held = this.disks.get(copy.nodeId) ?? new Map<string, string>();
      this.disks.set(copy.nodeId, held.set(shardKey(uuidOf(cluster.state, index), copy.shard), copy.allocationId));
    }
    cluster.info = {
      ...cluster.info,
      disks: this.diskInfo(),
      shardBytes: this.shardBytes(),
      shardStores: this.shardStores(),
      writeLoads: this.writeLoads(),
    };
  }

  private diskInfo(): ReadonlyMap<string, DiskInfo> {
    const total = 100 * GIGABYTE;
    return new Map(
      [...this.freeBytes].map(([id, freeBytes]) => [id, { path: '/data', totalBytes: total, freeBytes }] as const),
    );
  }

  private shardBytes(): ReadonlyMap<string, number> {
    const { state } = this.cluster;
    return new Map(
      [...state.indices.values()].flatMap(({ uuid, numberOfShards }) =>
        Array.from({ length: numberOfShards }, (_, shard) => [shardKey(uuid, shard), (1 + shard) * GIGABYTE] as const),
      ),
    );
  }

  /** Some shards are written to, in steps of sixteenths. */
  private writeLoads(): ReadonlyMap<string, number> {
    const { state } = this.cluster;
    return new Map(
      [...state.indices.values()].flatMap(({ uuid, creationDateMs, numberOfShards }) =>
        Array.from({ length: numberOfShards }, (_, shard) => {
          const sixteenths = (creationDateMs + 7 * shard) % 20;
          return [shardKey(uuid, shard), sixteenths / 16] as const;
        }).filter(([, load]) => load > 0),
      ),
    );
  }

  /** Nodes answer now and then. */
  private shardStores(): ReadonlyMap<string, ReadonlyMap<string, ShardStore | null>> {
    const stores = new Map<string, Map<string, ShardStore | null>>();
    for (const index of this.cluster.state.indices.values()) {
      for (let shard = 0; shard < index.numberOfShards; shard++) {
        const key = shardKey(index.uuid, shard);
        const answers = new Map<string, ShardStore | null>();
        for (const id of this.cluster.state.nodes.keys()) {
          if (this.random.below(4) === 0) continue;
          const allocationId = this.disks.get(id)?.get(key);
          answers.set(id, allocationId === undefined ? null : storeOf(allocationId));
        }
        stores.set(key, answers);
      }
    }
    return stores;
  }

  private checkAll(before: ClusterState, info: TestCluster['info']): void {
    const { state } = this.cluster;
    for (const copy of [...before.routing.values()].flatMap(({ shards }) => shards.flat())) {
      if (isRelocationTarget(copy) && copy.primary) this.wasTarget.add(copy.allocationId ?? '');
    }
    for (const [name, { shards }] of state.routing) {
      const index = state.indices.get(name);
      holds(index !== undefined, 8, `routing of the unknown index ${name}`);
      shards.forEach((copies, shard) => {
        this.checkShard(index, shard, copies, before.indices.get(name));
        this.checkPrimary(index, shard, copies, before.indices.get(name));
      });
    }
    this.checkDeciders(before, info);
  }

  private checkShard(
    index: IndexMetadata,
    shard: number,
    copies: readonly ShardCopy[],
    before: IndexMetadata | undefined,
  ): void {
    const { state } = this.cluster;
    const where = `${index.name} ${shard}: ${JSON.stringify(copies)}`;
    holds(copies.filter((copy) => copy.primary && !isRelocationTarget(copy)).length === 1, 1, where);
    holds(copies[0]?.primary === true, 1, `the primary is not first: ${where}`);
    const assigned = copies.filter(({ nodeId }) => nodeId !== null);
    holds(new Set(assigned.map(({ nodeId }) => nodeId)).size === assigned.length, 2, where);
    const ids = assigned.map(({ allocationId }) => allocationId);
    holds(new Set(ids).size === ids.length && !ids.includes(null), 3, where);
    for (const copy of assigned) {
      const node = state.nodes.get(copy.nodeId ?? '');
      holds(node !== undefined && (copy.workerSlot ?? 99) < node.workerSlots, 3, where);
      const isMoving = copy.state === 'RELOCATING' || isRelocationTarget(copy);
      holds(isMoving === (copy.relocatingNodeId !== null), 7, where);
      if (isMoving) holds(otherEndOfMove(copies, copy) !== undefined, 7, where);
    }
    holds(
      copies.every((copy) => (copy.state === 'UNASSIGNED') === (copy.nodeId === null)),
      3,
      where,
    );
    holds(copiesWithoutTargets(copies).length === 1 + index.numberOfReplicas, 8, where);
    const isServing = index.state === 'open' && copies[0] !== undefined && isActive(copies[0]);
    if (!isServing) return;
    const active = copies.filter(isActive).map(({ allocationId }) => allocationId ?? '');
    const inSync = index.inSyncAllocationIds[shard] ?? [];
    const known = before?.inSyncAllocationIds[shard]?.length ?? 0;
    const mayHave = Math.max(known, 1 + Math.max(index.numberOfReplicas, before?.numberOfReplicas ?? 0));
    holds(
      active.every((id) => inSync.includes(id)) && inSync.length <= mayHave,
      6,
      `${where} but in sync ${inSync.join()}`,
    );
  }

  private checkPrimary(
    index: IndexMetadata,
    shard: number,
    [primary]: readonly ShardCopy[],
    before: IndexMetadata | undefined,
  ): void {
    if (index.state !== 'open' || primary === undefined || !isActive(primary) || primary.allocationId === null) return;
    const key = shardKey(index.uuid, shard);
    const known = this.knowledge.primaries.get(key);
    const term = index.primaryTerms[shard] ?? 0;
    this.knowledge.primaries.set(key, { allocationId: primary.allocationId, term });
    if (known === undefined) return;
    holds(term >= known.term, 1, `${index.name} ${shard}: term ${term} after ${known.term}`);
    if (known.allocationId === primary.allocationId) return;
    holds(term > known.term, 1, `${index.name} ${shard}: two primaries in term ${term}`);
    const inSync = before?.inSyncAllocationIds[shard] ?? [];
    const isTarget = this.wasTarget.has(primary.allocationId);
    holds(inSync.includes(primary.allocationId) || isTarget, 5, `${index.name} ${shard}: ${primary.allocationId}`);
  }

  /** Targets of moves of primaries join the in-sync set in the moment in which they become primary. */
  private readonly wasTarget = new Set<string>();

  private checkDeciders(before: ClusterState, info: TestCluster['info']): void {
    const { cluster } = this;
    const known = new Set([...before.routing.values()].flatMap(({ shards }) => shards.flat()).map(idOf));
    // Without what is being judged, everything else as it is now: a little stricter than the moment of the decision.
    for (const { index: name, copy } of cluster.all()) {
      if (copy.state !== 'INITIALIZING' || known.has(idOf(copy))) continue;
      const index = cluster.state.indices.get(name) as IndexMetadata;
      const without = withoutCopy(cluster.state, name, copy);
      const round = new AllocationRound(without.state, { ...cluster.environment, clusterInfo: info });
      const node = round.node(copy.nodeId);
      holds(node !== undefined, 4, 'a node without data');
      const question = round.question(index, without.copy);
      const verdicts = [canAllocate(question, node), copy.primary ? canForceAllocate(question, node) : 'NO'];
      const isException = round.facts.awarenessAttributes.length > 0 || round.info.disks.size > 0;
      holds(verdicts.some((verdict) => verdict !== 'NO') || isException, 4, `${name} ${JSON.stringify(copy)}`);
    }
  }

  private checkCodec(): void {
    const { state } = this.cluster;
    const decoded = decodeState(encodeState(state));
    holds(JSON.stringify([...decoded.routing]) === JSON.stringify([...state.routing]), 10, 'the routing changed');
  }

  /** Everybody is there, and everything starts. */
  private calmDown(): void {
    const { cluster } = this;
    this.freeBytes.clear();
    for (const id of NODES) if (!cluster.state.nodes.has(id)) cluster.join(id, this.nodeOptions(id));
    cluster.nowMs += 120_000;
    this.tellWhatDisksHold();
    cluster.run(rerouteCluster, { retryFailed: true });
    for (let round = 0; ; round++) {
      const before = cluster.state;
      this.tellWhatDisksHold();
      const started = cluster.startAll();
      cluster.run(rerouteCluster, {});
      this.checkAll(before, cluster.info);
      const isCalm = cluster.all().every(({ copy }) => copy.state !== 'INITIALIZING');
      if (started === 0 && isCalm && cluster.state === before) {
        this.checkCodec();
        return;
      }
      holds(
        round < 300,
        9,
        `not settled: ${JSON.stringify(cluster.all().filter(({ copy }) => copy.state === 'INITIALIZING'))}`,
      );
    }
  }
}

/** Allocation ids of primaries stay when these are opened again: their place is part of it. */
function idOf(copy: ShardCopy): string {
  return `${copy.allocationId} on ${copy.nodeId} for ${copy.unassigned?.atMs}`;
}

function storeOf(allocationId: string): ShardStore {
  return { allocationId, totalBytes: GIGABYTE, matchingBytes: GIGABYTE / 2, hasAllHistory: false };
}

function uuidOf(state: ClusterState, index: string): string {
  return state.indices.get(index)?.uuid ?? '';
}

function holds(condition: boolean, invariant: number, what: string): asserts condition {
  if (!condition) throw new Error(`invariant ${invariant} does not hold: ${what}`);
}
