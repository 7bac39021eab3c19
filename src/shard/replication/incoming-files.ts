/**
 * What a replica is sent of files: several pieces are on their way at once and may overtake each other, and each is written
 * when those before it are. A push is one try of the primary to send what is missing; pieces of a former one are refused.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { ReplicaShard } from '../../native/replica-shard.js';
import type { MissingFile } from '../../native/replication.js';
import type { FilesAnswer, WriteFileRequest } from './copy-link.js';

/** Pieces that wait for those before them: a primary has fewer on their way. */
const WAITING_MAX = 64;

interface Waiter {
  go(): void;
  giveUp(error: QuarryError): void;
}

interface IncomingFile {
  /** What was written. */
  received: number;
  /** By offset: pieces that came before their turn. */
  readonly early: Map<number, Waiter>;
  failure: QuarryError | undefined;
}

export class IncomingFiles {
  private push = 0;
  private readonly files = new Map<string, IncomingFile>();
  private readonly writing = new Set<Promise<void>>();

  /** Ends the push before; `missing` is asked when nothing of that is being written any more. */
  async begin(missing: () => readonly MissingFile[]): Promise<FilesAnswer> {
    const push = ++this.push;
    this.giveUp('the primary began anew');
    await Promise.allSettled(this.writing);
    this.refuseOther(push);
    const found = missing();
    for (const { name, received } of found) this.files.set(name, { received, early: new Map(), failure: undefined });
    return { push, missing: found };
  }

  /** Resolves when the piece is written, and, with the last one, the file verified and synced. */
  async write(replica: ReplicaShard, { push, name, offset, bytes, isLast }: WriteFileRequest): Promise<void> {
    this.refuseOther(push);
    const file = this.files.get(name);
    if (file === undefined) throw new QuarryError('illegal_argument_exception', `[${name}] is not missing`);
    if (offset > file.received) await this.turn(file, name, offset);
    if (file.failure !== undefined) throw file.failure;
    const written = writePiece(replica, name, offset, bytes, isLast, () => {
      file.received = offset + bytes.length;
      file.early.get(file.received)?.go();
    });
    this.writing.add(written);
    try {
      await written;
    } catch (error) {
      fail(file, asQuarryError(error));
      throw error;
    } finally {
      this.writing.delete(written);
    }
  }

  close(): void {
    this.push++;
    this.giveUp('the shard is being closed');
  }

  private turn(file: IncomingFile, name: string, offset: number): Promise<void> {
    const waiting = [...this.files.values()].reduce((sum, { early }) => sum + early.size, 0);
    if (waiting >= WAITING_MAX || file.early.has(offset)) {
      const reason = `the next byte of [${name}] is [${file.received}], not [${offset}], and [${waiting}] pieces wait`;
      throw new QuarryError('illegal_argument_exception', reason);
    }
    return new Promise<void>((resolve, reject) => {
      file.early.set(offset, { go: resolve, giveUp: reject });
    }).finally(() => {
      file.early.delete(offset);
    });
  }

  private refuseOther(push: number): void {
    if (push !== this.push) throw new QuarryError('illegal_state_exception', `push [${push}] of files is over`);
  }

  private giveUp(reason: string): void {
    for (const file of this.files.values()) fail(file, new QuarryError('illegal_state_exception', reason));
    this.files.clear();
  }
}

async function writePiece(
  replica: ReplicaShard,
  name: string,
  offset: number,
  bytes: Uint8Array,
  isLast: boolean,
  onWritten: () => void,
): Promise<void> {
  if (bytes.length > 0) await replica.writeFile(name, offset, bytes);
  onWritten();
  if (isLast) await replica.finishFile(name);
}

/** Nothing of the file is taken any more in this push. */
function fail(file: IncomingFile, error: QuarryError): void {
  file.failure ??= error;
  for (const waiter of file.early.values()) waiter.giveUp(error);
}
