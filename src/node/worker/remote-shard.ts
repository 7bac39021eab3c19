/** The files of a shard of a mounted index that are read in the repository. */
import { QuarryError } from '../../base/errors.js';
import type { RestoreSource } from '../../cluster/snapshots/types.js';
import { RemoteFiles, type KeptFiles, type RemoteFile } from '../../native/remote-files.js';
import type { StoredFile } from '../../repositories/format.js';
import type { Repository } from '../../repositories/repository.js';

/** `directory` is that of the shard. Throws where the files cannot be read in parts. */
export async function remoteFilesOf(
  repository: Repository,
  { indexId, index, snapshot }: RestoreSource,
  shard: number,
  stored: readonly StoredFile[],
  directory: string,
  kept: KeptFiles,
): Promise<RemoteFiles> {
  const files: RemoteFile[] = [];
  for (const file of stored) {
    const { name, length, parts } = file;
    if (parts === undefined) {
      const what = `[${repository.name}:${snapshot}] has the file [${name}] of [${index}][${shard}]`;
      throw new QuarryError('illegal_state_exception', `${what} without checksums of its parts`);
    }
    files.push({ name, length, partBytes: parts.bytes, checksums: await repository.parts(indexId, shard, file) });
  }
  const byName = new Map(stored.map((file) => [file.name, file] as const));
  const read = (name: string, offset: number, length: number): Promise<Uint8Array> => {
    const file = byName.get(name);
    if (file !== undefined) return repository.readFile(indexId, shard, file, offset, length);
    throw new QuarryError('no_such_file_exception', `the snapshot has no file [${name}]`);
  };
  return new RemoteFiles(directory, files, kept, read);
}
