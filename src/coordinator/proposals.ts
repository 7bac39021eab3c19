/** What was proposed to the group and is not decided yet. */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import type { RaftEntry, RaftProposed } from '../native/raft.js';

/** Gives a proposal to the member. */
export type Propose = () => RaftProposed;

interface Proposal {
  readonly propose: Propose;
  /** Where it waits; none while it is queued. */
  index: number | undefined;
  term: number;
  resolve(index: number): void;
  reject(error: QuarryError): void;
}

/** Proposals that the member has not seen; more are refused. */
export const QUEUED_PROPOSALS_MAX = 10_000;

/** It was surely not carried out. */
export function notMaster(reason: string): QuarryError {
  return new QuarryError('not_master_exception', reason);
}

/** It may have been carried out, or may be later. */
export function outcomeUnknown(reason: string): QuarryError {
  return new QuarryError('failed_to_commit_cluster_state_exception', reason);
}

export class Proposals {
  private readonly clock: Clock;
  private queued = new Set<Proposal>();
  private readonly waiting = new Map<number, Proposal>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get queuedCount(): number {
    return this.queued.size;
  }

  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Resolves with its index when the entry is committed and applied here. */
  add(propose: Propose, timeoutMs: number): Promise<number> {
    if (this.queued.size >= QUEUED_PROPOSALS_MAX) {
      const reason = `rejected execution of a proposal: [${QUEUED_PROPOSALS_MAX}] wait for the disk`;
      return Promise.reject(new QuarryError('rejected_execution_exception', reason));
    }
    return new Promise((resolve, reject) => {
      const stopTimer = this.clock.schedule(timeoutMs, () => {
        this.timeOut(proposal, timeoutMs);
      });
      const proposal: Proposal = {
        propose,
        index: undefined,
        term: 0,
        resolve(index) {
          stopTimer();
          resolve(index);
        },
        reject(error) {
          stopTimer();
          reject(error);
        },
      };
      this.queued.add(proposal);
    });
  }

  /** Gives the member what is queued. `applied`: what is at or before it needs no waiting. */
  feed(applied: number): void {
    const queued = this.queued;
    this.queued = new Set();
    for (const proposal of queued) {
      try {
        this.place(proposal, proposal.propose(), applied);
      } catch (error) {
        proposal.reject(asQuarryError(error));
      }
    }
  }

  private place(proposal: Proposal, proposed: RaftProposed, applied: number): void {
    switch (proposed.outcome) {
      case 'not_leader':
        proposal.reject(notMaster('this node is not the master'));
        return;
      case 'busy': {
        const reason = 'the master has too much to commit, or hands its office over, or changes the members';
        proposal.reject(new QuarryError('rejected_execution_exception', reason));
        return;
      }
      case 'at':
        if (proposed.index <= applied) {
          proposal.resolve(proposed.index);
          return;
        }
        // Only after its leadership was lost and won again in between.
        this.waiting.get(proposed.index)?.reject(outcomeUnknown('the master changed meanwhile'));
        proposal.index = proposed.index;
        proposal.term = proposed.term;
        this.waiting.set(proposed.index, proposal);
    }
  }

  /** An entry was applied. */
  applied(entry: RaftEntry): void {
    const proposal = this.waiting.get(entry.index);
    if (proposal === undefined) return;
    this.waiting.delete(entry.index);
    if (entry.term === proposal.term) proposal.resolve(entry.index);
    else proposal.reject(notMaster('another master has put another change in the place of this one'));
  }

  /** A snapshot took the place of entries to here: whether proposals are in it cannot be told. */
  skippedTo(index: number): void {
    for (const [at, proposal] of this.waiting) if (at <= index) this.forget(proposal, 'a snapshot came meanwhile');
  }

  leadershipLost(): void {
    for (const proposal of this.waiting.values()) this.forget(proposal, 'this node is no longer the master');
  }

  /** Nothing is decided here any more. */
  end(error: QuarryError): void {
    for (const proposal of this.queued) proposal.reject(error);
    this.queued.clear();
    for (const proposal of this.waiting.values()) this.forget(proposal, error.message);
  }

  private forget(proposal: Proposal, why: string): void {
    if (proposal.index !== undefined) this.waiting.delete(proposal.index);
    proposal.reject(outcomeUnknown(`it is not known whether the change was committed: ${why}`));
  }

  private timeOut(proposal: Proposal, timeoutMs: number): void {
    if (this.queued.delete(proposal)) {
      const reason = `failed to process cluster event (proposal) within ${timeoutMs}ms`;
      proposal.reject(new QuarryError('process_cluster_event_timeout_exception', reason));
    } else {
      this.forget(proposal, `no majority has confirmed it within ${timeoutMs}ms`);
    }
  }
}
