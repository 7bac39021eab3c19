/** What all threads of the process share for searches: threads for those that take long, and memory. */
import { native } from './addon.js';
import { guarded } from './errors.js';
import type { RawSearchThreads } from './raw-addon.js';

export interface SearchLimits {
  /** Bytes for answers that are kept. */
  readonly requestCacheBytes: number;
  /** For searches that take long. */
  readonly threads: number;
  /** Searches that wait for these. */
  readonly queue: number;
  /** Threads that one of them may have. */
  readonly slices: number;
}

/** Of the process, in which one node runs. */
export function configureSearches({ requestCacheBytes, threads, queue, slices }: SearchLimits): void {
  guarded(() => {
    native().configureSearches(requestCacheBytes, threads, queue, slices);
  });
}

/** In bytes. */
export interface MemoryLimits {
  /** What computed columns that are kept may take together. Those that are too many go at once. */
  readonly fielddata: number;
  /** What the process may hold when a search takes more: as the system says, or as the kernels count what searches reserve. */
  readonly parent: number;
  readonly parentIsReal: boolean;
}

/** Of the process. */
export function setMemoryLimits({ fielddata, parent, parentIsReal }: MemoryLimits): void {
  guarded(() => {
    native().setMemoryLimits(fielddata, parent, parentIsReal);
  });
}

/** What the threads for searches that take long do now, and did since the process started. */
export function searchThreads(): RawSearchThreads {
  return guarded(() => native().searchThreads());
}
