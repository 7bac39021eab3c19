/**
 * Rows of small steps that leave a thread time for others. A step that waits for nothing goes on in the same turn of the event loop, and so does
 * the next one: of a thousand of them, each brief, everything else that came to the thread would wait for the last.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from './clock.js';

/** Rows of steps take so long of a turn of the event loop together, and one step in any case. */
const TURN_MS_MAX = 2;

/** Of one thread. */
export class TurnOfLoop {
  private readonly clock: Clock;
  private readonly turnMsMax: number;
  /** Undefined: no step was carried out in this turn. */
  private startedMs: number | undefined;

  /** Its steps take `turnMsMax` of a turn together. */
  constructor(clock: Clock, turnMsMax = TURN_MS_MAX) {
    this.clock = clock;
    this.turnMsMax = turnMsMax;
  }

  /** Before each step: resolves in this turn, or in a later one when the steps of this one took long enough. */
  async leaveTime(): Promise<void> {
    while (!this.hasTime) await nextTurn();
  }

  /** Whether this turn has time for another step. The first call of a turn begins its time. */
  get hasTime(): boolean {
    const nowMs = this.clock.monotonicMs();
    if (this.startedMs === undefined) {
      this.startedMs = nowMs;
      // Before all that waits for the next turn from now on.
      setImmediate(() => (this.startedMs = undefined));
    }
    return nowMs - this.startedMs < this.turnMsMax;
  }
}

/** Begins the work of all items, in their order, without waiting for its end. What fails is for who waits for it. */
export async function begunInTurns<Item, Result>(
  items: readonly Item[],
  loop: TurnOfLoop,
  begin: (item: Item, at: number) => Promise<Result>,
): Promise<readonly Promise<Result>[]> {
  const begun: Promise<Result>[] = [];
  for (const [at, item] of items.entries()) {
    await loop.leaveTime();
    const work = begin(item, at);
    // Nobody waits for it before all have begun.
    work.catch(() => undefined);
    begun.push(work);
  }
  return begun;
}
