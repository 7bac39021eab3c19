/** What a shard did since it was opened, as far as its kernels do not count it themselves. Times are milliseconds. */

import { WorkCounter } from '../base/work-counters.js';

/** Of all copies of shards. */
export const flushes = new WorkCounter('flush');

export interface FlushFigures {
  readonly total: number;
  /** Those that the size of the translog brought about. */
  readonly periodic: number;
  readonly timeMs: number;
}

/** Counts flushes, those that found nothing to write too. */
export class FlushCounter {
  private total = 0;
  private periodic = 0;
  private timeMs = 0;

  ended(timeMs: number, isPeriodic: boolean): void {
    this.total++;
    if (isPeriodic) this.periodic++;
    this.timeMs += timeMs;
  }

  figures(): FlushFigures {
    const { total, periodic, timeMs } = this;
    return { total, periodic, timeMs: Math.round(timeMs) };
  }
}

export interface WriteFigures {
  /** Requests that brought documents to the shard, of any number each. */
  readonly requests: number;
  readonly timeMs: number;
  /** Of the documents as they were sent. */
  readonly bytes: number;
  /** Moving means: the latest requests weigh most. */
  readonly meanTimeMs: number;
  readonly meanBytes: number;
  /** Documents by the first digit of the status that they were answered with. */
  readonly documentsByStatus: Readonly<Record<string, number>>;
  /** Documents that were not indexed because another version of theirs is there; a node of an earlier version does not tell. */
  readonly conflicts?: number;
}

/** The weight of the newest request in a moving mean. */
const MEAN_WEIGHT = 0.1;

/** Counts requests that write. */
export class WriteCounter {
  private requests = 0;
  private timeMs = 0;
  private bytes = 0;
  private meanTimeMs = 0;
  private meanBytes = 0;
  private readonly documentsByStatus = new Map<number, number>();
  private conflicts = 0;

  ended(timeMs: number, bytes: number): void {
    const weight = this.requests === 0 ? 1 : MEAN_WEIGHT;
    this.requests++;
    this.timeMs += timeMs;
    this.bytes += bytes;
    this.meanTimeMs += weight * (timeMs - this.meanTimeMs);
    this.meanBytes += weight * (bytes - this.meanBytes);
  }

  answered(statuses: Iterable<number>): void {
    for (const status of statuses) {
      const kind = Math.trunc(status / 100);
      this.documentsByStatus.set(kind, (this.documentsByStatus.get(kind) ?? 0) + 1);
    }
  }

  conflicted(documents: number): void {
    this.conflicts += documents;
  }

  figures(): WriteFigures {
    const { requests, timeMs, bytes, meanTimeMs, meanBytes } = this;
    const byStatus = [...this.documentsByStatus].map(([kind, count]) => [String(kind), count] as const);
    return {
      requests,
      timeMs: Math.round(timeMs),
      bytes,
      meanTimeMs: Math.round(meanTimeMs),
      meanBytes: Math.round(meanBytes),
      documentsByStatus: Object.fromEntries(byStatus),
      conflicts: this.conflicts,
    };
  }
}
