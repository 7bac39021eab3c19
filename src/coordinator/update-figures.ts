/** How long the parts of changes of the state took: where this node was the master, and in the threads of this node. */
import type { Clock } from '../base/clock.js';

/** Milliseconds in all. */
export interface UnchangedFigures {
  readonly count: number;
  readonly computationMs: number;
  readonly notificationMs: number;
}

/** Milliseconds in all. Those of a publication are counted from its begin, just after the new state was computed. */
export interface ChangedFigures extends UnchangedFigures {
  /** Until everything below is done. */
  readonly publicationMs: number;
  /** Of this: writing down what changes. */
  readonly contextConstructionMs: number;
  /** Until a majority has the change on disk. */
  readonly commitMs: number;
  /** Until all other nodes have applied it. */
  readonly completionMs: number;
  /** What the master itself takes to apply it, its threads included. */
  readonly masterApplyMs: number;
}

/** Of one thread that applies states, or of the coordinator. */
export interface ApplierFigures {
  readonly name: string;
  readonly count: number;
  readonly timeMs: number;
}

/** Plain data. */
export interface UpdateFigures {
  readonly unchanged: UnchangedFigures;
  readonly success: ChangedFigures;
  readonly failure: ChangedFigures;
  readonly appliers: readonly ApplierFigures[];
}

type Parts<Figures> = { -readonly [Part in keyof Omit<Figures, 'count'>]: number };

const NOTHING: Parts<ChangedFigures> = {
  ...{ computationMs: 0, notificationMs: 0, publicationMs: 0, contextConstructionMs: 0 },
  ...{ commitMs: 0, completionMs: 0, masterApplyMs: 0 },
};

export class UpdateCounters {
  private readonly kinds = {
    unchanged: { count: 0, ...NOTHING },
    success: { count: 0, ...NOTHING },
    failure: { count: 0, ...NOTHING },
  };
  private readonly appliers = new Map<string, { count: number; timeMs: number }>();

  ended(kind: 'unchanged' | 'success' | 'failure', took: Partial<Parts<ChangedFigures>>): void {
    const figures = this.kinds[kind];
    figures.count++;
    for (const [part, ms] of Object.entries(took)) figures[part as keyof typeof NOTHING] += ms;
  }

  /** Threads are few, and a new one has the name of the one that it replaces. */
  applied(name: string, tookMs: number): void {
    const figures = this.appliers.get(name) ?? { count: 0, timeMs: 0 };
    figures.count++;
    figures.timeMs += tookMs;
    this.appliers.set(name, figures);
  }

  figures(): UpdateFigures {
    const { unchanged, success, failure } = this.kinds;
    const { count, computationMs, notificationMs } = unchanged;
    return {
      unchanged: { count, computationMs, notificationMs },
      success: { ...success },
      failure: { ...failure },
      appliers: [...this.appliers].map(([name, figures]) => ({ name, ...figures })),
    };
  }
}

/** Of one change: what its parts took so far. */
export class UpdateStopwatch {
  readonly took: Partial<Parts<ChangedFigures>> = {};
  private readonly clock: Clock;
  private readonly begunMs: number;
  private publishedMs = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.begunMs = clock.monotonicMs();
  }

  computed(): void {
    this.publishedMs = this.clock.monotonicMs();
    this.took.computationMs = this.publishedMs - this.begunMs;
  }

  /** Since the new state was computed. */
  mark(part: 'publicationMs' | 'contextConstructionMs' | 'commitMs' | 'completionMs'): void {
    this.took[part] = this.clock.monotonicMs() - this.publishedMs;
  }

  /** What this takes is of one part. */
  async within(part: 'masterApplyMs' | 'notificationMs', work: () => unknown): Promise<void> {
    const begunMs = this.clock.monotonicMs();
    await work();
    this.took[part] = (this.took[part] ?? 0) + this.clock.monotonicMs() - begunMs;
  }
}
