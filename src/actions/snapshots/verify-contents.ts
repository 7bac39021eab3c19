/**
 * Whether a file of a repository holds what its name says: it is read once, as a restore would read it, and proved meanwhile. So are
 * the checksums of its parts.
 */
import { FileCheck } from '../../native/file-check.js';
import { corrupt, type StoredFile } from '../../repositories/format.js';
import type { Repository } from '../../repositories/repository.js';
import type { Pace } from '../../shard/replication/push-segments.js';

const PIECE_BYTES = 4 << 20;

/** Rejects with `corrupt_index_exception` for damage, or with why it cannot be read. `pace` is asked before each piece. */
export async function verifyContents(
  repository: Repository,
  indexId: string,
  shard: number,
  file: StoredFile,
  pace: Pace,
): Promise<void> {
  const { length, parts } = file;
  const read = (offset: number, count: number): Promise<Uint8Array> =>
    repository.readFile(indexId, shard, file, offset, count);
  const check = await FileCheck.of(file, read, parts?.bytes ?? 0);
  let ahead: Promise<Uint8Array> | undefined;
  for (let offset = 0; offset < length;) {
    const bytes: Uint8Array = await (ahead ?? read(offset, Math.min(PIECE_BYTES, length - offset)));
    offset += bytes.length;
    await pace(bytes.length);
    ahead = offset < length ? read(offset, Math.min(PIECE_BYTES, length - offset)) : undefined;
    // Whoever fails first tells of it.
    ahead?.catch(() => undefined);
    await check.update(bytes);
  }
  check.finish();
  if (parts === undefined) return;
  const stored = await repository.parts(indexId, shard, file);
  if (Buffer.compare(stored, check.partChecksums()) === 0) return;
  throw corrupt(repository.partsOf(file), 'has other checksums than the parts of its file');
}
