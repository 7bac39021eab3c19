/** The directory of a `file:` URL. */
import type { BlobListing } from '../blob-store.js';
import type { FsBlobStore } from '../fs-blob-store.js';
import { ReadOnlyStore } from './read-only-store.js';

export class FileUrlStore extends ReadOnlyStore {
  readonly isListable = true;
  private readonly directory: FsBlobStore;

  constructor(directory: FsBlobStore) {
    super();
    this.directory = directory;
  }

  read(name: string, lengthMax: number): Promise<Uint8Array> {
    return this.directory.read(name, lengthMax);
  }

  readRange(name: string, offset: number, length: number): Promise<Uint8Array> {
    return this.directory.readRange(name, offset, length);
  }

  list(folder: string): Promise<BlobListing> {
    return this.directory.list(folder);
  }

  close(): Promise<void> {
    return this.directory.close();
  }
}
