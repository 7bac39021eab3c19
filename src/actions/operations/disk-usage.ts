/** What of a shard takes how much of the disk, and the greatest value of a field. */
import type { DiskUsage } from '../../native/searcher.js';
import { defineReadOperation, defineShardOperation } from '../shard-operation.js';
import { onSearcher } from './search-shard.js';

export interface DiskUsageInput {
  /** What is in memory only is written first. */
  readonly flush: boolean;
}

export const diskUsage = defineShardOperation(
  'disk-usage',
  async (shard, { flush }: DiskUsageInput, context): Promise<DiskUsage> => {
    if (flush) await shard.flush();
    return onSearcher(shard, undefined, context, (searcher) => searcher.diskUsage());
  },
);

export interface GreatestInput {
  readonly field: string;
}

/** Null where no document has the field. */
export const greatestValue = defineReadOperation(
  'greatest-value',
  (shard, { field }: GreatestInput, context): Promise<number | null> =>
    onSearcher(shard, undefined, context, (searcher) => searcher.greatest(field)),
);
