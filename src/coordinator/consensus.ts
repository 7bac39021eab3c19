/**
 * Drives one member of the group that agrees on the cluster state: gives it time, messages and proposals, sends what it has
 * to say, and hands its owner what was committed.
 *
 * One thing after the other: while the member waits for the disk, messages, ticks and proposals queue here, and go to it
 * together afterwards. So proposals that come together cost one write.
 */
import { asQuarryError } from '../base/error-wire.js';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type {
  RaftEntry,
  RaftMember,
  RaftMembership,
  RaftMessage,
  RaftPersisted,
  RaftRole,
  RaftState,
  RaftStatus,
} from '../native/raft.js';
import { Barriers } from './barriers.js';
import { ConsensusInbox } from './consensus-inbox.js';
import { ConsensusOutbox } from './consensus-outbox.js';
import { LeaderSilence } from './leader-silence.js';
import { notMaster, outcomeUnknown, Proposals } from './proposals.js';
import { Watchers } from './watchers.js';

/** The member as it is used here. */
export type ConsensusMember = Omit<Pick<RaftMember, keyof RaftMember>, 'compactHere'>;

/** A leader is one that has applied everything that earlier leaders committed; before, it is a candidate here. */
export interface ConsensusRole {
  readonly role: RaftRole;
  readonly term: number;
  readonly leader: string | undefined;
}

/** Called one at a time, and never while the member is in the middle of something. */
export interface ConsensusOwner {
  /** Takes the place of everything that was applied. */
  onSnapshot(data: Uint8Array, index: number): void;
  /** To be applied when it returns. */
  onCommitted(entries: readonly RaftEntry[]): void;
  onRole(role: ConsensusRole): void;
  onMembership(membership: RaftMembership): void;
  /** The state after all entries that were handed out. Never empty. */
  takeSnapshot(): Uint8Array;
  /** The member has failed, for good: nothing is agreed on here until the process starts anew. */
  onFailure(error: QuarryError): void;
}

export interface ConsensusOptions {
  readonly id: string;
  readonly member: ConsensusMember;
  readonly owner: ConsensusOwner;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tickMs: number;
  /** A leader that says nothing for so many ticks is none to those that it leads. */
  readonly leaderSilenceTicks: number;
  /** How long `stop` waits for another leader, and then for the disk. */
  readonly transferMsMax: number;
  /** Entries after a snapshot at which the next one is taken. */
  readonly snapshotEntries: number;
  /** Bytes of the log at which a snapshot is taken. */
  readonly snapshotLogBytes: number;
  /**
   * Is this voter known as one that only votes: the leadership is not handed over to it. Where it was elected nevertheless,
   * because it had what others lack, it is shown as no leader, and hands the office on.
   */
  votesOnly(id: string): boolean;
  /** The member has a newer term on disk, and perhaps a vote; nobody has heard of it. */
  onTerm?(): void;
  /** Rejects when the message surely or perhaps did not arrive. */
  send(to: string, message: Uint8Array): Promise<void>;
}

export interface ConsensusCounters {
  /** Damaged, or against the rules. */
  readonly refusedMessages: number;
  /** There was no room for them. */
  readonly droppedMessages: number;
  readonly snapshotsTaken: number;
}

/** A log that a snapshot left long has grown by so much before the next snapshot. */
const LOG_GROWTH = 2;

export class Consensus {
  private readonly options: ConsensusOptions;
  private readonly member: ConsensusMember;
  private readonly proposals: Proposals;
  private readonly barriers: Barriers;
  private readonly silence: LeaderSilence;
  private readonly inbox = new ConsensusInbox();
  private readonly outbox: ConsensusOutbox;
  private stopTicking = (): void => undefined;
  /** When a message of a member last came. */
  private readonly heardMs = new Map<string, number>();
  private isWorking = false;
  private running = Promise.resolve();
  private hasEnded = false;
  private state: RaftState;
  private currentMembership: RaftMembership;
  private lastStatus: RaftStatus = { peers: [], lastIndex: 0, logBytes: 0 };
  private readonly membershipWatchers: Watchers;
  private readonly roleWatchers: Watchers;
  private reported: ConsensusRole;
  /** The newest term of which an entry was applied. */
  private appliedTerm = 0;
  private logBytesAfterSnapshot = 0;
  /** Since this member was elected, though it only votes. */
  private ticksToHandOn = 0;
  private readonly counts = { refusedMessages: 0, droppedMessages: 0, snapshotsTaken: 0 };

  constructor(options: ConsensusOptions) {
    this.options = options;
    this.member = options.member;
    this.proposals = new Proposals(options.clock);
    this.barriers = new Barriers(options.clock);
    this.silence = new LeaderSilence(options.leaderSilenceTicks);
    this.membershipWatchers = new Watchers(options.clock);
    this.roleWatchers = new Watchers(options.clock);
    this.outbox = new ConsensusOutbox(options.send.bind(options), (message, hasArrived) => {
      this.reportSent(message, hasArrived);
    });
    this.state = options.member.state();
    this.currentMembership = options.member.membership();
    this.reported = { role: 'follower', term: this.state.term, leader: undefined };
  }

  /** Who leads, as last reported to the owner. */
  get role(): ConsensusRole {
    return this.reported;
  }

  get membership(): RaftMembership {
    return this.currentMembership;
  }

  get counters(): ConsensusCounters {
    return this.counts;
  }

  /** Entries to here were handed to the owner. */
  get appliedIndex(): number {
    return this.state.applied;
  }

  /** What the leader knows of the others; as it was before, while the disk is being written. */
  status(): RaftStatus {
    if (!this.isWorking && !this.isEnded) this.lastStatus = this.member.status();
    return this.lastStatus;
  }

  /**
   * How long nothing was heard of a member. Followers answer their leader at every heartbeat; `undefined` for those that were
   * not heard since this node leads.
   */
  silentMs(id: string): number | undefined {
    const heardMs = this.heardMs.get(id);
    return heardMs === undefined ? undefined : this.options.clock.monotonicMs() - heardMs;
  }

  /** Resolves when what was on disk is applied; a lone voter leads then. */
  async start(): Promise<void> {
    const recovered = this.member.takeRecovered();
    // A new group begins with nothing.
    if (recovered !== undefined && recovered.data.length > 0) {
      this.options.owner.onSnapshot(recovered.data, recovered.index);
    }
    this.options.owner.onMembership(this.currentMembership);
    if (this.isLoneVoter) this.member.campaign();
    this.scheduleTick();
    this.wake();
    await this.idle();
  }

  /** A message of another member: `from` is who sent it, as the transport knows. */
  receive(from: string, message: Uint8Array): void {
    if (this.isEnded) return;
    this.silence.heard(from);
    if (this.isMember(from)) this.heardMs.set(from, this.options.clock.monotonicMs());
    if (this.inbox.addMessage(message)) this.wake();
    else this.counts.droppedMessages++;
  }

  /**
   * Resolves with the entry's index when it is committed and applied here. Rejects with `not_master_exception` when it will never
   * be, with `failed_to_commit_cluster_state_exception` when that is not known.
   */
  propose(data: Uint8Array, timeoutMs: number): Promise<number> {
    return this.offer(() => this.member.propose(data), timeoutMs);
  }

  /** Resolves when these are the members. The leader must be one of the voters: before it goes it hands its office over. */
  async changeMembers(voters: readonly string[], learners: readonly string[], timeoutMs: number): Promise<void> {
    await this.offer(() => this.member.proposeMembership(voters, learners), timeoutMs);
    const isDone = await this.membershipWatchers.until(
      () => this.isEnded || this.currentMembership.outgoingVoters.length === 0,
      timeoutMs,
    );
    if (!isDone || this.isEnded) throw outcomeUnknown(`the change of members did not end within ${timeoutMs}ms`);
  }

  /** Resolves with an index that is applied here: everything that was acknowledged anywhere before the call is in it. */
  readBarrier(timeoutMs: number): Promise<number> {
    if (!this.isLeading) return Promise.reject(this.refusal());
    const barrier = this.barriers.add(timeoutMs);
    this.note(() => {
      this.barriers.ask((number) => this.member.readBarrier(number));
    });
    return barrier;
  }

  /** Asks a voter to take over; it may not. */
  transferLeadership(to: string): void {
    this.note(() => {
      this.member.transferLeader(to);
    });
  }

  /** Hands the leadership over if it can, then ends. Everything that is pending is rejected. */
  async stop(): Promise<void> {
    const [successor] = this.isLeading ? this.successors(this.status()) : [];
    if (successor !== undefined) {
      this.transferLeadership(successor);
      await this.roleWatchers.until(() => this.isEnded || !this.isLeading, this.options.transferMsMax);
    }
    this.end(new QuarryError('node_closed_exception', 'this node is being closed'));
    // A disk that does not answer must not keep the process: its end closes the files as well.
    if (await this.idleWithin(this.options.transferMsMax)) this.member.close();
  }

  /** Resolves when there is nothing to do. */
  async idle(): Promise<void> {
    while (this.isWorking) await this.running;
  }

  private idleWithin(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const stopTimer = this.options.clock.schedule(timeoutMs, () => {
        resolve(false);
      });
      void this.idle().then(() => {
        stopTimer();
        resolve(true);
      });
    });
  }

  /** It takes part no more: the node stops, or its disk failed. */
  get isEnded(): boolean {
    return this.hasEnded;
  }

  private get isLeading(): boolean {
    return this.reported.role === 'leader' && !this.isEnded;
  }

  private isMember(id: string): boolean {
    const { voters, learners, outgoingVoters } = this.currentMembership;
    return [voters, learners, outgoingVoters].some((ids) => ids.includes(id));
  }

  private get isLoneVoter(): boolean {
    const { voters, outgoingVoters } = this.currentMembership;
    return voters.length === 1 && voters[0] === this.options.id && outgoingVoters.length === 0;
  }

  /** Voters that may take over, the least behind first. */
  private successors({ peers }: RaftStatus): readonly string[] {
    const { voters } = this.currentMembership;
    const isEligible = (id: string): boolean =>
      id !== this.options.id && voters.includes(id) && !this.options.votesOnly(id);
    return peers
      .filter((peer) => isEligible(peer.id) && peer.isRecentlyActive)
      .sort((left, right) => right.matched - left.matched)
      .map(({ id }) => id);
  }

  /**
   * Who only votes looks for a successor when it was elected. Each gets some time to catch up: whom the state does not name
   * may turn out to vote only as well.
   */
  private handOn(): void {
    if (this.state.role !== 'leader' || !this.options.votesOnly(this.options.id)) {
      this.ticksToHandOn = 0;
      return;
    }
    const successors = this.successors(this.member.status());
    const turn = Math.floor(this.ticksToHandOn++ / this.options.leaderSilenceTicks);
    const successor = successors[turn % successors.length];
    if (successor !== undefined) this.member.transferLeader(successor);
  }

  private refusal(): QuarryError {
    if (this.isEnded) return new QuarryError('node_closed_exception', 'this node is being closed');
    return notMaster(`this node is not the master; [${this.reported.leader ?? 'nobody'}] is`);
  }

  private offer(propose: Parameters<Proposals['add']>[0], timeoutMs: number): Promise<number> {
    if (!this.isLeading) return Promise.reject(this.refusal());
    const outcome = this.proposals.add(propose, timeoutMs);
    this.wake();
    return outcome;
  }

  private note(tell: () => void): void {
    if (this.isEnded) return;
    this.inbox.addNote(tell);
    this.wake();
  }

  private scheduleTick(): void {
    this.stopTicking = this.options.clock.schedule(this.options.tickMs, () => {
      if (this.isEnded) return;
      this.inbox.addTick();
      this.scheduleTick();
      this.wake();
    });
  }

  private wake(): void {
    if (this.isWorking || this.isEnded) return;
    this.isWorking = true;
    this.running = this.work().finally(() => {
      this.isWorking = false;
      if (this.hasInput()) this.wake();
    });
  }

  private hasInput(): boolean {
    return !this.inbox.isEmpty || this.proposals.queuedCount > 0;
  }

  private async work(): Promise<void> {
    try {
      for (;;) {
        this.feed();
        const ready = this.member.ready();
        if (ready !== undefined) {
          for (const message of ready.messages) this.sendOne(message);
          // The disk is waited for on another thread.
          const persisted = ready.mustSync ? await this.member.persistInBackground() : this.member.persist();
          this.carryOut(persisted);
        } else if (this.needsSnapshot()) {
          await this.takeSnapshot();
        } else if (!this.hasInput()) {
          this.reportRole();
          return;
        }
        if (this.isEnded) return;
      }
    } catch (error) {
      this.fail(asQuarryError(error));
    }
  }

  private feed(): void {
    for (const message of this.inbox.takeMessages()) this.step(message);
    for (const tell of this.inbox.takeNotes()) tell();
    if (this.inbox.takeTick()) {
      this.silence.tick();
      this.member.tick();
      this.handOn();
    }
    this.proposals.feed(this.state.applied);
  }

  /** A message that is refused changes nothing. If the member itself failed, its next call says so. */
  private step(message: Uint8Array): void {
    try {
      this.member.step(message);
    } catch (error) {
      this.counts.refusedMessages++;
      const { message: reason } = asQuarryError(error);
      this.options.logger.log('warn', 'a message of another master-eligible node was refused', { reason });
    }
  }

  private carryOut(persisted: RaftPersisted): void {
    const { owner } = this.options;
    if (persisted.state.term > this.state.term) this.options.onTerm?.();
    for (const message of persisted.messages) this.sendOne(message);
    if (persisted.snapshot !== undefined) {
      const { data, index, term } = persisted.snapshot;
      this.appliedTerm = Math.max(this.appliedTerm, term);
      owner.onSnapshot(data, index);
      this.proposals.skippedTo(index);
    }
    const entries = persisted.committed.filter((entry) => entry.data.length > 0);
    if (entries.length > 0) owner.onCommitted(entries);
    this.appliedTerm = persisted.committed.at(-1)?.term ?? this.appliedTerm;
    this.state = persisted.state;
    for (const entry of persisted.committed) this.proposals.applied(entry);
    if (persisted.membership !== undefined) {
      this.currentMembership = persisted.membership;
      for (const id of this.heardMs.keys()) if (!this.isMember(id)) this.heardMs.delete(id);
      owner.onMembership(persisted.membership);
      this.membershipWatchers.wake();
    }
    this.barriers.confirmed(persisted.barriers);
    this.barriers.applied(this.state.applied);
    this.reportRole();
  }

  private reportRole(): void {
    const { role, term } = this.state;
    const leader = this.believedLeader();
    const isReady = role !== 'leader' || (leader !== undefined && this.appliedTerm === term);
    const current: ConsensusRole = isReady ? { role, term, leader } : { role: 'candidate', term, leader: undefined };
    if (role !== 'leader') {
      this.proposals.leadershipLost();
      this.barriers.end(notMaster('this node is no longer the master'));
    }
    const last = this.reported;
    if (current.role === last.role && current.term === last.term && current.leader === last.leader) return;
    if (current.role === 'leader') this.heardMs.clear();
    this.reported = current;
    this.options.owner.onRole(current);
    this.roleWatchers.wake();
  }

  private believedLeader(): string | undefined {
    const { role, leader } = this.state;
    const believed = role === 'leader' ? leader : this.silence.believed(leader);
    return believed === undefined || this.options.votesOnly(believed) ? undefined : believed;
  }

  private sendOne(message: RaftMessage): void {
    if (!this.outbox.put(message)) this.counts.droppedMessages++;
  }

  private reportSent({ to, isSnapshot }: RaftMessage, hasArrived: boolean): void {
    if (isSnapshot) this.note(() => this.member.reportSnapshot(to, hasArrived));
    else if (!hasArrived) this.note(() => this.member.reportUnreachable(to));
  }

  private needsSnapshot(): boolean {
    const { snapshotEntries, snapshotLogBytes } = this.options;
    this.state = this.member.state();
    const { applied, snapshotIndex, fileBytes, wantsSnapshot } = this.state;
    // Without members there is nothing that a snapshot could be of.
    if (applied <= snapshotIndex || this.currentMembership.voters.length === 0) return false;
    const bytesMax = Math.max(snapshotLogBytes, LOG_GROWTH * this.logBytesAfterSnapshot);
    return wantsSnapshot || applied - snapshotIndex >= snapshotEntries || fileBytes > bytesMax;
  }

  private async takeSnapshot(): Promise<void> {
    const { applied } = this.state;
    await this.member.compact(applied, this.options.owner.takeSnapshot());
    this.logBytesAfterSnapshot = this.member.state().fileBytes;
    this.counts.snapshotsTaken++;
  }

  private fail(error: QuarryError): void {
    if (this.isEnded) return;
    this.options.logger.log('error', 'this node takes no more part in the cluster', { reason: error.message });
    this.end(error);
    this.options.owner.onFailure(error);
  }

  private end(error: QuarryError): void {
    if (this.isEnded) return;
    this.hasEnded = true;
    this.stopTicking();
    this.inbox.clear();
    this.proposals.end(error);
    this.barriers.end(error);
    this.membershipWatchers.wake();
    this.roleWatchers.wake();
  }
}
