/** Pieces of what is written. */
import type { BlobSource } from '../blob-store.js';

/** What is read of the source at once: it may be slowed down between reads. */
const PIECE_BYTES = 4 << 20;

export async function fillPart(source: BlobSource, offset: number, length: number): Promise<Uint8Array> {
  const part = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const piece = await source.read(offset + filled, Math.min(PIECE_BYTES, length - filled));
    if (piece.length === 0) throw new Error(`what is written ends at byte [${offset + filled}]`);
    part.set(piece, filled);
    filled += piece.length;
  }
  return part;
}
