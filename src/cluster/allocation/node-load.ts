/** What one node holds, counted; kept up to date while copies are given places. */
import type { NodeRecord } from '../state.js';
import type { StartedCopies } from './copy-tally.js';

/** What a copy costs the node that holds it; 0 is also what is not known. */
export interface CopySize {
  readonly bytes: number;
  readonly writeLoad: number;
}

export class NodeLoad {
  readonly node: NodeRecord;
  /** Place of the node among those of the round. */
  readonly ordinal: number;
  /** Copies that will stay: those that move away do not count, those that come do. */
  shards = 0;
  /** Their bytes, as far as sizes are known. */
  shardBytes = 0;
  /** Processors that writes to its primaries keep busy. */
  writeLoad = 0;
  /** Copies by worker slot, counted like `shards`. */
  readonly slots: number[];
  /** Copies that recover onto this node from a primary. */
  incomingRecoveries = 0;
  /** Copies that recover from a primary of this node. */
  outgoingRecoveries = 0;
  /** Primaries that open what lies on this node, or start empty. */
  initialPrimaries = 0;
  /** Bytes that recoveries will still bring, and that moves will take away. */
  incomingBytes = 0;
  leavingBytes = 0;

  constructor(node: NodeRecord, ordinal: number) {
    this.node = node;
    this.ordinal = ordinal;
    this.slots = Array.from({ length: Math.max(1, node.workerSlots) }, () => 0);
  }

  get id(): string {
    return this.node.id;
  }

  /** The worker slot with the fewest copies; the first of these. */
  freestSlot(): number {
    let best = 0;
    for (let slot = 1; slot < this.slots.length; slot++) {
      if ((this.slots[slot] ?? 0) < (this.slots[best] ?? 0)) best = slot;
    }
    return best;
  }

  /** Copies that were there before the round. */
  take({ shards, bytes, writeLoad, slots }: StartedCopies): void {
    this.shards += shards;
    this.shardBytes += bytes;
    this.writeLoad += writeLoad;
    for (const slot of this.slots.keys()) this.slots[slot] = (this.slots[slot] ?? 0) + (slots[slot] ?? 0);
  }

  /** A copy came to the slot, or left it with `sign` -1. */
  count(slot: number | null, { bytes, writeLoad }: CopySize, sign: 1 | -1): void {
    this.shards += sign;
    this.shardBytes += sign * bytes;
    this.writeLoad += sign * writeLoad;
    if (slot !== null && slot < this.slots.length) this.slots[slot] = (this.slots[slot] ?? 0) + sign;
  }
}
