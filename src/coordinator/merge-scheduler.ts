/** Merges of all shards: so many at a time on native threads, the others wait in order of arrival. */
import { NativeMerge } from '../native/merge.js';

export class MergeScheduler {
  private readonly mergesMax: number;
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(mergesMax: number) {
    this.mergesMax = mergesMax;
  }

  /** From a shard's merge job to what the shard finishes it with. */
  async run(job: Uint8Array): Promise<Uint8Array> {
    if (this.running >= this.mergesMax) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.running++;
    try {
      return await new NativeMerge(job).run();
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }
}
