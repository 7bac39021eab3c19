/** Files of a shard that lie in a repository: kernels read parts of them through the shared cache, which are fetched as they are needed. */
import { asQuarryError } from '../base/error-wire.js';
import { native } from './addon.js';
import { guarded } from './errors.js';
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

export type ReadRange = (file: string, offset: number, length: number) => Promise<Uint8Array>;

export class RemoteFiles {
  readonly #raw: RawBlocks;
  readonly #read: ReadRange;

  /**
   * From now on whoever opens a segment of these names in the directory reads it from here. `read` is asked for what is needed, of
   * several ranges at once.
   */
  constructor(directory: string, files: readonly RemoteFile[], read: ReadRange) {
    const specs = files.map(({ name, length, partBytes }) => ({ name, length, partBytes }));
    const checksums = files.map((file) => file.checksums);
    this.#raw = guarded(() => native().NativeBlocks.open(directory, JSON.stringify(specs), checksums));
    this.#read = read;
    void this.#serve();
  }

  /** Of the repository itself, past the cache; not verified. */
  read(file: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#read(file, offset, length);
  }

  figures(): readonly RemoteFileFigures[] {
    return JSON.parse(guarded(() => this.#raw.figures())) as RemoteFileFigures[];
  }

  /** Gives up what the cache has of them, but for what is being read. */
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
