/** A store whose code is loaded when it is first used: most nodes have no such repository, and each of their threads would keep it. */
import type { BlobListing, BlobSource, BlobStore, FolderRemoval } from './blob-store.js';

export class DeferredStore implements BlobStore {
  readonly isListable: boolean;
  private readonly load: () => Promise<BlobStore>;
  private loading: Promise<BlobStore> | undefined;
  private loaded: BlobStore | undefined;

  constructor(isListable: boolean, load: () => Promise<BlobStore>) {
    this.isListable = isListable;
    this.load = load;
  }

  get isConditional(): boolean {
    return this.loaded?.isConditional ?? true;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    await (await this.store()).write(name, bytes);
  }

  async writeNew(name: string, bytes: Uint8Array): Promise<void> {
    await (await this.store()).writeNew(name, bytes);
  }

  async writeLarge(name: string, source: BlobSource): Promise<void> {
    await (await this.store()).writeLarge(name, source);
  }

  async read(name: string, lengthMax: number): Promise<Uint8Array> {
    return (await this.store()).read(name, lengthMax);
  }

  async readRange(name: string, offset: number, length: number): Promise<Uint8Array> {
    return (await this.store()).readRange(name, offset, length);
  }

  async list(folder: string): Promise<BlobListing> {
    return (await this.store()).list(folder);
  }

  async remove(names: readonly string[]): Promise<void> {
    await (await this.store()).remove(names);
  }

  async removeFolder(folder: string): Promise<FolderRemoval> {
    return (await this.store()).removeFolder(folder);
  }

  async removeEmptyFolder(folder: string): Promise<void> {
    await (await this.store()).removeEmptyFolder(folder);
  }

  async removeUnfinished(): Promise<number> {
    return (await this.store()).removeUnfinished();
  }

  async close(): Promise<void> {
    await this.loaded?.close();
  }

  private store(): Promise<BlobStore> {
    return (this.loading ??= this.load().then((store) => (this.loaded = store)));
  }
}
