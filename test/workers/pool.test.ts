import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { silentLogger } from '../../src/base/logger.js';
import { WorkerPool } from '../../src/workers/pool.js';
import { FRONT, type Wire } from '../../src/workers/wires.js';
import { WorkerSlots, slotWords } from '../../src/workers/worker-slots.js';

let pool: WorkerPool;
let slots: WorkerSlots;
let upward: { peer: string; wire: Wire }[];
let fatal: string[];
let crashed: number[];
/** How many more workers fail at their first task. */
let failures: Int32Array;
/** When other threads have the lines that they were given. */
let taken: Promise<void>;

beforeEach(async () => {
  upward = [];
  fatal = [];
  crashed = [];
  taken = Promise.resolve();
  failures = new Int32Array(new SharedArrayBuffer(4));
  pool = newPool();
  await pool.wireAll({ name: 'node-1', failures });
});

afterEach(async () => {
  await pool.close();
});

function newPool(startData: object = {}): WorkerPool {
  slots = new WorkerSlots(slotWords(3));
  return new WorkerPool({
    entry: new URL('./pool-fixture.mjs', import.meta.url),
    slots,
    fronts: [FRONT],
    startData,
    clock: systemClock,
    logger: silentLogger,
    connect: async (peer, wire) => {
      upward.push({ peer, wire });
      await taken;
    },
    onCrash: (slot) => crashed.push(slot),
    onFatal: (reason) => fatal.push(reason),
  });
}

interface Loading {
  readonly begun: Int32Array;
  readonly gates: Int32Array;
  readonly loaded: Int32Array;
}

/** Lets the test say when workers have loaded. */
function newLoading(): { readonly words: Loading; open(...workers: readonly number[]): void } {
  const words = (count: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * count));
  const gates = words(5);
  const open = (...workers: readonly number[]): void => {
    for (const worker of workers) {
      Atomics.store(gates, worker, 1);
      Atomics.notify(gates, worker);
    }
  };
  return { words: { begun: words(1), gates, loaded: words(1) }, open };
}

/** Long enough for a pool that does not wait. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100));
}

/** Tries until the worker of the slot is back. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let round = 0; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (round === 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

describe('worker pool', () => {
  it('runs a task in the slot that it names', async () => {
    for (const slot of [2, 0, 1]) expect(await pool.run({ kind: 'slot' }, slot)).toBe(slot);
  });

  it('chooses the least busy worker where none is wanted', () => {
    const others = new WorkerSlots(slotWords(3));
    for (const slot of [0, 1, 2]) others.setReady(slot, true);
    expect([others.begin(0), others.begin(1), others.begin(undefined), others.begin(1)]).toEqual([0, 1, 2, 1]);
    others.end(2);
    expect(others.begin(undefined)).toBe(2);
  });

  it('knows which requests keep workers busy', () => {
    const others = new WorkerSlots(slotWords(3));
    // One that takes no calls has no room.
    for (const slot of [0, 1]) others.setReady(slot, true);
    expect(others.underWay).toBe(2);
    for (let request = 0; request < 3; request++) others.begin(0);
    others.begin(1, true);
    expect(others.underWay).toBe(4);
    others.begin(1);
    others.end(1, true);
    expect(others.underWay).toBe(5);
    for (let request = 0; request < 3; request++) others.end(0);
    expect(others.underWay).toBe(3);
  });

  it('knows what a worker has answered before the front does', () => {
    const others = new WorkerSlots(slotWords(2));
    for (const slot of [0, 1]) others.setReady(slot, true);
    for (let request = 0; request < 3; request++) others.begin(0);
    expect(others.underWay).toBe(2);
    for (let request = 0; request < 2; request++) others.noteAnswer(0);
    expect(others.underWay).toBe(1);
    // The one that has answered most of what it had is the least busy.
    others.begin(1);
    others.begin(1);
    expect(others.begin(undefined)).toBe(0);
    for (let request = 0; request < 2; request++) others.end(0);
    expect(others.underWay).toBe(4);
    // A worker that ends leaves answers that nobody gets.
    others.noteAnswer(0);
    others.setReady(0, false);
    others.setReady(0, true);
    expect(others.underWay).toBe(4);
    for (const slot of [0, 0, 1, 1]) others.end(slot);
    expect(others.underWay).toBe(0);
  });

  it('connects every worker with every other, the coordinator and the front', async () => {
    expect(await pool.run({ kind: 'ask', peer: 'worker-2' }, 0)).toBe('hello from worker-2');
    expect(await pool.run({ kind: 'ask', peer: 'worker-0' }, 1)).toBe('hello from worker-0');
    expect(upward.map(({ peer, wire }) => `${peer} ${wire.peer}`).sort()).toEqual([
      'coordinator worker-0',
      'coordinator worker-1',
      'coordinator worker-2',
      'front worker-0',
      'front worker-1',
      'front worker-2',
    ]);
  });

  it('fails the tasks of a crashed worker, puts another in its slot and connects it', async () => {
    const waiting = pool.run({ kind: 'wait' }, 1);
    const crashing = pool.run({ kind: 'crash' }, 1);
    const outcomes = await Promise.allSettled([waiting, crashing]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ reason: { type: 'unavailable_shards_exception', status: 503 } });
    }
    expect(await eventually(() => pool.run({ kind: 'slot' }, 1))).toBe(1);
    expect(await eventually(() => pool.run({ kind: 'ask', peer: 'worker-0' }, 1))).toBe('hello from worker-0');
    expect(await pool.run({ kind: 'ask', peer: 'worker-1' }, 2)).toBe('hello from worker-1');
    expect(upward.filter(({ wire }) => wire.peer === 'worker-1')).toHaveLength(4);
    expect(crashed).toEqual([1]);
    expect(fatal).toEqual([]);
  });

  it('connects workers that crash at the same time', async () => {
    const crashes = [0, 1].map((slot) => pool.run({ kind: 'crash' }, slot));
    await Promise.allSettled(crashes);
    for (const [slot, peer] of [
      [0, 1],
      [1, 0],
      [2, 1],
    ] as const) {
      const ask = { kind: 'ask', peer: `worker-${peer}` };
      expect(await eventually(() => pool.run(ask, slot))).toBe(`hello from worker-${peer}`);
    }
    expect(fatal).toEqual([]);
  });

  it('introduces every worker with its lines, also one that takes the place of another', async () => {
    expect(await pool.run({ kind: 'introduced' }, 1)).toBe('node-1');
    await pool.run({ kind: 'crash' }, 1).catch(() => undefined);
    expect(await eventually(() => pool.run({ kind: 'introduced' }, 1))).toBe('node-1');
  });

  it('connects a worker that crashed before there were lines', async () => {
    const early = newPool();
    await early.run({ kind: 'crash' }, 1).catch(() => undefined);
    await eventually(() => early.run({ kind: 'slot' }, 1));
    await early.wireAll({ name: 'node-1', failures });
    expect(await early.run({ kind: 'ask', peer: 'worker-0' }, 1)).toBe('hello from worker-0');
    await early.close();
  });

  it('has a worker that took the place of another take calls when the fronts have their lines to it', async () => {
    let take = (): void => undefined;
    taken = new Promise((resolve) => (take = resolve));
    await pool.run({ kind: 'crash' }, 1).catch(() => undefined);
    const line = await eventually(() => {
      const lines = upward.filter(({ peer, wire }) => peer === FRONT && wire.peer === 'worker-1');
      return lines.length === 2 ? Promise.resolve(lines[1]) : Promise.reject(new Error('not connected yet'));
    });
    // It has its own end, and answers there.
    const answered = new Promise((resolve) => line?.wire.port.once('message', resolve));
    line?.wire.port.postMessage({ ask: 'hello' });
    await answered;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(slots.isReady(1)).toBe(false);
    await expect(pool.run({ kind: 'slot' }, 1)).rejects.toMatchObject({ type: 'unavailable_shards_exception' });
    take();
    expect(await eventually(() => pool.run({ kind: 'slot' }, 1))).toBe(1);
    expect(slots.isReady(1)).toBe(true);
  });

  it('ends no worker that is loading', async () => {
    const loading = newLoading();
    const closing = newPool(loading.words).close();
    await pause();
    loading.open(0, 1, 2);
    await closing;
    expect(loading.words.loaded[0]).toBe(3);
  });

  it('ends no worker that took the place of one that ended while others were loading', async () => {
    const loading = newLoading();
    loading.open(0, 1, 2);
    const other = newPool(loading.words);
    await other.wireAll({ name: 'node-1', failures });
    await other.run({ kind: 'crash' }, 0).catch(() => undefined);
    await expect.poll(() => loading.words.begun[0]).toBe(4);
    const closing = other.close();
    await other.run({ kind: 'crash' }, 1).catch(() => undefined);
    await expect.poll(() => loading.words.begun[0]).toBe(5);
    loading.open(3);
    await expect.poll(() => loading.words.loaded[0]).toBe(4);
    await pause();
    loading.open(4);
    await closing;
    expect(loading.words.loaded[0]).toBe(5);
    expect(slots.isReady(1)).toBe(false);
    expect(crashed).toEqual([0]);
  });

  it('replaces a worker that cannot be made ready', async () => {
    failures.fill(2);
    await pool.run({ kind: 'crash' }, 1).catch(() => undefined);
    expect(await eventually(() => pool.run({ kind: 'slot' }, 1))).toBe(1);
    expect(failures[0]).toBe(-1);
    expect(await pool.run({ kind: 'ask', peer: 'worker-1' }, 0)).toBe('hello from worker-1');
    expect(fatal).toEqual([]);
  });

  it('asks the workers that are there, and waits for them, while another is being restarted', async () => {
    const crashing = pool.run({ kind: 'crash' }, 1).catch(() => undefined);
    await crashing;
    const marks = new Int32Array(new SharedArrayBuffer(12));
    await pool.runInReady({ kind: 'mark', marks });
    expect([...marks]).toEqual([1, 0, 1]);
  });

  it('gives up when workers crash again and again', async () => {
    for (let crash = 0; crash < 11; crash++) {
      await eventually(() => pool.run({ kind: 'slot' }, 0)).catch(() => undefined);
      await pool.run({ kind: 'crash' }, 0).catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(fatal).toEqual(['workers crashed 11 times within 60 seconds']);
  });
});
