/** How far a change by query is, and what it came to. */
import type { JsonObject } from '../../base/json-value.js';

/** Which kinds of changes an answer tells of: deletions are told by all. */
export interface ToldCounts {
  readonly created: boolean;
  readonly updated: boolean;
}

export class Progress {
  total = 0;
  created = 0;
  updated = 0;
  deleted = 0;
  batches = 0;
  versionConflicts = 0;
  noops = 0;
  bulkRetries = 0;
  searchRetries = 0;
  throttledMs = 0;
  throttledUntilMs = 0;
  pace = Infinity;
  isTimedOut = false;
  isCancelled = false;
  readonly sliceId: number | undefined;
  readonly failures: JsonObject[] = [];
  /** Indices that were written to. */
  readonly written = new Set<string>();

  constructor(sliceId?: number) {
    this.sliceId = sliceId;
  }

  status(told: ToldCounts = { created: true, updated: true }): JsonObject {
    const { sliceId } = this;
    return {
      ...(sliceId === undefined ? {} : { slice_id: sliceId }),
      total: this.total,
      ...(told.updated ? { updated: this.updated } : {}),
      ...(told.created ? { created: this.created } : {}),
      deleted: this.deleted,
      batches: this.batches,
      version_conflicts: this.versionConflicts,
      noops: this.noops,
      retries: { bulk: this.bulkRetries, search: this.searchRetries },
      throttled_millis: Math.round(this.throttledMs),
      requests_per_second: this.pace === Infinity ? -1 : this.pace,
      ...(this.isCancelled ? { canceled: 'by user request' } : {}),
      throttled_until_millis: Math.max(0, Math.round(this.throttledUntilMs)),
    };
  }
}

/** What several parts of a job did together; each part is told by itself too. */
export function combine(parts: readonly Progress[]): Progress {
  const all = new Progress();
  const paces = parts.map(({ pace }) => pace);
  for (const part of parts) {
    for (const name of SUMMED) all[name] += part[name];
    all.failures.push(...part.failures);
    for (const index of part.written) all.written.add(index);
    all.isTimedOut ||= part.isTimedOut;
    all.isCancelled ||= part.isCancelled;
    all.throttledUntilMs = Math.max(all.throttledUntilMs, part.throttledUntilMs);
  }
  all.pace = paces.reduce((sum, pace) => sum + pace, 0);
  return all;
}

const SUMMED = [
  ...(['total', 'created', 'updated', 'deleted', 'batches', 'versionConflicts', 'noops'] as const),
  ...(['bulkRetries', 'searchRetries', 'throttledMs'] as const),
];

export interface Outcome {
  readonly tookMs: number;
  readonly progress: Progress;
  /** Of a job in slices. */
  readonly slices: readonly Progress[] | undefined;
}

export function renderOutcome({ tookMs, progress, slices }: Outcome, told: ToldCounts): JsonObject {
  return {
    took: Math.round(tookMs),
    timed_out: progress.isTimedOut,
    ...progress.status(told),
    ...(slices === undefined ? {} : { slices: slices.map((slice) => slice.status(told)) }),
    failures: progress.failures,
  };
}

const OK = 200;
const TIMED_OUT = 408;

/** That of the worst failure. */
export function statusOf({ progress }: Outcome): number {
  const statuses = progress.failures.map(({ status }) => (typeof status === 'number' ? status : OK));
  return Math.max(progress.isTimedOut ? TIMED_OUT : OK, ...statuses);
}
