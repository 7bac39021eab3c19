import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Cancellation, cancellationWords } from '../../../src/base/cancellation.js';
import type { Clock } from '../../../src/base/clock.js';
import { readTaskQuestion } from '../../../src/base/tasks/read-question.js';
import type { TaskTable } from '../../../src/base/tasks/task-table.js';
import type { NewTask, TaskInfo } from '../../../src/base/tasks/task.js';
import { taskTable } from './support.js';

const NEW: NewTask = {
  action: 'indices:data/write/reindex',
  description: 'reindex',
  isCancellable: true,
  parent: '',
  opaqueId: 'me',
  hasPace: true,
};

let table: TaskTable;
let nowMs: number;
/** What waits for its time. */
let alarms: Set<() => void>;

beforeEach(() => {
  nowMs = 5_000;
  alarms = new Set();
  const schedule: Clock['schedule'] = (_, action) => {
    alarms.add(action);
    return () => alarms.delete(action);
  };
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, schedule };
  table = taskTable(clock);
  table.identify('n1');
});

function list(filter = {}): Promise<readonly TaskInfo[]> {
  return table.answer({ kind: 'list', filter, detailed: true });
}

describe('the table of tasks', () => {
  it('tells of what runs, and forgets what has ended', async () => {
    const first = table.begin('indices:data/read/search', true);
    const second = table.begin('cluster:monitor/main', false);
    first.opaqueId = 'mine';
    nowMs += 70;
    expect(await list()).toMatchObject([
      { action: 'indices:data/read/search', runningMs: 70, startedAtMs: 5_000, opaqueId: 'mine', isCancellable: true },
      { action: 'cluster:monitor/main', number: first.number + 1, isCancellable: false },
    ]);
    table.end(first);
    expect(await list()).toMatchObject([{ number: second.number }]);
    table.end(second);
    expect(await list()).toEqual([]);
  });

  it('uses the slot of a task again, with nothing left in it', async () => {
    const first = table.begin('a', true);
    const { number } = first;
    first.cancel();
    first.opaqueId = 'mine';
    table.end(first);
    const second = table.begin('b', true);
    expect(second).toBe(first);
    expect(second.number).toBeGreaterThan(number);
    expect(await list()).toMatchObject([{ isCancelled: false, opaqueId: '', parent: '' }]);
  });

  it('begins with numbers that an earlier run did not reach', () => {
    const before = table.begin('a', true).number;
    nowMs += 1_000;
    expect(
      taskTable({ nowMs: () => nowMs, monotonicMs: () => 0, schedule: () => () => undefined }).begin('a', true).number,
    ).toBeGreaterThan(before);
  });

  it('filters by action, number and parent', async () => {
    const search = table.begin('indices:data/read/search', true);
    const bulk = table.begin('indices:data/write/bulk', false);
    bulk.parent = 'other:7';
    expect(await list({ actions: ['*read*', 'nothing'] })).toMatchObject([{ number: search.number }]);
    expect(await list({ parent: 'other:7' })).toMatchObject([{ number: bulk.number }]);
    expect(await list({ number: search.number, actions: ['*write*'] })).toEqual([]);
  });

  it('cancels what can be cancelled, with its parts', async () => {
    const plain = table.begin('cluster:monitor/main', false);
    const words = cancellationWords();
    const part = cancellationWords();
    const number = table.announce(NEW, words, 'worker-0');
    table.announce({ ...NEW, parent: `n1:${number}` }, part, 'worker-0');
    const cancelled = await table.answer({ kind: 'cancel', filter: { number }, waits: false, timeoutMs: 1 });
    expect(cancelled).toMatchObject([{ number, isCancelled: true }]);
    expect(plain.isCancelled).toBe(false);
    for (const each of [words, part]) {
      expect(() => {
        new Cancellation(each).throwIfCancelled();
      }).toThrow('task cancelled [by user request]');
    }
    await expect(
      table.answer({ kind: 'cancel', filter: { number: plain.number }, waits: false, timeoutMs: 1 }),
    ).rejects.toThrow(`task [n1:${plain.number}] doesn't support this operation`);
    await expect(table.answer({ kind: 'cancel', filter: { number: 1 }, waits: false, timeoutMs: 1 })).rejects.toThrow(
      'is not found',
    );
  });

  it('answers those who wait when the tasks have ended', async () => {
    const task = table.begin('a', true);
    let isOver = false;
    const waiting = table
      .answer({ kind: 'await', numbers: [task.number, 12], timeoutMs: 1_000 })
      .then(() => (isOver = true));
    await Promise.resolve();
    expect(isOver).toBe(false);
    table.end(task);
    await waiting;
    expect(alarms.size).toBe(0);
  });

  it.each(['await', 'cancel'] as const)('holds nothing for those whose time is over: %s', async (kind) => {
    const task = table.begin('a', true);
    const { number } = task;
    const forgotten = vi.fn();
    const onEnd = task.onEnd.bind(task);
    vi.spyOn(task, 'onEnd').mockImplementation((listener) => {
      const forget = onEnd(listener);
      return () => {
        forget();
        forgotten();
      };
    });
    const asked = { numbers: [number], filter: { number }, waits: true, timeoutMs: 10 };
    const waiting = table.answer({ ...asked, kind });
    for (const alarm of alarms) alarm();
    await expect(waiting).rejects.toThrow(`Timed out waiting for completion of tasks [n1:${number}]`);
    expect([alarms.size, forgotten.mock.calls.length]).toEqual([0, 1]);
    table.end(task);
  });

  it('shows what a worker reports, and drops what is of a worker that is gone', async () => {
    const number = table.announce(NEW, cancellationWords(), 'worker-0');
    table.announce(NEW, cancellationWords(), 'worker-1');
    table.report(number, { status: { created: 3 } });
    expect(await list({ number })).toMatchObject([{ description: 'reindex', status: { created: 3 }, opaqueId: 'me' }]);
    const kept = table.announce({ ...NEW, isKept: true }, cancellationWords(), 'worker-1');
    expect(table.forgetOwner('worker-1').map((task) => task.number)).toEqual([kept]);
    expect(await list()).toHaveLength(2);
    table.finish(kept);
    expect(await list()).toHaveLength(1);
    table.finish(number);
    table.finish(number);
    expect(await list()).toEqual([]);
  });

  it('sets the pace of those that have one', async () => {
    const words = cancellationWords();
    const number = table.announce(NEW, words, 'worker-0');
    expect(new Cancellation(words).pace).toBeUndefined();
    await table.answer({ kind: 'rethrottle', number, perSecond: 500 });
    expect(new Cancellation(words).pace).toBe(500);
    const search = table.begin('indices:data/read/search', true);
    await expect(table.answer({ kind: 'rethrottle', number: search.number, perSecond: 1 })).rejects.toThrow('support');
  });
});

describe('questions of other nodes', () => {
  it('are read as they were meant', () => {
    const filter = { number: 1, actions: ['a*'], parent: 'n:1' };
    for (const question of [
      { kind: 'list', filter, detailed: true },
      { kind: 'cancel', filter: {}, waits: false, timeoutMs: 1 },
      { kind: 'rethrottle', number: 4, perSecond: Infinity },
      { kind: 'await', numbers: [1, 2], timeoutMs: 5 },
    ]) {
      expect(readTaskQuestion(question)).toEqual(question);
    }
  });

  it.each([
    null,
    7,
    {},
    { kind: 'list' },
    { kind: 'await', numbers: ['x'] },
    { kind: 'cancel', filter: { actions: [1] } },
  ])('are refused where they make no sense: %j', (question) => {
    expect(() => readTaskQuestion(question)).toThrow('cannot be read');
  });
});
