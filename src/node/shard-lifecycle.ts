/** How a worker opens, changes and closes its shards. */
import type { ShardLifecycle } from '../actions/shard-host.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import { removeDirectory } from '../store/files.js';
import { shardDirectory } from './paths.js';
import type { LifecycleServices } from './worker.js';

export function shardLifecycle(services: LifecycleServices): ShardLifecycle {
  const { coordinator, indicesPath, logger } = services;
  const warn = (error: unknown): void => {
    logger.log('warn', 'a shard report failed', { reason: asQuarryError(error).message });
  };
  return {
    open: (index) => Promise.reject(new QuarryError('internal_error', `cannot open shards of [${index.name}] yet`)),
    update: () => undefined,
    close: (shard) => shard.native.close(),
    deleteFiles: (indexUuid, shard) => removeDirectory(shardDirectory(indicesPath, indexUuid, shard)),
    reportStarted: (report) => void coordinator.submit('shards-started', { shards: [report] }).catch(warn),
    reportFailed: (shard, reason) => void coordinator.submit('shard-failed', { shard, reason }).catch(warn),
  };
}
