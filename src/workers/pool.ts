/**
 * The worker pool: a fixed number of Piscina threads, each in a numbered slot that owns shards. A crashed thread is
 * replaced in its slot and wired to the others anew; the requests it was serving fail with 503.
 */
import { setTimeout } from 'node:timers/promises';
import { Piscina } from 'piscina';
import { must } from '../base/assert.js';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { withSourcePlaces } from '../store/source-places.js';
import { newChannel } from './threads.js';
import { COORDINATOR, FRONT, workerName, type Wire, type WireTask } from './wires.js';
import { workerUnavailable, type WorkerSlots } from './worker-slots.js';

export interface WorkerPoolOptions {
  /** Module whose default export takes a task. */
  readonly entry: URL;
  /** One for each worker; kept up to date here. */
  readonly slots: WorkerSlots;
  /** Names of the fronts. */
  readonly fronts: readonly string[];
  readonly startData: unknown;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes the far end of a new line from a worker to the coordinator or a front. Resolves when a front has it. */
  connect(peer: string, wire: Wire): Promise<void>;
  /** The worker of the slot crashed; called before its successor is connected. */
  onCrash(slot: number): void;
  /** Called once when workers cannot be kept alive. */
  onFatal(reason: string): void;
}

/** Requests in one worker at a time; admission keeps the real number far lower. */
const TASKS_PER_WORKER = 1_000_000;
/** More crashes than this within the window stop the node: something is wrong that a restart does not cure. */
const CRASHES_MAX = 10;
const CRASH_WINDOW_MS = 60_000;

/** How long the end of the pool waits for threads that have not loaded their module, and how often it looks. */
const LOAD_MS_MAX = 10_000;
const LOOK_MS = 5;

type LoadBalancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>['loadBalancer']>;

export class WorkerPool {
  private readonly options: WorkerPoolOptions;
  private readonly piscina: Piscina<unknown, unknown>;
  /** Thread id by slot; undefined while a crashed worker is being replaced. */
  private readonly threadOfSlot: (number | undefined)[];
  /** Slots whose thread is there but has not carried out its first task yet. */
  private readonly starting = new Set<number>();
  /** Threads that have loaded their module. */
  private readonly loaded = new Set<number>();
  /** What every worker is told with its lines; undefined before there are any. */
  private introduction: object | undefined;
  private readonly crashTimes: number[] = [];
  private isClosing = false;
  /** The slot that `nextReadySlot` gave last. */
  private lastSlot = -1;

  constructor(options: WorkerPoolOptions) {
    this.options = options;
    this.piscina = new Piscina({
      filename: options.entry.href,
      minThreads: options.slots.count,
      maxThreads: options.slots.count,
      concurrentTasksPerWorker: TASKS_PER_WORKER,
      idleTimeout: Infinity,
      atomics: 'disabled',
      recordTiming: false,
      workerHistogram: false,
      workerData: options.startData,
      loadBalancer: (task, workers) => this.choose(task, workers),
    });
    this.threadOfSlot = this.piscina.threads.map((thread) => thread.threadId);
    for (const thread of this.piscina.threads) {
      const { threadId } = thread;
      // The first thing that Piscina's side of a thread says is that it is ready. Of later threads Piscina tells then.
      thread.once('message', () => this.loaded.add(threadId));
    }
    for (const slot of this.threadOfSlot.keys()) this.noteReadiness(slot);
    this.piscina.on('error', (error: Error) => {
      options.logger.log('error', 'worker failed', { stack: withSourcePlaces(error.stack ?? '') });
    });
    this.piscina.on('workerCreate', ({ id }: { id: number }) => {
      this.adopt(id);
    });
    this.piscina.on('workerDestroy', () => {
      queueMicrotask(() => {
        this.noticeLosses();
      });
    });
  }

  get workerCount(): number {
    return this.options.slots.count;
  }

  /**
   * Connects all workers with each other, the coordinator and the fronts, and hands each the introduction with its lines, as
   * it does later with those that take the place of crashed ones. It does not wait for side fronts.
   */
  async wireAll(introduction: object): Promise<void> {
    this.introduction = introduction;
    const wires: Wire[][] = this.threadOfSlot.map(() => []);
    const taken: Promise<void>[] = [];
    for (let slot = 0; slot < this.workerCount; slot++) {
      for (let peer = slot + 1; peer < this.workerCount; peer++) {
        const [near, far] = newChannel();
        wires[slot]?.push({ peer: workerName(peer), port: near });
        wires[peer]?.push({ peer: workerName(slot), port: far });
      }
      const upward = this.wiresUpward(slot, [COORDINATOR, FRONT]);
      wires[slot]?.push(...upward.wires);
      taken.push(upward.taken);
    }
    await Promise.all([...taken, ...wires.map((own, slot) => this.sendWires(slot, own))]);
  }

  /** Runs one task in the given slot. */
  async run(task: object, slot: number): Promise<unknown> {
    if (!this.isReady(slot)) throw workerUnavailable(slot);
    try {
      return await this.piscina.run({ ...task, [Piscina.queueOptionsSymbol]: { slot } });
    } catch (cause) {
      // A task answers its own errors: only the end of its thread rejects it.
      throw cause instanceof QuarryError ? cause : workerUnavailable(slot, cause);
    }
  }

  /** A slot whose worker takes calls, each in turn; undefined while there is none. */
  nextReadySlot(): number | undefined {
    for (let tried = 0; tried < this.workerCount; tried++) {
      this.lastSlot = (this.lastSlot + 1) % this.workerCount;
      if (this.isReady(this.lastSlot)) return this.lastSlot;
    }
    return undefined;
  }

  private isReady(slot: number): boolean {
    return this.options.slots.isReady(slot);
  }

  /** To be called when the thread of a slot, or what it has done, is another. */
  private noteReadiness(slot: number): void {
    this.options.slots.setReady(slot, this.threadOfSlot[slot] !== undefined && !this.starting.has(slot));
  }

  /** Runs one task in every worker that can take it now; a worker that fails is logged. */
  async runInReady(task: object): Promise<void> {
    const ready = [...this.threadOfSlot.keys()].filter((slot) => this.isReady(slot));
    const outcomes = await Promise.allSettled(ready.map((slot) => this.run(task, slot)));
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      this.options.logger.log('error', 'a worker did not carry out its task', { reason: String(outcome.reason) });
    }
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.whenLoaded();
    await this.piscina.destroy();
  }

  /** Node does not survive the end of a thread that is loading a module by `require`, as Piscina's threads do. */
  private async whenLoaded(): Promise<void> {
    const { clock } = this.options;
    const deadlineMs = clock.monotonicMs() + LOAD_MS_MAX;
    // A worker that ends meanwhile is replaced by one that loads.
    const isLoading = (): boolean => this.piscina.threads.some(({ threadId }) => !this.loaded.has(threadId));
    // Those of the clock would not keep the process alive.
    while (isLoading() && clock.monotonicMs() < deadlineMs) await setTimeout(LOOK_MS);
  }

  private choose(task: Parameters<LoadBalancer>[0], workers: Parameters<LoadBalancer>[1]): ReturnType<LoadBalancer> {
    const { slot } = task[Piscina.queueOptionsSymbol as keyof typeof task] as unknown as { slot: number };
    return workers.find((worker) => worker.id === this.threadOfSlot[slot]) ?? null;
  }

  /** `taken` resolves when the `awaited` threads have their ends: a front that has none answers as if the worker were gone. */
  private wiresUpward(
    slot: number,
    awaited: readonly string[],
  ): { readonly wires: readonly Wire[]; readonly taken: Promise<void> } {
    const wires: Wire[] = [];
    const taken: Promise<void>[] = [];
    for (const peer of [COORDINATOR, ...this.options.fronts]) {
      const [near, far] = newChannel();
      const taking = this.options.connect(peer, { peer: workerName(slot), port: far });
      wires.push({ peer, port: near });
      if (awaited.includes(peer)) taken.push(taking);
      else {
        taking.catch((error: unknown) => {
          this.options.onFatal(`${peer} has no line to a worker: ${String(error)}`);
        });
      }
    }
    return { wires, taken: Promise.all(taken).then(() => undefined) };
  }

  private async sendWires(slot: number, wires: readonly Wire[]): Promise<void> {
    const introduction = must(this.introduction, 'the introduction of wired workers');
    const task: WireTask<object> = { kind: 'wire', slot, wires, introduction };
    const placed = { ...task, [Piscina.queueOptionsSymbol]: { slot } };
    await this.piscina.run(placed, { transferList: wires.map(({ port }) => port) });
  }

  /** Gives a replacement thread the free slot and its lines, unless all workers get theirs later. */
  private adopt(threadId: number): void {
    if (this.threadOfSlot.includes(threadId)) return;
    this.loaded.add(threadId);
    this.noticeLosses();
    const slot = this.threadOfSlot.indexOf(undefined);
    if (slot === -1) return;
    this.threadOfSlot[slot] = threadId;
    if (this.isClosing) return;
    if (this.introduction !== undefined) this.starting.add(slot);
    this.noteReadiness(slot);
    if (this.introduction === undefined) return;
    this.rewire(slot, threadId).catch((error: unknown) => {
      this.options.logger.log('error', 'cannot wire a restarted worker', { slot, reason: String(error) });
      this.replace(threadId);
    });
  }

  /** Ends a thread that could not be made ready, so that another takes its place; nothing happens if it ended by itself. */
  private replace(threadId: number): void {
    if (this.isClosing) return;
    const thread = this.piscina.threads.find((each) => each.threadId === threadId);
    thread?.terminate().catch((error: unknown) => {
      this.options.onFatal(`a worker that cannot be used cannot be ended: ${String(error)}`);
    });
  }

  private async rewire(slot: number, threadId: number): Promise<void> {
    const { wires, taken } = this.wiresUpward(slot, [COORDINATOR, ...this.options.fronts]);
    const own = [...wires];
    const sending: Promise<void>[] = [];
    for (let peer = 0; peer < this.workerCount; peer++) {
      if (peer === slot || this.threadOfSlot[peer] === undefined) continue;
      const [near, far] = newChannel();
      own.push({ peer: workerName(peer), port: near });
      sending.push(this.sendWires(peer, [{ peer: workerName(slot), port: far }]));
    }
    // A peer that ends meanwhile gets its line to this worker with its successor.
    const peersTold = Promise.allSettled(sending);
    await Promise.all([this.sendWires(slot, own), taken]);
    await peersTold;
    if (this.threadOfSlot[slot] !== threadId) return;
    this.starting.delete(slot);
    this.noteReadiness(slot);
    this.options.logger.log('warn', 'worker restarted', { slot });
  }

  private noticeLosses(): void {
    const alive = new Set(this.piscina.threads.map((thread) => thread.threadId));
    for (const [slot, threadId] of this.threadOfSlot.entries()) {
      if (threadId === undefined || alive.has(threadId)) continue;
      this.threadOfSlot[slot] = undefined;
      this.loaded.delete(threadId);
      this.starting.delete(slot);
      this.noteReadiness(slot);
      if (this.isClosing) continue;
      this.options.logger.log('error', 'worker crashed', { slot });
      this.options.onCrash(slot);
      this.countCrash();
    }
  }

  private countCrash(): void {
    const now = this.options.clock.monotonicMs();
    this.crashTimes.push(now);
    while ((this.crashTimes[0] ?? now) < now - CRASH_WINDOW_MS) this.crashTimes.shift();
    if (this.crashTimes.length <= CRASHES_MAX) return;
    this.isClosing = true;
    this.options.onFatal(`workers crashed ${this.crashTimes.length} times within ${CRASH_WINDOW_MS / 1000} seconds`);
  }
}
