/** Merges of all shards: so many at a time on native threads, the others wait in order of arrival. */
import { QuarryError } from '../base/errors.js';

/** A merge on a native thread; see `native/merge.ts`. */
export interface MergeWork {
  run(): Promise<Uint8Array>;
  cancel(): void;
}

interface ScheduledMerge {
  readonly owner: string;
  readonly id: string;
  work: MergeWork | undefined;
  isCancelled: boolean;
  /** Settles when nothing of it runs any more; never fails. */
  ended: Promise<unknown>;
}

export class MergeScheduler {
  private readonly mergesMax: number;
  private readonly makeWork: (job: Uint8Array) => MergeWork;
  private readonly merges = new Set<ScheduledMerge>();
  private readonly waiting: (() => void)[] = [];
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

  /** The merge fails with `task_cancelled_exception`, and its file is removed. Nothing happens when it has ended. */
  cancel(owner: string, id: string): void {
    for (const merge of this.merges) if (merge.owner === owner && merge.id === id) cancelOne(merge);
  }

  /** Resolves when no merge of this thread runs any more: another may open its shards then. */
  async cancelAll(owner: string): Promise<void> {
    const merges = [...this.merges].filter((merge) => merge.owner === owner);
    merges.forEach(cancelOne);
    await Promise.all(merges.map(({ ended }) => ended));
  }

  private async runInTurn(merge: ScheduledMerge, job: Uint8Array): Promise<Uint8Array> {
    if (this.running >= this.mergesMax) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running++;
    try {
      if (merge.isCancelled) throw new QuarryError('task_cancelled_exception', 'merge was cancelled');
      merge.work = this.makeWork(job);
      return await merge.work.run();
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }
}

function cancelOne(merge: ScheduledMerge): void {
  merge.isCancelled = true;
  merge.work?.cancel();
}
