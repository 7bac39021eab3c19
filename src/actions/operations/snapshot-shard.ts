/** Copies a primary's segments into a repository: the files that it lacks, then what it has of the shard from now on. */
import type { Cancellation } from '../../base/cancellation.js';
import { eachAtOnce } from '../../base/each-at-once.js';
import { newUuid } from '../../base/random.js';
import type { RemoteFiles } from '../../native/remote-files.js';
import type { SegmentFile, SegmentSet } from '../../native/replication.js';
import type { BlobSource } from '../../repositories/blob-store.js';
import { partBytesOf, type ShardEntry, type ShardGeneration, type StoredFile } from '../../repositories/format.js';
import { shardFolder, type Repository } from '../../repositories/repository.js';
import type { Pace } from '../../shard/replication/push-segments.js';
import { definePrimaryOperation, type ShardOperationContext } from '../shard-operation.js';
import type { CopyProgress } from '../snapshots/repository-access.js';

export interface SnapshotShardInput {
  readonly repository: string;
  readonly snapshotUuid: string;
  readonly indexId: string;
  /** What the repository has of the shard so far; empty for nothing. */
  readonly generation: string;
}

export interface SnapshotShardOutput {
  readonly generation: string;
  readonly files: number;
  readonly bytes: number;
  readonly newFiles: number;
  readonly newBytes: number;
  readonly segments: number;
  readonly startedAtMs: number;
  readonly tookMs: number;
}

/** Files of one shard that are copied at once: one is on its way to the disk while the next is read. */
const FILES_AT_ONCE = 3;

/** The shard as it is when its turn comes. What was copied before an interruption is there already. */
export const snapshotShard = definePrimaryOperation(
  'snapshot-shard',
  async (shard, input: SnapshotShardInput, context): Promise<SnapshotShardOutput> =>
    context.repositories.copies.run(async () => {
      context.cancellation.throwIfCancelled();
      await shard.refreshInBackground();
      return copySet(shard.native.segmentSet(), shard.key.shard, input, context, shard.native.remote);
    }),
  {
    onClosed: (set, { shard }, input, context) =>
      context.repositories.copies.run(() => copySet(set, shard, input, context)),
  },
);

export interface SnapshotProgressInput {
  readonly snapshotUuid: string;
  readonly indexId: string;
}

/** How far that is; null before it has begun, and after it has ended. */
export const snapshotProgress = definePrimaryOperation(
  'snapshot-progress',
  (shard, { snapshotUuid, indexId }: SnapshotProgressInput, { repositories }): CopyProgress | null =>
    repositories.progress.get(progressKey(snapshotUuid, indexId, shard.key.shard)) ?? null,
);

function progressKey(snapshotUuid: string, indexId: string, shard: number): string {
  return `${snapshotUuid}/${indexId}/${shard}`;
}

async function copySet(
  set: SegmentSet,
  shard: number,
  { repository: name, snapshotUuid, indexId, generation }: SnapshotShardInput,
  context: ShardOperationContext,
  remote?: RemoteFiles,
): Promise<SnapshotShardOutput> {
  const { clock, random, repositories, cancellation } = context;
  const startedAtMs = clock.nowMs();
  const startedMs = clock.monotonicMs();
  const repository = repositories.of(context.clusterState(), name);
  repository.checkWritable();
  const former = await repository.shard(indexId, shard, generation);
  const { files, unknown, undivided } = filesOf(set, repository, former, snapshotUuid);
  const missing = await missingFiles(repository, unknown, indexId, shard);
  const counts = { files: files.length, bytes: sum(files), newFiles: missing.length, newBytes: sum(missing) };
  const key = progressKey(snapshotUuid, indexId, shard);
  const done = { doneFiles: 0, doneBytes: 0 };
  const note = (): void => {
    repositories.progress.set(key, { startedAtMs, ...counts, ...done });
  };
  const copyFile = async (file: StoredFile): Promise<void> => {
    // What lies in another snapshot is not to push out of the cache what searches need.
    const source = sourceOf(remote ?? set, file, cancellation, repositories.snapshotPace(repository), (bytes) => {
      done.doneBytes += bytes;
      note();
    });
    await writeParts(set, repository, indexId, shard, file);
    await repository.writeFile(indexId, shard, file, source);
    done.doneFiles++;
    note();
  };
  try {
    note();
    for (const file of undivided) await writeParts(set, repository, indexId, shard, file);
    await eachAtOnce(missing, FILES_AT_ONCE, copyFile);
    const descriptor = Buffer.from(set.descriptor()).toString('base64');
    await repository.writeSegments(indexId, shard, snapshotUuid, { historyUuid: set.historyUuid(), descriptor });
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    const entry: ShardEntry = { files, startedAtMs, tookMs, newFiles: counts.newFiles, newBytes: counts.newBytes };
    const next = newUuid(random);
    cancellation.throwIfCancelled();
    await repository.writeShard(indexId, shard, next, { ...former, [snapshotUuid]: entry });
    return { generation: next, ...counts, segments: files.length, startedAtMs, tookMs };
  } finally {
    repositories.progress.delete(key);
  }
}

/** All of the file is verified for that: what is damaged here is not stored. */
async function writeParts(
  set: SegmentSet,
  repository: Repository,
  indexId: string,
  shard: number,
  file: StoredFile,
): Promise<void> {
  const checksums = await set.partChecksums(file.name, file.parts?.bytes ?? partBytesOf(file.length));
  await repository.writeParts(indexId, shard, file, checksums);
}

/**
 * The files of the set as they lie in the repository, or will; `unknown` are those that no snapshot there has, `undivided` those that are there
 * without checksums of their parts.
 */
function filesOf(
  set: SegmentSet,
  repository: Repository,
  former: ShardGeneration,
  snapshotUuid: string,
): Record<'files' | 'unknown' | 'undivided', readonly StoredFile[]> {
  const stored = Object.values(former).flatMap((entry) => entry.files);
  const known = new Map<string, StoredFile>();
  for (const file of stored) {
    const other = known.get(identityOf(file));
    known.set(identityOf(file), other?.parts === undefined ? file : other);
  }
  const files = set.files().map((file): StoredFile => {
    const newParts = { bytes: partBytesOf(file.length), broughtBy: snapshotUuid };
    const { chunkBytes, broughtBy, parts } = known.get(identityOf(file)) ?? repository.stored(file, snapshotUuid);
    return {
      ...file,
      ...(chunkBytes === undefined ? {} : { chunkBytes }),
      ...(broughtBy === undefined ? {} : { broughtBy }),
      parts: parts ?? newParts,
    };
  });
  const isUndivided = (file: StoredFile): boolean => known.get(identityOf(file))?.parts === undefined;
  return {
    files,
    unknown: files.filter((file) => !known.has(identityOf(file))),
    undivided: files.filter((file) => known.has(identityOf(file)) && isUndivided(file)),
  };
}

/**
 * Those of the files that are not there of an attempt of this snapshot that was interrupted: names of blobs say what is in them, and a
 * blob is whole or not there.
 */
async function missingFiles(
  repository: Repository,
  unknown: readonly StoredFile[],
  indexId: string,
  shard: number,
): Promise<readonly StoredFile[]> {
  if (unknown.length === 0) return [];
  const { blobs } = await repository.store.list(shardFolder(indexId, shard));
  return unknown.filter((file) => !repository.allBlobsOf(file).every((blob) => blobs.has(blob)));
}

function identityOf({ uuid, checksum, length }: SegmentFile): string {
  return `${uuid}-${checksum}-${length}`;
}

function sourceOf(
  set: Pick<SegmentSet, 'read'>,
  { name, length }: SegmentFile,
  cancellation: Cancellation,
  pace: Pace,
  onRead: (bytes: number) => void,
): BlobSource {
  return {
    length,
    async read(offset, count) {
      cancellation.throwIfCancelled();
      const bytes = await set.read(name, offset, count);
      await pace(bytes.length);
      onRead(bytes.length);
      return bytes;
    },
  };
}

function sum(files: readonly SegmentFile[]): number {
  return files.reduce((total, { length }) => total + length, 0);
}
