/** What a primary asks of another copy of its shard, and what it knows of where copies are. */
import type { MissingFile, TermStart } from '../../native/replication.js';
import type { InstallMode } from '../../native/replica-shard.js';

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

export interface FilesRequest {
  /** `SegmentSet.descriptor` */
  readonly descriptor: Uint8Array;
}

export interface WriteFileRequest {
  readonly name: string;
  /** What was written of the file so far. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** The file is complete with these bytes: it is verified and synced. */
  readonly isLast: boolean;
}

export interface InstallRequest extends FilesRequest {
  readonly mode: InstallMode;
}

/** How far the operations on a copy's disk go. */
export interface CopyProgress {
  readonly maxSeqNo: number;
}

/** The other end is one copy, named by its allocation. Calls fail as connections and shards do. */
export interface CopyLink {
  align(head: PrimaryHead): Promise<Alignment>;
  append(request: AppendRequest): Promise<CopyProgress>;
  missingFiles(request: FilesRequest): Promise<readonly MissingFile[]>;
  writeFile(request: WriteFileRequest): Promise<null>;
  install(request: InstallRequest): Promise<CopyProgress>;
}

export interface CopyAddress {
  readonly allocationId: string;
  readonly nodeId: string;
  readonly workerSlot: number;
}
