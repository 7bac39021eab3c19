/** A repository in a directory that all nodes of the cluster share. */
import { randomUUID } from 'node:crypto';
import {
  link,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import { fileError, syncDirectory } from '../store/files.js';
import type { BlobListing, BlobSource, BlobStore, FolderRemoval } from './blob-store.js';
import { endsEarly } from './format.js';

/** Bytes of a large blob that are read and written at once. */
const PIECE_BYTES = 4 << 20;
/** That are copied at once: a thread does so without a pause. */
const COPIED_BYTES = 1 << 20;
/** Beside the blob while it is written; what is left of a crash is no blob. */
const UNFINISHED = '.unfinished-';
/** No write takes so long. */
const UNFINISHED_AGE_MS = 24 * 3_600_000;

export class FsBlobStore implements BlobStore {
  readonly isConditional = true;
  readonly isListable = true;
  private readonly directory: string;
  private readonly clock: Clock;

  /** `directory` is absolute; it is made with the first blob. */
  constructor(directory: string, clock: Clock) {
    this.directory = directory;
    this.clock = clock;
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return this.writeBeside(name, (file) => file.writeFile(bytes), rename);
  }

  /** A link to a name that is taken fails, whoever took it. */
  writeNew(name: string, bytes: Uint8Array): Promise<void> {
    const linkAndForget = async (from: string, to: string): Promise<void> => {
      await link(from, to);
      await unlink(from);
    };
    return this.writeBeside(name, (file) => file.writeFile(bytes), linkAndForget);
  }

  writeLarge(name: string, source: BlobSource): Promise<void> {
    return this.writeBeside(name, (file, path) => copyTo(file, path, source), rename);
  }

  async read(name: string, lengthMax: number): Promise<Uint8Array> {
    return this.reading(name, async (file) => {
      const { size } = await file.stat();
      if (size > lengthMax) throw new Error(`it has [${size}] bytes, more than [${lengthMax}]`);
      return file.readFile();
    });
  }

  async readRange(name: string, offset: number, length: number): Promise<Uint8Array> {
    return this.reading(name, async (file) => {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
        if (bytesRead === 0) throw endsEarly(name, offset + filled, offset + length);
        filled += bytesRead;
      }
      return bytes;
    });
  }

  async list(folder: string): Promise<BlobListing> {
    const path = join(this.directory, folder);
    const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw fileError('list', path, error);
    });
    const names = entries.filter((entry) => entry.isFile() && !entry.name.includes(UNFINISHED));
    const sizes = await Promise.all(names.map(({ name }) => sizeOf(join(path, name))));
    const blobs = names.flatMap(({ name }, at) => {
      const size = sizes[at];
      return size === undefined ? [] : [[name, size] as const];
    });
    return {
      blobs: new Map(blobs.sort(([left], [right]) => (left < right ? -1 : 1))),
      folders: entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort(),
    };
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const path = this.pathOf(name);
      await unlink(path).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw fileError('remove', path, error);
      });
    }
  }

  async removeFolder(folder: string): Promise<FolderRemoval> {
    const path = join(this.directory, folder);
    const removal = await this.measure(folder);
    try {
      await rm(path, { recursive: true, force: true });
    } catch (error) {
      throw fileError('remove', path, error);
    }
    return removal;
  }

  async removeEmptyFolder(folder: string): Promise<void> {
    const path = join(this.directory, folder);
    await rmdir(path).catch((error: unknown) => {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw fileError('remove', path, error);
    });
  }

  async removeUnfinished(): Promise<number> {
    const before = this.clock.nowMs() - UNFINISHED_AGE_MS;
    let removed = 0;
    try {
      for await (const entry of await opendir(this.directory, { recursive: true })) {
        if (!entry.isFile() || !entry.name.includes(UNFINISHED)) continue;
        const path = join(entry.parentPath, entry.name);
        if ((await stat(path)).mtimeMs > before) continue;
        await unlink(path);
        removed++;
      }
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw fileError('remove unfinished blobs below', this.directory, error);
    }
    return removed;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async measure(folder: string): Promise<FolderRemoval> {
    const { blobs, folders } = await this.list(folder);
    let removal = { blobs: blobs.size, bytes: [...blobs.values()].reduce((sum, size) => sum + size, 0) };
    for (const name of folders) {
      const inner = await this.measure(join(folder, name));
      removal = { blobs: removal.blobs + inner.blobs, bytes: removal.bytes + inner.bytes };
    }
    return removal;
  }

  private pathOf(name: string): string {
    return join(this.directory, name);
  }

  private async writeBeside(
    name: string,
    fill: (file: FileHandle, path: string) => Promise<void>,
    publish: (from: string, to: string) => Promise<void>,
  ): Promise<void> {
    const path = this.pathOf(name);
    const beside = `${path}${UNFINISHED}${randomUUID()}`;
    try {
      await mkdir(dirname(path), { recursive: true });
      const file = await open(beside, 'wx', 0o640);
      try {
        await fill(file, beside);
        await file.sync();
      } finally {
        await file.close();
      }
      await publish(beside, path);
      await syncDirectory(dirname(path));
    } catch (error) {
      await unlink(beside).catch(() => undefined);
      if (codeOf(error) === 'EEXIST') throw new QuarryError('file_already_exists_exception', `[${path}] is there`);
      throw error instanceof QuarryError ? error : fileError('write', path, error);
    }
  }

  private async reading<Result>(name: string, read: (file: FileHandle) => Promise<Result>): Promise<Result> {
    const path = this.pathOf(name);
    let file: FileHandle;
    try {
      file = await open(path, 'r');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw new QuarryError('no_such_file_exception', `[${path}] is not there`);
      throw fileError('read', path, error);
    }
    try {
      return await read(file);
    } catch (error) {
      if (error instanceof QuarryError) throw error;
      throw fileError('read', path, error);
    } finally {
      await file.close();
    }
  }
}

/** A piece is read while the one before it is written, where the source does not write itself. */
async function copyTo(file: FileHandle, path: string, source: BlobSource): Promise<void> {
  if (source.copy !== undefined) {
    for (let at = 0; at < source.length;) {
      const copied = await source.copy(at, Math.min(COPIED_BYTES, source.length - at), { path, at });
      if (copied === 0) throw new Error(`it ends at byte [${at}], before [${source.length}]`);
      at += copied;
    }
    return;
  }
  const read = (offset: number): Promise<Uint8Array> =>
    source.read(offset, Math.min(PIECE_BYTES, source.length - offset));
  let ahead = source.length > 0 ? read(0) : undefined;
  for (let offset = 0; ahead !== undefined;) {
    const bytes: Uint8Array = await ahead;
    const next = offset + bytes.length;
    ahead = next < source.length ? read(next) : undefined;
    // Whoever fails first tells of it.
    ahead?.catch(() => undefined);
    await file.writeFile(bytes);
    offset = next;
  }
}

/** Undefined for a file that went meanwhile. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileError('list', path, error);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
