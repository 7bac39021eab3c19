/** What a primary asks of another copy of its shard, and what it knows of where copies are. */
import type { MissingFile, TermStart } from '../../native/replication.js';
import type { InstallMode } from '../../native/replica-shard.js';
import type { RetentionLease } from './retention-leases.js';

/** What a replica compares itself with. */
export interface PrimaryHead {
  readonly primaryTerm: number;
  readonly historyUuid: string;
  readonly terms: readonly TermStart[];
  readonly maxSeqNo: number;
  /** The first operation that the primary can still send. */
  readonly historyStart: number;
}

/**
 * - `aligned`: the replica has the primary's operations up to `maxSeqNo`, on disk, and takes those after it.
 * - `copy-anew`: it needs the primary's segments before it can take operations.
 */
export interface Alignment {
  readonly outcome: 'aligned' | 'copy-anew';
  readonly maxSeqNo: number;
}

export interface AppendRequest {
  readonly operations: Uint8Array;
  readonly primaryTerm: number;
  readonly globalCheckpoint: number;
}

export interface SetRequest {
  /** `SegmentSet.descriptor` */
  readonly descriptor: Uint8Array;
  /** `replace`: the copy recovers by these files; else they are what a refresh made. */
  readonly mode: InstallMode;
}

export interface FilesRequest extends SetRequest {
  /** All of the set, where the copy recovers by them. */
  readonly files: readonly { readonly name: string; readonly length: number }[];
}

export interface FilesAnswer {
  /** Pieces of files name it: those of a former push are refused. */
  readonly push: number;
  readonly missing: readonly MissingFile[];
}

/** Pieces of a file may overtake each other, and are answered in their order. */
export interface WriteFileRequest {
  readonly push: number;
  readonly name: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** The file ends with these bytes: it is verified and synced. */
  readonly isLast: boolean;
  /** How long files of this push were held back so far because of the rate. */
  readonly throttledMs: number;
}

export interface FinalizeRequest {
  readonly isOver: boolean;
}

export interface RetentionRequest {
  readonly leases: readonly RetentionLease[];
}

/** How far the operations on a copy's disk go. */
export interface CopyProgress {
  readonly maxSeqNo: number;
}

/** The other end is one copy, named by its allocation. Calls fail as connections and shards do. */
export interface CopyLink {
  align(head: PrimaryHead): Promise<Alignment>;
  append(request: AppendRequest): Promise<CopyProgress>;
  missingFiles(request: FilesRequest): Promise<FilesAnswer>;
  writeFile(request: WriteFileRequest): Promise<null>;
  install(request: SetRequest): Promise<CopyProgress>;
  /** Writes wait for the copy from now on; when that `isOver`, it has everything. */
  finalize(request: FinalizeRequest): Promise<null>;
  /** What is kept for copies that are gone: the copy keeps the same. */
  retain(request: RetentionRequest): Promise<null>;
}

export interface CopyAddress {
  readonly allocationId: string;
  readonly nodeId: string;
  readonly workerSlot: number;
}
