/** How full the node's disk is, and with what. */
import type { DiskReport } from '../../cluster/nodes/node-reports.js';
import { diskUsage as usageOf } from '../../store/disk.js';
import { indicesDirectory, shardDirectory } from '../../store/layout.js';
import { directoryBytes, shardPlaces } from '../../store/shard-directories.js';
import { defineNodeAction } from './node-action.js';

export const diskUsage = defineNodeAction('disk-usage', async ({ node, loop }, _input: null): Promise<DiskReport> => {
  const { totalBytes, availableBytes } = await usageOf(node.dataPath);
  const indices = indicesDirectory(node.dataPath);
  const shards = [];
  for (const { indexUuid, shard } of await shardPlaces(indices, loop)) {
    await loop.leaveTime();
    shards.push({ indexUuid, shard, bytes: directoryBytes(shardDirectory(indices, indexUuid, shard)) });
  }
  return { path: node.dataPath, totalBytes, freeBytes: availableBytes, shards };
});
