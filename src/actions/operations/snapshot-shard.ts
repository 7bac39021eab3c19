/** Copies a primary's segments into a repository: the files that it lacks, then what it has of the shard from now on. */
import type { Clock } from '../../base/clock.js';
import { eachAtOnce } from '../../base/each-at-once.js';
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { newUuid } from '../../base/random.js';
import { WorkCounter } from '../../base/work-counters.js';
import { isBeingMade } from '../../cluster/snapshots/queue.js';
import type { RemoteFiles } from '../../native/remote-files.js';
import type { ProvedRemoteFiles } from '../../native/proved-remote-files.js';
import { SegmentSet, type SegmentFile } from '../../native/replication.js';
import type { BlobSource } from '../../repositories/blob-store.js';
import {
  partBytesOf,
  type FileParts,
  type ShardEntry,
  type ShardGeneration,
  type StoredFile,
} from '../../repositories/format.js';
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

interface DividedFile extends StoredFile {
  readonly parts: FileParts;
}

type ProvedFiles = SegmentSet | ProvedRemoteFiles;

/** Of shards. */
const snapshots = new WorkCounter('snapshot');

/** What is read at once of a file that is there already. */
const PIECE_BYTES = 4 << 20;

/** Files of one shard that are copied at once: one is on its way to the disk while the next is read. */
const FILES_AT_ONCE = 3;

/** How often a pause looks whether the copy is still wanted. */
const LOOK_MS = 100;

/** The shard as it is when its turn comes. What was copied before an interruption is there already. */
export const snapshotShard = definePrimaryOperation(
  'snapshot-shard',
  async (shard, input: SnapshotShardInput, context): Promise<SnapshotShardOutput> =>
    inTurn(input, context, async () => {
      await shard.refreshInBackground();
      const { remote } = shard.native;
      // What is being copied comes through the set, and then it is here.
      const elsewhere = remote?.kept === 'cached' ? remote : undefined;
      return copySet(shard.native.segmentSet(), shard.key.shard, input, context, elsewhere);
    }),
  {
    onClosed: (set, { shard }, input, context) => inTurn(input, context, () => copySet(set, shard, input, context)),
  },
);

/** Whoever stops the snapshot can wait for the end of the work, which begins only while the snapshot is wanted. */
function inTurn(
  { snapshotUuid }: SnapshotShardInput,
  context: ShardOperationContext,
  work: () => Promise<SnapshotShardOutput>,
): Promise<SnapshotShardOutput> {
  const { copies, writers } = context.repositories;
  snapshots.wait(1);
  return copies.run(async () => {
    snapshots.wait(-1);
    checkWanted(context, snapshotUuid);
    return snapshots.during(() => writers.run(snapshotUuid, work));
  });
}

/** Throws as soon as nobody waits for the copy, or this node knows that the snapshot is not made any more. */
function checkWanted({ cancellation, clusterState }: ShardOperationContext, snapshotUuid: string): void {
  cancellation.throwIfCancelled();
  if (isBeingMade(clusterState(), snapshotUuid)) return;
  throw new QuarryError('snapshot_missing_exception', `the snapshot [${snapshotUuid}] is not being made`);
}

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
  const { clock, random, repositories } = context;
  const check = (): void => {
    checkWanted(context, snapshotUuid);
  };
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
  const proved = remote === undefined ? set : await ofRepository(remote, set);
  const pace = pausing(clock, repositories.snapshotPace(repository), check);
  const copyFile = async (file: DividedFile): Promise<void> => {
    const source = sourceOf(proved, file, check, pace, (bytes) => {
      done.doneBytes += bytes;
      note();
    });
    await repository.writeFile(indexId, shard, file, source);
    check();
    await repository.writeParts(indexId, shard, file, proved.partChecksums(file.name));
    done.doneFiles++;
    note();
  };
  const divide = async (file: DividedFile): Promise<void> => {
    const source = sourceOf(proved, file, check, pace, () => undefined);
    for (let offset = 0; offset < file.length; offset += PIECE_BYTES) {
      await source.read(offset, Math.min(PIECE_BYTES, file.length - offset));
    }
    await repository.writeParts(indexId, shard, file, proved.partChecksums(file.name));
  };
  try {
    note();
    for (const file of undivided) await divide(file);
    await eachAtOnce(missing, FILES_AT_ONCE, copyFile);
    check();
    const descriptor = Buffer.from(set.descriptor()).toString('base64');
    await repository.writeSegments(indexId, shard, snapshotUuid, { historyUuid: set.historyUuid(), descriptor });
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    const entry: ShardEntry = { files, startedAtMs, tookMs, newFiles: counts.newFiles, newBytes: counts.newBytes };
    const next = newUuid(random);
    check();
    await repository.writeShard(indexId, shard, next, { ...former, [snapshotUuid]: entry });
    return { generation: next, ...counts, segments: files.length, startedAtMs, tookMs };
  } finally {
    repositories.progress.delete(key);
  }
}

/** What lies in another snapshot is read there: it is not to push out of the cache what searches need. */
async function ofRepository(remote: RemoteFiles, set: SegmentSet): Promise<ProvedFiles> {
  const { ProvedRemoteFiles } = await import('../../native/proved-remote-files.js');
  return new ProvedRemoteFiles(remote, set.files());
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
): Record<'files' | 'unknown' | 'undivided', readonly DividedFile[]> {
  const stored = Object.values(former).flatMap((entry) => entry.files);
  const known = new Map<string, StoredFile>();
  for (const file of stored) {
    const other = known.get(identityOf(file));
    known.set(identityOf(file), other?.parts === undefined ? file : other);
  }
  const files = set.files().map((file): DividedFile => {
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
  unknown: readonly DividedFile[],
  indexId: string,
  shard: number,
): Promise<readonly DividedFile[]> {
  if (unknown.length === 0) return [];
  const { blobs } = await repository.store.list(shardFolder(indexId, shard));
  return unknown.filter((file) => !repository.allBlobsOf(file).every((blob) => blobs.has(blob)));
}

function identityOf({ uuid, checksum, length }: SegmentFile): string {
  return `${uuid}-${checksum}-${length}`;
}

function sourceOf(
  files: ProvedFiles,
  { name, length, parts }: DividedFile,
  check: () => void,
  pace: (bytes: number) => Promise<void>,
  onRead: (bytes: number) => void,
): BlobSource {
  /** What was waited for and not copied yet. */
  let paid = 0;
  return {
    length,
    // Damage must not reach the repository.
    async read(offset, count) {
      check();
      await pace(count);
      const bytes = await files.readProved(name, offset, count, parts.bytes);
      onRead(bytes.length);
      return bytes;
    },
    ...(!(files instanceof SegmentSet)
      ? {}
      : {
          async copy(offset, count, target) {
            check();
            await pace(Math.max(0, count - paid));
            const copied = await files.copyProved(name, { offset, length: count }, parts.bytes, target);
            paid = Math.max(paid, count) - copied;
            onRead(copied);
            return copied;
          },
        }),
  };
}

/** Pauses end early, by throwing, soon after the copy is not wanted any more. */
function pausing(clock: Clock, pace: Pace, check: () => void): (bytes: number) => Promise<void> {
  return async (bytes) => {
    let stopLooking = (): void => undefined;
    let isWanted = true;
    const stopped = new Promise<never>((_, reject) => {
      const look = (): void => {
        try {
          check();
          stopLooking = clock.schedule(LOOK_MS, look);
        } catch (error) {
          isWanted = false;
          reject(asQuarryError(error));
        }
      };
      look();
    });
    try {
      await Promise.race([pace(bytes, () => isWanted), stopped]);
    } finally {
      stopLooking();
    }
    check();
  };
}

function sum(files: readonly SegmentFile[]): number {
  return files.reduce((total, { length }) => total + length, 0);
}
