/** Files of a shard that lie in a repository: kernels read parts of them, which are fetched as they are needed. */
import { asQuarryError } from '../base/error-wire.js';
import { native } from './addon.js';
import { guarded, guardedAsync } from './errors.js';
import type { RawBlocks, RawBlockRequest } from './raw-addon.js';

export interface RemoteFile {
  readonly name: string;
  readonly length: number;
  readonly partBytes: number;
  /** crc32c of each part, four bytes, little-endian. */
  readonly checksums: Uint8Array;
}

/** How often something happened, and to how many bytes each time. */
export interface ByteTally {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** Of one file, since it was opened; bytes. */
export interface RemoteFileFigures {
  readonly name: string;
  readonly length: number;
  readonly opened: number;
  /** Of what searches began to read. */
  readonly read: ByteTally;
  /** From the repository. */
  readonly fetched: ByteTally;
  readonly fetchNanos: number;
  /** Parts that did not match their checksum. */
  readonly damaged: number;
  readonly evictions: number;
  readonly bytesCached: number;
}

/** Where what was fetched is put: into the shared cache for a while, or into copies of the files, of which all is to come. */
export type KeptFiles = 'cached' | 'copied';

/** Of a file that is copied. Bytes. */
export interface MissingPiece {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export type ReadRange = (file: string, offset: number, length: number) => Promise<Uint8Array>;

export class RemoteFiles {
  readonly kept: KeptFiles;
  readonly #raw: RawBlocks;
  readonly #files: readonly RemoteFile[];
  readonly #read: ReadRange;

  /**
   * From now on whoever opens a segment of these names in the directory reads it from here. `read` is asked for what is needed, of
   * several ranges at once.
   */
  constructor(directory: string, files: readonly RemoteFile[], kept: KeptFiles, read: ReadRange) {
    const specs = files.map(({ name, length, partBytes }) => ({ name, length, partBytes }));
    const checksums = files.map((file) => file.checksums);
    this.#raw = guarded(() =>
      native().NativeBlocks.open(directory, JSON.stringify(specs), checksums, kept === 'copied'),
    );
    this.kept = kept;
    this.#files = files;
    this.#read = read;
    void this.#serve();
  }

  files(): readonly RemoteFile[] {
    return this.#files;
  }

  /** Of the repository itself, past what is here; not verified. */
  read(file: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#read(file, offset, length);
  }

  /**
   * What is copied next, of so many bytes at most; undefined where nothing is missing but what others fetch. To be supplied, or left to
   * others.
   */
  takeMissing(bytes: number): MissingPiece | undefined {
    return guarded(() => this.#raw.takeMissing(bytes)) ?? undefined;
  }

  /** Throws `corrupt_index_exception` where the bytes are not those of the file; it is missing then as before. */
  supply({ file, offset }: MissingPiece, bytes: Uint8Array): Promise<void> {
    return guardedAsync(() => this.#raw.supply(file, offset, bytes));
  }

  leave({ file, offset, length }: MissingPiece): void {
    this.#raw.leave(file, offset, length);
  }

  /** Whether all of a file that is copied is here. */
  isComplete(file: string): boolean {
    return guarded(() => this.#raw.isComplete(file));
  }

  figures(): readonly RemoteFileFigures[] {
    return JSON.parse(guarded(() => this.#raw.figures())) as RemoteFileFigures[];
  }

  /** Gives up what the cache has of them, but for what is being read; copies are kept. */
  clear(): void {
    guarded(() => {
      this.#raw.clear();
    });
  }

  /** Searches that wait for a part fail. */
  close(): void {
    this.#raw.close();
  }

  async #serve(): Promise<void> {
    for (;;) {
      const request = await this.#raw.next();
      if (request === null) return;
      void this.#answer(request);
    }
  }

  async #answer({ number, file, offset, length }: RawBlockRequest): Promise<void> {
    try {
      this.#raw.answer(number, await this.#read(file, offset, length));
    } catch (error) {
      const { type, message } = asQuarryError(error);
      this.#raw.fail(number, message, type === 'corrupt_index_exception');
    }
  }
}
