/** What primaries and replicas tell each other: operations, checkpoints, primary terms, sets of segments. */
import { guarded, guardedAsync } from './errors.js';
import type { RawSegmentSet } from './raw-addon.js';

/** Operations in the order of their sequence numbers, as whole records of the translog. */
export interface Operations {
  /** May begin before the number that was asked for: a replica skips what it has. Empty when there is nothing newer. */
  readonly bytes: Uint8Array;
  /** The number before the one that was asked for when `bytes` is empty. */
  readonly lastSeqNo: number;
}

/** Sequence numbers; -1 where there is none. */
export interface Checkpoints {
  readonly maxSeqNo: number;
  /** Everything up to here was applied (on a replica: was appended to its translog). */
  readonly localCheckpoint: number;
  /** Everything up to here is on disk. */
  readonly persistedCheckpoint: number;
  /** Every in-sync copy has everything up to here, as far as this copy was told. */
  readonly globalCheckpoint: number;
  /** The first operation that the translog still has: `operationsSince` answers from here on. */
  readonly historyStart: number;
  readonly primaryTerm: number;
  /** What searches see contains exactly the operations up to here. */
  readonly searchableCheckpoint: number;
  /** Rises whenever searches see something else. */
  readonly refreshGeneration: number;
}

/** The operations from this number on (until the next entry) were made in this primary term. */
export interface TermStart {
  readonly term: number;
  readonly firstSeqNo: number;
}

/** Equal for copies with equal documents, whatever their segments. */
export interface ContentChecksum {
  readonly documents: number;
  /** Over id, sequence number, version, primary term and source of every document that searches see. */
  readonly checksum: string;
}

export interface SegmentFile {
  readonly name: string;
  readonly uuid: string;
  readonly length: number;
  /** Of the file's metadata, which holds the checksums of all its parts. */
  readonly checksum: number;
}

/** A file that a replica has to be sent; what it received before an interruption need not be sent again. */
export interface MissingFile extends SegmentFile {
  readonly received: number;
}

/**
 * The segments and deletions that searches of the primary saw at one time. The files stay readable while this is held,
 * also when the shard has merged them away.
 */
export class SegmentSet {
  readonly #raw: RawSegmentSet;

  constructor(raw: RawSegmentSet) {
    this.#raw = raw;
  }

  /** What a replica needs to know beside the files: `ReplicaShard.missingFiles`, `ReplicaShard.install`. */
  descriptor(): Uint8Array {
    return guarded(() => this.#raw.descriptor());
  }

  files(): readonly SegmentFile[] {
    return guarded(() => JSON.parse(this.#raw.files()) as SegmentFile[]);
  }

  /** The segments contain exactly the operations up to here. */
  checkpoint(): number {
    return this.#raw.checkpoint();
  }

  refreshGeneration(): number {
    return this.#raw.refreshGeneration();
  }

  /** Replicas are made with it: `ReplicaShard.create`. */
  historyUuid(): string {
    return this.#raw.historyUuid();
  }

  /** A part of a file, shorter at its end. */
  read(file: string, offset: number, length: number): Promise<Uint8Array> {
    return guardedAsync(() => this.#raw.read(file, offset, length));
  }

  /**
   * As {@link read}, and proves what it gives: damage is a `corrupt_index_exception` that names the file. Parts of a file are
   * read in order; what was given once may be read again. `partBytes`: of the parts whose checksums {@link partChecksums} has.
   */
  readProved(file: string, offset: number, length: number, partBytes: number): Promise<Uint8Array> {
    return guardedAsync(() => this.#raw.readProved(file, offset, length, partBytes));
  }

  /** As {@link readProved}, into a file that is there, at `at`: what is mapped goes there without passing through JavaScript. */
  async copyProved(
    file: string,
    { offset, length }: { readonly offset: number; readonly length: number },
    partBytes: number,
    target: { readonly path: string; readonly at: number },
  ): Promise<number> {
    return guardedAsync(() => this.#raw.copyProved(file, offset, length, partBytes, target));
  }

  /** crc32c of each part of a file, four bytes, little-endian, once all of it was read or copied so. */
  partChecksums(file: string): Uint8Array {
    return guarded(() => this.#raw.partChecksums(file));
  }
}
