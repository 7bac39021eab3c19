/** Sends a primary's segments to a copy: the files that it lacks, then the word to use them. */
import type { InstallMode } from '../../native/replica-shard.js';
import type { MissingFile, SegmentSet } from '../../native/replication.js';
import type { CopyLink, CopyProgress } from './copy-link.js';

/** Bytes of one message. */
const CHUNK_BYTES = 1 << 20;

/** Resolves when so many bytes more may be sent. */
export type Pace = (bytes: number) => Promise<void>;

/** What was received before an interruption is not sent again. */
export async function pushSegments(
  set: SegmentSet,
  link: CopyLink,
  mode: InstallMode,
  pace: Pace,
): Promise<CopyProgress> {
  const descriptor = set.descriptor();
  for (const file of await link.missingFiles({ descriptor })) await pushFile(set, link, file, pace);
  return link.install({ descriptor, mode });
}

async function pushFile(set: SegmentSet, link: CopyLink, file: MissingFile, pace: Pace): Promise<void> {
  const { name, length } = file;
  let offset = file.received;
  do {
    const bytes = await set.read(name, offset, Math.min(CHUNK_BYTES, length - offset));
    await pace(bytes.length);
    const isLast = offset + bytes.length >= length;
    await link.writeFile({ name, offset, bytes, isLast });
    offset += bytes.length;
  } while (offset < length);
}
