/**
 * One history of a simulated cluster: machines of several roles form a cluster, clients change it, things go wrong in an order that
 * the seed decides, and when they have ended the cluster must heal. The same seed gives the same history.
 */
import { seededRandom, type Random } from '../../src/base/random.js';
import { shardKey } from '../../src/cluster/disks/cluster-info.js';
import { isActive } from '../../src/cluster/copies/shard-copies.js';
import { restoredShard } from '../../src/cluster/snapshots/restores.js';
import type { ClusterState, IndexMetadata, ShardCopy } from '../../src/cluster/state.js';
import { desiredMembers, isSameGroup } from '../../src/coordinator/voters.js';
import { Clients } from './clients.js';
import { isInSync } from './copy-store.js';
import { Faults, type FaultOptions } from './faults.js';
import { SimulatedNetwork } from './network.js';
import { Machine, type World } from './machine.js';
import type { SimulatedNode } from './simulated-node.js';
import { SimulatedTime } from './simulated-time.js';
import { Outage } from './outage.js';
import { SnapshotClients } from './snapshot-clients.js';
import { StoredSnapshots } from './stored-snapshots.js';
import { Witness } from './witness.js';

const FORMATION_MS_MAX = 20_000;
const FAULTY_MS_MAX = 2_000;
/** Snapshots take a while. */
const LONG_FAULTY_MS_MAX = 10_000;
/** Between what clients do. */
const CLIENT_PAUSE_MS_MAX = 300;
const BUSY_ACTIONS = 2;
const BUSY_MS_MAX = 25;
const HEALING_MS_MAX = 120_000;
const LOOK_MS = 100;
const CALM_MS = 300;
/** Longest way to the store of blobs: some are far away. */
const STORE_MS_MAX = 40;
const TIDY_MS = 1_000;
const LOG_LINES = 60;

const ALL = ['master', 'data'];
/** Roles of the machines; the likelier ones are there more than once. */
const CLUSTERS: readonly (readonly (readonly string[])[])[] = [
  [ALL, ALL, ALL],
  [ALL, ALL, ALL],
  [ALL, ALL, ALL],
  [ALL, ALL, ALL, ['data']],
  [ALL, ALL, ['master', 'voting_only'], ['data']],
  [ALL, ['data']],
  [ALL, ALL],
  [ALL, ALL, ALL, ALL],
  [ALL, ALL, ALL, ALL, ALL],
];

/** Of those whose nodes all end at once. */
const CLUSTERS_OF_OUTAGES: typeof CLUSTERS = [
  [ALL, ALL, ALL],
  [ALL, ALL, ALL],
  [ALL, ALL, ALL, ALL],
];

/** Faults of all kinds, the same while snapshots are made, or the end of all nodes within moments. */
export type HistoryKind = 'faults' | 'snapshots' | 'outage';

export interface HistoryFigures {
  readonly terms: number;
  readonly versions: number;
  readonly acknowledgedCommands: number;
  readonly acknowledgedWrites: number;
  readonly simulatedMs: number;
  readonly healingMs: number;
}

export class History {
  readonly seed: number;
  private readonly random: Random;
  private readonly time = new SimulatedTime();
  private readonly network: SimulatedNetwork;
  private readonly witness = new Witness();
  private readonly stored = new StoredSnapshots(this.witness, this.time);
  private readonly machines: readonly Machine[];
  private readonly world: World;
  private readonly clients: Clients;
  private readonly snapshots: SnapshotClients;
  private readonly faults: Faults;
  private readonly log: string[] = [];
  private readonly pauseMs: number;
  private readonly kind: HistoryKind;

  constructor(seed: number, kind: HistoryKind = 'faults') {
    this.seed = seed;
    this.kind = kind;
    // Seeds that follow each other begin with numbers that do not.
    this.random = seededRandom(Math.imul(seed, 0x9e37_79b1));
    const { random, time, witness } = this;
    this.network = new SimulatedNetwork(time, random);
    const clusters = kind === 'outage' ? CLUSTERS_OF_OUTAGES : CLUSTERS;
    const roles = clusters[random.below(clusters.length)] ?? [];
    const names = roles.map((_, place) => `n${place}`);
    const first = names.filter((_, place) => mayBegin(roles[place] ?? []));
    this.world = {
      time,
      network: this.network,
      random,
      witness,
      stored: this.stored,
      seedHosts: names.map((_, place) => `10.0.0.${place + 1}:9300`),
      // Some clusters begin with fewer nodes than there are.
      initialMasterNodes: random.below(3) === 0 ? first.slice(0, Math.max(1, first.length - 1)) : first,
      log: (line) => this.log.push(`${Math.floor(time.nowMs)} ${line}`),
    };
    this.machines = names.map((name, place) => new Machine(name, place, roles[place] ?? [], this.world));
    this.witness.disks = this.machines;
    this.clients = new Clients(this.world, this.machines);
    this.snapshots = new SnapshotClients(this.world, this.machines);
    this.faults = new Faults(this.world, this.machines, this.chooseFaults());
    this.pauseMs = 50 + random.below(250);
    if (kind === 'snapshots') {
      this.stored.shared.latencyMsMax = 1 + random.below(STORE_MS_MAX);
      this.stored.shared.lostPercent = random.below(3);
    }
  }

  /** Throws an error with the seed and what went wrong before when an invariant does not hold. */
  async run(): Promise<HistoryFigures> {
    try {
      await this.form();
      if (this.kind === 'outage') await this.endAtOnce();
      else await this.goWrong();
      const healingMs = await this.heal();
      if (this.kind === 'snapshots') await this.tidyRepository();
      const { witness, time } = this;
      return {
        terms: witness.terms.size,
        versions: witness.state.version,
        acknowledgedCommands: witness.acknowledgedCommands,
        acknowledgedWrites: witness.acknowledgedWrites,
        simulatedMs: time.nowMs,
        healingMs,
      };
    } catch (error) {
      const history = this.log.slice(-LOG_LINES).join('\n  ');
      throw new Error(`seed ${this.seed}, ${this.time.nowMs} ms: ${String(error)}\n  ${history}`, { cause: error });
    } finally {
      for (const machine of this.machines) machine.kill();
    }
  }

  private chooseFaults(): FaultOptions {
    const maybe = (): boolean => this.random.below(2) === 0;
    return {
      hasCrashes: maybe(),
      hasPowerCuts: maybe(),
      hasStops: maybe(),
      hasCuts: maybe(),
      hasBadDisks: this.random.below(3) === 0,
      hasLostDirectories: this.random.below(3) === 0,
      hasClockJumps: this.random.below(3) === 0,
    };
  }

  private async pass(byMs: number, isOver: () => boolean = () => false): Promise<void> {
    const { witness } = this;
    await this.time.pass(byMs, () => witness.failure !== undefined || isOver());
    if (witness.failure !== undefined) throw witness.failure;
  }

  private async form(): Promise<void> {
    for (const machine of this.machines) {
      this.time.after(this.random.below(this.random.below(4) === 0 ? 3_000 : 50), () => {
        machine.start();
      });
    }
    // Half of the clusters meet faults while they are formed.
    const wanted = this.random.below(2) === 0 ? this.machines.length : 1;
    await this.pass(FORMATION_MS_MAX, () => this.witness.state.nodes.size >= wanted);
    if (this.witness.state.nodes.size === 0) this.witness.fault(10, 'no cluster was formed');
  }

  private async goWrong(): Promise<void> {
    const isLong = this.kind === 'snapshots';
    const untilMs = this.time.nowMs + 500 + this.random.below(isLong ? LONG_FAULTY_MS_MAX : FAULTY_MS_MAX);
    let nextFaultMs = this.time.nowMs + this.random.below(2 * this.pauseMs);
    while (this.time.nowMs < untilMs) {
      await this.pass(this.random.below(CLIENT_PAUSE_MS_MAX));
      this.clients.act();
      this.clients.write();
      if (this.kind === 'snapshots') this.snapshots.act();
      if (this.time.nowMs < nextFaultMs) continue;
      nextFaultMs = this.time.nowMs + this.random.below(2 * this.pauseMs);
      if (this.random.below(2) === 0) await this.beBusy();
      const isAtRepository = this.kind === 'snapshots' && this.witness.state.snapshotOperations.size > 0;
      if (isAtRepository && this.random.below(3) === 0) this.faults.stopMaster();
      else this.faults.act();
    }
  }

  private endAtOnce(): Promise<void> {
    const { world, machines, clients } = this;
    return new Outage(this.seed, {
      world,
      machines,
      pass: (byMs, isOver) => this.pass(byMs, isOver),
      heal: () => this.heal(),
      write: () => {
        clients.write();
      },
    }).run();
  }

  /** A fault is worth most in the middle of changes. */
  private async beBusy(): Promise<void> {
    for (let count = 0; count < BUSY_ACTIONS; count++) {
      this.clients.act();
      if (this.kind === 'snapshots') this.snapshots.act();
    }
    await this.pass(this.random.below(BUSY_MS_MAX));
  }

  private async heal(): Promise<number> {
    this.world.log('the faults end');
    this.faults.end();
    this.stored.shared.lostPercent = 0;
    const beganMs = this.time.nowMs;
    let wholeSinceMs: number | undefined;
    let version = 0;
    let nextTidyMs = 0;
    for (;;) {
      // Nodes that failed while they started on a bad disk.
      for (const machine of this.machines) machine.start();
      if (!this.clients.isTidy && this.time.nowMs >= nextTidyMs) {
        nextTidyMs = this.time.nowMs + TIDY_MS;
        void this.clients.tidyUp();
      }
      await this.pass(LOOK_MS);
      const wrong = this.clients.isTidy ? this.whatIsWrong() : 'settings are not taken back';
      const { state } = this.witness;
      if (wrong !== undefined || state.version !== version) wholeSinceMs = undefined;
      else wholeSinceMs ??= this.time.nowMs;
      version = state.version;
      if (wholeSinceMs !== undefined && this.time.nowMs - wholeSinceMs >= CALM_MS) {
        this.compareStates();
        return wholeSinceMs - beganMs;
      }
      if (this.time.nowMs - beganMs > HEALING_MS_MAX) {
        this.witness.fault(10, `after ${HEALING_MS_MAX} ms ${wrong ?? 'the state still changes'}`);
      }
    }
  }

  /** When all that was begun in the repository has ended, and what nobody needs is taken away. */
  private async tidyRepository(): Promise<void> {
    const untilMs = this.time.nowMs + HEALING_MS_MAX;
    const isBusy = (): boolean => this.witness.state.snapshotOperations.size > 0;
    let isTidy = false;
    while (!isTidy || isBusy()) {
      if (this.time.nowMs > untilMs) this.witness.fault(10, 'work in the repository does not end');
      let isAnswered = isBusy();
      if (!isAnswered && !isTidy) {
        void this.snapshots.tidyUp().then((done) => {
          [isTidy, isAnswered] = [done, true];
        });
      }
      await this.pass(TIDY_MS, () => isAnswered && !isBusy());
    }
    this.stored.checkTidy();
    await this.pass(LOOK_MS);
  }

  private compareStates(): void {
    const text = textOf(this.witness.state);
    for (const { name, node } of this.machines) {
      if (node?.applied !== undefined && textOf(node.applied) === text) continue;
      throw new Error(`invariant 10 does not hold: the state of ${name} is not what was agreed on`);
    }
  }

  private whatIsWrong(): string | undefined {
    const { state } = this.witness;
    const nodes = this.machines.flatMap(({ node }) => node ?? []);
    const masters = nodes.filter(({ coordinator }) => coordinator.isMaster);
    const [master] = masters;
    if (master === undefined || masters.length > 1) return `${masters.length} nodes are master`;
    const absent = nodes.find(
      ({ machine, ephemeralId }) => state.nodes.get(machine.nodeId)?.ephemeralId !== ephemeralId,
    );
    if (absent !== undefined) return `${absent.machine.name} is not in the cluster`;
    if (state.nodes.size !== nodes.length) return 'the state names nodes that are gone';
    const other = nodes.find(({ applied }) => applied?.stateUuid !== state.stateUuid);
    if (other !== undefined) return `${other.machine.name} has not applied version ${state.version}`;
    if (state.masterNodeId !== master.machine.nodeId) return 'the state names another master';
    return this.whatIsWrongWithVoters(master) ?? this.whatIsWrongWithShards();
  }

  private whatIsWrongWithVoters(master: SimulatedNode): string | undefined {
    const { state } = this.witness;
    const group = master.group;
    const desired = desiredMembers(state, group, state.nodes.get(master.machine.nodeId)?.raftId ?? '');
    if (!isSameGroup(desired, group) || group.outgoingVoters.length > 0) return 'the voters are not as they should be';
    return [...group.voters].sort().join() === state.voting.voters.join() ? undefined : 'the state names other voters';
  }

  private whatIsWrongWithShards(): string | undefined {
    const { state } = this.witness;
    for (const [name, { shards }] of state.routing) {
      const index = state.indices.get(name);
      if (index === undefined) return `routing of the unknown index ${name}`;
      for (const [shard, copies] of shards.entries()) {
        const wrong = this.whatIsWrongWithShard(index, shard, copies);
        if (wrong !== undefined) return `${wrong}: shard ${shard} of ${name}: ${JSON.stringify(copies)}`;
      }
    }
    return undefined;
  }

  private whatIsWrongWithShard(index: IndexMetadata, shard: number, copies: readonly ShardCopy[]): string | undefined {
    const key = shardKey(index.uuid, shard);
    const inSync = index.inSyncAllocationIds[shard] ?? [];
    const stores = this.machines.flatMap((machine) => machine.stores.get(key) ?? []);
    const isLost = inSync.length > 0 && !stores.some((store) => isInSync(store, inSync));
    if (isLost) return copies.some(isActive) ? 'no disk has an in-sync copy, and one is active' : undefined;
    // No node might take it at some moment, for which it is given up for good.
    const isGivenUp = index.restoredFrom !== undefined && restoredShard(index, copies) === 'failed';
    if (isGivenUp && !copies.some(isActive)) return undefined;
    const dataNodes = this.machines.filter(({ roles }) => roles.includes('data')).length;
    const wanted = Math.min(dataNodes, 1 + index.numberOfReplicas);
    const started = copies.filter(({ state }) => state === 'STARTED');
    if (started.length !== wanted) return `${started.length} of ${wanted} copies are started`;
    const [first, ...others] = started.map(({ nodeId }) =>
      JSON.stringify(this.machines.find((machine) => machine.nodeId === nodeId)?.stores.get(key)?.operations),
    );
    return others.every((operations) => operations === first) ? undefined : 'the copies differ';
  }
}

function mayBegin(roles: readonly string[]): boolean {
  return roles.includes('master');
}

/** Maps in one order: nodes that skipped a version may have another. */
function textOf(state: ClusterState): string {
  return JSON.stringify(state, (_key, value: unknown) =>
    value instanceof Map
      ? [...(value as Map<string, unknown>)].sort(([one], [other]) => (one < other ? -1 : 1))
      : value,
  );
}
