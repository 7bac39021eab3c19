/**
 * One node in its cluster: finds the others, takes part in agreeing on the state, asks to be let in, and asks again when it
 * was dropped. Answers the coordinators of other nodes.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import { PUBLISH_MS_MAX } from '../base/limits.js';
import { named, type Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import { decideBootstrap, type BootstrapDecision } from '../cluster/nodes/bootstrap.js';
import type { FlatSettings } from '../cluster/settings/flat-settings.js';
import type { ClusterState, NodeRecord } from '../cluster/state.js';
import type { Discovery, Found } from '../transport/discovery.js';
import type { Peer } from '../transport/protocol.js';
import { AddressBook } from './address-book.js';
import { LifecycleTimer, type LifecycleTimerOptions } from './lifecycle-timer.js';
import { ClusterInfoKeeper, type NodeQuestions } from './cluster-info-keeper.js';
import { Consensus, type ConsensusMember, type ConsensusRole } from './consensus.js';
import { reasonOf, type Coordinator } from './coordinator.js';
import { LeaderDuties } from './leader-duties.js';
import {
  readCommand,
  readEnvelope,
  readJoin,
  readLeave,
  readWhenApplied,
  type CoordinatorAction,
  type JoinRequest,
  type LeaveRequest,
  type RaftEnvelope,
} from './messages.js';
import { pause, type AskCoordinator } from './other-nodes.js';
import { SnapshotDriver, type SnapshotDriverOptions } from './snapshot-driver.js';
import { SlmTimer, type SlmWork } from './slm-timer.js';
import { StackKeeper } from './stack-keeper.js';
import { mayLead } from './voters.js';

/** Times of the group, in ticks: a lost master is replaced after one to two times the election's. */
export const TICK_MS = 50;
export const ELECTION_TICKS = 12;
export const HEARTBEAT_TICKS = 2;
/** For those that take no part in elections: longer than one takes. */
const LEADER_SILENCE_TICKS = 5 * ELECTION_TICKS;

export interface ClusterMemberOptions {
  readonly clusterName: string;
  readonly self: Omit<NodeRecord, 'raftId'>;
  /** Settings of the cluster that this node was configured with. */
  readonly settings: FlatSettings;
  /** Whether templates and policies come with the cluster. */
  readonly hasStack: boolean;
  readonly discoveryType: 'single-node' | 'multi-node';
  readonly seedHosts: readonly string[];
  readonly initialMasterNodes: readonly string[];
  readonly coordinator: Coordinator;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The number that this node has had in its group; undefined for a fresh node. */
  readonly knownRaftId: string | undefined;
  /** Opens the member of that number; the first voters matter for a fresh node only. */
  readonly openMember: (
    raftId: string,
    isEligible: boolean,
    initialVoters: readonly string[],
  ) => Promise<ConsensusMember>;
  readonly ask: AskCoordinator;
  /** What the master asks of nodes that hold data. */
  readonly questions: NodeQuestions;
  readonly runLifecycles: LifecycleTimerOptions['run'];
  readonly runSnapshots: SnapshotDriverOptions['run'];
  readonly slm: SlmWork;
  readonly watch: (peer: Peer, signal: AbortSignal) => Promise<QuarryError>;
  /** Whether this run of the node answers. */
  readonly isThere: (node: NodeRecord) => Promise<boolean>;
  /** Whether this node has promised nothing to any cluster, as others are told. Called before they can hear of a promise. */
  readonly onFreshness: (isFresh: boolean) => void;
  /** The node cannot take part any longer. */
  readonly onFailure: (error: QuarryError) => void;
  /** Entries after a snapshot at which the next one is taken; simulations take more of them. */
  readonly snapshotEntries?: number;
}

const SNAPSHOT_ENTRIES = 1_000;
const SNAPSHOT_LOG_BYTES = 64 * 1024 * 1024;
const TRANSFER_MS_MAX = 2_000;
const RAFT_MESSAGE_MS_MAX = 5_000;
const JOIN_MS_MAX = 15_000;
const JOIN_PAUSE_MS = 100;
const LEAVE_MS_MAX = 1_000;
/** With what the first voters of a group begin. */
const FIRST_TERM = 1;
const FIRST_INDEX = 1;

export class ClusterMember {
  private readonly options: ClusterMemberOptions;
  private readonly addresses = new AddressBook();
  private consensus: Consensus | undefined;
  private duties: LeaderDuties | undefined;
  private node: NodeRecord | undefined;
  /** As discovery heard, while the group itself has not told yet. */
  private heardMaster: Peer | undefined;
  /** Nobody tells a node that was taken out of the group who leads it now: then discovery knows better. */
  private trustsLeader = true;
  private isJoining = false;
  private isStopping = false;

  constructor(options: ClusterMemberOptions) {
    this.options = options;
  }

  /** Where the master is; undefined while there is none, or when it is this node. */
  get master(): Peer | undefined {
    const leader = this.consensus?.role.leader;
    if (leader === undefined || leader === this.node?.raftId) return undefined;
    return this.addresses.of(leader);
  }

  /** Resolves when this node belongs to a cluster; that may take as long as others are not there. */
  async start(): Promise<void> {
    const { coordinator, self } = this.options;
    coordinator.introduce(self);
    const plan = await this.plan();
    if (plan === undefined) return;
    const { raftId, initialVoters } = plan;
    const node: NodeRecord = { ...self, raftId };
    this.node = node;
    const member = await this.options.openMember(raftId, mayLead(node), initialVoters);
    this.options.onFreshness(hasPromisedNothing(member));
    this.consensus = this.makeConsensus(raftId, member);
    this.duties = this.makeDuties(node, this.consensus);
    coordinator.takePart(node.id, this.consensus);
    coordinator.watch((state) => {
      this.addresses.learnState(state);
      if (!this.isIn(state)) void this.join();
    });
    await this.consensus.start();
    this.keepLooking();
    await this.join();
    await coordinator.when((state) => this.isIn(state));
  }

  async answer(action: string, message: unknown): Promise<unknown> {
    switch (action as CoordinatorAction) {
      case 'raft': {
        const { from, nodeId, address, clusterUuid, message: bytes } = readEnvelope(message);
        this.checkCluster(clusterUuid, nodeId);
        this.addresses.learn(from, { nodeId, address });
        // The bytes are used again once this is answered; the member reads them later.
        this.consensus?.receive(from, new Uint8Array(bytes));
        return null;
      }
      case 'submit': {
        const { name, input, timeoutMs } = readCommand(message);
        return (await this.options.coordinator.submitHere(name, input, timeoutMs)) ?? null;
      }
      case 'join':
        await this.asMaster().letIn(readJoin(message));
        return null;
      case 'leave':
        await this.asMaster().letGo(readLeave(message));
        return null;
      case 'pending-tasks':
        this.asMaster();
        return this.options.coordinator.pendingTasks();
      case 'when-applied':
        await this.options.coordinator.whenApplied(readWhenApplied(message).version, PUBLISH_MS_MAX);
        return null;
      default:
        throw new QuarryError('action_not_found_transport_exception', `a coordinator knows no action [${action}]`);
    }
  }

  /** Says good-bye, hands over what it leads, and ends. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.options.discovery.stop();
    const { ask, logger } = this.options;
    const { master, node } = this;
    if (master !== undefined && node !== undefined) {
      const message: LeaveRequest = { nodeId: node.id, ephemeralId: node.ephemeralId };
      await ask(master, 'leave', message, LEAVE_MS_MAX).catch((error: unknown) => {
        logger.log('info', 'the master was not told that this node ends', { reason: reasonOf(error) });
      });
    }
    // What a master was about to do ends with it, and is no failure.
    this.duties?.end();
    await this.consensus?.stop();
  }

  /** Clusters of the same name whose seeds were mixed up must not count each other's votes. */
  private checkCluster(clusterUuid: string, nodeId: string): void {
    const own = this.options.coordinator.current.clusterUuid;
    if (own === '' || clusterUuid === '' || own === clusterUuid) return;
    const reason = `node [${nodeId}] belongs to the cluster with UUID [${clusterUuid}], this node to [${own}]`;
    throw new QuarryError('connect_transport_exception', reason);
  }

  private asMaster(): LeaderDuties {
    if (this.duties !== undefined && this.options.coordinator.isMaster) return this.duties;
    throw new QuarryError('not_master_exception', 'this node is not the master');
  }

  /** What this node begins with; undefined when it is stopped before that is clear. */
  private async plan(): Promise<{ raftId: string; initialVoters: readonly string[] } | undefined> {
    const { knownRaftId, clusterName, self, discovery, logger } = this.options;
    if (knownRaftId !== undefined) return { raftId: knownRaftId, initialVoters: [] };
    this.options.onFreshness(true);
    let told = '';
    const decision = this.isAlone()
      ? this.decide({ round: 0, peers: new Map(), failures: new Map() })
      : await discovery.until((found) => {
          const made = this.decide(found);
          if (made.kind !== 'wait') return made;
          if (made.why !== told) logger.log('info', 'this node waits for its cluster', { why: made.why });
          told = made.why;
          return undefined;
        });
    if (decision?.kind === 'join') {
      this.heardMaster = { nodeId: decision.master.nodeId, address: decision.master.address };
      return { raftId: raftIdOf(clusterName, self.id), initialVoters: [] };
    }
    if (decision?.kind !== 'bootstrap') return undefined;
    const initialVoters = decision.voterNames.map((name) => raftIdOf(clusterName, name));
    return { raftId: raftIdOf(clusterName, self.name), initialVoters };
  }

  private isAlone(): boolean {
    const { discoveryType, seedHosts, initialMasterNodes } = this.options;
    return discoveryType === 'single-node' || (seedHosts.length === 0 && initialMasterNodes.length === 0);
  }

  private decide(found: Found): BootstrapDecision {
    const { self, discoveryType, seedHosts, initialMasterNodes } = this.options;
    this.learn(found);
    return decideBootstrap({
      self: { nodeId: self.id, name: self.name, roles: self.roles, isFresh: true },
      discoveryType,
      seedHosts,
      initialMasterNodes,
      peers: [...found.peers.values()],
    });
  }

  /** First voters have numbers that follow from their names; others are known by the state. */
  private learn({ peers }: Found): void {
    const { clusterName, initialMasterNodes, coordinator } = this.options;
    for (const { nodeId, name, address, master } of peers.values()) {
      const known = coordinator.current.nodes.get(nodeId);
      if (known !== undefined) this.addresses.learn(known.raftId, { nodeId, address });
      else if (initialMasterNodes.includes(name))
        this.addresses.learn(raftIdOf(clusterName, name), { nodeId, address });
      if (master !== null) this.heardMaster = { nodeId: master.nodeId, address: master.address };
    }
  }

  /** Asks the seeds for addresses as long as no master is known, or none lets this node in. */
  private keepLooking(): void {
    if (this.isAlone()) return;
    const { discovery, clock, logger } = this.options;
    const look = async (): Promise<void> => {
      while (!this.isStopping) {
        const isLed = this.consensus?.role.leader !== undefined && this.master !== undefined;
        if (!isLed || !this.trustsLeader) this.learn(await discovery.ask(1));
        await pause(clock, TICK_MS * ELECTION_TICKS);
      }
    };
    look().catch((error: unknown) => {
      logger.log('warn', 'cannot look for other nodes', { reason: reasonOf(error) });
    });
  }

  private isIn(state: ClusterState): boolean {
    const { id, ephemeralId } = this.options.self;
    return state.masterNodeId !== '' && state.nodes.get(id)?.ephemeralId === ephemeralId;
  }

  /** Asks until this node is in. One attempt at a time. */
  private async join(): Promise<void> {
    if (this.isJoining || this.isStopping) return;
    this.isJoining = true;
    const { coordinator, logger, clock } = this.options;
    let told = '';
    const isWanted = (): boolean => !this.isStopping && !this.isIn(coordinator.current);
    while (isWanted()) {
      try {
        await this.askToJoin();
      } catch (error) {
        const reason = reasonOf(error);
        if (reason !== told) logger.log('info', 'this node was not let in yet', { reason });
        told = reason;
      }
      await pause(clock, JOIN_PAUSE_MS);
    }
    this.isJoining = false;
  }

  /** A master lets itself in. */
  private async askToJoin(): Promise<void> {
    const { ask, coordinator, clusterName } = this.options;
    const { node } = this;
    const leader = this.trustsLeader ? this.consensus?.role.leader : undefined;
    const master = leader === undefined ? this.heardMaster : this.addresses.of(leader);
    if (coordinator.isMaster || node === undefined) return;
    // Until one of the two lets it in.
    this.trustsLeader = !this.trustsLeader;
    if (master === undefined || master.nodeId === node.id) return;
    const clusterUuid = coordinator.current.clusterUuid === '' ? null : coordinator.current.clusterUuid;
    const request: JoinRequest = { node, clusterName, clusterUuid };
    await ask(master, 'join', request, JOIN_MS_MAX);
    this.trustsLeader = true;
  }

  private makeConsensus(raftId: string, member: ConsensusMember): Consensus {
    const { coordinator, clock, logger, self, ask, onFailure, snapshotEntries = SNAPSHOT_ENTRIES } = this.options;
    return new Consensus({
      id: raftId,
      member,
      clock,
      logger: named(logger, 'cluster.coordination'),
      tickMs: TICK_MS,
      leaderSilenceTicks: LEADER_SILENCE_TICKS,
      transferMsMax: TRANSFER_MS_MAX,
      snapshotEntries,
      snapshotLogBytes: SNAPSHOT_LOG_BYTES,
      votesOnly: (id) => {
        const nodes = [...coordinator.current.nodes.values()];
        const known = id === raftId ? self : nodes.find((node) => node.raftId === id);
        return known !== undefined && !mayLead(known);
      },
      onTerm: () => {
        this.options.onFreshness(false);
      },
      send: async (to, message) => {
        const peer = this.addresses.of(to);
        if (peer === undefined) throw new QuarryError('node_not_connected_exception', `no address of member [${to}]`);
        const { clusterUuid } = coordinator.current;
        const { id: nodeId, transportAddress: address } = self;
        const envelope: RaftEnvelope = { from: raftId, nodeId, address, clusterUuid, message };
        await ask(peer, 'raft', envelope, RAFT_MESSAGE_MS_MAX);
      },
      owner: {
        onSnapshot: (data) => {
          coordinator.onSnapshot(data);
        },
        onCommitted: (entries) => {
          coordinator.onCommitted(entries);
        },
        onRole: (role) => {
          this.onRole(role);
        },
        onMembership: () => undefined,
        takeSnapshot: () => coordinator.takeSnapshot(),
        onFailure,
      },
    });
  }

  private onRole(role: ConsensusRole): void {
    const { coordinator, logger } = this.options;
    logger.log('info', 'the master of the cluster', { ...role });
    coordinator.onRole(role);
    if (role.role === 'leader') this.duties?.begin(role.term);
    else this.duties?.end();
  }

  private makeDuties(self: NodeRecord, consensus: Consensus): LeaderDuties {
    const { coordinator, clock, logger, clusterName, settings, questions, watch, isThere } = this.options;
    const { runLifecycles, runSnapshots, slm } = this.options;
    return new LeaderDuties({
      self,
      clusterName,
      coordinator,
      consensus,
      clock,
      logger,
      settings,
      clusterInfo: new ClusterInfoKeeper({
        coordinator,
        clock,
        logger: named(logger, 'cluster.routing.allocation'),
        questions,
      }),
      lifecycles: new LifecycleTimer({ self, coordinator, clock, logger: named(logger, 'ilm'), run: runLifecycles }),
      snapshots: new SnapshotDriver({
        self,
        coordinator,
        clock,
        logger: named(logger, 'snapshots'),
        run: runSnapshots,
      }),
      slm: new SlmTimer({ self, coordinator, clock, logger: named(logger, 'slm'), work: slm }),
      stack: new StackKeeper({ isWanted: this.options.hasStack, coordinator, logger }),
      watch,
      isThere,
      learn: (node) => {
        this.addresses.learn(node.raftId, { nodeId: node.id, address: node.transportAddress });
      },
    });
  }
}

/** It is one of the first voters, and has neither voted nor heard of a vote. */
function hasPromisedNothing(member: ConsensusMember): boolean {
  const isFirst = member.membership().voters.length > 0;
  return isFirst && member.state().term <= FIRST_TERM && member.status().lastIndex <= FIRST_INDEX;
}

/** The number of a member: of a first voter by its name, of one that joins later by the id of its node. */
export function raftIdOf(clusterName: string, nameOrId: string): string {
  const digest = createHash('sha256').update(`${clusterName}\u0000${nameOrId}`).digest();
  const id = digest.readBigUInt64BE(0);
  return String(id === 0n ? 1n : id);
}
