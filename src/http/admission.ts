/**
 * Bounded queues per pool: a request runs, waits, or is refused at once. One that turns out to take long goes on elsewhere, and makes room for the
 * next that may be brief.
 */
import type { PoolFigures } from '../actions/context.js';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { PoolName } from '../rest/endpoint.js';
import { NO_TICKET, PoolRoom, type FrontPlace, type PoolLimits, type Ticket } from './pool-room.js';

/** Writes wait for the disk together, so many more than one a core may run. */
const WRITES_PER_WORKER = 16;

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
    management: {
      size: values['thread_pool.management.size'],
      queueSize: values['thread_pool.management.queue_size'],
    },
  };
}

export interface AdmissionOptions {
  readonly limits: Readonly<Record<PoolName, PoolLimits>>;
  readonly rejectedType: RejectedType;
  readonly clock: Clock;
  readonly front: FrontPlace;
  /** Of all fronts of the node, see {@link poolWords}. */
  readonly words: Int32Array;
}

export class Admission {
  private readonly pools: Readonly<Record<PoolName, PoolGate>>;

  constructor(options: AdmissionOptions) {
    this.pools = {
      search: new PoolGate('search', options),
      write: new PoolGate('write', options),
      management: new PoolGate('management', options),
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

  /** Of this front, but for the limits and the most that ran at once. */
  figures(): Readonly<Record<PoolName, PoolFigures>> {
    const { search, write, management } = this.pools;
    return { search: search.figures(), write: write.figures(), management: management.figures() };
  }

  /** Requests of this front that run or wait. */
  get pending(): number {
    return Object.values(this.pools).reduce((sum, pool) => sum + pool.pending, 0);
  }
}

export type RejectedType = 'es_rejected_execution_exception' | 'rejected_execution_exception';

/** A request that was let in. */
export interface Admitted {
  /** It goes on where it holds nobody up: see `Cancellation.noteLong`. Replaced by who carries the request out. */
  isLong: () => boolean;
}

export type Work = (admitted: Admitted) => Promise<void>;

interface Waiting {
  readonly work: Work;
  readonly sinceMs: number;
  readonly ticket: Ticket;
}

/** While requests wait, here or in other fronts, it is looked so often: one that runs may have turned out to take long, or ended elsewhere. */
const LOOK_MS = 2;
/** While requests run here and none waits anywhere: so often it is seen whether one has come to wait elsewhere. */
const LOOK_FOR_OTHERS_MS = 20;

class PoolGate {
  private readonly name: PoolName;
  private readonly room: PoolRoom;
  private readonly rejectedType: RejectedType;
  private readonly clock: Clock;
  private readonly isShared: boolean;
  private readonly waiting: Waiting[] = [];
  /** Of those that run the ones that are not known to take long: each has a place. */
  private readonly brief = new Set<Admitted>();
  private isLooking = false;
  private postponed = 0;
  private active = 0;
  private rejected = 0;
  private completed = 0;
  private largest = 0;
  private waitMs = 0;

  constructor(name: PoolName, { limits, rejectedType, clock, front, words }: AdmissionOptions) {
    this.name = name;
    this.room = new PoolRoom(name, limits[name], words, front);
    this.rejectedType = rejectedType;
    this.clock = clock;
    this.isShared = front.count > 1;
  }

  enter(work: Work): void {
    // Room that is there already is for those who wait.
    this.letIn();
    if (!this.room.enter()) throw this.refuse();
    if (this.waiting.length === 0 && this.takePlace(NO_TICKET)) void this.run(work);
    else if (this.room.isOverfull) {
      this.room.leave();
      throw this.refuse();
    } else this.wait(work);
  }

  pass(): void {
    this.completed++;
    // It took no place: with it, no more ran than the pool has places for.
    this.largest = Math.max(this.largest, Math.min(this.room.running + 1, this.room.limits.size));
  }

  postpone(): boolean {
    if (!this.room.postpone()) return false;
    this.postponed++;
    return true;
  }

  resume(waitMs: number): void {
    this.room.resume();
    this.postponed--;
    this.waitMs += waitMs;
  }

  figures(): PoolFigures {
    const { active, rejected, completed, largest, waitMs } = this;
    const queue = this.waiting.length + this.postponed;
    return { ...this.room.limits, active, queue, rejected, completed, largest, waitMs };
  }

  get pending(): number {
    return this.active + this.waiting.length + this.postponed;
  }

  private wait(work: Work): void {
    const ticket = this.room.nextTicket();
    this.waiting.push({ work, sinceMs: this.clock.monotonicMs(), ticket });
    if (this.waiting.length === 1) this.room.announce(ticket);
    this.lookLater();
  }

  /** What takes long counts among those that wait. */
  private takePlace(ticket: Ticket): boolean {
    if (this.room.take(this.brief.size, ticket)) return true;
    return this.giveBackOfLong() && this.room.take(this.brief.size, ticket);
  }

  /** Whether there were such that have turned out to take long. */
  private giveBackOfLong(): boolean {
    let hasAny = false;
    for (const admitted of this.brief) {
      if (!admitted.isLong()) continue;
      this.brief.delete(admitted);
      this.room.giveBack();
      hasAny = true;
    }
    return hasAny;
  }

  private lookLater(): void {
    const hasWaiting = this.waiting.length > 0;
    if (this.isLooking || !(hasWaiting || (this.isShared && this.brief.size > 0))) return;
    this.isLooking = true;
    const hasOthers = this.room.isPreceded(NO_TICKET);
    this.clock.schedule(hasWaiting || hasOthers ? LOOK_MS : LOOK_FOR_OTHERS_MS, () => {
      this.isLooking = false;
      if (this.room.isPreceded(NO_TICKET)) this.giveBackOfLong();
      this.letIn();
      this.lookLater();
    });
  }

  private letIn(): void {
    for (let next = this.waiting[0]; next !== undefined && this.takePlace(next.ticket); next = this.waiting[0]) {
      this.waiting.shift();
      this.room.announce(this.waiting[0]?.ticket ?? NO_TICKET);
      this.waitMs += this.clock.monotonicMs() - next.sinceMs;
      void this.run(next.work);
    }
  }

  private async run(work: Work): Promise<void> {
    const admitted: Admitted = { isLong: () => false };
    this.active++;
    this.room.begin();
    this.brief.add(admitted);
    this.largest = Math.max(this.largest, this.room.running);
    if (this.isShared) this.lookLater();
    try {
      await work(admitted);
    } finally {
      this.active--;
      this.room.end();
      if (this.brief.delete(admitted)) this.room.giveBack();
      this.room.leave();
      this.completed++;
      this.letIn();
    }
  }

  private refuse(): QuarryError {
    this.rejected++;
    const { size, queueSize } = this.room.limits;
    return new QuarryError(
      this.rejectedType,
      `rejected execution: pool [${this.name}] runs [${this.room.running}] of [${size}] requests and its queue of ` +
        `[${queueSize}] is full`,
    );
  }
}
