/** Which snapshots of a policy its retention lets go. */

export interface Retention {
  readonly expireAfterMs?: number;
  /** Successful snapshots that are kept whatever their age. */
  readonly minCount?: number;
  /** Successful snapshots beyond which the oldest go, whatever their age. */
  readonly maxCount?: number;
}

/** One that has ended. */
export interface RetainedSnapshot {
  readonly state: 'SUCCESS' | 'PARTIAL' | 'FAILED';
  readonly startedAtMs: number;
}

/**
 * Those that go, the oldest first. Only successful ones count for `minCount` and `maxCount`: the others go
 * with those that are older than what `maxCount` keeps, when they are too old, or, where nothing says what that is, as
 * soon as a later one succeeded.
 *
 * @param snapshots all of one policy in one repository
 */
export function expiredSnapshots<Snapshot extends RetainedSnapshot>(
  { expireAfterMs, minCount, maxCount }: Retention,
  snapshots: readonly Snapshot[],
  nowMs: number,
): readonly Snapshot[] {
  const sorted = [...snapshots].sort((left, right) => left.startedAtMs - right.startedAtMs);
  const succeeded = sorted.filter(isSuccess);
  const surplus = maxCount === undefined ? 0 : Math.max(0, succeeded.length - maxCount);
  const newestSuccessMs = succeeded.at(-1)?.startedAtMs ?? -Infinity;
  let older = 0;
  return sorted.filter((snapshot) => {
    const { startedAtMs } = snapshot;
    if (isSuccess(snapshot)) older++;
    const isSurplus = surplus > 0 && older <= surplus;
    const mayExpire = !isSuccess(snapshot) || older <= succeeded.length - (minCount ?? 0);
    const isExpired = expireAfterMs !== undefined && mayExpire && nowMs - startedAtMs > expireAfterMs;
    const isSuperseded = expireAfterMs === undefined && !isSuccess(snapshot) && startedAtMs < newestSuccessMs;
    return isSurplus || isExpired || isSuperseded;
  });
}

function isSuccess({ state }: RetainedSnapshot): boolean {
  return state === 'SUCCESS';
}
