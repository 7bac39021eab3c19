/**
 * What a master does beside carrying out commands: lets nodes in, notices those that are gone, keeps the group of voters as
 * it should be, and looks again at copies that waited for their node.
 */
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { nextRerouteAtMs } from '../cluster/copies/delayed-allocation.js';
import { joinRefusal } from '../cluster/nodes/join-rules.js';
import type { FlatSettings } from '../cluster/settings/flat-settings.js';
import type { ClusterState, NodeRecord } from '../cluster/state.js';
import type { Peer } from '../transport/protocol.js';
import type { ClusterInfoKeeper } from './cluster-info-keeper.js';
import type { LifecycleTimer } from './lifecycle-timer.js';
import type { Consensus } from './consensus.js';
import { reasonOf, type Coordinator } from './coordinator.js';
import type { JoinRequest, LeaveRequest } from './messages.js';
import { pause } from './other-nodes.js';
import type { SnapshotDriver } from './snapshot-driver.js';
import type { SlmTimer } from './slm-timer.js';
import type { StackKeeper } from './stack-keeper.js';
import { desiredMembers, isSameGroup, mayLead } from './voters.js';

export interface LeaderDutiesOptions {
  readonly self: NodeRecord;
  readonly clusterName: string;
  readonly coordinator: Coordinator;
  readonly consensus: Consensus;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves as soon as the node is known to be gone; see `TransportClient.watch`. */
  readonly watch: (peer: Peer, signal: AbortSignal) => Promise<QuarryError>;
  /** Whether this run of the node answers. */
  readonly isThere: (node: NodeRecord) => Promise<boolean>;
  readonly learn: (node: NodeRecord) => void;
  /** Settings of the cluster that this node was configured with. */
  readonly settings: FlatSettings;
  /** Hears of the nodes' disks. */
  readonly clusterInfo: Pick<ClusterInfoKeeper, 'begin' | 'end'>;
  readonly lifecycles: Pick<LifecycleTimer, 'begin' | 'end'>;
  readonly snapshots: Pick<SnapshotDriver, 'begin' | 'end'>;
  readonly slm: Pick<SlmTimer, 'begin' | 'end'>;
  readonly stack: Pick<StackKeeper, 'install' | 'follow'>;
}

const CHANGE_MEMBERS_MS_MAX = 10_000;
/** A node that holds its connections and says nothing for so long is gone. */
export const SILENCE_MS_MAX = 10_000;
const LOOK_MS = 1_000;
/** Between looks at a node whose connection ended and that answers nevertheless, and between attempts to say who is master. */
const AGAIN_MS = 200;
/** Followers answer every heartbeat: who said nothing for so long may be gone, and is not asked to take over. */
const SUCCESSOR_SILENCE_MS_MAX = 500;
/** Between two looks at copies that wait for their node. */
const REROUTE_MS_MIN = 10;
const REROUTE_MS_MAX = 60_000;

export class LeaderDuties {
  private readonly options: LeaderDutiesOptions;
  private readonly watched = new Map<string, { ephemeralId: string; stop: AbortController }>();
  private readonly leaving = new Set<string>();
  /** Changes of the group are made one after the other. */
  private changing: Promise<unknown> = Promise.resolve();
  /** Adjustments of the group that have not ended. */
  private adjusting = 0;
  private stopLooking = (): void => undefined;
  private stopReroute = (): void => undefined;
  private stopWatchingState = (): void => undefined;
  private isActive = false;
  private sinceMs = 0;

  constructor(options: LeaderDutiesOptions) {
    this.options = options;
  }

  begin(term: number): void {
    if (this.isActive) this.end();
    this.isActive = true;
    const { coordinator, clock } = this.options;
    const since = clock.monotonicMs();
    this.sinceMs = since;
    this.stopWatchingState = coordinator.watch((state) => {
      this.follow(state);
    });
    this.look();
    const isOver = (): boolean => !this.isActive || since !== this.sinceMs;
    this.inBackground('begin with the duties of a master', async () => {
      await this.announce(term, isOver);
      if (isOver()) return;
      this.follow(coordinator.current);
      this.options.clusterInfo.begin();
      this.options.lifecycles.begin();
      this.options.snapshots.begin();
      this.options.slm.begin();
    });
  }

  end(): void {
    this.isActive = false;
    this.options.clusterInfo.end();
    this.options.lifecycles.end();
    this.options.snapshots.end();
    this.options.slm.end();
    this.stopWatchingState();
    this.stopLooking();
    this.stopReroute();
    for (const { stop } of this.watched.values()) stop.abort();
    this.watched.clear();
    this.leaving.clear();
  }

  /** Resolves when the node belongs to the cluster and every node knows it. */
  async letIn({ node, clusterName, clusterUuid }: JoinRequest): Promise<void> {
    const { coordinator, consensus, self, learn } = this.options;
    const state = coordinator.current;
    const cluster = {
      clusterName: this.options.clusterName,
      clusterUuid: state.clusterUuid,
      masterVersion: self.version,
    };
    const refusal = joinRefusal(
      { name: node.name, nodeId: node.id, version: node.version, clusterName, clusterUuid },
      cluster,
    );
    if (refusal !== undefined) throw new QuarryError('illegal_argument_exception', refusal);
    const namesake = [...state.nodes.values()].find(({ raftId, id }) => raftId === node.raftId && id !== node.id);
    if (namesake !== undefined) {
      const reason = `node [${node.name}] with id [${node.id}] uses the place of node [${namesake.name}] with id [${namesake.id}]`;
      throw new QuarryError('illegal_argument_exception', reason);
    }
    learn(node);
    await this.changeMembers(() => {
      const { voters, learners } = consensus.membership;
      if (voters.includes(node.raftId) || learners.includes(node.raftId)) return undefined;
      return { voters, learners: [...learners, node.raftId] };
    });
    await coordinator.submitHere('node-joined', { node });
    this.options.logger.log('info', 'a node joined', { name: node.name, id: node.id });
  }

  /** A node says that it ends. */
  async letGo({ nodeId, ephemeralId }: LeaveRequest): Promise<void> {
    if (this.options.coordinator.current.nodes.get(nodeId)?.ephemeralId !== ephemeralId) return;
    await this.options.coordinator.submitHere('node-left', { nodeId, reason: 'shutting down' });
  }

  /**
   * Again until it is agreed on: a cluster whose state names another master, or none, waits for one. What refused it may have
   * passed by then: while the office is handed to a node that does not answer, nothing can be proposed.
   */
  private async announce(term: number, isOver: () => boolean): Promise<void> {
    const { coordinator, self, settings, stack, clock, logger } = this.options;
    let told = '';
    while (!isOver()) {
      try {
        await coordinator.submitHere('nodes-changed', { joined: [self], left: await this.missing() });
        // Both are one change: whoever sees a master sees what comes with the cluster.
        await Promise.all([
          coordinator.submitHere('master-elected', { nodeId: self.id, term, settings }),
          stack.install(),
        ]);
        return;
      } catch (error) {
        const reason = reasonOf(error);
        if (!isOver() && reason !== told) logger.log('warn', 'cannot tell who is master', { reason });
        told = reason;
      }
      await pause(clock, AGAIN_MS);
    }
  }

  /** What was lost with the master, or restarted with it, is lost in the same moment: see `nodesChanged`. */
  private async missing(): Promise<readonly string[]> {
    const { coordinator, self, isThere } = this.options;
    const others = [...coordinator.current.nodes.values()].filter(({ id }) => id !== self.id);
    const found = await Promise.all(others.map(async (node) => ({ id: node.id, there: await isThere(node) })));
    return found.filter(({ there }) => !there).map(({ id }) => id);
  }

  private follow(state: ClusterState): void {
    if (!this.isActive) return;
    for (const [id, { ephemeralId, stop }] of this.watched) {
      if (state.nodes.get(id)?.ephemeralId === ephemeralId) continue;
      stop.abort();
      this.watched.delete(id);
    }
    for (const node of state.nodes.values()) {
      if (node.id !== this.options.self.id && !this.watched.has(node.id)) this.watchNode(node);
    }
    this.adjustMembers();
    this.scheduleReroute(state);
    this.inBackground('put what comes with the cluster', () => this.options.stack.follow(state));
  }

  private watchNode(node: NodeRecord): void {
    const stop = new AbortController();
    this.watched.set(node.id, { ephemeralId: node.ephemeralId, stop });
    const { watch, isThere, clock } = this.options;
    this.inBackground('watch a node', async () => {
      const isOver = (): boolean => stop.signal.aborted;
      while (!isOver()) {
        const ended = await watch({ address: node.transportAddress, nodeId: node.id }, stop.signal);
        if (isOver()) return;
        if (!(await isThere(node))) {
          await this.lose(node, ended.message);
          return;
        }
        await pause(clock, AGAIN_MS);
      }
    });
  }

  private async lose(node: NodeRecord, reason: string): Promise<void> {
    const { coordinator, logger } = this.options;
    const isThisRun = coordinator.current.nodes.get(node.id)?.ephemeralId === node.ephemeralId;
    if (!this.isActive || !isThisRun || this.leaving.has(node.id)) return;
    logger.log('warn', 'a node is gone', { name: node.name, id: node.id, reason });
    this.leaving.add(node.id);
    try {
      await coordinator.submitHere('node-left', { nodeId: node.id, reason: 'disconnected' });
    } finally {
      this.leaving.delete(node.id);
    }
  }

  /** Nodes that hang, and changes of the group that could not be made when they were due. */
  private look(): void {
    this.stopLooking = this.options.clock.schedule(LOOK_MS, () => {
      if (!this.isActive) return;
      const { coordinator, consensus, self, clock } = this.options;
      const reignMs = clock.monotonicMs() - this.sinceMs;
      for (const node of coordinator.current.nodes.values()) {
        if (node.id === self.id || (consensus.silentMs(node.raftId) ?? reignMs) < SILENCE_MS_MAX) continue;
        this.inBackground('drop a silent node', () => this.lose(node, `silent for ${SILENCE_MS_MAX}ms`));
      }
      if (this.adjusting === 0) this.adjustMembers();
      this.look();
    });
  }

  private adjustMembers(): void {
    this.adjusting++;
    const adjusted = this.adjustMembersOnce().finally(() => {
      this.adjusting--;
    });
    this.inBackground('change the voters', () => adjusted);
  }

  private async adjustMembersOnce(): Promise<void> {
    const { consensus, coordinator, self } = this.options;
    await this.changeMembers(() => {
      const desired = desiredMembers(coordinator.current, consensus.membership, self.raftId);
      if (isSameGroup(desired, consensus.membership)) return undefined;
      if (desired.voters.includes(self.raftId)) return desired;
      this.handOver(desired.voters);
      return undefined;
    });
    const { voters, outgoingVoters } = consensus.membership;
    const isTold = [...voters].sort().join() === coordinator.current.voting.voters.join();
    if (!isTold && outgoingVoters.length === 0) await coordinator.submitHere('voters-changed', { voters });
  }

  /**
   * A master that shall not vote any more is none: its successor takes its vote. Until that one does, for as long as an election
   * takes, nothing can be proposed, so only who answers is asked.
   */
  private handOver(voters: readonly string[]): void {
    const { consensus, coordinator } = this.options;
    const successor = [...coordinator.current.nodes.values()].find(
      (node) =>
        mayLead(node) &&
        voters.includes(node.raftId) &&
        consensus.membership.voters.includes(node.raftId) &&
        (consensus.silentMs(node.raftId) ?? SILENCE_MS_MAX) < SUCCESSOR_SILENCE_MS_MAX,
    );
    if (successor !== undefined) consensus.transferLeadership(successor.raftId);
  }

  private changeMembers(
    next: () => { voters: readonly string[]; learners: readonly string[] } | undefined,
  ): Promise<void> {
    const change = this.changing.then(async () => {
      const members = this.isActive ? next() : undefined;
      if (members === undefined) return;
      await this.options.consensus.changeMembers(members.voters, members.learners, CHANGE_MEMBERS_MS_MAX);
    });
    this.changing = change.catch(() => undefined);
    return change;
  }

  /** Copies that wait for their node do so until a certain time. */
  private scheduleReroute(state: ClusterState): void {
    const { clock, coordinator } = this.options;
    this.stopReroute();
    const dueMs = nextRerouteAtMs(state);
    if (dueMs === undefined) return;
    // The time of day may jump meanwhile, and be wrong now.
    const delayMs = Math.min(REROUTE_MS_MAX, Math.max(REROUTE_MS_MIN, dueMs - clock.nowMs()));
    this.stopReroute = clock.schedule(delayMs, () => {
      this.inBackground('allocate shards that waited', async () => {
        await coordinator.submitHere('reroute', {});
        // Nothing has changed if it was too early after all: timers and the time of day need not go at the same pace.
        this.scheduleReroute(coordinator.current);
      });
    });
  }

  private inBackground(what: string, work: () => Promise<unknown>): void {
    work().catch((error: unknown) => {
      if (this.isActive) this.options.logger.log('warn', `cannot ${what}`, { reason: reasonOf(error) });
    });
  }
}
