/** Settings of the cluster that say how copies recover from their primaries. */
import { bytesKind, integerKind, timeKind } from './setting-kinds.js';
import { setting } from './registry.js';

const RECOVERY = 'indices.recovery';

export const RecoverySettingDefinitions = {
  /** What one worker sends to copies that are not in sync; 0 or less: no limit. */
  recoveryMaxBytesPerSecond: setting(`${RECOVERY}.max_bytes_per_sec`, bytesKind(), '40mb', 'dynamic'),
  /** Pieces of files that are on their way to one copy at a time. */
  recoveryMaxConcurrentFileChunks: setting(`${RECOVERY}.max_concurrent_file_chunks`, integerKind(1, 8), '2', 'dynamic'),
  /** Operations are taken in the order of their numbers, so one request at a time is all there can be. */
  recoveryMaxConcurrentOperations: setting(
    `${RECOVERY}.max_concurrent_operations`,
    integerKind(1, 4),
    '1',
    'dynamic',
    'fixed',
  ),
  /** The longest pause before a copy is tried again that its node does not know of yet. */
  recoveryRetryDelayStateSync: setting(`${RECOVERY}.retry_delay_state_sync`, timeKind('0ms'), '500ms', 'dynamic'),
  /** The longest pause before a copy is tried again that could not be reached. */
  recoveryRetryDelayNetwork: setting(`${RECOVERY}.retry_delay_network`, timeKind('0ms'), '5s', 'dynamic'),
  /** How long one request to a recovering copy may take. */
  recoveryActionTimeout: setting(`${RECOVERY}.internal_action_timeout`, timeKind('0ms'), '15m', 'dynamic'),
  /** The same for requests that write much: aligning, and using the segments that were sent. */
  recoveryActionLongTimeout: setting(`${RECOVERY}.internal_action_long_timeout`, timeKind('0ms'), '30m', 'dynamic'),
  /** A recovering copy that takes nothing for so long is given up. */
  recoveryActivityTimeout: setting(`${RECOVERY}.recovery_activity_timeout`, timeKind('0ms'), '30m', 'dynamic'),
} as const;
