/** What stores have in common that are only read. */
import { QuarryError } from '../../base/errors.js';
import type { BlobListing, BlobStore, FolderRemoval } from '../blob-store.js';

export abstract class ReadOnlyStore implements BlobStore {
  readonly isConditional = false;
  abstract readonly isListable: boolean;

  abstract read(name: string, lengthMax: number): Promise<Uint8Array>;
  abstract readRange(name: string, offset: number, length: number): Promise<Uint8Array>;
  abstract list(folder: string): Promise<BlobListing>;
  abstract close(): Promise<void>;

  write(name: string): Promise<void> {
    return Promise.reject(refused(name));
  }

  writeNew(name: string): Promise<void> {
    return Promise.reject(refused(name));
  }

  writeLarge(name: string): Promise<void> {
    return Promise.reject(refused(name));
  }

  remove([name]: readonly string[]): Promise<void> {
    return name === undefined ? Promise.resolve() : Promise.reject(refused(name));
  }

  removeFolder(folder: string): Promise<FolderRemoval> {
    return Promise.reject(refused(folder));
  }

  removeEmptyFolder(folder: string): Promise<void> {
    return Promise.reject(refused(folder));
  }

  removeUnfinished(): Promise<number> {
    return Promise.reject(refused(''));
  }
}

function refused(name: string): QuarryError {
  return new QuarryError('unsupported_operation_exception', `cannot change [${name}]: a URL repository is only read`);
}
