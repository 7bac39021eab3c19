/** Merges of all shards: so many at a time on native threads, the others wait in order of arrival. */
import { QuarryError } from '../base/errors.js';
import { WorkCounter } from '../base/work-counters.js';

/** A merge on a native thread; see `native/merge.ts`. */
export interface MergeWork {
  run(): Promise<Uint8Array>;
  cancel(): void;
  /** 0: as fast as it goes. */
  setThrottle(bytesPerSecond: number): void;
}

/** Merging is held to this pace while nothing waits for it, so that it leaves the disk to writes and searches. */
export const MERGE_BYTES_PER_SECOND = 200 * 1024 * 1024;

/** Of all shards of the node. */
const counter = new WorkCounter('merge');

interface ScheduledMerge {
  readonly owner: string;
  readonly id: string;
  work: MergeWork | undefined;
  isCancelled: boolean;
  /** Settles when nothing of it runs any more; never fails. */
  ended: Promise<unknown>;
}

interface WaitingMerge {
  readonly merge: ScheduledMerge;
  start(): void;
  giveUp(error: QuarryError): void;
}

export class MergeScheduler {
  private readonly mergesMax: number;
  private readonly makeWork: (job: Uint8Array) => MergeWork;
  private readonly merges = new Set<ScheduledMerge>();
  private readonly waiting: WaitingMerge[] = [];
  /** Slots that are taken; one that is handed from merge to merge stays taken. */
  private running = 0;

  constructor(mergesMax: number, makeWork: (job: Uint8Array) => MergeWork) {
    this.mergesMax = mergesMax;
    this.makeWork = makeWork;
  }

  /** From a shard's merge job to what the shard finishes it with. `owner` is the thread that asks. */
  run(owner: string, id: string, job: Uint8Array): Promise<Uint8Array> {
    const merge: ScheduledMerge = { owner, id, work: undefined, isCancelled: false, ended: Promise.resolve() };
    const outcome = this.runInTurn(merge, job);
    this.merges.add(merge);
    merge.ended = outcome.catch(() => undefined).finally(() => this.merges.delete(merge));
    return outcome;
  }

  /**
   * The merge fails with `task_cancelled_exception`, and its file is removed; one that still waits fails at once. Nothing
   * happens when it has ended.
   */
  cancel(owner: string, id: string): void {
    for (const merge of this.merges) if (merge.owner === owner && merge.id === id) this.cancelOne(merge);
  }

  /** Resolves when no merge of this thread runs any more: another may open its shards then. */
  async cancelAll(owner: string): Promise<void> {
    const merges = [...this.merges].filter((merge) => merge.owner === owner);
    for (const merge of merges) this.cancelOne(merge);
    await Promise.all(merges.map(({ ended }) => ended));
  }

  private async runInTurn(merge: ScheduledMerge, job: Uint8Array): Promise<Uint8Array> {
    if (this.running < this.mergesMax) this.running++;
    else await this.slotOfAnother(merge);
    try {
      if (merge.isCancelled) throw cancelled();
      const work = this.makeWork(job);
      merge.work = work;
      work.setThrottle(this.pace());
      return await counter.during(() => work.run());
    } finally {
      this.passSlotOn();
    }
  }

  private async slotOfAnother(merge: ScheduledMerge): Promise<void> {
    counter.wait(1);
    try {
      await new Promise<void>((start, giveUp) => {
        this.waiting.push({ merge, start, giveUp });
        this.adjustPace();
      });
    } finally {
      counter.wait(-1);
    }
  }

  /** Merges that fall behind are not held up. */
  private pace(): number {
    return this.waiting.length > 0 ? 0 : MERGE_BYTES_PER_SECOND;
  }

  private adjustPace(): void {
    for (const { work } of this.merges) work?.setThrottle(this.pace());
  }

  private passSlotOn(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running--;
    else next.start();
    this.adjustPace();
  }

  private cancelOne(merge: ScheduledMerge): void {
    merge.isCancelled = true;
    merge.work?.cancel();
    const place = this.waiting.findIndex((each) => each.merge === merge);
    if (place !== -1) this.waiting.splice(place, 1)[0]?.giveUp(cancelled());
    this.adjustPace();
  }
}

function cancelled(): QuarryError {
  return new QuarryError('task_cancelled_exception', 'merge was cancelled');
}
