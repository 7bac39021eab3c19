/** The directory of a shard, made of what a repository has of it. */
import { lossOf } from '../../actions/snapshots/known-root.js';
import type { RepositoryAccess } from '../../actions/snapshots/repository-access.js';
import { must } from '../../base/assert.js';
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { findRepository } from '../../cluster/changes/snapshots/repositories.js';
import type { RepositoryRecord, RestoreSource } from '../../cluster/snapshots/types.js';
import type { ClusterState } from '../../cluster/state.js';
import { ReplicaShard } from '../../native/replica-shard.js';
import type { KeptFiles, RemoteFiles } from '../../native/remote-files.js';
import type { ShardOptions } from '../../native/shard-options.js';
import { corrupt, type ShardEntry, type StoredFile } from '../../repositories/format.js';
import { shardFolder, type Repository } from '../../repositories/repository.js';
import type { RecoveryProgress } from '../../shard/recovery-progress.js';

export interface RestoreServices {
  readonly clusterState: () => ClusterState;
  readonly repositories: RepositoryAccess;
  readonly recovery: RecoveryProgress;
  /** Called when all files are to be here before the shard serves. */
  readonly onRestoring: () => void;
}

/** Less where the rate of restores allows less in a second. */
const PIECE_BYTES_MAX = 4 << 20;
const COMMIT = 'segments';
/** Operations of the segments are of this term or later ones. */
const FIRST_TERM = 1;

/**
 * Resolves when the files are there, verified and synced, and a commit point names them: the directory can be opened. It held
 * no shard before. Files that are `kept` in another way are read where they are: the shard is opened with what this resolves with.
 * Those that are to be copied are there first if their snapshot has no checksums of parts.
 */
export async function restoreFiles(
  source: RestoreSource,
  options: ShardOptions,
  mapping: string,
  analysis: string,
  services: RestoreServices,
  kept: KeptFiles | undefined,
): Promise<RemoteFiles | undefined> {
  const { repositories, clusterState, recovery, onRestoring } = services;
  // Also before the repository has answered.
  if (kept === undefined) onRestoring();
  const record = findRepository(clusterState(), source.repository);
  const repository = repositories.ofRecord(record);
  const { shard } = options;
  const entry = await entryOf(repository, record, source, shard);
  const { historyUuid, descriptor } = await repository.segments(source.indexId, shard, source.snapshotUuid);
  const set = Buffer.from(descriptor, 'base64');
  const remote = await remoteFiles(repository, source, options, entry, kept);
  if (remote === undefined) onRestoring();
  try {
    const copy = await ReplicaShard.create({ ...options, primaryTerm: FIRST_TERM }, mapping, analysis, historyUuid);
    try {
      const missing = copy.missingFiles(set);
      // What says which segments there are is a file as well: an empty shard has no other.
      const commit = { name: COMMIT, length: set.length };
      const fetched = remote?.kept === 'cached' ? [] : missing.map(({ name }) => name);
      recovery.planFiles([commit, ...entry.files], new Set([COMMIT, ...fetched]));
      recovery.received(COMMIT, set.length, 0);
      const stored = new Map(entry.files.map((file) => [file.name, file] as const));
      for (const file of missing) {
        if (remote !== undefined) await copy.finishFile(file.name);
        else await restoreFile(copy, stored.get(file.name) ?? file, repository, source, shard, services);
      }
      await copy.install(set, 'replace');
    } finally {
      await copy.close();
    }
  } catch (error) {
    remote?.close();
    throw error;
  }
  return remote;
}

async function remoteFiles(
  repository: Repository,
  source: RestoreSource,
  { directory, shard }: ShardOptions,
  { files }: ShardEntry,
  kept: KeptFiles | undefined,
): Promise<RemoteFiles | undefined> {
  if (kept === undefined) return undefined;
  if (kept === 'copied' && files.some(({ parts }) => parts === undefined)) return undefined;
  const { remoteFilesOf } = await import('./remote-shard.js');
  return remoteFilesOf(repository, source, shard, files, directory, kept);
}

async function entryOf(
  repository: Repository,
  record: RepositoryRecord,
  source: RestoreSource,
  shard: number,
): Promise<ShardEntry> {
  const { indexId, snapshot, snapshotUuid } = source;
  const { snapshots, generation } = await repository.root();
  if (!snapshots.some(({ uuid }) => uuid === snapshotUuid)) {
    const reason = `[${source.repository}:${snapshot}/${snapshotUuid}] is missing`;
    const loss = lossOf(repository, record, generation);
    if (loss === undefined) throw new QuarryError('snapshot_missing_exception', reason);
    // A repository that is out of reach may come back: it is tried again.
    throw new QuarryError('repository_exception', `${reason}: ${loss}`);
  }
  const entry = (await repository.newestShard(indexId, shard))[snapshotUuid];
  if (entry !== undefined) return entry;
  const reason = `[${source.repository}:${snapshot}/${snapshotUuid}] lacks shard [${source.index}][${shard}]`;
  throw new QuarryError('snapshot_missing_exception', reason);
}

async function restoreFile(
  copy: ReplicaShard,
  file: StoredFile,
  repository: Repository,
  { indexId }: RestoreSource,
  shard: number,
  { repositories, recovery }: RestoreServices,
): Promise<void> {
  const pace = repositories.restorePace(repository);
  const pieceBytes = Math.min(repository.options.restoreBytesPerSecond || PIECE_BYTES_MAX, PIECE_BYTES_MAX);
  let throttledMs = 0;
  const read = async (offset: number): Promise<Uint8Array> => {
    const length = Math.min(pieceBytes, file.length - offset);
    throttledMs += await pace(length, () => !recovery.isAbandoned);
    return repository.readFile(indexId, shard, file, offset, length);
  };
  let ahead: Promise<Uint8Array> | undefined = read(0);
  for (let offset = 0; ahead !== undefined;) {
    const bytes: Uint8Array = await must(ahead, 'a piece that is read');
    if (recovery.isAbandoned) throw new QuarryError('illegal_state_exception', 'the shard is not opened any more');
    const next = offset + bytes.length;
    ahead = next < file.length ? read(next) : undefined;
    // Whoever fails first tells of it.
    ahead?.catch(() => undefined);
    await copy.writeFile(file.name, offset, bytes);
    recovery.received(file.name, next, throttledMs);
    offset = next;
  }
  try {
    await copy.finishFile(file.name);
  } catch (error) {
    if (asQuarryError(error).type !== 'corrupt_index_exception') throw error;
    // What was proved is a copy, at a place that is gone by now.
    const names = repository.blobsOf(file).map((name) => `${shardFolder(indexId, shard)}/${name}`);
    throw corrupt(names.join(', '), `does not hold the file [${file.name}] as its name says`, error);
  }
}
