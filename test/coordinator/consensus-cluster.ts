/** Several members of one group in one thread, with time and a network that a seed decides. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/logger.js';
import { seededRandom, type Random } from '../../src/base/random.js';
import {
  Consensus,
  type ConsensusMember,
  type ConsensusOptions,
  type ConsensusOwner,
  type ConsensusRole,
} from '../../src/coordinator/consensus.js';
import { RaftMember, type RaftEntry, type RaftMembership } from '../../src/native/raft.js';
import { SimulatedClock } from './simulated-clock.js';

export const TICK_MS = 100;
export const ELECTION_TICKS = 5;

/** Everything in one thread: what waits for the disk waits for it at once, so that a history depends on its seed alone. */
export function inOneThread(member: RaftMember, clock: SimulatedClock): ConsensusMember {
  return {
    takeRecovered: () => member.takeRecovered(),
    tick: () => member.tick(),
    step: (message) => member.step(message),
    propose: (data) => member.propose(data),
    proposeMembership: (voters, learners) => member.proposeMembership(voters, learners),
    campaign: () => member.campaign(),
    transferLeader: (to) => member.transferLeader(to),
    reportUnreachable: (id) => member.reportUnreachable(id),
    reportSnapshot: (id, hasArrived) => member.reportSnapshot(id, hasArrived),
    readBarrier: (number) => member.readBarrier(number),
    ready: () => member.ready(),
    persist: () => member.persist(),
    persistInBackground: () => Promise.resolve(member.persist()),
    compact: (index, data) => clock.standStillFor(member.compact(index, data)),
    state: () => member.state(),
    membership: () => member.membership(),
    status: () => member.status(),
    close: () => member.close(),
  };
}

/** An owner whose state is the list of all texts that were proposed. */
export class ListOwner implements ConsensusOwner {
  texts: string[] = [];
  snapshots = 0;
  readonly roles: ConsensusRole[] = [];
  memberships: RaftMembership[] = [];
  failure: Error | undefined;

  onSnapshot(data: Uint8Array): void {
    this.texts = JSON.parse(Buffer.from(data).toString()) as string[];
    this.snapshots++;
  }

  onCommitted(entries: readonly RaftEntry[]): void {
    for (const entry of entries) this.texts.push(Buffer.from(entry.data).toString());
  }

  onRole(role: ConsensusRole): void {
    this.roles.push(role);
  }

  onMembership(membership: RaftMembership): void {
    this.memberships.push(membership);
  }

  takeSnapshot(): Uint8Array {
    return Buffer.from(JSON.stringify(this.texts));
  }

  onFailure(error: Error): void {
    this.failure = error;
  }
}

export interface ClusterNode {
  readonly id: string;
  readonly directory: string;
  consensus: Consensus;
  owner: ListOwner;
  isUp: boolean;
}

export interface ClusterOptions {
  readonly seed: number;
  readonly lostPercent?: number;
  readonly delayMsMax?: number;
  readonly snapshotEntries?: number;
  readonly keptEntries?: number;
  readonly votesOnly?: string;
}

export class Cluster {
  readonly clock = new SimulatedClock();
  readonly nodes = new Map<string, ClusterNode>();
  readonly random: Random;
  lostPercent: number;
  private readonly options: ClusterOptions;
  private readonly cutOff = new Set<string>();
  private readonly base: string;

  private constructor(base: string, options: ClusterOptions) {
    this.base = base;
    this.options = options;
    this.random = seededRandom(options.seed);
    this.lostPercent = options.lostPercent ?? 0;
  }

  static async start(voters: readonly string[], options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(await mkdtemp(join(tmpdir(), 'quarry-consensus-')), options);
    for (const id of voters) await cluster.add(id, voters);
    return cluster;
  }

  async add(
    id: string,
    initialVoters: readonly string[],
    change: Partial<ConsensusOptions> = {},
  ): Promise<ClusterNode> {
    const directory = join(this.base, id);
    const owner = new ListOwner();
    const member = await RaftMember.open({
      directory,
      id,
      electionTicks: ELECTION_TICKS,
      heartbeatTicks: 1,
      mayLead: id !== this.options.votesOnly,
      seed: this.options.seed,
      messageBytesMax: 1 << 16,
      messagesInFlightMax: 16,
      uncommittedBytesMax: 1 << 20,
      committedBytesMax: 1 << 20,
      keptEntries: this.options.keptEntries ?? 5,
      initialVoters,
    });
    const consensus = new Consensus({
      id,
      member: inOneThread(member, this.clock),
      owner,
      clock: this.clock,
      logger: silentLogger,
      tickMs: TICK_MS,
      leaderSilenceTicks: 3 * ELECTION_TICKS,
      transferMsMax: ELECTION_TICKS * TICK_MS,
      snapshotEntries: this.options.snapshotEntries ?? 1_000,
      snapshotLogBytes: 1 << 20,
      votesOnly: (voter) => voter === this.options.votesOnly,
      send: (to, message) => this.send(id, to, message),
      ...change,
    });
    const node: ClusterNode = { id, directory, consensus, owner, isUp: true };
    this.nodes.set(id, node);
    await consensus.start();
    return node;
  }

  node(id: string): ClusterNode {
    const node = this.nodes.get(id);
    if (node === undefined) throw new Error(`no node ${id}`);
    return node;
  }

  get up(): ClusterNode[] {
    return [...this.nodes.values()].filter((node) => node.isUp);
  }

  get leader(): ClusterNode | undefined {
    const leaders = this.up.filter((node) => node.consensus.role.role === 'leader');
    return leaders.sort((left, right) => right.consensus.role.term - left.consensus.role.term)[0];
  }

  isolate(...ids: string[]): void {
    for (const id of ids) this.cutOff.add(id);
  }

  heal(): void {
    this.cutOff.clear();
    this.lostPercent = 0;
  }

  async stop(id: string): Promise<void> {
    const node = this.node(id);
    const stopped = node.consensus.stop();
    await this.untilSettled(stopped);
    node.isUp = false;
  }

  async restart(id: string): Promise<ClusterNode> {
    if (this.node(id).isUp) await this.stop(id);
    return this.add(id, []);
  }

  /** Lets time pass until `holds`; fails when that takes too long. */
  async until(holds: () => boolean, limitMs = 30_000): Promise<number> {
    const start = this.clock.monotonicMs();
    while (!holds()) {
      if (this.clock.monotonicMs() - start > limitMs) throw new Error(`not within ${limitMs} ms`);
      await this.clock.advance(10);
    }
    return this.clock.monotonicMs() - start;
  }

  /** Lets time pass until the promise is settled, and gives its outcome. */
  async untilSettled<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.until(() => isSettled, 120_000);
    return promise;
  }

  async elect(): Promise<ClusterNode> {
    await this.until(() => this.leader !== undefined);
    const { leader } = this;
    if (leader === undefined) throw new Error('nobody leads');
    return leader;
  }

  propose(node: ClusterNode, text: string, timeoutMs = 10_000): Promise<number> {
    return node.consensus.propose(Buffer.from(text), timeoutMs);
  }

  /** All that are up have applied the same. */
  get isLevel(): boolean {
    const [first, ...others] = this.up.map((node) => JSON.stringify(node.owner.texts));
    return others.every((texts) => texts === first);
  }

  async end(): Promise<void> {
    for (const { id, isUp } of this.nodes.values()) if (isUp) await this.stop(id);
    await rm(this.base, { recursive: true });
  }

  private send(from: string, to: string, message: Uint8Array): Promise<void> {
    const delayMs = 1 + this.random.below(this.options.delayMsMax ?? 10);
    const isLost = this.random.below(100) < this.lostPercent;
    const copy = Uint8Array.from(message);
    return new Promise((resolve, reject) => {
      this.clock.schedule(delayMs, () => {
        const target = this.nodes.get(to);
        if (isLost || target?.isUp !== true || this.cutOff.has(from) !== this.cutOff.has(to)) {
          reject(new Error('lost'));
          return;
        }
        target.consensus.receive(from, copy);
        resolve();
      });
    });
  }
}
