/** How a primary reaches the other copies of its shard, and what it tells the master of them. */
import type { ShardKey } from '../../actions/shard-client.js';
import type { ShardOperationInput, ShardOperationName, ShardOperationOutput } from '../../actions/shard-operations.js';
import { asQuarryError } from '../../base/error-wire.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { CoordinatorClient } from '../../coordinator/client.js';
import type { CopyAddress, CopyLink } from '../../shard/replication/copy-link.js';
import type { RetentionServices } from '../../shard/replication/history-retention.js';
import type { Pace } from '../../shard/replication/push-segments.js';
import type { RecoveryLimits } from '../../shard/replication/recovery-limits.js';
import type { ReplicationServices } from '../../shard/replication/replication-group.js';

export interface CopyLinkServices {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly coordinator: CoordinatorClient;
  readonly pace: Pace;
  readonly recoveryLimits: () => RecoveryLimits;
  onCopy<Name extends ShardOperationName>(
    key: ShardKey,
    place: Pick<CopyAddress, 'nodeId' | 'workerSlot'>,
    name: Name,
    input: ShardOperationInput<Name>,
  ): Promise<ShardOperationOutput<Name>>;
}

const FIRST_RETRY_MS = 100;
const RETRY_MS_MAX = 5_000;

/** Of the primary with that allocation, while its term is `primaryTerm`. */
export function replicationServices(
  key: ShardKey,
  primaryTerm: number,
  retention: RetentionServices,
  services: CopyLinkServices,
): ReplicationServices {
  const { clock, logger, coordinator, pace } = services;
  const report = (allocationId: string) => ({ ...key, allocationId, primaryTerm });
  const untilAnswered = async (submit: () => Promise<unknown>, isWanted: () => boolean): Promise<void> => {
    for (let delayMs = FIRST_RETRY_MS; isWanted(); delayMs = Math.min(2 * delayMs, RETRY_MS_MAX)) {
      try {
        await submit();
        return;
      } catch (error) {
        const { type, message } = asQuarryError(error);
        if (type === 'no_longer_primary_shard_exception') throw error;
        logger.log('warn', 'a report on a copy failed', { index: key.index, shard: key.shard, reason: message });
        await new Promise<void>((resolve) => clock.schedule(delayMs, resolve));
      }
    }
  };
  return {
    clock,
    logger,
    pace,
    retention,
    limits: services.recoveryLimits,
    link: (copy) => copyLink(key, copy, services),
    reportStarted: (allocationId, isWanted) =>
      untilAnswered(() => coordinator.submit('shards-started', { shards: [report(allocationId)] }), isWanted),
    reportFailed: (allocationId, reason, isWanted) =>
      untilAnswered(() => coordinator.submit('shard-failed', { shard: report(allocationId), reason }), isWanted),
  };
}

function copyLink(key: ShardKey, place: CopyAddress, services: CopyLinkServices): CopyLink {
  return {
    align: (input) => services.onCopy(key, place, 'replica-align', input),
    append: (input) => services.onCopy(key, place, 'replica-append', input),
    missingFiles: (input) => services.onCopy(key, place, 'replica-files', input),
    writeFile: (input) => services.onCopy(key, place, 'replica-write-file', input),
    install: (input) => services.onCopy(key, place, 'replica-install', input),
    finalize: (input) => services.onCopy(key, place, 'replica-finalize', input),
    retain: (input) => services.onCopy(key, place, 'replica-retain', input),
  };
}
