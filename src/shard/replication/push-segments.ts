/** Sends a primary's segments to a copy: the files that it lacks, then the word to use them. */
import type { InstallMode } from '../../native/replica-shard.js';
import type { MissingFile, SegmentSet } from '../../native/replication.js';
import type { CopyLink, CopyProgress } from './copy-link.js';

/** Bytes of one message. */
const CHUNK_BYTES = 1 << 20;

/** Resolves when so many bytes more may be sent, with the milliseconds that it took for that reason alone. */
export type Pace = (bytes: number) => Promise<number>;

export interface PushOptions {
  readonly mode: InstallMode;
  readonly pace: Pace;
  /** Files that are under way at once. */
  readonly concurrentFiles: number;
}

/** What was received before an interruption is not sent again. */
export async function pushSegments(set: SegmentSet, link: CopyLink, options: PushOptions): Promise<CopyProgress> {
  const { mode, concurrentFiles } = options;
  const descriptor = set.descriptor();
  const files = mode === 'replace' ? set.files().map(({ name, length }) => ({ name, length })) : [];
  const missing = [...(await link.missingFiles({ descriptor, mode, files }))];
  const push = new FilePush(set, link, options.pace);
  const sendInTurn = async (): Promise<void> => {
    for (let file = missing.shift(); file !== undefined; file = missing.shift()) await push.send(file);
  };
  // The next try begins when nothing of this one is under way any more.
  const ended = await Promise.allSettled(Array.from({ length: concurrentFiles }, sendInTurn));
  for (const result of ended) if (result.status === 'rejected') throw result.reason;
  return link.install({ descriptor, mode });
}

class FilePush {
  private readonly set: SegmentSet;
  private readonly link: CopyLink;
  private readonly pace: Pace;
  private throttledMs = 0;
  private hasFailed = false;

  constructor(set: SegmentSet, link: CopyLink, pace: Pace) {
    this.set = set;
    this.link = link;
    this.pace = pace;
  }

  async send({ name, length, received }: MissingFile): Promise<void> {
    let offset = received;
    try {
      do {
        if (this.hasFailed) return;
        const bytes = await this.set.read(name, offset, Math.min(CHUNK_BYTES, length - offset));
        this.throttledMs += await this.pace(bytes.length);
        const isLast = offset + bytes.length >= length;
        await this.link.writeFile({ name, offset, bytes, isLast, throttledMs: this.throttledMs });
        offset += bytes.length;
      } while (offset < length);
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}
