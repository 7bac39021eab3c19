/** What the blobs of an analysis hold: bytes that follow from a seed and differ from place to place, so that nothing can be mistaken. */
import { seededRandom } from '../../../base/random.js';
import type { BlobSource } from '../../../repositories/blob-store.js';

const BLOCK_BYTES = 64 << 10;
/** The number of the block stands at its beginning. */
const NUMBER_BYTES = 4;

export class BlobContents implements BlobSource {
  readonly length: number;
  private readonly block: Buffer;
  private readonly failsAt: number;

  /** `failsAt`: a write that reads as far as this fails. */
  constructor(seed: number, length: number, failsAt = Infinity) {
    this.length = length;
    this.failsAt = failsAt;
    this.block = Buffer.from(seededRandom(seed).fill(new Uint8Array(Math.min(BLOCK_BYTES, length + NUMBER_BYTES))));
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    if (offset + length > this.failsAt) return Promise.reject(new AbandonedWrite());
    return Promise.resolve(this.bytes(offset, length));
  }

  bytes(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length;) {
      const at = offset + filled;
      const inBlock = at % BLOCK_BYTES;
      this.block.writeUInt32LE(Math.floor(at / BLOCK_BYTES));
      filled += this.block.copy(bytes, filled, inBlock, inBlock + Math.min(length - filled, BLOCK_BYTES - inBlock));
    }
    return bytes;
  }
}

/** Half of a blob was written on purpose. */
export class AbandonedWrite extends Error {
  constructor() {
    super('the write is abandoned');
  }
}
