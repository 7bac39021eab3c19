/** A shard lends the files of its commit point to a shard of another index on its node, which is made of them. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { definePrimaryOperation, defineShardOperation } from '../shard-operation.js';

/** Has every operation in the segments of all copies that follow; answers the number of the newest one. */
export const prepareLending = definePrimaryOperation(
  'prepare-lending',
  async (shard, _input: null): Promise<number> => {
    await shard.refreshCopies();
    return shard.native.checkpoints().maxSeqNo;
  },
);

export interface LendInput {
  readonly targetUuid: string;
  readonly targetShard: number;
  /** What the primary answered. */
  readonly maxSeqNo: number;
}

const UUID = /^[\w-]{16,64}$/;

/** Links the files into the directory of the target, which has to be there; answers where they are. */
export const lendFiles = defineShardOperation(
  'lend-files',
  async (shard, input: LendInput, context): Promise<string> => {
    const { targetUuid, targetShard, maxSeqNo } = input;
    if (!UUID.test(targetUuid) || !Number.isSafeInteger(targetShard) || targetShard < 0) {
      throw illegalArgument(`[${targetUuid}][${targetShard}] is not a shard`);
    }
    await shard.flush();
    const { index, shard: number } = shard.key;
    if (shard.native.checkpoints().maxSeqNo !== maxSeqNo) {
      throw new QuarryError(
        'illegal_state_exception',
        `[${index}][${number}] was written to while it was being copied`,
      );
    }
    const into = context.directoryOfPart(targetUuid, targetShard, number);
    shard.native.linkCommit(into, maxSeqNo);
    return into;
  },
);
