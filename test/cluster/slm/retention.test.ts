import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/base/random.js';
import { expiredSnapshots, type RetainedSnapshot, type Retention } from '../../../src/cluster/slm/retention.js';

const NOW_MS = 1_000;

const at = (startedAtMs: number, state: RetainedSnapshot['state'] = 'SUCCESS'): RetainedSnapshot => ({
  state,
  startedAtMs,
});

const nameOf = ({ state, startedAtMs }: RetainedSnapshot): string => `${state.toLowerCase()}-${startedAtMs}`;

function expired(retention: Retention, ...snapshots: readonly RetainedSnapshot[]): readonly string[] {
  return expiredSnapshots(retention, snapshots, NOW_MS).map(nameOf);
}

describe('a snapshot goes', () => {
  test('when it is older than it may be, and not before', () => {
    expect(expired({ expireAfterMs: 500 }, at(499), at(500), at(501))).toEqual(['success-499']);
  });

  test('unless too few would be left, the oldest first', () => {
    expect(expired({ expireAfterMs: 1, minCount: 2 }, at(3), at(1), at(2))).toEqual(['success-1']);
    expect(expired({ expireAfterMs: 1, minCount: 3 }, at(3), at(1), at(2))).toEqual([]);
  });

  test('whatever its age, when there are too many', () => {
    expect(expired({ maxCount: 1 }, at(999), at(997), at(998))).toEqual(['success-997', 'success-998']);
    expect(expired({ maxCount: 3 }, at(999), at(997), at(998))).toEqual([]);
  });

  test('when it failed: by age, with those that are too many, or once a later one succeeded', () => {
    const failed = [at(10, 'FAILED'), at(20, 'PARTIAL')];
    expect(expired({ expireAfterMs: 985, minCount: 5 }, ...failed, at(30))).toEqual(['failed-10']);
    expect(expired({ minCount: 5 }, ...failed, at(15))).toEqual(['failed-10']);
    expect(expired({ minCount: 5 }, ...failed)).toEqual([]);
    expect(expired({ expireAfterMs: 5_000, maxCount: 1 }, ...failed, at(15), at(30))).toEqual([
      'failed-10',
      'success-15',
      'partial-20',
    ]);
  });
});

/** Each rule on its own, asked for one snapshot at a time. */
function isExpired(retention: Retention, all: readonly RetainedSnapshot[], one: RetainedSnapshot): boolean {
  const { expireAfterMs, minCount = 0, maxCount = Infinity } = retention;
  const good = all.filter(({ state }) => state === 'SUCCESS');
  const isGood = good.includes(one);
  if (!isGood && expireAfterMs === undefined && good.some((each) => each.startedAtMs > one.startedAtMs)) return true;
  const goodUpToIt = good.filter((each) => each.startedAtMs <= one.startedAtMs).length;
  if (good.length > maxCount && goodUpToIt <= good.length - maxCount) return true;
  if (isGood && good.length - goodUpToIt < minCount) return false;
  return expireAfterMs !== undefined && NOW_MS - one.startedAtMs > expireAfterMs;
}

test.each([1, 2, 3, 4])('what goes is what the rules say of each one (seed %i)', (seed) => {
  const random = seededRandom(seed);
  const states = ['SUCCESS', 'SUCCESS', 'SUCCESS', 'PARTIAL', 'FAILED'] as const;
  for (let round = 0; round < 500; round++) {
    // No two begin at the same time.
    const snapshots = Array.from({ length: random.below(12) }, (_, each) =>
      at(each * 80 + random.below(80), states[random.below(states.length)] ?? 'SUCCESS'),
    );
    const shuffled = snapshots
      .map((each) => [random.below(1_000), each] as const)
      .sort(([left], [right]) => left - right)
      .map(([, each]) => each);
    const minCount = 1 + random.below(6);
    const retention: Retention = {
      ...(random.below(2) === 0 ? { expireAfterMs: random.below(1_000) } : {}),
      ...(random.below(2) === 0 ? { minCount } : {}),
      ...(random.below(2) === 0 ? { maxCount: minCount + random.below(6) } : {}),
    };
    const expected = snapshots.filter((each) => isExpired(retention, snapshots, each));
    expect([retention, expiredSnapshots(retention, shuffled, NOW_MS)]).toEqual([retention, expected]);
  }
});
