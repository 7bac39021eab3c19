/**
 * Bounded queues per pool: a request runs, waits, or is refused at once. One that turns out to take long goes on elsewhere, and makes room for the
 * next that may be brief.
 */
import type { PoolFigures } from '../actions/context.js';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { PoolName } from '../rest/endpoint.js';

export interface PoolLimits {
  /** Requests that run at once. */
  readonly size: number;
  /** Requests that wait. */
  readonly queueSize: number;
}

/** Writes wait for the disk together, so many more than one a core may run. */
const WRITES_PER_WORKER = 16;
const MANAGEMENT_SIZE = 32;

export function poolLimits(settings: NodeSettings, workerCount: number): Readonly<Record<PoolName, PoolLimits>> {
  const { values } = settings;
  return {
    search: {
      size: values['thread_pool.search.size'] ?? Math.floor((workerCount * 3) / 2) + 1,
      queueSize: values['thread_pool.search.queue_size'],
    },
    write: {
      size: values['thread_pool.write.size'] ?? workerCount * WRITES_PER_WORKER,
      queueSize: values['thread_pool.write.queue_size'],
    },
    management: { size: MANAGEMENT_SIZE, queueSize: values['thread_pool.management.queue_size'] },
  };
}

/** What one of several fronts lets in: its part of the limits, at least one. Who manages the node finds room in each. */
export function shareOfLimits(
  limits: Readonly<Record<PoolName, PoolLimits>>,
  { place, count }: FrontPlace,
): Readonly<Record<PoolName, PoolLimits>> {
  const share = (whole: number): number =>
    Math.max(1, Math.floor((whole * (place + 1)) / count) - Math.floor((whole * place) / count));
  const of = ({ size, queueSize }: PoolLimits): PoolLimits => ({ size: share(size), queueSize: share(queueSize) });
  const { search, write, management } = limits;
  return { search: of(search), write: of(write), management };
}

/** Which front of a node, from 0, and of how many. */
export interface FrontPlace {
  readonly place: number;
  readonly count: number;
}

export class Admission {
  private readonly pools: Readonly<Record<PoolName, PoolGate>>;

  constructor(limits: Readonly<Record<PoolName, PoolLimits>>, rejectedType: RejectedType, clock: Clock) {
    this.pools = {
      search: new PoolGate('search', limits.search, rejectedType, clock),
      write: new PoolGate('write', limits.write, rejectedType, clock),
      management: new PoolGate('management', limits.management, rejectedType, clock),
    };
  }

  /** Runs `work` when the pool has room. Throws the API's rejection when its queue is full. */
  enter(pool: PoolName, work: Work): void {
    this.pools[pool].enter(work);
  }

  /** Counts a request that was answered at once: it takes no room. */
  pass(pool: PoolName): void {
    this.pools[pool].pass();
  }

  /** Counts a request that the front itself answers later among those that wait. False: the queue is full. */
  postpone(pool: PoolName): boolean {
    return this.pools[pool].postpone();
  }

  /** One that was postponed has waited for so long, and waits no longer. */
  resume(pool: PoolName, waitMs: number): void {
    this.pools[pool].resume(waitMs);
  }

  figures(): Readonly<Record<PoolName, PoolFigures>> {
    const { search, write, management } = this.pools;
    return { search: search.figures(), write: write.figures(), management: management.figures() };
  }

  /** Requests that run or wait. */
  get pending(): number {
    return Object.values(this.pools).reduce((sum, pool) => sum + pool.pending, 0);
  }
}

type RejectedType = 'es_rejected_execution_exception' | 'rejected_execution_exception';

/** A request that was let in. */
export interface Admitted {
  /** It goes on where it holds nobody up: see `Cancellation.noteLong`. Replaced by who carries the request out. */
  isLong: () => boolean;
}

export type Work = (admitted: Admitted) => Promise<void>;

interface Waiting {
  readonly work: Work;
  readonly sinceMs: number;
}

/** While requests wait, those that run are looked at so often: one of them may have turned out to take long. */
const LOOK_MS = 5;

class PoolGate {
  private readonly name: PoolName;
  private readonly limits: PoolLimits;
  private readonly rejectedType: RejectedType;
  private readonly clock: Clock;
  private readonly waiting: Waiting[] = [];
  /** Of those that run the ones that are not known to take long: as many as the pool's size at most. */
  private readonly brief = new Set<Admitted>();
  private isLooking = false;
  /** Requests that the front itself answers, when it has time. */
  private postponed = 0;
  private active = 0;
  private rejected = 0;
  private completed = 0;
  private largest = 0;
  private waitMs = 0;

  constructor(name: PoolName, limits: PoolLimits, rejectedType: RejectedType, clock: Clock) {
    this.name = name;
    this.limits = limits;
    this.rejectedType = rejectedType;
    this.clock = clock;
  }

  enter(work: Work): void {
    // Room that is there already is for those who wait.
    this.letIn();
    if (this.waiting.length === 0 && this.hasRoom()) void this.run(work);
    else if (this.isFull) throw this.refuse();
    else {
      this.waiting.push({ work, sinceMs: this.clock.monotonicMs() });
      this.lookLater();
    }
  }

  pass(): void {
    this.completed++;
    if (this.active >= this.largest) this.largest = this.active + 1;
  }

  postpone(): boolean {
    if (this.isFull) return false;
    this.postponed++;
    return true;
  }

  resume(waitMs: number): void {
    this.postponed--;
    this.waitMs += waitMs;
  }

  figures(): PoolFigures {
    const { active, rejected, completed, largest, waitMs } = this;
    const queue = this.waiting.length + this.postponed;
    return { ...this.limits, active, queue, rejected, completed, largest, waitMs };
  }

  get pending(): number {
    return this.active + this.waiting.length + this.postponed;
  }

  private get isFull(): boolean {
    return this.pending >= this.limits.size + this.limits.queueSize;
  }

  /** What takes long counts among those that wait. */
  private hasRoom(): boolean {
    const { size, queueSize } = this.limits;
    if (this.brief.size < size) return this.active < size + queueSize;
    for (const admitted of this.brief) if (admitted.isLong()) this.brief.delete(admitted);
    return this.brief.size < size && this.active < size + queueSize;
  }

  private lookLater(): void {
    if (this.isLooking || this.waiting.length === 0) return;
    this.isLooking = true;
    this.clock.schedule(LOOK_MS, () => {
      this.isLooking = false;
      this.letIn();
      this.lookLater();
    });
  }

  private letIn(): void {
    while (this.waiting.length > 0 && this.hasRoom()) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.waitMs += this.clock.monotonicMs() - next.sinceMs;
      void this.run(next.work);
    }
  }

  private async run(work: Work): Promise<void> {
    const admitted: Admitted = { isLong: () => false };
    this.active++;
    this.brief.add(admitted);
    this.largest = Math.max(this.largest, this.active);
    try {
      await work(admitted);
    } finally {
      this.active--;
      this.brief.delete(admitted);
      this.completed++;
      this.letIn();
    }
  }

  private refuse(): QuarryError {
    this.rejected++;
    const { size, queueSize } = this.limits;
    return new QuarryError(
      this.rejectedType,
      `rejected execution: pool [${this.name}] runs [${this.active}] of [${size}] requests and its queue of ` +
        `[${queueSize}] is full, completed requests = ${this.completed}`,
    );
  }
}
