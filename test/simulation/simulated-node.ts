/**
 * One run of a simulated node: one whole coordinator (`Coordinator`, `ClusterMember` with all below them) and one worker's shards,
 * wired as `node/coordinator/coordinator-thread.ts` and `node/worker/worker.ts` (with `request-handler.ts`) wire them.
 */
import type { SnapshotsStoppedInput } from '../../src/actions/nodes/snapshots-stopped.js';
import { silentLogger } from '../../src/base/logger.js';
import { QuarryError } from '../../src/base/errors.js';
import { newUuid } from '../../src/base/random.js';
import { asQuarryError } from '../../src/base/error-wire.js';
import { REMOTE_SHARD_CALL_MS_MAX, PUBLISH_MS_MAX } from '../../src/base/limits.js';
import { shardKey } from '../../src/cluster/disks/cluster-info.js';
import {
  readDiskReport,
  readFoundStores,
  type DiskReport,
  type FoundStore,
} from '../../src/cluster/nodes/node-reports.js';
import type { ClusterState, NodeRecord } from '../../src/cluster/state.js';
import type { NodeQuestions } from '../../src/coordinator/cluster-info-keeper.js';
import { ClusterMember, ELECTION_TICKS, HEARTBEAT_TICKS } from '../../src/coordinator/cluster-member.js';
import { Coordinator } from '../../src/coordinator/coordinator.js';
import { RemoteNodes, type AskCoordinator } from '../../src/coordinator/other-nodes.js';
import type { WantedShard } from '../../src/coordinator/store-finder.js';
import { StateHolder } from '../../src/coordinator/state-holder.js';
import type { RaftMembership } from '../../src/native/raft.js';
import type { Publication } from '../../src/coordinator/publication.js';
import { Discovery } from '../../src/transport/discovery.js';
import type { HandshakeAnswer } from '../../src/transport/handshake.js';
import type { Machine, World } from './machine.js';
import { SimulatedProcess } from './process.js';
import { SimulatedMember } from './simulated-member.js';
import { SimulatedShards, type ShardRequest } from './simulated-shards.js';
import { SnapshotWorker } from './snapshot-worker.js';

export const CLUSTER_NAME = 'simulated';
const CHECK_MS_MAX = 1_000;
const PUBLISH_PAUSE_MS_MAX = 4;
const SEEDS = 0xffff_ffff;
const DISK: DiskReport = { path: '/data', totalBytes: 2 ** 40, freeBytes: 2 ** 39, shards: [] };

export class SimulatedNode {
  readonly machine: Machine;
  readonly process: SimulatedProcess;
  readonly ephemeralId: string;
  readonly coordinator: Coordinator;
  readonly member: ClusterMember;
  readonly shards: SimulatedShards;
  readonly snapshots: SnapshotWorker;
  /** Of the worker. */
  readonly states: StateHolder;
  /** The worker has applied it. */
  applied: ClusterState | undefined;
  private readonly world: World;
  /** As its member knows it. */
  group: RaftMembership = { voters: [], learners: [], outgoingVoters: [] };
  private isFresh = false;
  private disk: SimulatedMember | undefined;
  private telling: Promise<unknown> = Promise.resolve();
  private readonly record: Omit<NodeRecord, 'raftId'>;

  constructor(machine: Machine, world: World) {
    this.machine = machine;
    this.world = world;
    const { time, random, network } = world;
    this.process = new SimulatedProcess(time, 0.95 + random.below(11) / 100, () => machine.skewMs);
    this.ephemeralId = newUuid(random);
    this.record = this.describeNode();
    this.states = new StateHolder(this.process.clock);
    this.coordinator = this.makeCoordinator();
    this.snapshots = this.makeSnapshots();
    this.shards = this.makeShards();
    this.member = this.makeMember();
    network.listen(machine.address, {
      nodeId: machine.nodeId,
      process: this.process,
      answer: (action, message) => this.answer(action, message),
    });
    void this.coordinator.subscribe('worker-0', (publication) => this.tellWorker(publication));
    this.coordinator.watch((state) => {
      world.witness.applied(machine.name, this.ephemeralId, state);
    });
    this.member.start().catch((error: unknown) => {
      this.fail(`cannot start: ${asQuarryError(error).message}`);
    });
  }

  /** Kills it. */
  end(): void {
    if (this.process.hasEnded) return;
    this.process.end();
    this.disk?.interrupt();
  }

  /** Says good-bye and ends. */
  leave(): void {
    void this.member.stop().then(() => {
      this.process.end();
    });
  }

  private describeNode(): Omit<NodeRecord, 'raftId'> {
    const { nodeId: id, name, address, roles } = this.machine;
    const [host = ''] = address.split(':');
    return {
      id,
      ephemeralId: this.ephemeralId,
      name,
      host,
      ip: host,
      httpAddress: `${host}:9200`,
      transportAddress: address,
      version: '1.0.0',
      roles,
      attributes: {},
      workerSlots: 1,
    };
  }

  private fail(reason: string): void {
    this.world.log(`${this.machine.name} fails: ${reason}`);
    this.end();
  }

  private readonly ask: AskCoordinator = (peer, action, message, timeoutMs) => {
    const asker = { address: this.machine.address, process: this.process };
    return this.world.network.ask(asker, peer, action, message, timeoutMs);
  };

  private async handshake(address: string): Promise<HandshakeAnswer> {
    const asker = { address: this.machine.address, process: this.process };
    const answer = await this.world.network.ask(asker, { address }, 'handshake', null, CHECK_MS_MAX);
    return answer as HandshakeAnswer;
  }

  private makeCoordinator(): Coordinator {
    const { clock } = this.process;
    const { random } = this.world;
    const made: Coordinator = new Coordinator({
      clusterName: CLUSTER_NAME,
      clock,
      random,
      rules: {
        analysis: { validate: () => undefined, has: () => true },
        scripts: { check: () => undefined, checkSimilarity: () => undefined },
      },
      logger: silentLogger,
      others: new RemoteNodes({
        clock,
        ask: this.ask,
        coordinator: () => made,
        master: () => this.member.master,
      }),
    });
    return made;
  }

  private makeMember(): ClusterMember {
    const { machine, coordinator, world } = this;
    const { clock } = this.process;
    const { random, network, seedHosts, initialMasterNodes } = world;
    const asker = { address: machine.address, process: this.process };
    return new ClusterMember({
      clusterName: CLUSTER_NAME,
      self: this.record,
      discoveryType: 'multi-node',
      seedHosts,
      initialMasterNodes,
      coordinator,
      discovery: new Discovery(machine.nodeId, {
        seedHosts,
        defaultPorts: { first: 9300, last: 9300 },
        clock,
        random,
        logger: silentLogger,
        handshake: (address) => this.handshake(address),
      }),
      clock,
      random,
      logger: silentLogger,
      knownRaftId: machine.disk.hasMember ? machine.raftId : undefined,
      openMember: (raftId, mayLead, initialVoters) => this.openMember(raftId, mayLead, initialVoters),
      ask: this.ask,
      settings: new Map(),
      questions: this.makeQuestions(),
      hasStack: false,
      runLifecycles: () => Promise.resolve(),
      runSnapshots: () => this.snapshots.run(),
      slm: {
        startRun: () => Promise.resolve(),
        followRun: () => Promise.resolve(),
        runRetention: () => Promise.resolve(),
        runWorkflow: () => Promise.resolve(),
      },
      watch: (peer, signal) => network.watch(asker, peer, signal),
      isThere: async ({ transportAddress, ephemeralId }) => {
        const answer = await this.handshake(transportAddress).catch(() => undefined);
        return answer?.ephemeralId === ephemeralId;
      },
      onFreshness: (isFresh) => {
        this.isFresh = isFresh;
      },
      onFailure: (error) => {
        this.fail(error.message);
      },
      snapshotEntries: 3 + random.below(40),
    });
  }

  /** What a master asks of data nodes. */
  private makeQuestions(): NodeQuestions {
    const ask = (node: NodeRecord, action: string, message: unknown, timeoutMs: number): Promise<unknown> => {
      if (node.id === this.machine.nodeId) return this.answer(action, message);
      const asker = { address: this.machine.address, process: this.process };
      const peer = { address: node.transportAddress, nodeId: node.id };
      return this.world.network.ask(asker, peer, action, message, timeoutMs);
    };
    return {
      diskUsage: async (node, timeoutMs) => readDiskReport(await ask(node, 'disk-usage', null, timeoutMs)),
      shardStores: async (node, shards, timeoutMs) =>
        readFoundStores(await ask(node, 'shard-stores', shards, timeoutMs), shards.length),
      writeTimes: () => Promise.resolve([]),
    };
  }

  private async openMember(
    raftId: string,
    mayLead: boolean,
    initialVoters: readonly string[],
  ): Promise<SimulatedMember> {
    const { machine, process, world } = this;
    const { random, witness } = world;
    machine.raftId = raftId;
    await process.pause(random.below(machine.writeMsMax));
    const { disk } = machine;
    const isSound = !machine.isDiskFaulty;
    try {
      const member = disk.openMember({
        id: raftId,
        electionTicks: ELECTION_TICKS,
        heartbeatTicks: HEARTBEAT_TICKS + 1,
        mayLead,
        seed: random.below(SEEDS),
        messageBytesMax: 4_096,
        messagesInFlightMax: 8,
        uncommittedBytesMax: 1 << 20,
        committedBytesMax: 8_192,
        keptEntries: random.below(20),
        initialVoters,
      });
      this.disk = new SimulatedMember(member, {
        process,
        disk,
        random,
        latencyMs: () => random.below(machine.writeMsMax),
        onPersisted: (persisted) => {
          this.group = persisted.membership ?? this.group;
          witness.persisted(machine.name, this.ephemeralId, raftId, persisted);
        },
      });
      this.group = member.membership();
    } catch (error) {
      if (isSound) witness.fault(9, `${machine.name} cannot open its member: ${String(error)}`);
      throw error;
    }
    return this.disk;
  }

  private makeSnapshots(): SnapshotWorker {
    const { machine, process, world, coordinator, states } = this;
    return new SnapshotWorker({
      nodeId: machine.nodeId,
      run: this.ephemeralId,
      process,
      random: world.random,
      states,
      stored: world.stored,
      coordinator: {
        submit: async (name, input, options) => (await coordinator.submit(name, input, options?.timeoutMs)) as never,
      },
      onCopy: async (key, { nodeId }, name, input) => {
        const stateVersion = this.states.current.version;
        return (await this.onNode(nodeId, 'shard', { key, name, input, stateVersion })) as never;
      },
      whenStopped: async (nodeId, input) => {
        await this.onNode(nodeId, 'snapshots-stopped', input);
      },
    });
  }

  private makeShards(): SimulatedShards {
    const { machine, process, world, coordinator } = this;
    return new SimulatedShards({
      snapshots: this.snapshots,
      nodeId: machine.nodeId,
      run: this.ephemeralId,
      process,
      random: world.random,
      stores: machine.stores,
      witness: world.witness,
      coordinator: {
        submit: async (name, input, options) => (await coordinator.submit(name, input, options?.timeoutMs)) as never,
        updateFigures: () => Promise.reject(new Error('nobody asks for them')),
        pendingTasks: () => Promise.reject(new Error('nobody asks for them')),
      },
      onCopy: async (key, { nodeId }, name, input) => {
        const stateVersion = this.states.current.version;
        const request: ShardRequest = { key, name, input, stateVersion };
        return (await this.onNode(nodeId, 'shard', request)) as never;
      },
    });
  }

  /** Calls to a node end when it leaves the cluster. */
  private onNode(nodeId: string, action: 'shard' | 'snapshots-stopped', message: unknown): Promise<unknown> {
    const node = this.states.current.nodes.get(nodeId);
    const gone = (): QuarryError =>
      new QuarryError('node_not_connected_exception', `node [${nodeId}] left the cluster`);
    if (node === undefined) return Promise.reject(gone());
    const asker = { address: this.machine.address, process: this.process };
    const peer = { address: node.transportAddress, nodeId };
    const answer = this.world.network.ask(asker, peer, action, message, REMOTE_SHARD_CALL_MS_MAX);
    const hasLeft = this.states
      .when(({ nodes }) => nodes.get(nodeId)?.ephemeralId !== node.ephemeralId, REMOTE_SHARD_CALL_MS_MAX)
      .then(() => {
        throw gone();
      });
    return Promise.race([answer, hasLeft]);
  }

  private async answer(action: string, message: unknown): Promise<unknown> {
    switch (action) {
      case 'handshake':
        return this.describe();
      case 'disk-usage':
        return DISK;
      case 'shard-stores':
        return (message as readonly WantedShard[]).map((shard) => this.storeOf(shard));
      case 'shard': {
        const request = message as ShardRequest;
        await this.states.when(({ version }) => version >= request.stateVersion, PUBLISH_MS_MAX);
        return this.shards.answer(request);
      }
      case 'snapshots-stopped':
        return this.snapshots.stopped(message as SnapshotsStoppedInput);
      default:
        return this.member.answer(action, message);
    }
  }

  private storeOf({ indexUuid, shard }: WantedShard): FoundStore | null {
    const store = this.machine.stores.get(shardKey(indexUuid, shard));
    if (store === undefined) return null;
    const { allocationId, formerAllocationId, historyUuid, operations } = store;
    return {
      allocationId,
      ...(formerAllocationId === undefined ? {} : { formerAllocationId }),
      historyUuid,
      maxSeqNo: operations.length - 1,
      totalBytes: 1,
      segments: [],
      historyStart: null,
    };
  }

  /** As `TransportFront` does. */
  private describe(): HandshakeAnswer {
    const { id: nodeId, ephemeralId, name, version, roles, transportAddress: address } = this.record;
    const state = this.coordinator.current;
    const master = state.nodes.get(state.masterNodeId);
    const eligible = [...state.nodes.values()].filter((node) => node.roles.includes('master'));
    return {
      nodeId,
      ephemeralId,
      name,
      version,
      roles,
      address,
      clusterUuid: state.clusterUuid === '' ? null : state.clusterUuid,
      clusterName: CLUSTER_NAME,
      isFresh: this.isFresh,
      master: master === undefined ? null : { nodeId: master.id, address: master.transportAddress },
      knownAddresses: eligible.map(({ transportAddress }) => transportAddress),
    };
  }

  private tellWorker(publication: Publication): Promise<unknown> {
    this.telling = this.telling.then(async () => {
      await this.process.pause(this.world.random.below(PUBLISH_PAUSE_MS_MAX));
      const state = this.states.apply(publication);
      // Places that the state gives to an earlier run of this node mean nothing.
      const known = state.nodes.get(this.machine.nodeId);
      if (known === undefined || known.ephemeralId === this.ephemeralId) await this.shards.apply(state);
      this.applied = state;
    });
    return this.telling;
  }
}
