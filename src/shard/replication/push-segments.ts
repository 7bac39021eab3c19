/** Sends a primary's segments to a copy: the files that it lacks, then the word to use them. */
import type { InstallMode } from '../../native/replica-shard.js';
import type { MissingFile, SegmentSet } from '../../native/replication.js';
import type { CopyLink, CopyProgress } from './copy-link.js';

/** Bytes of one message. */
export const PIECE_BYTES = 1 << 20;

/**
 * Resolves when so many bytes more may be sent, with the milliseconds that it took for that reason alone. Soon after they are not
 * wanted any more, it leaves the rate to others.
 */
export type Pace = (bytes: number, isWanted?: () => boolean) => Promise<number>;

export interface PushOptions {
  readonly mode: InstallMode;
  readonly pace: Pace;
  /** Pieces that are under way at once; as many more are read ahead. */
  readonly concurrentPieces: number;
}

/** What was received before an interruption is not sent again. */
export async function pushSegments(set: SegmentSet, link: CopyLink, options: PushOptions): Promise<CopyProgress> {
  const { mode, concurrentPieces } = options;
  const descriptor = set.descriptor();
  const files = mode === 'replace' ? set.files().map(({ name, length }) => ({ name, length })) : [];
  const { push, missing } = await link.missingFiles({ descriptor, mode, files });
  const pieces = new FilePieces(set, missing, concurrentPieces);
  let throttledMs = 0;
  let hasFailed = false;
  const sendInTurn = async (): Promise<void> => {
    for (let piece = pieces.take(); piece !== undefined; piece = pieces.take()) {
      const bytes = await piece.bytes;
      const waitedMs = await options.pace(bytes.length);
      throttledMs += waitedMs;
      // Others may never be answered then: the copy lets them wait for the one that failed, until the next push begins.
      if (hasFailed) return;
      const { name, offset, isLast } = piece;
      await link.writeFile({ push, name, offset, bytes, isLast, throttledMs });
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrentPieces }, sendInTurn));
  } catch (error) {
    hasFailed = true;
    throw error;
  }
  return link.install({ descriptor, mode });
}

interface Piece {
  readonly name: string;
  readonly offset: number;
  readonly isLast: boolean;
  /** Being read. */
  readonly bytes: Promise<Uint8Array>;
}

/** The pieces of files one after the other, so many of them read ahead. */
class FilePieces {
  private readonly set: SegmentSet;
  private readonly places: Iterator<Omit<Piece, 'bytes'> & { readonly length: number }>;
  private readonly aheadMax: number;
  private readonly ahead: Piece[] = [];

  constructor(set: SegmentSet, files: readonly MissingFile[], aheadMax: number) {
    this.set = set;
    this.places = placesOf(files);
    this.aheadMax = aheadMax;
  }

  take(): Piece | undefined {
    const piece = this.ahead.shift() ?? this.read();
    while (this.ahead.length < this.aheadMax) {
      const next = this.read();
      if (next === undefined) break;
      this.ahead.push(next);
    }
    return piece;
  }

  private read(): Piece | undefined {
    const next = this.places.next();
    if (next.done === true) return undefined;
    const { name, offset, isLast, length } = next.value;
    const bytes = this.set.read(name, offset, length);
    // Whoever takes the piece hears of it.
    bytes.catch(() => undefined);
    return { name, offset, isLast, bytes };
  }
}

/** A file of which everything was received, and which was not verified, has an empty last piece. */
function* placesOf(files: readonly MissingFile[]): Generator<Omit<Piece, 'bytes'> & { readonly length: number }> {
  for (const { name, length, received } of files) {
    let offset = received;
    do {
      const bytes = Math.min(PIECE_BYTES, length - offset);
      yield { name, offset, isLast: offset + bytes >= length, length: bytes };
      offset += bytes;
    } while (offset < length);
  }
}
