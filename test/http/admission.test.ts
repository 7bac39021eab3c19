import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { Admission, poolLimits, shareOfLimits, type Admitted, type Work } from '../../src/http/admission.js';

const LIMITS = {
  search: { size: 2, queueSize: 1 },
  write: { size: 1, queueSize: 1 },
  management: { size: 1, queueSize: 1 },
};

interface Held {
  readonly work: Work;
  started: boolean;
  isLong: boolean;
  readonly finish: () => void;
}

function held(): Held {
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  const task = {
    started: false,
    isLong: false,
    finish,
    work: (admitted: Admitted) => {
      task.started = true;
      admitted.isLong = () => task.isLong;
      return done;
    },
  };
  return task;
}

const clock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => timeMs,
  schedule: (_delayMs, action) => {
    scheduled.push(action);
    return () => undefined;
  },
};
let timeMs = 0;
let scheduled: (() => void)[] = [];

describe('admission', () => {
  it('what the front itself answers later waits in the same queue', () => {
    const admission = new Admission(LIMITS, 'es_rejected_execution_exception', clock);
    for (const { work } of [held(), held()]) admission.enter('search', work);
    expect(admission.postpone('search')).toBe(true);
    expect(admission.postpone('search')).toBe(false);
    expect(() => {
      admission.enter('search', held().work);
    }).toThrow('its queue of [1] is full');
    expect(admission.figures()['search']).toMatchObject({ active: 2, queue: 1 });
    admission.resume('search', 40);
    expect(admission.figures()['search']).toMatchObject({ active: 2, queue: 0, waitMs: 40 });
    expect(admission.pending).toBe(2);
    expect(admission.postpone('search')).toBe(true);
  });

  it('runs, queues, then refuses with the rejection of the API', async () => {
    const admission = new Admission(LIMITS, 'es_rejected_execution_exception', clock);
    const tasks = [held(), held(), held()];
    for (const { work } of tasks) admission.enter('search', work);
    expect(tasks.map(({ started }) => started)).toEqual([true, true, false]);
    expect(() => {
      admission.enter('search', held().work);
    }).toThrow(
      'rejected execution: pool [search] runs [2] of [2] requests and its queue of [1] is full, completed requests = 0',
    );
    expect(admission.figures()['search']).toEqual({
      size: 2,
      queueSize: 1,
      active: 2,
      queue: 1,
      rejected: 1,
      completed: 0,
      largest: 2,
      waitMs: 0,
    });
    timeMs += 25;
    tasks[0]?.finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(tasks[2]?.started).toBe(true);
    expect(admission.figures().search).toMatchObject({ waitMs: 25, completed: 1, queue: 0 });
  });

  it('lets others in where requests turn out to take long, up to the limit of all', () => {
    const admission = new Admission(LIMITS, 'es_rejected_execution_exception', clock);
    scheduled = [];
    const [one, two, three] = [held(), held(), held()];
    for (const { work } of [one, two, three]) admission.enter('search', work);
    expect(three.started).toBe(false);
    two.isLong = true;
    expect(scheduled).toHaveLength(1);
    scheduled[0]?.();
    expect(three.started).toBe(true);
    expect(admission.figures().search).toMatchObject({ active: 3, queue: 0, largest: 3 });
    one.isLong = true;
    expect(() => {
      admission.enter('search', held().work);
    }).toThrow('rejected execution: pool [search] runs [3] of [2] requests');
  });

  it('gives room that is there again to those who wait, not to who comes last', () => {
    const admission = new Admission(LIMITS, 'es_rejected_execution_exception', clock);
    const tasks = [held(), held(), held(), held()];
    const [first, second, waiting, last] = tasks as [Held, Held, Held, Held];
    for (const { work } of [first, second, waiting]) admission.enter('search', work);
    first.isLong = true;
    expect(() => {
      admission.enter('search', last.work);
    }).toThrow('rejected execution');
    expect([waiting.started, last.started]).toEqual([true, false]);
  });

  it('looks at those that run only while others wait', () => {
    const admission = new Admission(LIMITS, 'es_rejected_execution_exception', clock);
    scheduled = [];
    const tasks = [held(), held(), held()];
    for (const { work } of tasks.slice(0, 2)) admission.enter('search', work);
    expect(scheduled).toHaveLength(0);
    admission.enter('search', held().work);
    scheduled.shift()?.();
    expect(scheduled).toHaveLength(1);
    for (const task of tasks) task.isLong = true;
    scheduled.shift()?.();
    expect(scheduled).toHaveLength(0);
  });

  it('keeps pools apart', () => {
    const admission = new Admission(LIMITS, 'rejected_execution_exception', clock);
    const [first, second] = [held(), held()];
    admission.enter('write', first.work);
    admission.enter('search', second.work);
    expect(second.started).toBe(true);
    expect(admission.pending).toBe(2);
  });

  it('takes its limits from thread_pool settings', () => {
    const raw = new Map([
      ['thread_pool.search.size', '7'],
      ['thread_pool.write.queue_size', '9'],
    ]);
    const limits = poolLimits(parseNodeSettings(raw), 4);
    expect(limits.search.size).toBe(7);
    expect(limits.write.queueSize).toBe(9);
    expect(poolLimits(parseNodeSettings(new Map()), 4).search.size).toBe(7);
  });

  it('gives each of several fronts its part of the limits, which together are all of them, and at least one', () => {
    const whole = poolLimits(parseNodeSettings(new Map([['thread_pool.search.size', '2']])), 4);
    const parts = [0, 1, 2].map((place) => shareOfLimits(whole, { place, count: 3 }));
    expect(parts.map(({ search }) => search.size)).toEqual([1, 1, 1]);
    expect(parts.map(({ search }) => search.queueSize)).toEqual([333, 333, 334]);
    const writes = parts.map(({ write }) => write.size);
    expect(writes.reduce((sum, size) => sum + size, 0)).toBe(whole.write.size);
    expect(parts.map(({ management }) => management)).toEqual([1, 2, 3].map(() => whole.management));
    expect(shareOfLimits(whole, { place: 0, count: 1 })).toEqual(whole);
  });
});
