/**
 * One budget for the indexing buffers of all shards of a node. Each worker notes in shared memory what its shards hold; a
 * write that finds the sum above the budget makes room: the largest buffer of the node becomes a segment, then the next.
 */
import type { NodeSettings } from '../base/node-settings.js';
import { parseBytes } from '../base/units.js';

const KILOBYTE = 1024;
/** Of each worker: kilobytes held by all its shards, and by the largest that can be emptied. */
const WORDS_PER_SLOT = 2;
/** One shard holds at most this: half for the buffer that fills, half for the one that is being written. More is no faster. */
const SHARD_BUFFER_BYTES_MAX = 256 * 1024 * 1024;

/** The budget in bytes. Minimum and maximum hold for a percentage only. */
export function indexingBudget(settings: NodeSettings, memoryBytes: number): number {
  const { values } = settings;
  const size = values['indices.memory.index_buffer_size'];
  if (!size.endsWith('%')) return parseBytes(size, 'indices.memory.index_buffer_size');
  const share = Math.floor((memoryBytes * Number(size.slice(0, -1))) / 100);
  const least = Math.max(share, values['indices.memory.min_index_buffer_size']);
  return Math.min(least, values['indices.memory.max_index_buffer_size'] ?? Infinity);
}

/** The bound of one shard's buffer. */
export function shardBufferBytes(budgetBytes: number): number {
  return Math.min(SHARD_BUFFER_BYTES_MAX, budgetBytes);
}

/** The words that the workers of a node share. */
export function sharedMemoryWords(workerCount: number): Int32Array {
  const words = workerCount * WORDS_PER_SLOT + 1;
  return new Int32Array(new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT));
}

/** How often a buffer was made a segment because the budget was used up. */
export function reliefCount(words: Int32Array): number {
  return Atomics.load(words, words.length - 1);
}

/** What holds a buffer. */
export interface BufferHolder {
  /** Empties the buffer into a segment and gives its memory back; answers the bytes that are still held. */
  relieve(): number;
}

export interface IndexingMemoryOptions {
  readonly words: Int32Array;
  /** Of this worker. */
  readonly slot: number;
  readonly budgetBytes: number;
  /** Has another worker call its {@link IndexingMemory.makeRoom}. */
  askForRoom(slot: number): void;
}

/** The part of one worker. */
export class IndexingMemory {
  private readonly options: IndexingMemoryOptions;
  private readonly held = new Map<BufferHolder, number>();
  /** Those that the last attempt gained nothing from, until they hold something else. */
  private readonly stuck = new Set<BufferHolder>();
  /** Of those that are not stuck. */
  private largest: BufferHolder | undefined;
  private totalBytes = 0;
  private isMakingRoom = false;

  /** A worker that takes the place of a crashed one starts with nothing held. */
  constructor(options: IndexingMemoryOptions) {
    this.options = options;
    this.publish();
  }

  /** To be told after every write, refresh and close (0 bytes). Makes room when the budget is used up. */
  changed(holder: BufferHolder, bytes: number): void {
    const before = this.held.get(holder) ?? 0;
    if (bytes === before) return;
    this.totalBytes += bytes - before;
    this.stuck.delete(holder);
    if (bytes === 0) this.held.delete(holder);
    else this.held.set(holder, bytes);
    if (holder === this.largest && bytes < before) this.largest = this.findLargest();
    else if (bytes > this.bytesOf(this.largest)) this.largest = holder;
    this.publish();
    if (bytes > before) this.makeRoom();
  }

  /**
   * Empties the largest buffers of this worker, each at most once, until the budget holds or a larger one is elsewhere.
   * One that cannot be emptied is passed over.
   */
  makeRoom(): void {
    if (this.isMakingRoom) return;
    this.isMakingRoom = true;
    try {
      for (let attempts = this.held.size; attempts >= 0; attempts--) {
        const slot = this.slotToRelieve();
        if (slot === undefined) return;
        if (slot !== this.options.slot) {
          this.options.askForRoom(slot);
          return;
        }
        this.relieveLargest();
      }
    } finally {
      this.isMakingRoom = false;
    }
  }

  private relieveLargest(): void {
    const { largest } = this;
    if (largest === undefined) return;
    const before = this.bytesOf(largest);
    const after = largest.relieve();
    this.changed(largest, after);
    const { words } = this.options;
    Atomics.add(words, words.length - 1, 1);
    if (after < before) return;
    this.stuck.add(largest);
    this.largest = this.findLargest();
    this.publish();
  }

  /** The worker with the largest buffer while all together hold more than the budget. */
  private slotToRelieve(): number | undefined {
    const { words, budgetBytes } = this.options;
    let sum = 0;
    let slot: number | undefined;
    let largest = 0;
    for (let each = 0; (each + 1) * WORDS_PER_SLOT < words.length; each++) {
      sum += Atomics.load(words, each * WORDS_PER_SLOT);
      const bytes = Atomics.load(words, each * WORDS_PER_SLOT + 1);
      if (bytes <= largest) continue;
      largest = bytes;
      slot = each;
    }
    return sum * KILOBYTE > budgetBytes ? slot : undefined;
  }

  private bytesOf(holder: BufferHolder | undefined): number {
    return holder === undefined ? 0 : (this.held.get(holder) ?? 0);
  }

  private findLargest(): BufferHolder | undefined {
    let found: BufferHolder | undefined;
    for (const [holder, bytes] of this.held) {
      if (bytes > this.bytesOf(found) && !this.stuck.has(holder)) found = holder;
    }
    return found;
  }

  private publish(): void {
    const { words, slot } = this.options;
    Atomics.store(words, slot * WORDS_PER_SLOT, Math.ceil(this.totalBytes / KILOBYTE));
    Atomics.store(words, slot * WORDS_PER_SLOT + 1, Math.ceil(this.bytesOf(this.largest) / KILOBYTE));
  }
}
