/** Carries out a merge on a native thread; any thread of the node may start it. */
import { native } from './addon.js';
import { guarded, guardedAsync } from './errors.js';
import type { RawMerge } from './raw-addon.js';

export class NativeMerge {
  readonly #raw: RawMerge;

  /** `job` is what the shard's `beginMerge` answered. */
  constructor(job: Uint8Array) {
    const { NativeMerge: Raw } = native();
    this.#raw = guarded(() => new Raw(job));
  }

  /** Writes the merged segment; once. The answer goes to the shard's `finishMerge`. */
  run(): Promise<Uint8Array> {
    return guardedAsync(() => this.#raw.run());
  }

  /** `run` then fails with `task_cancelled_exception`, and its file is removed. */
  cancel(): void {
    guarded(() => {
      this.#raw.cancel();
    });
  }

  /** 0: as fast as it goes. */
  setThrottle(bytesPerSecond: number): void {
    guarded(() => {
      this.#raw.setThrottle(bytesPerSecond);
    });
  }
}
