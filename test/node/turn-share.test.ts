import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { TurnShare } from '../../src/node/turn-share.js';

describe('what the front reads in one turn', () => {
  it('is too much once its share is over, until the next turn', () => {
    let nowMs = 0;
    const soon: (() => void)[] = [];
    const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, schedule: () => () => undefined };
    const share = new TurnShare(clock, 0.5, (action) => soon.push(action));
    // However long the first read takes, nobody knew.
    expect(share.isUsedUp).toBe(false);
    nowMs += 0.25;
    expect(share.isUsedUp).toBe(false);
    nowMs += 0.25;
    expect(share.isUsedUp).toBe(true);
    expect(soon).toHaveLength(1);
    soon.pop()?.();
    expect(share.isUsedUp).toBe(false);
    expect(soon).toHaveLength(1);
  });
});
