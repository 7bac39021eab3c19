/** A member of the group on a simulated disk: takes its time to write, and may be interrupted in the middle of it. */
import type { Random } from '../../src/base/random.js';
import type { ConsensusMember } from '../../src/coordinator/consensus.js';
import type { RaftMember, RaftPersisted } from '../../src/native/raft.js';
import type { SimulatedDisk } from '../../src/native/simulated-disk.js';
import type { SimulatedProcess } from './process.js';

export interface MemberServices {
  readonly process: SimulatedProcess;
  readonly disk: SimulatedDisk;
  readonly random: Random;
  /** Of one write. */
  readonly latencyMs: () => number;
  readonly onPersisted: (persisted: RaftPersisted) => void;
}

/** Operations of one write; the last ones are seldom reached. */
const OPERATIONS_OF_A_WRITE = 5;

export class SimulatedMember implements ConsensusMember {
  private readonly member: RaftMember;
  private readonly services: MemberServices;
  /** What waits for the disk. */
  private pending: (() => void) | undefined;

  constructor(member: RaftMember, services: MemberServices) {
    this.member = member;
    this.services = services;
  }

  takeRecovered(): ReturnType<RaftMember['takeRecovered']> {
    return this.member.takeRecovered();
  }

  tick(): void {
    this.member.tick();
  }

  step(message: Uint8Array): void {
    this.member.step(message);
  }

  propose(data: Uint8Array): ReturnType<RaftMember['propose']> {
    return this.member.propose(data);
  }

  proposeMembership(voters: readonly string[], learners: readonly string[]): ReturnType<RaftMember['propose']> {
    return this.member.proposeMembership(voters, learners);
  }

  campaign(): void {
    this.member.campaign();
  }

  transferLeader(to: string): void {
    this.member.transferLeader(to);
  }

  reportUnreachable(id: string): void {
    this.member.reportUnreachable(id);
  }

  reportSnapshot(id: string, hasArrived: boolean): void {
    this.member.reportSnapshot(id, hasArrived);
  }

  readBarrier(number: number): boolean {
    return this.member.readBarrier(number);
  }

  ready(): ReturnType<RaftMember['ready']> {
    return this.member.ready();
  }

  persist(): RaftPersisted {
    const persisted = this.member.persist();
    this.services.onPersisted(persisted);
    return persisted;
  }

  persistInBackground(): Promise<RaftPersisted> {
    return this.later(() => this.persist());
  }

  compact(index: number, data: Uint8Array): Promise<void> {
    return this.later(() => {
      this.member.compactHere(index, data);
    });
  }

  state(): ReturnType<RaftMember['state']> {
    return this.member.state();
  }

  membership(): ReturnType<RaftMember['membership']> {
    return this.member.membership();
  }

  status(): ReturnType<RaftMember['status']> {
    return this.member.status();
  }

  close(): void {
    this.member.close();
  }

  /** The process is being killed: what is under way reaches the disk in part, or whole, or not at all; nobody hears of it. */
  interrupt(): void {
    const { pending } = this;
    this.pending = undefined;
    const { disk, random } = this.services;
    if (pending !== undefined && random.below(2) === 0) {
      disk.failAt(random.below(OPERATIONS_OF_A_WRITE));
      try {
        pending();
      } catch {
        // As far as it came.
      }
    }
    disk.failAt(undefined);
    this.member.close();
  }

  private later<Result>(work: () => Result): Promise<Result> {
    const { process, latencyMs } = this.services;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.pending = undefined;
        try {
          resolve(work());
        } catch (error) {
          reject(error as Error);
        }
      };
      this.pending = () => void work();
      process.after(latencyMs(), settle);
    });
  }
}
