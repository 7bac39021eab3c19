/** Copies a primary's segments into a repository: the files that it lacks, then what it has of the shard from now on. */
import type { Clock } from '../../base/clock.js';
import { eachAtOnce } from '../../base/each-at-once.js';
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { newUuid } from '../../base/random.js';
import { isBeingMade } from '../../cluster/snapshots/queue.js';
import type { SegmentFile, SegmentSet } from '../../native/replication.js';
import type { BlobSource } from '../../repositories/blob-store.js';
import type { ShardEntry, ShardGeneration, StoredFile } from '../../repositories/format.js';
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

/** How often a pause looks whether the copy is still wanted. */
const LOOK_MS = 100;

/** The shard as it is when its turn comes. What was copied before an interruption is there already. */
export const snapshotShard = definePrimaryOperation(
  'snapshot-shard',
  async (shard, input: SnapshotShardInput, context): Promise<SnapshotShardOutput> =>
    inTurn(input, context, async () => {
      await shard.refreshInBackground();
      return copySet(shard.native.segmentSet(), shard.key.shard, input, context);
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
  return copies.run(() => {
    checkWanted(context, snapshotUuid);
    return writers.run(snapshotUuid, work);
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
  const { files, unknown } = filesOf(set, repository, former, snapshotUuid);
  const missing = await missingFiles(repository, unknown, indexId, shard);
  const counts = { files: files.length, bytes: sum(files), newFiles: missing.length, newBytes: sum(missing) };
  const key = progressKey(snapshotUuid, indexId, shard);
  const done = { doneFiles: 0, doneBytes: 0 };
  const note = (): void => {
    repositories.progress.set(key, { startedAtMs, ...counts, ...done });
  };
  const copyFile = async (file: StoredFile): Promise<void> => {
    const pace = pausing(clock, repositories.snapshotPace(repository), check);
    const source = sourceOf(set, file, check, pace, (bytes) => {
      done.doneBytes += bytes;
      note();
    });
    await repository.writeFile(indexId, shard, file, source);
    done.doneFiles++;
    note();
  };
  try {
    note();
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

/** The files of the set as they lie in the repository, or will; `unknown` are those that no snapshot there has. */
function filesOf(
  set: SegmentSet,
  repository: Repository,
  former: ShardGeneration,
  snapshotUuid: string,
): { readonly files: readonly StoredFile[]; readonly unknown: readonly StoredFile[] } {
  const stored = Object.values(former).flatMap((entry) => entry.files);
  const known = new Map(stored.map((file) => [identityOf(file), file] as const));
  const files = set.files().map((file) => {
    const { chunkBytes, broughtBy } = known.get(identityOf(file)) ?? repository.stored(file, snapshotUuid);
    return {
      ...file,
      ...(chunkBytes === undefined ? {} : { chunkBytes }),
      ...(broughtBy === undefined ? {} : { broughtBy }),
    };
  });
  return { files, unknown: files.filter((file) => !known.has(identityOf(file))) };
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
  return unknown.filter((file) => !repository.blobsOf(file).every((blob) => blobs.has(blob)));
}

function identityOf({ uuid, checksum, length }: SegmentFile): string {
  return `${uuid}-${checksum}-${length}`;
}

function sourceOf(
  set: SegmentSet,
  { name, length }: SegmentFile,
  check: () => void,
  pace: (bytes: number) => Promise<void>,
  onRead: (bytes: number) => void,
): BlobSource {
  return {
    length,
    async read(offset, count) {
      check();
      // Damage on this disk must not reach the repository.
      const bytes = await set.readProved(name, offset, count);
      await pace(bytes.length);
      onRead(bytes.length);
      return bytes;
    },
  };
}

/** Pauses end early, by throwing, soon after the copy is not wanted any more. */
function pausing(clock: Clock, pace: Pace, check: () => void): (bytes: number) => Promise<void> {
  return async (bytes) => {
    let stopLooking = (): void => undefined;
    const stopped = new Promise<never>((_, reject) => {
      const look = (): void => {
        try {
          check();
          stopLooking = clock.schedule(LOOK_MS, look);
        } catch (error) {
          reject(asQuarryError(error));
        }
      };
      look();
    });
    try {
      await Promise.race([pace(bytes), stopped]);
    } finally {
      stopLooking();
    }
    check();
  };
}

function sum(files: readonly SegmentFile[]): number {
  return files.reduce((total, { length }) => total + length, 0);
}
