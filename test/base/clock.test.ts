import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.js';

const MONTH_MS = 30 * 24 * 60 * 60 * 1_000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the clock of the system', () => {
  it('waits for longer than one timer can, and forgets it when told so', () => {
    const ran: string[] = [];
    systemClock.schedule(MONTH_MS, () => ran.push('month'));
    const stop = systemClock.schedule(MONTH_MS, () => ran.push('stopped'));
    vi.advanceTimersByTime(MONTH_MS - 1);
    expect(ran).toEqual([]);
    stop();
    vi.advanceTimersByTime(1);
    expect(ran).toEqual(['month']);
  });
});
