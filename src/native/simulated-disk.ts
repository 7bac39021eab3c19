/**
 * For simulations: a disk in memory, with a member of the group on it. It loses what was not synced, is full, or fails, when
 * it is told to; see `raft/simulated_disk.rs`. Everything happens at once, on the thread that asks.
 */
import { native } from './addon.js';
import { guarded } from './errors.js';
import { RaftMember, type RaftMemberOptions } from './raft.js';
import type { RawSimulatedDisk } from './raw-addon.js';

export class SimulatedDisk {
  readonly #raw: RawSimulatedDisk;

  constructor(seed: number) {
    this.#raw = guarded(() => new (native().NativeSimulatedDisk)(seed));
  }

  get hasMember(): boolean {
    return this.#raw.hasMember();
  }

  /** The operation fails that comes after so many others, or none any more. */
  failAt(operation: number | undefined): void {
    this.#raw.failAt(operation);
  }

  setFull(isFull: boolean): void {
    this.#raw.setFull(isFull);
  }

  /** Of what was not synced any part is gone. No member may be open. */
  losePower(): void {
    this.#raw.losePower();
  }

  openMember(options: Omit<RaftMemberOptions, 'directory'>): RaftMember {
    const json = JSON.stringify({ directory: '', ...options });
    return RaftMember.of(guarded(() => this.#raw.open(json)));
  }
}
