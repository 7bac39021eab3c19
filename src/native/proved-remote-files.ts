/** Files of a shard that lie in a repository, proved while they are copied. */
import { must } from '../base/assert.js';
import { asQuarryError } from '../base/error-wire.js';
import { illegalArgument, QuarryError } from '../base/errors.js';
import { FileCheck } from './file-check.js';
import type { RemoteFiles } from './remote-files.js';
import type { SegmentFile } from './replication.js';

interface Proved {
  readonly check: FileCheck;
  position: number;
}

/** Reads past the shared cache; else as a set of segments does. */
export class ProvedRemoteFiles {
  readonly #remote: RemoteFiles;
  readonly #files: ReadonlyMap<string, SegmentFile>;
  readonly #proved = new Map<string, Proved>();

  constructor(remote: RemoteFiles, files: readonly SegmentFile[]) {
    this.#remote = remote;
    this.#files = new Map(files.map((file) => [file.name, file] as const));
  }

  async readProved(name: string, offset: number, length: number, partBytes: number): Promise<Uint8Array> {
    try {
      return await this.#read(name, offset, length, partBytes);
    } catch (error) {
      const { type, message } = asQuarryError(error);
      throw new QuarryError(type, `[${name}]: ${message}`);
    }
  }

  partChecksums(name: string): Uint8Array {
    return must(this.#proved.get(name), 'what is known of a file that was read').check.partChecksums();
  }

  async #read(name: string, offset: number, length: number, partBytes: number): Promise<Uint8Array> {
    const bytes = await this.#remote.read(name, offset, length);
    const proved = (offset === 0 ? undefined : this.#proved.get(name)) ?? (await this.#begin(name, partBytes));
    if (offset > proved.position) {
      throw illegalArgument(`the next byte is [${proved.position}], not [${offset}]`);
    }
    await proved.check.update(bytes.subarray(Math.min(proved.position - offset, bytes.length)));
    proved.position = Math.max(proved.position, offset + bytes.length);
    return bytes;
  }

  async #begin(name: string, partBytes: number): Promise<Proved> {
    const file = must(this.#files.get(name), 'a file of the set');
    const check = await FileCheck.of(file, (offset, length) => this.#remote.read(name, offset, length), partBytes);
    const proved = { check, position: 0 };
    this.#proved.set(name, proved);
    return proved;
  }
}
