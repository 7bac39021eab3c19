/** What the node has in its directories of certain shards, whether it has them open or not. */
import { asQuarryError } from '../../base/error-wire.js';
import { begunInTurns } from '../../base/turn-of-loop.js';
import { holdsPrimaryOffice, isActive } from '../../cluster/copies/shard-copies.js';
import type { FoundStore } from '../../cluster/nodes/node-reports.js';
import type { CommitDescription } from '../../segment/commit-file.js';
import { newestCommit } from '../../segment/newest-commit.js';
import { readCopyRecord } from '../../store/copy-record.js';
import { indicesDirectory, shardDirectory } from '../../store/layout.js';
import { directoryBytes } from '../../store/shard-directories.js';
import type { ActionContext } from '../context.js';
import { placeOf } from '../copy-selection.js';
import type { ShardKey } from '../shard-client.js';
import { defineNodeAction } from './node-action.js';

export interface ShardStoresInput {
  readonly shards: readonly ShardKey[];
}

/** In the order of the shards; null where nothing is. */
export const shardStores = defineNodeAction(
  'shard-stores',
  async (context, { shards }: ShardStoresInput): Promise<readonly (FoundStore | null)[]> =>
    Promise.all(await begunInTurns(shards, context.loop, (key) => lookAt(context, key))),
);

/** An open shard may write its next commit point meanwhile, and then removes the one that is being read. */
const ATTEMPTS = 3;

async function lookAt(context: ActionContext, key: ShardKey): Promise<FoundStore | null> {
  const directory = shardDirectory(indicesDirectory(context.node.dataPath), key.indexUuid, key.shard);
  const historyStart = await historyStartOf(context, key);
  for (let attempt = 1; ; attempt++) {
    const commit = await settled(() => newestCommit(directory));
    const record = await settled(() => readCopyRecord(directory));
    const error = record.error ?? commit.error;
    if (error !== undefined && attempt < ATTEMPTS) continue;
    if (error === undefined && record.value === undefined && commit.value === undefined) return null;
    const why = error ?? (commit.value === undefined ? `[${directory}] holds no commit point` : undefined);
    const { allocationId = null, formerAllocationId } = record.value ?? {};
    return {
      allocationId,
      ...(formerAllocationId === undefined ? {} : { formerAllocationId }),
      totalBytes: directoryBytes(directory),
      ...describe(commit.value),
      historyStart,
      ...(why === undefined ? {} : { error: why }),
    };
  }
}

function describe(commit: CommitDescription | undefined): Pick<FoundStore, 'segments' | 'historyUuid' | 'maxSeqNo'> {
  if (commit === undefined) return { segments: [], historyUuid: '', maxSeqNo: -1 };
  return {
    segments: commit.segments.map(({ uuid, bytes }) => ({ uuid, bytes })),
    historyUuid: commit.historyUuid,
    maxSeqNo: Number(commit.maxSeqNo),
  };
}

async function settled<T>(read: () => T | Promise<T>): Promise<{ readonly value?: T; readonly error?: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    return { error: asQuarryError(error).message };
  }
}

/** Null unless the primary is open here. */
async function historyStartOf(context: ActionContext, key: ShardKey): Promise<number | null> {
  const copies = context.clusterState().routing.get(key.index)?.shards[key.shard] ?? [];
  const primary = copies.find((copy) => holdsPrimaryOffice(copy) && isActive(copy));
  const place = primary?.nodeId === context.node.id ? placeOf(primary) : undefined;
  if (place === undefined) return null;
  try {
    return (await context.shards.onCopy(key, place, 'checkpoints', null)).historyStart;
  } catch {
    // It is being closed, or has failed: nothing can be sent.
    return null;
  }
}
