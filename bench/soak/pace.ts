/** Keeps a load, and the node under it, to a share of one processor. */
import { setTimeout as sleep } from 'node:timers/promises';
import { processorMs } from '../servers.js';

const LOOK_MS = 100;
/** What was not used for longer than this is not used later. */
const SAVED_MS_MAX = 2_000;

export class Pace {
  private readonly pid: number;
  private readonly share: number;
  private readonly usedBeforeMs: number;
  /** From then on the share holds. */
  private readonly heldFromMs: number;
  /** Used when the share began to hold; undefined before. */
  private usedAtHoldMs: number | undefined;
  private forgivenMs = 0;

  /** `share`: of one processor; 0 for as fast as it goes. The first `rushSeconds` go as fast as they can. */
  constructor(pid: number, share: number, rushSeconds = 0) {
    this.pid = pid;
    this.share = share;
    this.usedBeforeMs = this.usedMs();
    this.heldFromMs = performance.now() + rushSeconds * 1_000;
  }

  /** Of the node and of this process, in milliseconds. */
  get spentMs(): number {
    return this.usedMs() - this.usedBeforeMs;
  }

  async wait(): Promise<void> {
    if (this.share === 0 || performance.now() < this.heldFromMs) return;
    this.usedAtHoldMs ??= this.usedMs();
    for (;;) {
      const usedMs = this.usedMs() - this.usedAtHoldMs;
      const leftMs = this.share * (performance.now() - this.heldFromMs) - usedMs - this.forgivenMs;
      if (leftMs > SAVED_MS_MAX) this.forgivenMs += leftMs - SAVED_MS_MAX;
      if (leftMs >= 0) return;
      await sleep(LOOK_MS);
    }
  }

  private usedMs(): number {
    const { user, system } = process.cpuUsage();
    return processorMs(this.pid) + (user + system) / 1_000;
  }
}
