import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.js';
import { MessageTurns } from '../../src/workers/message-turns.js';

/** An event loop whose turns are run by hand, and work that takes time by its clock alone. */
class Loop {
  readonly turns: MessageTurns;
  readonly done: string[] = [];
  private nowMs = 0;
  private soon: (() => void)[] = [];

  constructor() {
    const clock: Clock = { nowMs: () => this.nowMs, monotonicMs: () => this.nowMs, schedule: () => () => undefined };
    this.turns = new MessageTurns(clock, (action) => this.soon.push(action));
  }

  take(lane: string, name: string, tookMs: number): void {
    this.turns.take(lane, () => {
      this.done.push(name);
      this.nowMs += tookMs;
    });
  }

  /** What was to be run soon when the turn began. */
  turn(): void {
    const now = this.soon;
    this.soon = [];
    for (const action of now) action();
  }

  get isIdle(): boolean {
    return this.soon.length === 0;
  }
}

describe('message turns', () => {
  it('carries out what takes no time as it comes', () => {
    const loop = new Loop();
    for (let number = 0; number < 1_000; number++) loop.take('small', String(number), 0);
    expect(loop.done).toHaveLength(1_000);
    expect(loop.turns.deferred).toBe(0);
    loop.turn();
    expect(loop.isIdle).toBe(true);
  });

  it('leaves what takes long to later turns of the loop, one piece each', () => {
    const loop = new Loop();
    for (const name of ['a', 'b', 'c']) loop.take('searches', name, 70);
    expect(loop.done).toEqual(['a']);
    expect(loop.turns.deferred).toBe(2);
    loop.turn();
    loop.turn();
    expect(loop.done).toEqual(['a', 'b']);
    loop.turn();
    loop.turn();
    expect(loop.done).toEqual(['a', 'b', 'c']);
    loop.turn();
    expect(loop.isIdle).toBe(true);
  });

  it('serves lanes one after the other, each in its order', () => {
    const loop = new Loop();
    for (let number = 0; number < 5; number++) loop.take('searches', `s${number}`, 70);
    for (let number = 0; number < 3; number++) loop.take('writes', `w${number}`, 70);
    loop.take('gets', 'g0', 70);
    while (!loop.isIdle) loop.turn();
    expect(loop.done).toEqual(['s0', 's1', 'w0', 'g0', 's2', 'w1', 's3', 'w2', 's4']);
  });

  it('carries out several small pieces in a turn, and none before those that wait', () => {
    const loop = new Loop();
    loop.take('a', 'long', 70);
    for (let number = 0; number < 100; number++) loop.take('a', String(number), 0);
    loop.turn();
    loop.take('a', 'late', 0);
    loop.turn();
    expect(loop.done).toHaveLength(33);
    while (!loop.isIdle) loop.turn();
    expect(loop.done.at(-1)).toBe('late');
    expect(loop.done).toHaveLength(102);
  });

  it('goes on after work that throws', () => {
    const loop = new Loop();
    loop.take('a', 'long', 70);
    loop.turns.take('a', () => {
      throw new Error('no');
    });
    loop.take('a', 'after', 0);
    loop.turn();
    expect(() => {
      loop.turn();
    }).toThrow('no');
    loop.take('a', 'more', 0);
  });
});
