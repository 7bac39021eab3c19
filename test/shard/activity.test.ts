import { describe, expect, it } from 'vitest';
import { FlushCounter, WriteCounter } from '../../src/shard/activity.js';

describe('FlushCounter', () => {
  it('tells those that the shard began itself', () => {
    const counter = new FlushCounter();
    counter.ended(1.6, false);
    counter.ended(2.6, true);
    expect(counter.figures()).toEqual({ total: 2, periodic: 1, timeMs: 4 });
  });
});

describe('WriteCounter', () => {
  it('counts requests, and documents by the kind of their answers; the newest request weighs a tenth of the means', () => {
    const counter = new WriteCounter();
    counter.ended(10, 1_000);
    counter.ended(20, 2_000);
    counter.answered([200, 201, 409]);
    counter.conflicted(1);
    expect(counter.figures()).toEqual({
      requests: 2,
      timeMs: 30,
      bytes: 3_000,
      meanTimeMs: 11,
      meanBytes: 1_100,
      documentsByStatus: { 2: 2, 4: 1 },
      conflicts: 1,
    });
  });
});
