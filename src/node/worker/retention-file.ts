/** What a copy keeps for others, in a small file beside its own: the next run, perhaps as the primary, keeps the same. */
import { join } from 'node:path';
import { asQuarryError } from '../../base/error-wire.js';
import type { Logger } from '../../base/logger.js';
import type { RetentionServices } from '../../shard/replication/history-retention.js';
import type { RetentionLease } from '../../shard/replication/retention-leases.js';
import { readCheckedNow, writeChecked } from '../../store/files.js';

const FILE = 'retention-leases';

export function retentionServices(
  directory: string,
  ownNodeId: string,
  periodMs: () => number,
  logger: Logger,
): RetentionServices {
  const path = join(directory, FILE);
  const warn = (message: string, error: unknown): void => {
    logger.log('warn', message, { file: path, reason: asQuarryError(error).message });
  };
  let saving: Promise<void> = Promise.resolve();
  return {
    ownNodeId,
    periodMs,
    known: knownLeases(path, warn),
    save(leases) {
      saving = saving
        .then(() => writeChecked(path, JSON.stringify(leases)))
        .catch((error: unknown) => {
          warn('the retention leases of a shard were not saved', error);
        });
    },
    settled: () => saving,
  };
}

function knownLeases(path: string, warn: (message: string, error: unknown) => void): readonly RetentionLease[] {
  try {
    const text = readCheckedNow(path);
    if (text === undefined) return [];
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter(isLease) : [];
  } catch (error) {
    // Copies that return are brought level by files then.
    warn('the retention leases of a shard cannot be used', error);
    return [];
  }
}

function isLease(value: unknown): value is RetentionLease {
  if (typeof value !== 'object' || value === null) return false;
  const { nodeId, retainingSeqNo } = value as Partial<Record<keyof RetentionLease, unknown>>;
  return typeof nodeId === 'string' && Number.isSafeInteger(retainingSeqNo);
}
