/**
 * Where a repository keeps its blobs: a directory, a bucket. Names are paths of parts joined by `/`, without one at the
 * beginning or the end. A blob is written once and never changed.
 */

/** What is to be written, read piece by piece; may be read again from anywhere, because a write was tried again. */
export interface BlobSource {
  readonly length: number;
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The same into a file, at `at`, for stores that have files: without a copy in the memory of JavaScript. How many bytes. */
  readonly copy?: (
    offset: number,
    length: number,
    target: { readonly path: string; readonly at: number },
  ) => Promise<number>;
}

export interface BlobListing {
  /** Length in bytes by the last part of the name. */
  readonly blobs: ReadonlyMap<string, number>;
  /** Last parts of the names of folders. */
  readonly folders: readonly string[];
}

export interface FolderRemoval {
  readonly blobs: number;
  readonly bytes: number;
}

/**
 * Errors: `no_such_file_exception` for a blob that is not there; `file_already_exists_exception` of `writeNew`;
 * `corrupt_index_exception` of `readRange` for a blob that is too short, which stays so: no blob is there before it is whole. Anything
 * else that goes wrong is an `i_o_exception` which names the blob.
 */
export interface BlobStore {
  /** Resolves when the blob is durable, and never leaves half of one under the name. What is there is replaced. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /**
   * As `write`, but only if no blob has the name: of several writers at once, in whatever process, one succeeds. A store
   * that cannot promise that says so by `isConditional`, and looks first.
   */
  writeNew(name: string, bytes: Uint8Array): Promise<void>;
  /** As `write`, for what need not fit into memory. */
  writeLarge(name: string, source: BlobSource): Promise<void>;
  /** The whole blob. One of more than `lengthMax` bytes is refused, unread. */
  read(name: string, lengthMax: number): Promise<Uint8Array>;
  /** Exactly `length` bytes; a blob that ends before is a `corrupt_index_exception`. */
  readRange(name: string, offset: number, length: number): Promise<Uint8Array>;
  /**
   * What is directly in the folder, `''` being the outermost; nothing if there is no such folder. A store that can only be read may
   * give nothing but the newest root.
   */
  list(folder: string): Promise<BlobListing>;
  /** Those that are not there are left out. */
  remove(names: readonly string[]): Promise<void>;
  /** With all that is in it. */
  removeFolder(folder: string): Promise<FolderRemoval>;
  /** Takes the folder away if nothing is in it, where folders are there without blobs. */
  removeEmptyFolder(folder: string): Promise<void>;
  /** Takes away what writes left behind that never ended, as long as nobody can be at it any more; how many. */
  removeUnfinished(): Promise<number>;
  /** Whether `writeNew` holds against writers elsewhere. */
  readonly isConditional: boolean;
  /** Whether `list` knows more than the newest root. */
  readonly isListable: boolean;
  close(): Promise<void>;
}
