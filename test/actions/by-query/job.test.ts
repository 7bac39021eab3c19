/** When jobs take turns, and how long they rest between pages. */
import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../../../src/actions/context.js';
import { runJob, type HitSource, type JobControl, type JobPlan } from '../../../src/actions/by-query/job.js';
import { Progress } from '../../../src/actions/by-query/progress.js';
import type { Clock } from '../../../src/base/clock.js';
import { Turns } from '../../../src/base/turns.js';

const HIT = { index: 'a', id: '1', routing: undefined, version: 1n, seqNo: 1, primaryTerm: 1, source: undefined };
const PAGES = 3;

/** Time passes where somebody waits for it. */
class PassingClock implements Clock {
  private ms = 0;

  nowMs(): number {
    return this.ms;
  }

  monotonicMs(): number {
    return this.ms;
  }

  schedule(delayMs: number, action: () => void): () => void {
    setImmediate(() => {
      this.ms += delayMs;
      action();
    });
    return () => undefined;
  }
}

function planOf(source: HitSource): JobPlan {
  const writes = { body: Buffer.alloc(0), indexNames: [], actions: [] };
  const limits = { pageSize: 1, maxDocs: undefined, abortsOnConflict: true, activeShards: undefined, timeoutMs: 1 };
  return { source, ...limits, make: () => ({ writes, noops: 1 }) };
}

function controlOf(clock: Clock, turns: Turns, pace = (): number => Infinity): JobControl {
  const context = { clock, turns, tasks: { detached: () => context } } as unknown as ActionContext;
  return { context, progress: new Progress(), isCancelled: () => false, pace, changed: () => undefined };
}

function pages(next: (keepMs: number) => Promise<void>, isWork = true): HitSource {
  const page = { bytes: new Uint8Array(0), hits: [HIT], total: PAGES };
  return {
    isWork,
    next: async (keepMs) => {
      await next(keepMs);
      return { page, failures: [], isTimedOut: false };
    },
    close: () => Promise.resolve(),
  };
}

describe('a job', () => {
  it('that waits for another cluster does not hold up the others', async () => {
    const clock = new PassingClock();
    const turns = new Turns(clock, () => Promise.resolve(false));
    void runJob(planOf(pages(() => new Promise<never>(() => undefined), false)), controlOf(clock, turns));
    const control = controlOf(clock, turns);
    await runJob(planOf(pages(() => Promise.resolve())), control);
    expect(control.progress.noops).toBe(PAGES);
  });

  it('that is slowed down rests for no longer than its views are kept', async () => {
    const clock = new PassingClock();
    const turns = new Turns(clock, () => Promise.resolve(false));
    let pace = 10;
    let lapsesAt = Infinity;
    const seen: [late: boolean, keepMs: number][] = [];
    const next = (keepMs: number): Promise<void> => {
      seen.push([clock.monotonicMs() > lapsesAt, keepMs]);
      lapsesAt = clock.monotonicMs() + keepMs + 1;
      pace = 0.1;
      return Promise.resolve();
    };
    await runJob(
      planOf(pages(next)),
      controlOf(clock, turns, () => pace),
    );
    expect(seen).toEqual([
      [false, 100],
      [false, 10_000],
      [false, 10_000],
    ]);
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(10_000);
  });
});
