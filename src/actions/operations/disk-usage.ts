/** What of a shard takes how much of the disk, and the greatest value of a field. */
import type { DiskUsage } from '../../native/searcher.js';
import { defineShardOperation } from '../shard-operation.js';

export interface DiskUsageInput {
  /** What is in memory only is written first. */
  readonly flush: boolean;
}

export const diskUsage = defineShardOperation(
  'disk-usage',
  async (shard, { flush }: DiskUsageInput): Promise<DiskUsage> => {
    if (flush) await shard.flush();
    return shard.searcher().diskUsage();
  },
);

export interface GreatestInput {
  readonly field: string;
}

/** Null where no document has the field. */
export const greatestValue = defineShardOperation(
  'greatest-value',
  (shard, { field }: GreatestInput): number | null => shard.searcher().greatest(field) ?? null,
);
