/**
 * A member of the group that agrees on the cluster state: Raft with storage of its own, without a clock or a network. Ids are
 * decimal strings of 64 bits. `coordinator/consensus.ts` drives it.
 */
import { native } from './addon.js';
import { guarded, guardedAsync } from './errors.js';
import type {
  RawRaft,
  RawRaftEntry,
  RawRaftMembership,
  RawRaftMessage,
  RawRaftPersisted,
  RawRaftReady,
  RawRaftState,
} from './raw-addon.js';

export interface RaftMemberOptions {
  /** Holds this member and nothing else. */
  readonly directory: string;
  /** Never "0", and never used again by a member that lost its directory. */
  readonly id: string;
  /** A follower that hears nothing for so many ticks (at least 4), up to twice as many by chance, asks for votes. */
  readonly electionTicks: number;
  readonly heartbeatTicks: number;
  /** False: it votes, and is elected only where others lack entries that it has; its owner hands the office on then. */
  readonly mayLead: boolean;
  /** 32 bits: chooses the waiting times before elections. */
  readonly seed: number;
  /** Entries of one message; one entry always goes. */
  readonly messageBytesMax: number;
  /** Messages with entries that one follower has not acknowledged. */
  readonly messagesInFlightMax: number;
  /** Proposals beyond it are refused. */
  readonly uncommittedBytesMax: number;
  /** Committed entries that are handed out together; one always is. */
  readonly committedBytesMax: number;
  /** Entries that stay behind a snapshot for members that lag a little. */
  readonly keptEntries: number;
  /** The voters of a new group; ignored where the directory holds a member. Empty: a leader must add this one. */
  readonly initialVoters: readonly string[];
}

export type RaftRole = 'follower' | 'candidate' | 'leader';

export interface RaftState extends Omit<RawRaftState, 'role'> {
  readonly role: RaftRole;
}

export type RaftMessage = RawRaftMessage;
/** An entry, or a snapshot: what all entries to its index amount to. */
export type RaftEntry = RawRaftEntry;
export type RaftMembership = RawRaftMembership;
export type RaftReady = RawRaftReady;

export interface RaftPersisted extends Omit<RawRaftPersisted, 'state'> {
  readonly state: RaftState;
}

export type RaftProposed =
  | { readonly outcome: 'at'; readonly index: number; readonly term: number }
  | { readonly outcome: 'not_leader' | 'busy' };

export interface RaftPeer {
  readonly id: string;
  /** It has acknowledged the entries to here. */
  readonly matched: number;
  /** It has answered since the leader last looked, which it does once in an election timeout. */
  readonly isRecentlyActive: boolean;
  readonly isSnapshotUnderWay: boolean;
}

export interface RaftStatus {
  /** What a leader knows of all members; empty elsewhere. */
  readonly peers: readonly RaftPeer[];
  readonly lastIndex: number;
  readonly logBytes: number;
}

/** Does the directory hold a member. */
export function hasRaftMember(directory: string): boolean {
  return guarded(() => native().NativeRaft.exists(directory));
}

/**
 * After `ready` answered, nothing but `persist` or `persistInBackground` may be called; while the latter or `compact` runs,
 * nothing at all.
 */
export class RaftMember {
  readonly #raw: RawRaft;

  private constructor(raw: RawRaft) {
    this.#raw = raw;
  }

  static async open(options: RaftMemberOptions): Promise<RaftMember> {
    const json = JSON.stringify(options);
    return new RaftMember(await guardedAsync(() => native().NativeRaft.open(json)));
  }

  static of(raw: RawRaft): RaftMember {
    return new RaftMember(raw);
  }

  /** The snapshot that was found on disk; entries after it are handed out again. Once. */
  takeRecovered(): RaftEntry | undefined {
    return guarded(() => this.#raw.takeRecovered()) ?? undefined;
  }

  tick(): void {
    guarded(() => this.#raw.tick());
  }

  /** A damaged message, or one against the rules, is refused: the member goes on without it. */
  step(message: Uint8Array): void {
    guarded(() => this.#raw.step(message));
  }

  propose(data: Uint8Array): RaftProposed {
    return guarded(() => this.#raw.propose(data)) as RaftProposed;
  }

  proposeMembership(voters: readonly string[], learners: readonly string[]): RaftProposed {
    return guarded(() => this.#raw.proposeMembership([...voters], [...learners])) as RaftProposed;
  }

  campaign(): void {
    guarded(() => this.#raw.campaign());
  }

  transferLeader(to: string): void {
    guarded(() => this.#raw.transferLeader(to));
  }

  reportUnreachable(id: string): void {
    guarded(() => this.#raw.reportUnreachable(id));
  }

  reportSnapshot(id: string, hasArrived: boolean): void {
    guarded(() => this.#raw.reportSnapshot(id, hasArrived));
  }

  /** False: it does not lead, or nothing of its term was committed yet. */
  readBarrier(number: number): boolean {
    return guarded(() => this.#raw.readBarrier(number));
  }

  ready(): RaftReady | undefined {
    return guarded(() => this.#raw.ready()) ?? undefined;
  }

  persist(): RaftPersisted {
    return guarded(() => this.#raw.persist()) as RaftPersisted;
  }

  async persistInBackground(): Promise<RaftPersisted> {
    return (await guardedAsync(() => this.#raw.persistInBackground())) as RaftPersisted;
  }

  /** `data`: the owner's state as of entry `index`, which was handed out. */
  compact(index: number, data: Uint8Array): Promise<void> {
    return guardedAsync(() => this.#raw.compact(index, data));
  }

  /** As {@link compact}, and done when it returns. */
  compactHere(index: number, data: Uint8Array): void {
    guarded(() => this.#raw.compactHere(index, data));
  }

  state(): RaftState {
    return guarded(() => this.#raw.state()) as RaftState;
  }

  membership(): RaftMembership {
    return guarded(() => this.#raw.membership());
  }

  status(): RaftStatus {
    return JSON.parse(guarded(() => this.#raw.status())) as RaftStatus;
  }

  close(): void {
    guarded(() => this.#raw.close());
  }
}
