/**
 * What a repository says of one of its snapshots. Where that is lost or damaged, the error names the snapshot and the blob, and no place
 * on a disk.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { decodeMetadata, type SnapshotMetadata } from '../../cluster/snapshots/global-metadata.js';
import { decodeIndex } from '../../cluster/state-codec.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { corrupt, type RootIndex, type SnapshotRecord } from '../../repositories/format.js';
import { indexFolder, type Repository } from '../../repositories/repository.js';

type Named = Pick<SnapshotRecord, 'name' | 'uuid'>;

/** Throws `snapshot_missing_exception` where the repository lacks it, `snapshot_exception` where it is damaged. */
export function readRecord(repository: Repository, snapshot: Named): Promise<SnapshotRecord> {
  return told(repository, snapshot, undefined, 'Snapshot could not be read', () => repository.snapshot(snapshot.uuid));
}

/** What the snapshot keeps of the cluster. Indices alone come back without it. Throws as {@link readRecord}. */
export function readMetadata(repository: Repository, snapshot: Named): Promise<SnapshotMetadata> {
  const blob = `metadata-${snapshot.uuid}`;
  return told(repository, snapshot, blob, 'failed to read global metadata', async () => {
    const metadata = decodeMetadata(await repository.clusterMetadata(snapshot.uuid));
    if (metadata === undefined) throw corrupt(blob, 'lacks some of its members');
    return metadata;
  });
}

/** What the snapshot keeps of an index. Throws as {@link readRecord}. */
export function readIndex(
  repository: Repository,
  snapshot: Named,
  { id, name }: RootIndex,
  blob: string,
): Promise<IndexMetadata> {
  const path = `${indexFolder(id)}/${blob}`;
  return told(repository, snapshot, path, `failed to read metadata of index [${name}]`, async () =>
    decodeIndex(await repository.indexMetadata(id, blob)),
  );
}

/** `blob` is named where it is lost and is not that of the snapshot itself. */
async function told<Result>(
  repository: Repository,
  { name, uuid }: Named,
  blob: string | undefined,
  failure: string,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const { type, message } = asQuarryError(error);
    const what = `[${repository.name}:${name}/${uuid}]`;
    if (type === 'no_such_file_exception') {
      const lacks = blob === undefined ? '' : `: the repository lacks the blob [${blob}]`;
      throw new QuarryError('snapshot_missing_exception', `${what} is missing${lacks}`);
    }
    if (type !== 'corrupt_index_exception') throw error;
    throw new QuarryError('snapshot_exception', `${what} ${failure}: ${message}`, { cause: error });
  }
}
