/** Which snapshots of a policy of snapshot management its deletion lets go. */
import { parseTimeMs } from '../../base/units.js';
import type { SmCondition } from './types.js';

/**
 * The oldest of them: those that are too old, but for `minCount` that stay, and in any case those beyond `maxCount`.
 *
 * @param snapshots all that have ended, whatever came of them
 */
export function snapshotsToDelete<Snapshot extends { readonly startedAtMs: number }>(
  { maxAge, minCount, maxCount }: SmCondition,
  snapshots: readonly Snapshot[],
  nowMs: number,
): readonly Snapshot[] {
  const sorted = [...snapshots].sort((left, right) => left.startedAtMs - right.startedAtMs);
  const beforeMs = maxAge === undefined ? -Infinity : nowMs - parseTimeMs(maxAge, 'max_age');
  const tooOld = sorted.filter(({ startedAtMs }) => startedAtMs < beforeMs).length;
  const expired = Math.max(0, Math.min(tooOld, sorted.length - minCount));
  const surplus = maxCount === undefined ? 0 : sorted.length - maxCount;
  return sorted.slice(0, Math.max(expired, surplus));
}
