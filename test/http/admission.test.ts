import { beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { seededRandom } from '../../src/base/random.js';
import { Admission, poolLimits, type Admitted, type RejectedType, type Work } from '../../src/http/admission.js';
import { poolWords } from '../../src/http/pool-room.js';

const LIMITS = {
  search: { size: 2, queueSize: 1 },
  write: { size: 1, queueSize: 1 },
  management: { size: 1, queueSize: 1 },
};

interface Held {
  readonly work: Work;
  started: boolean;
  isLong: boolean;
  isOver: boolean;
  finish: () => void;
}

function held(): Held {
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  const task = {
    started: false,
    isLong: false,
    isOver: false,
    finish: () => {
      task.isOver = true;
      finish();
    },
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

function ofOneFront(rejectedType: RejectedType = 'es_rejected_execution_exception'): Admission {
  return new Admission({ limits: LIMITS, rejectedType, clock, front: { place: 0, count: 1 }, words: poolWords(1) });
}

/** Of one node. */
function fronts(count: number, size: number, queueSize: number): readonly Admission[] {
  const limits = { ...LIMITS, search: { size, queueSize } };
  const words = poolWords(count);
  return Array.from(
    { length: count },
    (_, place) =>
      new Admission({ limits, rejectedType: 'rejected_execution_exception', clock, front: { place, count }, words }),
  );
}

/** Whether it was let in. */
function enter(admission: Admission, { work }: Held): boolean {
  try {
    admission.enter('search', work);
    return true;
  } catch {
    return false;
  }
}

/** What follows from what ended, then what is scheduled, runs. */
async function look(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  for (const action of scheduled.splice(0)) action();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('admission', () => {
  it('what the front itself answers later waits in the same queue', () => {
    const admission = ofOneFront();
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
    const admission = ofOneFront();
    const tasks = [held(), held(), held()];
    for (const { work } of tasks) admission.enter('search', work);
    expect(tasks.map(({ started }) => started)).toEqual([true, true, false]);
    expect(() => {
      admission.enter('search', held().work);
    }).toThrow('rejected execution: pool [search] runs [2] of [2] requests and its queue of [1] is full');
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
    const admission = ofOneFront();
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
    const admission = ofOneFront();
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
    const admission = ofOneFront();
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
    const admission = ofOneFront('rejected_execution_exception');
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
      ['thread_pool.management.size', '2'],
    ]);
    const limits = poolLimits(parseNodeSettings(raw), 4);
    expect(limits.search.size).toBe(7);
    expect(limits.write.queueSize).toBe(9);
    expect(limits.management).toEqual({ size: 2, queueSize: 1_000 });
    expect(poolLimits(parseNodeSettings(new Map()), 4).search.size).toBe(7);
  });
});

describe('admission by several fronts', () => {
  beforeEach(() => {
    scheduled = [];
  });

  it('has the limits of the node, whichever front has the requests', () => {
    const [one, other] = fronts(2, 4, 2) as [Admission, Admission];
    const tasks = Array.from({ length: 8 }, held);
    expect(tasks.slice(0, 5).map((task) => enter(one, task))).toEqual([true, true, true, true, true]);
    expect(tasks.map(({ started }) => started).slice(0, 5)).toEqual([true, true, true, true, false]);
    expect(enter(other, tasks[5] as Held)).toBe(true);
    expect([one, other].map((front) => enter(front, tasks[6] as Held))).toEqual([false, false]);
    expect([one, other].map((front) => front.postpone('search'))).toEqual([false, false]);
    expect(other.figures().search).toMatchObject({ size: 4, queueSize: 2, active: 0, queue: 1, rejected: 1 });
  });

  it('gives what ends to the one that waits longest, wherever it waits', async () => {
    const [one, other] = fronts(2, 1, 9) as [Admission, Admission];
    const tasks = Array.from({ length: 5 }, held) as [Held, Held, Held, Held, Held];
    const order = [one, other, one, other, one];
    for (const [at, task] of tasks.entries()) enter(order[at] as Admission, task);
    for (let ended = 0; ended < tasks.length; ended++) {
      await look();
      expect(tasks.map(({ started }) => started)).toEqual(tasks.map((_, at) => at <= ended));
      tasks[ended]?.finish();
    }
    expect(tasks.every(({ started }) => started)).toBe(true);
  });

  it('leaves each front its part at once, even if others wait elsewhere for longer', async () => {
    const [one, other] = fronts(2, 4, 9) as [Admission, Admission];
    const tasks = Array.from({ length: 6 }, held) as [Held, Held, Held, Held, Held, Held];
    const order = [one, other, one, other, one, other];
    for (const [at, task] of tasks.entries()) enter(order[at] as Admission, task);
    const [, second, , , waiting, later] = tasks;
    second.finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect([waiting.started, later.started]).toEqual([false, true]);
    // The other front has no use for this one.
    later.finish();
    await look();
    expect(waiting.started).toBe(true);
  });

  it('lets in who waits in another front when a request turns out to take long', async () => {
    const [one, other] = fronts(2, 1, 1) as [Admission, Admission];
    const [long, waiting] = [held(), held()];
    enter(one, long);
    enter(other, waiting);
    await look();
    expect(waiting.started).toBe(false);
    long.isLong = true;
    await look();
    await look();
    expect(waiting.started).toBe(true);
    expect(enter(other, held())).toBe(false);
    expect(one.figures().search.largest).toBe(1);
    expect(other.figures().search.largest).toBe(2);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('keeps its limits and forgets nobody, whatever comes (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const [count, size, queueSize] = [1 + random.below(4), 1 + random.below(5), random.below(6)];
    const all = fronts(count, size, queueSize);
    const running = new Set<Held>();
    const entered: Held[] = [];
    for (let step = 0; step < 400; step++) {
      const front = all[random.below(count)] as Admission;
      if (random.below(2) === 0) {
        const task = held();
        const pending = all.reduce((sum, each) => sum + each.pending, 0);
        expect(enter(front, task)).toBe(pending < size + queueSize);
        if (pending < size + queueSize) entered.push(task);
      } else {
        const task = [...running][random.below(Math.max(1, running.size))];
        if (task !== undefined && random.below(4) === 0) task.isLong = true;
        else if (task !== undefined) task.finish();
      }
      if (random.below(3) === 0) await look();
      running.clear();
      for (const task of entered) if (task.started && !task.isOver) running.add(task);
      expect([...running].filter(({ isLong }) => !isLong).length).toBeLessThanOrEqual(size);
      expect(running.size).toBeLessThanOrEqual(size + queueSize);
    }
    for (let round = 0; round <= entered.length; round++) {
      for (const task of entered) if (task.started) task.finish();
      await look();
    }
    expect(entered.every(({ started }) => started)).toBe(true);
    expect(all.map((front) => front.pending)).toEqual(all.map(() => 0));
  });
});
