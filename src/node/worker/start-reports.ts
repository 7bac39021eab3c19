/**
 * Tells the coordinator of copies that were opened: of one alone at once, of those of which more are on their way together, since each change of
 * the cluster state costs as much for one copy as for many.
 */
import type { Clock } from '../../base/clock.js';
import type { ShardReport } from '../../cluster/changes/copies/shard-reports.js';

const REPORTS_MAX = 64;
/** A copy that is open waits no longer for others. */
const HELD_MS_MAX = 20;
/** So many others are those of a node that starts: a copy waits longer for them. */
const MANY = 16;
const HELD_FOR_MANY_MS_MAX = 100;

export class StartReports {
  private readonly clock: Clock;
  private readonly tell: (started: readonly ShardReport[]) => void;
  private waiting: ShardReport[] = [];
  private stopTimer: (() => void) | undefined;

  constructor(clock: Clock, tell: (started: readonly ShardReport[]) => void) {
    this.clock = clock;
    this.tell = tell;
  }

  /** `others`: copies that are still to be opened. */
  add(report: ShardReport, others: number): void {
    this.waiting.push(report);
    if (others === 0 || this.waiting.length >= REPORTS_MAX) {
      this.tellAll();
      return;
    }
    this.stopTimer ??= this.clock.schedule(others > MANY ? HELD_FOR_MANY_MS_MAX : HELD_MS_MAX, () => {
      this.tellAll();
    });
  }

  private tellAll(): void {
    this.stopTimer?.();
    this.stopTimer = undefined;
    const started = this.waiting;
    this.waiting = [];
    this.tell(started);
  }
}
