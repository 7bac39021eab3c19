/** What threads have under way and have done, in memory that they share. */
import { describe, expect, it } from 'vitest';
import { shareWorkCounts, WorkCounter, workFigures, workWords } from '../../src/base/work-counters.js';

const words = workWords(3);
const counter = new WorkCounter('refresh');
const figures = (): unknown => workFigures(words).refresh;

describe('a counter of work', () => {
  it('counts what ended, also before it is known where, and not what was left to another thread', () => {
    expect(counter.within(() => 'done')).toBe('done');
    const left: string | undefined = counter.within((): string | undefined => undefined);
    expect(left).toBeUndefined();
    expect(figures()).toEqual({ active: 0, queue: 0, completed: 0, largest: 0 });
    shareWorkCounts(words, 1);
    shareWorkCounts(words, 1);
    expect(figures()).toEqual({ active: 0, queue: 0, completed: 1, largest: 1 });
  });

  it('tells what is under way and what waits, and the most that there were at once', async () => {
    const ends: (() => void)[] = [];
    const begin = (): Promise<void> =>
      counter.during(
        () =>
          new Promise((resolve) => {
            ends.push(resolve);
          }),
      );
    const both = [begin(), begin()];
    counter.wait(3);
    expect(figures()).toEqual({ active: 2, queue: 3, completed: 1, largest: 2 });
    counter.wait(-3);
    for (const end of ends) end();
    await Promise.all(both);
    expect(figures()).toEqual({ active: 0, queue: 0, completed: 3, largest: 2 });
  });

  it('counts what failed, and no longer as under way', async () => {
    const fail = (): never => {
      throw new Error('no');
    };
    expect(() => counter.within(fail)).toThrow('no');
    await expect(counter.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(figures()).toMatchObject({ active: 0, completed: 5 });
  });

  it('goes on in the row of a thread that crashed, of which nothing is under way any more', async () => {
    const crashed = workWords(2);
    crashed.fill(4, crashed.length / 2);
    shareWorkCounts(crashed, 1);
    expect(workFigures(crashed).get).toEqual({ active: 0, queue: 0, completed: 4, largest: 4 });
    expect(() => {
      shareWorkCounts(crashed, 2);
    }).toThrow('there is no row [2]');
    await counter.during(async () => Promise.resolve());
    expect(workFigures(crashed).refresh.completed).toBe(4 + 5 + 1);
  });
});
