/** The front looks for answers for a moment before it sleeps; here with a clock and turns of the thread that the test makes. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { ActiveWait } from '../../src/node/front/active-wait.js';

const LIMIT_MS = 0.5;

let nowMs: number;
let pending: (() => void)[];
let mayLook: boolean;

const clock: Clock = {
  nowMs: () => nowMs,
  monotonicMs: () => nowMs,
  schedule: () => () => undefined,
};

/** Turns of the thread, an eighth of a millisecond each, until nobody looks any more. */
function turns(): number {
  let count = 0;
  while (pending.length > 0) {
    const [look, ...others] = pending;
    expect(others).toEqual([]);
    pending = [];
    nowMs += 0.125;
    look?.();
    count++;
  }
  return count;
}

function request(wait: ActiveWait): { answer: (afterMs?: number) => Promise<void> } {
  let resolve: (value: string) => void = () => undefined;
  const waiting = wait.during(new Promise<string>((settle) => (resolve = settle)));
  return {
    answer: async (afterMs = 0) => {
      nowMs += afterMs;
      resolve('answer');
      expect(await waiting).toBe('answer');
    },
  };
}

function newWait(limitMs = LIMIT_MS): ActiveWait {
  return new ActiveWait(
    clock,
    limitMs,
    () => mayLook,
    (look) => pending.push(look),
  );
}

beforeEach(() => {
  nowMs = 1_000;
  pending = [];
  mayLook = true;
});

describe('an active wait', () => {
  it('looks for the answer to a request that is alone, until the limit', async () => {
    const alone = request(newWait());
    expect(turns()).toBe(4);
    await alone.answer();
  });

  it('ends, or does not begin, while no processor is idle', async () => {
    const wait = newWait();
    const first = request(wait);
    mayLook = false;
    expect(turns()).toBe(1);
    await first.answer();
    const second = request(wait);
    expect(turns()).toBe(1);
    mayLook = true;
    await second.answer();
  });

  it('ends with the answer', async () => {
    const alone = request(newWait());
    expect(pending.length).toBe(1);
    await alone.answer(0.125);
    expect(turns()).toBe(1);
  });

  it('ends when another request comes, and does not look for that one', async () => {
    const wait = newWait();
    const first = request(wait);
    const second = request(wait);
    expect(turns()).toBe(1);
    await first.answer();
    await second.answer();
    const third = request(wait);
    expect(turns()).toBe(4);
    await third.answer();
  });

  it('is not begun twice at once', async () => {
    const wait = newWait();
    await request(wait).answer();
    const second = request(wait);
    expect(pending.length).toBe(1);
    expect(turns()).toBe(4);
    await second.answer();
  });

  it('does not look for answers that take long, until they are soon there again', async () => {
    const wait = newWait();
    for (let count = 0; count < 8; count++) {
      const long = request(wait);
      turns();
      await long.answer(50);
    }
    const another = request(wait);
    expect(pending.length).toBe(0);
    await another.answer();
    let small = 0;
    for (; pending.length === 0 && small < 100; small++) await request(wait).answer(0.125);
    expect(small).toBeGreaterThan(1);
    expect(small).toBeLessThan(40);
  });

  it('goes on for small requests after a single long one', async () => {
    const wait = newWait();
    for (const tookMs of [0.125, 0.125, 0.125, 50]) {
      const one = request(wait);
      await one.answer(tookMs);
      turns();
    }
    const next = request(wait);
    expect(turns()).toBe(4);
    await next.answer();
  });

  it('passes failures on, and looks for the next answer', async () => {
    const wait = newWait();
    await expect(wait.during(Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    turns();
    const next = request(wait);
    expect(turns()).toBe(4);
    await next.answer();
  });

  it('looks for the next request of a client that soon sends one, and no longer once it does not', async () => {
    const wait = newWait();
    // The first ones are not known to come soon.
    for (let count = 0; count < 40; count++) {
      const one = request(wait);
      await one.answer(0.125);
      nowMs += 0.125;
    }
    // An eighth of a millisecond has passed since the last answer.
    expect(turns()).toBe(3);
    let rare = 0;
    for (; rare < 100; rare++) {
      nowMs += 100;
      await request(wait).answer(0.125);
      if (turns() < 4) break;
    }
    expect(rare).toBeLessThan(10);
  });

  it('looks for no answer that this thread makes itself', async () => {
    const wait = newWait();
    let resolve: (value: string) => void = () => undefined;
    const made = wait.during(new Promise<string>((settle) => (resolve = settle)), true);
    expect(pending.length).toBe(0);
    resolve('answer');
    expect(await made).toBe('answer');
  });

  it('never looks where its limit is zero', async () => {
    const alone = request(newWait(0));
    expect(pending.length).toBe(0);
    await alone.answer();
  });
});
