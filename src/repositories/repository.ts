/** One registered repository as a thread reaches it: reads and writes what `format.ts` describes. */
import { QuarryError } from '../base/errors.js';
import { newUuid, type Random } from '../base/random.js';
import type { SegmentFile } from '../native/replication.js';
import type { BlobSource, BlobStore } from './blob-store.js';
import { isRoot, isShardGeneration, isSnapshotRecord } from './checks.js';
import {
  corrupt,
  decodeMetadata,
  digestOf,
  encodeMetadata,
  LATEST,
  rootBlob,
  type RepositoryRoot,
  type RootSnapshot,
  type ShardGeneration,
  type SnapshotRecord,
  type StoredFile,
} from './format.js';

const ROOT = /^root-(0|[1-9]\d{0,14})$/;
const BLOB_BYTES_MAX = 256 << 20;
/** Older roots are kept for readers that have just looked which one is the newest. */
export const ROOTS_KEPT = 2;
const READ_TRIES = 5;

export interface RepositoryOptions {
  readonly isCompressed: boolean;
  /** Longest blob; undefined: no limit. */
  readonly chunkBytes: number | undefined;
  readonly isReadOnly: boolean;
  /** 0: no limit. */
  readonly snapshotBytesPerSecond: number;
  readonly restoreBytesPerSecond: number;
  readonly snapshotsMax: number;
}

/** A set of segments as whoever makes a shard of it needs it. */
export interface SegmentsRecord {
  readonly historyUuid: string;
  /** `SegmentSet.descriptor`, base64. */
  readonly descriptor: string;
}

export class Repository {
  readonly name: string;
  readonly options: RepositoryOptions;
  readonly store: BlobStore;
  private newest: RepositoryRoot | undefined;

  constructor(name: string, store: BlobStore, options: RepositoryOptions) {
    this.name = name;
    this.store = store;
    this.options = options;
  }

  /** The newest root; of a repository that has none, an empty one. */
  async root(): Promise<RepositoryRoot> {
    const generation = await this.newestGeneration();
    if (generation === -1) return EMPTY_ROOT;
    if (this.newest?.generation !== generation) this.newest = await this.readRoot(generation);
    return this.newest;
  }

  /** As `root`, of what lies there now, also if the thread remembers a root of that number. */
  async storedRoot(): Promise<RepositoryRoot> {
    const generation = await this.newestGeneration();
    return generation === -1 ? EMPTY_ROOT : this.readRoot(generation);
  }

  /** Number of the newest root; -1: there is none. */
  async newestGeneration(): Promise<number> {
    const { blobs } = await this.store.list('');
    const numbers = [...blobs.keys()].flatMap((name) => {
      const number = ROOT.exec(name)?.[1];
      return number === undefined ? [] : [Number(number)];
    });
    return Math.max(-1, ...numbers);
  }

  /**
   * Makes `next` the newest root, and takes older ones away. Throws `file_already_exists_exception` when another writer
   * was faster.
   */
  async writeRoot(next: Omit<RepositoryRoot, 'uuid'>, former: RepositoryRoot, random: Random): Promise<RepositoryRoot> {
    this.checkWritable();
    const root: RepositoryRoot = { ...next, uuid: former.uuid === '' ? newUuid(random) : former.uuid };
    const bytes = await encodeMetadata('root', root, this.options.isCompressed);
    await this.store.writeNew(rootBlob(root.generation), bytes);
    this.newest = root;
    const latest = await encodeMetadata(LATEST, { generation: root.generation }, false);
    // Readers look for newer ones from there on: that of the next root will do.
    await this.store.write(LATEST, latest).catch(() => undefined);
    const { blobs } = await this.store.list('');
    const old = [...blobs.keys()].filter((name) => {
      const number = ROOT.exec(name)?.[1];
      return number !== undefined && Number(number) <= root.generation - ROOTS_KEPT;
    });
    // What stays behind goes the next time.
    await this.store.remove(old).catch(() => undefined);
    return root;
  }

  async snapshot(uuid: string): Promise<SnapshotRecord> {
    const blob = `snapshot-${uuid}`;
    const value = await this.readMetadata('snapshot', blob);
    if (!isSnapshotRecord(value)) throw corrupt(blob, 'lacks some of its members');
    return value;
  }

  writeSnapshot(record: SnapshotRecord): Promise<void> {
    return this.writeMetadata('snapshot', `snapshot-${record.uuid}`, record);
  }

  /** Text that the snapshot keeps of the cluster. */
  async clusterMetadata(uuid: string): Promise<string> {
    return this.readText('metadata', `metadata-${uuid}`);
  }

  writeClusterMetadata(uuid: string, text: string): Promise<void> {
    return this.writeMetadata('metadata', `metadata-${uuid}`, text);
  }

  async indexMetadata(indexId: string, blob: string): Promise<string> {
    return this.readText('index', `indices/${indexId}/${blob}`);
  }

  /** The name of the blob: of `known`, which are there, the one that holds this text, or one that the snapshot brings. */
  async writeIndexMetadata(
    indexId: string,
    text: string,
    known: readonly string[],
    snapshotUuid: string,
  ): Promise<string> {
    const name = `metadata-${digestOf(text).slice(0, 32)}`;
    const same = known.find((each) => each === name || each.startsWith(`${name}-`));
    if (same !== undefined) return same;
    const blob = `${name}-${snapshotUuid}`;
    await this.writeMetadata('index', `indices/${indexId}/${blob}`, text);
    return blob;
  }

  /** Nothing for the empty generation. */
  async shard(indexId: string, shard: number, generation: string): Promise<ShardGeneration> {
    if (generation === '') return {};
    const blob = shardBlob(indexId, shard, generation);
    const value = await this.readMetadata('shard', blob);
    if (!isShardGeneration(value)) throw corrupt(blob, 'lacks some of its members');
    return value;
  }

  /** What the newest root has of the shard, for readers who hold up nobody: a newer generation may come in between. */
  async newestShard(indexId: string, shard: number): Promise<ShardGeneration> {
    for (let tries = 1; ; tries++) {
      const { indices } = await this.root();
      const generation = indices.find(({ id }) => id === indexId)?.shards[shard] ?? '';
      try {
        return await this.shard(indexId, shard, generation);
      } catch (error) {
        const isGone = error instanceof QuarryError && error.type === 'no_such_file_exception';
        if (!isGone || tries === READ_TRIES) throw error;
      }
    }
  }

  writeShard(indexId: string, shard: number, generation: string, entries: ShardGeneration): Promise<void> {
    return this.writeMetadata('shard', shardBlob(indexId, shard, generation), entries);
  }

  async segments(indexId: string, shard: number, snapshotUuid: string): Promise<SegmentsRecord> {
    const blob = segmentsBlob(indexId, shard, snapshotUuid);
    const value = (await this.readMetadata('segments', blob)) as Partial<SegmentsRecord> | null;
    const { historyUuid, descriptor } = value ?? {};
    if (typeof historyUuid !== 'string' || typeof descriptor !== 'string')
      throw corrupt(blob, 'lacks some of its members');
    return { historyUuid, descriptor };
  }

  writeSegments(indexId: string, shard: number, snapshotUuid: string, record: SegmentsRecord): Promise<void> {
    return this.writeMetadata('segments', segmentsBlob(indexId, shard, snapshotUuid), record);
  }

  /** How the repository stores a file that the snapshot brings. */
  stored(file: SegmentFile, snapshotUuid: string): StoredFile {
    return { ...file, chunkBytes: this.chunkBytesFor(file), broughtBy: snapshotUuid };
  }

  /** Durable when it resolves. */
  async writeFile(indexId: string, shard: number, file: StoredFile, source: BlobSource): Promise<void> {
    this.checkWritable();
    for (const { blob, offset, length } of this.chunksOf(indexId, shard, file)) {
      await this.store.writeLarge(blob, chunkOf(source, offset, length));
    }
  }

  readFile(indexId: string, shard: number, file: StoredFile, offset: number, length: number): Promise<Uint8Array> {
    const blob = fileBlob(indexId, shard, file);
    const chunkBytes = this.chunkBytesOf(file);
    if (chunkBytes === 0) return this.store.readRange(blob, offset, length);
    return this.readChunks(blob, chunkBytes, offset, length);
  }

  /** Names of the blobs in the folder of the shard that hold the file. */
  blobsOf(file: StoredFile): readonly string[] {
    return this.chunksOf('', 0, file).map(({ blob }) => nameIn(blob));
  }

  /** And of the one that holds the checksums of its parts. */
  allBlobsOf(file: StoredFile): readonly string[] {
    return file.parts === undefined ? this.blobsOf(file) : [...this.blobsOf(file), this.partsOf(file)];
  }

  /** Of a file that has such checksums. */
  partsOf(file: StoredFile): string {
    return nameIn(partsBlob('', 0, file));
  }

  /** `checksums`: crc32c of each part, four bytes, little-endian. */
  writeParts(indexId: string, shard: number, file: StoredFile, checksums: Uint8Array): Promise<void> {
    const value = { bytes: file.parts?.bytes, checksums: Buffer.from(checksums).toString('base64') };
    return this.writeMetadata('parts', partsBlob(indexId, shard, file), value);
  }

  /** As `writeParts` was given them. Throws `corrupt_index_exception` where they are those of other parts. */
  async parts(indexId: string, shard: number, file: StoredFile): Promise<Uint8Array> {
    const blob = partsBlob(indexId, shard, file);
    const value = (await this.readMetadata('parts', blob)) as { bytes?: unknown; checksums?: unknown } | null;
    const { checksums, ...others } = value ?? {};
    const partBytes = file.parts?.bytes ?? 1;
    if (typeof checksums !== 'string' || others.bytes !== partBytes) throw corrupt(blob, 'lacks some of its members');
    const bytes = Buffer.from(checksums, 'base64');
    if (bytes.length === 4 * Math.ceil(file.length / partBytes)) return bytes;
    throw corrupt(blob, `has [${bytes.length}] bytes of checksums, which are not those of [${file.name}]`);
  }

  checkWritable(): void {
    if (!this.options.isReadOnly) return;
    throw new QuarryError('repository_exception', `[${this.name}] cannot change a read-only repository`);
  }

  private async readRoot(generation: number): Promise<RepositoryRoot> {
    const blob = rootBlob(generation);
    const value = await this.readMetadata('root', blob);
    if (!isRoot(value) || value.generation !== generation) throw corrupt(blob, 'lacks some of its members');
    return value;
  }

  private async readChunks(blob: string, chunk: number, offset: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const at = offset + filled;
      const inChunk = at % chunk;
      const count = Math.min(length - filled, chunk - inChunk);
      bytes.set(await this.store.readRange(`${blob}.${Math.floor(at / chunk)}`, inChunk, count), filled);
      filled += count;
    }
    return bytes;
  }

  private chunksOf(
    indexId: string,
    shard: number,
    file: StoredFile,
  ): readonly { readonly blob: string; readonly offset: number; readonly length: number }[] {
    const blob = fileBlob(indexId, shard, file);
    const chunkBytes = this.chunkBytesOf(file);
    if (chunkBytes === 0) return [{ blob, offset: 0, length: file.length }];
    return Array.from({ length: Math.ceil(file.length / chunkBytes) }, (_, number) => {
      const offset = number * chunkBytes;
      return { blob: `${blob}.${number}`, offset, length: Math.min(chunkBytes, file.length - offset) };
    });
  }

  private chunkBytesOf(file: StoredFile): number {
    return file.chunkBytes ?? this.chunkBytesFor(file);
  }

  private chunkBytesFor({ length }: SegmentFile): number {
    const { chunkBytes = 0 } = this.options;
    return length <= chunkBytes ? 0 : chunkBytes;
  }

  private async readText(kind: string, blob: string): Promise<string> {
    const value = await this.readMetadata(kind, blob);
    if (typeof value !== 'string') throw corrupt(blob, 'is no text');
    return value;
  }

  private async readMetadata(kind: string, blob: string): Promise<unknown> {
    return decodeMetadata(kind, await this.store.read(blob, BLOB_BYTES_MAX), blob);
  }

  private async writeMetadata(kind: string, blob: string, value: unknown): Promise<void> {
    this.checkWritable();
    await this.store.write(blob, await encodeMetadata(kind, value, this.options.isCompressed));
  }
}

const EMPTY_ROOT: RepositoryRoot = {
  generation: -1,
  uuid: '',
  clusterUuid: '',
  operation: '',
  snapshots: [],
  indices: [],
};

export function indexFolder(indexId: string): string {
  return `indices/${indexId}`;
}

export function shardFolder(indexId: string, shard: number): string {
  return `${indexFolder(indexId)}/${shard}`;
}

export function shardBlob(indexId: string, shard: number, generation: string): string {
  return `${shardFolder(indexId, shard)}/shard-${generation}`;
}

export function segmentsBlob(indexId: string, shard: number, snapshotUuid: string): string {
  return `${shardFolder(indexId, shard)}/segments-${snapshotUuid}`;
}

/** Files of equal names hold the same: a checksum over all that is in them is part of the name. */
function fileBlob(indexId: string, shard: number, { uuid, checksum, length, broughtBy }: StoredFile): string {
  const name = `${shardFolder(indexId, shard)}/file-${uuid}-${checksum.toString(16)}-${length}`;
  return broughtBy === undefined ? name : `${name}-${broughtBy}`;
}

function partsBlob(indexId: string, shard: number, { uuid, checksum, length, parts }: StoredFile): string {
  return `${shardFolder(indexId, shard)}/parts-${uuid}-${checksum.toString(16)}-${length}-${parts?.broughtBy ?? ''}`;
}

function nameIn(blob: string): string {
  return blob.slice(blob.lastIndexOf('/') + 1);
}

/** The snapshot of this name, finished. */
export function findSnapshot(root: RepositoryRoot, name: string): RootSnapshot | undefined {
  return root.snapshots.find((snapshot) => snapshot.name === name);
}

/** A part of what is to be written. */
function chunkOf(source: BlobSource, start: number, length: number): BlobSource {
  const { copy } = source;
  return {
    length,
    read: (offset, count) => source.read(start + offset, count),
    ...(copy === undefined ? {} : { copy: (offset, count, target) => copy(start + offset, count, target) }),
  };
}
