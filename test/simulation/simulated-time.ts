/** Time of a history: what is due happens in order, one thing after the other, as fast as the machine can. */

interface Event {
  readonly dueMs: number;
  readonly order: number;
  action: (() => void) | undefined;
}

export class SimulatedTime {
  nowMs = 0;
  private order = 0;
  /** Something has happened in this millisecond, and who waits for it may not know yet. */
  private hasRun = false;
  /** A binary heap, the next event first. */
  private readonly events: Event[] = [];

  /** The answer cancels it. Whole milliseconds. */
  after(delayMs: number, action: () => void): () => void {
    const event: Event = { dueMs: this.nowMs + Math.max(0, Math.ceil(delayMs)), order: this.order++, action };
    this.push(event);
    return () => {
      event.action = undefined;
    };
  }

  /** Lets time pass until `isOver`, or for so long. What happens in one millisecond comes before promises are waited for. */
  async pass(byMs: number, isOver: () => boolean = () => false): Promise<void> {
    const untilMs = this.nowMs + byMs;
    while (!isOver()) {
      const next = this.events[0];
      if (this.hasRun && next?.dueMs !== this.nowMs) {
        await settled();
        this.hasRun = false;
      } else if (next === undefined || next.dueMs > untilMs) {
        this.nowMs = untilMs;
        return;
      } else {
        this.pop();
        if (next.action === undefined) continue;
        this.nowMs = next.dueMs;
        this.hasRun = true;
        next.action();
      }
    }
  }

  private push(event: Event): void {
    const { events } = this;
    let at = events.length;
    events.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = events[above] as Event;
      if (isBefore(parent, event)) break;
      events[at] = parent;
      at = above;
    }
    events[at] = event;
  }

  private pop(): void {
    const { events } = this;
    const last = events.pop() as Event;
    if (events.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= events.length) break;
      const right = left + 1;
      const isRightNext = right < events.length && isBefore(events[right] as Event, events[left] as Event);
      const below = isRightNext ? right : left;
      const child = events[below] as Event;
      if (isBefore(last, child)) break;
      events[at] = child;
      at = below;
    }
    events[at] = last;
  }
}

function isBefore(left: Event, right: Event): boolean {
  return left.dueMs < right.dueMs || (left.dueMs === right.dueMs && left.order < right.order);
}

/** Everything that waits for nothing but promises has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
