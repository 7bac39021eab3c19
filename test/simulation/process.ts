/** One run of a node's process as time and other machines see it: it runs, is stopped for a while, or has ended. */
import type { Clock } from '../../src/base/clock.js';
import type { SimulatedTime } from './simulated-time.js';

export type ProcessState = 'running' | 'stopped' | 'ended';

/** 1 January 2024. */
const EPOCH_MS = 1_704_067_200_000;

export class SimulatedProcess {
  readonly clock: Clock;
  state: ProcessState = 'running';
  private readonly time: SimulatedTime;
  /** What came while it was stopped. */
  private delayed: (() => void)[] = [];
  private readonly onEnd = new Set<() => void>();

  /** `rate`: how fast its clock goes; `skewMs()`: how wrong its idea of the date is. */
  constructor(time: SimulatedTime, rate: number, skewMs: () => number) {
    this.time = time;
    this.clock = {
      nowMs: () => EPOCH_MS + Math.floor(time.nowMs) + skewMs(),
      monotonicMs: () => time.nowMs * rate,
      schedule: (delayMs, action) => this.after(delayMs / rate, action),
    };
  }

  get isRunning(): boolean {
    return this.state === 'running';
  }

  get hasEnded(): boolean {
    return this.state === 'ended';
  }

  /** In this process, when it runs; never once it has ended. */
  enter(action: () => void): void {
    if (this.state === 'running') action();
    else if (this.state === 'stopped') this.delayed.push(action);
  }

  after(delayMs: number, action: () => void): () => void {
    let isWanted = true;
    const cancel = this.time.after(delayMs, () => {
      this.enter(() => {
        if (isWanted) action();
      });
    });
    return () => {
      isWanted = false;
      cancel();
    };
  }

  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(delayMs, resolve);
    });
  }

  /** As by SIGSTOP. */
  stop(): void {
    if (this.state === 'running') this.state = 'stopped';
  }

  /** What came meanwhile comes now, all of it. */
  goOn(): void {
    if (this.state !== 'stopped') return;
    this.state = 'running';
    const { delayed } = this;
    this.delayed = [];
    for (const action of delayed) this.enter(action);
  }

  end(): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.delayed = [];
    const watchers = [...this.onEnd];
    this.onEnd.clear();
    for (const watcher of watchers) watcher();
  }

  /** The answer ends it. */
  whenEnded(watcher: () => void): () => void {
    this.onEnd.add(watcher);
    return () => this.onEnd.delete(watcher);
  }
}
