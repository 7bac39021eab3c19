/**
 * A store of blobs that all simulated nodes share: each request is late, may be lost before or after it has an effect, and has that
 * whole or not at all. What a process asked for before it was stopped or cut off happens when it goes on: the store knows no masters.
 */
import { QuarryError } from '../../src/base/errors.js';
import type { Random } from '../../src/base/random.js';
import type { BlobListing, BlobSource, BlobStore, FolderRemoval } from '../../src/repositories/blob-store.js';
import type { SimulatedProcess } from './process.js';

/** Large files are longer on their way, some so long that the snapshot is stopped meanwhile. */
const FILE_MS_MAX = 100;
const SLOW_FILE_MS_MAX = 3_000;

/** What outlives all processes. */
export interface SharedBlobs {
  readonly blobs: Map<string, Uint8Array>;
  /** Longest way to the store, and of requests that get lost how many in a hundred. */
  latencyMsMax: number;
  lostPercent: number;
  /** Something was written or removed. */
  onChange(): void;
  /** By a process of this run of a node. */
  onWrite(run: string, name: string): void;
}

export class SimulatedBlobStore implements BlobStore {
  readonly isConditional = true;
  readonly isListable = true;
  private readonly shared: SharedBlobs;
  private readonly process: SimulatedProcess;
  private readonly random: Random;
  private readonly run: string;

  /** As one process, of that run of a node, reaches it. */
  constructor(shared: SharedBlobs, process: SimulatedProcess, random: Random, run: string) {
    this.shared = shared;
    this.run = run;
    this.process = process;
    this.random = random;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await this.change(() => {
      this.put(name, bytes);
    });
  }

  async writeNew(name: string, bytes: Uint8Array): Promise<void> {
    await this.change(() => {
      if (this.shared.blobs.has(name)) throw new QuarryError('file_already_exists_exception', `[${name}] is there`);
      this.put(name, bytes);
    });
  }

  async writeLarge(name: string, source: BlobSource): Promise<void> {
    const bytes = await source.read(0, source.length);
    await this.process.pause(this.random.below(this.random.below(8) === 0 ? SLOW_FILE_MS_MAX : FILE_MS_MAX));
    await this.write(name, bytes);
  }

  read(name: string): Promise<Uint8Array> {
    return this.act(() => this.found(name));
  }

  readRange(name: string, offset: number, length: number): Promise<Uint8Array> {
    return this.act(() => this.found(name).slice(offset, offset + length));
  }

  list(folder: string): Promise<BlobListing> {
    return this.act(() => {
      const prefix = folder === '' ? '' : `${folder}/`;
      const within = this.below(prefix).map((name) => name.slice(prefix.length));
      const direct = within.filter((name) => !name.includes('/'));
      return {
        blobs: new Map(direct.map((name) => [name, this.found(`${prefix}${name}`).length] as const)),
        folders: [...new Set(within.flatMap((name) => (name.includes('/') ? [name.split('/')[0] ?? ''] : [])))],
      };
    });
  }

  /** One after the other: whoever is stopped meanwhile removes the rest later. */
  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await this.change(() => this.shared.blobs.delete(name));
  }

  async removeFolder(folder: string): Promise<FolderRemoval> {
    const names = await this.act(() => this.below(`${folder}/`));
    await this.remove(names);
    return { blobs: names.length, bytes: 0 };
  }

  removeEmptyFolder(): Promise<void> {
    return Promise.resolve();
  }

  removeUnfinished(): Promise<number> {
    return Promise.resolve(0);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private below(prefix: string): readonly string[] {
    return [...this.shared.blobs.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  private found(name: string): Uint8Array {
    const bytes = this.shared.blobs.get(name);
    if (bytes === undefined) throw new QuarryError('no_such_file_exception', `[${name}] is not there`);
    return bytes;
  }

  private put(name: string, bytes: Uint8Array): void {
    this.shared.onWrite(this.run, name);
    this.shared.blobs.set(name, bytes);
  }

  private change(effect: () => void): Promise<void> {
    return this.act(() => {
      effect();
      this.shared.onChange();
    });
  }

  private async act<Result>(effect: () => Result): Promise<Result> {
    await this.onTheWay();
    const result = effect();
    await this.onTheWay();
    return result;
  }

  private async onTheWay(): Promise<void> {
    const { latencyMsMax, lostPercent } = this.shared;
    await this.process.pause(1 + this.random.below(latencyMsMax));
    if (lostPercent === 0 || this.random.below(100) >= lostPercent) return;
    throw new QuarryError('i_o_exception', 'the simulated store does not answer');
  }
}
