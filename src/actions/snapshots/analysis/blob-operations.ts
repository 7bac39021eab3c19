/** What a node does in a repository for an analysis. */
import { asQuarryError } from '../../../base/error-wire.js';
import { QuarryError } from '../../../base/errors.js';
import { findRepository } from '../../../cluster/changes/snapshots/repositories.js';
import type { BlobStore } from '../../../repositories/blob-store.js';
import type { ActionContext } from '../../context.js';
import { defineNodeAction } from '../../nodes/node-action.js';
import { AbandonedWrite, BlobContents } from './contents.js';

const PIECE_BYTES = 4 << 20;
const TOKEN_BYTES_MAX = 1_000;

export interface AnalysedBlob {
  readonly repository: string;
  /** With its folder. */
  readonly blob: string;
  readonly seed: number;
  readonly length: number;
}

export interface WriteInput extends AnalysedBlob {
  readonly isAbandoned: boolean;
}

export interface WriteOutput {
  readonly elapsedMs: number;
}

export interface ReadInput extends AnalysedBlob {
  /** The first byte and the number of bytes that are read. */
  readonly from: number;
  readonly count: number;
}

export interface ReadOutput {
  readonly isFound: boolean;
  /** Until the first piece was there. */
  readonly firstMs: number;
  readonly elapsedMs: number;
}

export interface ClaimInput {
  readonly repository: string;
  readonly blob: string;
  readonly token: string;
}

/** Blobs that fit into one piece are written at once, others piece by piece. */
export const analysisWrite = defineNodeAction('analysis-write', (context, input: WriteInput): Promise<WriteOutput> =>
  context.repositories.analyses.run(async () => {
    const store = storeOf(context, input.repository);
    const { blob, length, isAbandoned } = input;
    const contents = new BlobContents(input.seed, length, isAbandoned ? Math.floor(length / 2) : Infinity);
    const startedMs = context.clock.monotonicMs();
    if (isAbandoned) await writeHalf(store, blob, contents);
    else if (length <= PIECE_BYTES) await store.write(blob, contents.bytes(0, length));
    else await store.writeLarge(blob, contents);
    return { elapsedMs: context.clock.monotonicMs() - startedMs };
  }),
);

async function writeHalf(store: BlobStore, blob: string, contents: BlobContents): Promise<void> {
  try {
    await store.writeLarge(blob, contents);
  } catch (error) {
    if (error instanceof AbandonedWrite || asQuarryError(error).message.includes(new AbandonedWrite().message)) return;
    throw error;
  }
  throw new QuarryError('repository_verification_exception', `[${blob}] was written though its contents ended early`);
}

/** Throws for bytes that were never written, or too few of them. */
export const analysisRead = defineNodeAction('analysis-read', (context, input: ReadInput): Promise<ReadOutput> =>
  context.repositories.analyses.run(async () => {
    const store = storeOf(context, input.repository);
    const contents = new BlobContents(input.seed, input.length);
    const startedMs = context.clock.monotonicMs();
    const elapsed = (): number => context.clock.monotonicMs() - startedMs;
    let firstMs = 0;
    for (let read = 0; read < input.count;) {
      context.cancellation.throwIfCancelled();
      const from = input.from + read;
      const count = Math.min(PIECE_BYTES, input.count - read);
      const bytes = await readIfThere(store, input.blob, from, count);
      if (bytes === undefined && read === 0) return { isFound: false, firstMs: elapsed(), elapsedMs: elapsed() };
      if (bytes === undefined || Buffer.compare(bytes, contents.bytes(from, count)) !== 0) {
        const what = bytes === undefined ? 'vanished while it was read' : `differs from what was written`;
        const reason = `[${input.blob}] of [${input.length}] bytes ${what}, between [${from}] and [${from + count}]`;
        throw new QuarryError('repository_verification_exception', reason);
      }
      if (read === 0) firstMs = elapsed();
      read += count;
    }
    return { isFound: true, firstMs, elapsedMs: elapsed() };
  }),
);

async function readIfThere(
  store: BlobStore,
  blob: string,
  from: number,
  count: number,
): Promise<Uint8Array | undefined> {
  try {
    return await store.readRange(blob, from, count);
  } catch (error) {
    if (asQuarryError(error).type === 'no_such_file_exception') return undefined;
    throw error;
  }
}

/** Tries to be the one who makes the blob; gives who was. */
export const analysisClaim = defineNodeAction(
  'analysis-claim',
  async (
    context,
    { repository, blob, token }: ClaimInput,
  ): Promise<{ readonly isOwn: boolean; readonly holder: string }> => {
    const store = storeOf(context, repository);
    const isOwn = await store.writeNew(blob, Buffer.from(token)).then(
      () => true,
      (error: unknown) => {
        if (asQuarryError(error).type === 'file_already_exists_exception') return false;
        throw error;
      },
    );
    return { isOwn, holder: Buffer.from(await store.read(blob, TOKEN_BYTES_MAX)).toString('utf8') };
  },
);

/** From another node than the one that wrote: what it deletes is gone for all. */
export const analysisDelete = defineNodeAction(
  'analysis-delete',
  async (context, { repository, folder }: { readonly repository: string; readonly folder: string }): Promise<null> => {
    await storeOf(context, repository).removeFolder(folder);
    return null;
  },
);

function storeOf(context: ActionContext, name: string): BlobStore {
  return context.repositories.ofRecord(findRepository(context.clusterState(), name)).store;
}
