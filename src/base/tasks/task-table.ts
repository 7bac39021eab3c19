/**
 * The tasks of a node. The table is in the front thread, which waits for nothing: it tells of tasks, and cancels them, while native
 * code keeps every worker busy.
 */
import { cancellationBlock } from '../cancellation.js';
import type { Clock } from '../clock.js';
import { QuarryError } from '../errors.js';
import { ANNOUNCED_TASKS_MAX } from '../limits.js';
import { TaskSlot } from './task-slot.js';
import { taskId, type NewTask, type TaskFilter, type TaskInfo, type TaskQuestion, type TaskReport } from './task.js';

export interface TaskTableOptions {
  readonly clock: Clock;
  /** What a request is about, made only when somebody asks. */
  readonly describe: (task: TaskSlot) => string;
  /** Whether one of the patterns matches the action. */
  readonly matchesAny: (patterns: readonly string[], action: string) => boolean;
  /** Of several tables of a node, each has the numbers that leave its remainder when they are divided by the count; undefined: there is one. */
  readonly numbers?: { readonly remainder: number; readonly count: number };
}

const SLOTS_PER_BLOCK = 512;
/** Numbers begin at the second of the start times this, so that those of an earlier run never come again. */
const NUMBERS_PER_SECOND = 1_000_000;

export class TaskTable {
  private readonly options: TaskTableOptions;
  private readonly idle: TaskSlot[] = [];
  private readonly running: TaskSlot[] = [];
  private lastNumber: number;
  private readonly step: number;
  private announced = 0;
  private nodeId = '';

  constructor(options: TaskTableOptions) {
    this.options = options;
    const { remainder, count } = options.numbers ?? { remainder: 0, count: 1 };
    const first = Math.floor(options.clock.nowMs() / 1_000) * NUMBERS_PER_SECOND;
    this.step = count;
    this.lastNumber = first - (first % count) + remainder;
  }

  /** Told once it is known. */
  identify(nodeId: string): void {
    this.nodeId = nodeId;
  }

  /** The caller fills in what the task is. */
  begin(action: string, isCancellable: boolean): TaskSlot {
    const slot = this.idle.pop() ?? this.moreSlots();
    return this.add(slot, action, isCancellable);
  }

  /** Nobody may look at the task's words any more. */
  end(slot: TaskSlot): void {
    this.remove(slot);
    slot.reset();
    this.idle.push(slot);
  }

  /** Ends a task whose words somebody may still look at. */
  abandon(slot: TaskSlot): void {
    this.remove(slot);
  }

  /** The actions of all that run, and how many of each. */
  get runningActions(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { action } of this.running) counts.set(action, (counts.get(action) ?? 0) + 1);
    return counts;
  }

  /** The node ends: those of these actions wait for nothing any more. */
  cancelByStop(actions: ReadonlySet<string>): void {
    for (const slot of this.running) if (actions.has(slot.action)) slot.cancelByStop();
  }

  /** A task that a worker carries out besides its requests; gives its number. */
  announce(task: NewTask, words: Int32Array, owner: string): number {
    if (this.announced >= ANNOUNCED_TASKS_MAX) {
      const reason = `rejected execution: [${this.announced}] of [${ANNOUNCED_TASKS_MAX}] tasks run in the background`;
      throw new QuarryError('rejected_execution_exception', reason);
    }
    const slot = this.add(new TaskSlot(words), task.action, task.isCancellable);
    slot.hasPace = task.hasPace;
    slot.type = task.parent === '' ? 'transport' : 'direct';
    slot.parent = task.parent;
    slot.opaqueId = task.opaqueId;
    slot.report = { description: task.description };
    slot.owner = owner;
    slot.isKept = task.isKept === true;
    this.announced++;
    return slot.number;
  }

  report(number: number, report: TaskReport): void {
    const slot = this.find(number);
    if (slot === undefined) return;
    slot.report = { ...slot.report, ...report };
    if (report.hasPace === true) slot.hasPace = true;
  }

  /** Of a task that was announced. */
  finish(number: number): void {
    const slot = this.find(number);
    if (slot !== undefined && slot.owner !== '') this.abandonAnnounced(slot);
  }

  /** The worker is gone, and what it carried out with it. Gives those that somebody has to write an end for, and to `finish` then. */
  forgetOwner(owner: string): readonly TaskInfo[] {
    const lost = this.running.filter((each) => each.owner === owner);
    for (const slot of lost) if (!slot.isKept) this.abandonAnnounced(slot);
    return lost.filter(({ isKept }) => isKept).map((slot) => this.tell(slot, true));
  }

  async answer(question: TaskQuestion): Promise<readonly TaskInfo[]> {
    switch (question.kind) {
      case 'list':
        return this.select(question.filter).map((slot) => this.tell(slot, question.detailed));
      case 'cancel':
        return this.cancel(question.filter, question.waits ? question.timeoutMs : undefined);
      case 'rethrottle':
        return this.rethrottle(question.number, question.perSecond);
      case 'await':
        await this.whenEnded(
          this.running.filter(({ number }) => question.numbers.includes(number)),
          question.timeoutMs,
        );
        return [];
    }
  }

  /** Cancels what is part of tasks of any table, which have these ids; gives the numbers of what it cancelled. */
  cancelParts(ids: readonly string[]): readonly number[] {
    const parts = this.withParts(this.running.filter(({ parent }) => ids.includes(parent)));
    for (const slot of parts) slot.cancelByRequest();
    return parts.map(({ number }) => number);
  }

  /** `waitMs`: how long their ends are waited for. */
  private async cancel(filter: TaskFilter, waitMs: number | undefined): Promise<readonly TaskInfo[]> {
    const named = this.select(filter);
    if (filter.number !== undefined) this.checkNamed(filter.number, named);
    const cancelled = named.filter(({ isCancellable }) => isCancellable);
    const concerned = this.withParts(cancelled);
    for (const slot of concerned) slot.cancelByRequest();
    const told = cancelled.map((slot) => this.tell(slot, true));
    if (waitMs !== undefined) await this.whenEnded(concerned, waitMs);
    return told;
  }

  /** Refuses when the time is over, so that nothing is held for those who wait no longer. */
  private async whenEnded(slots: readonly TaskSlot[], timeoutMs: number): Promise<void> {
    if (slots.length === 0) return;
    const ids = slots.map(({ number }) => taskId(this.nodeId, number)).join(', ');
    const forgets: (() => void)[] = [];
    const ends = slots.map((slot) => new Promise<void>((resolve) => forgets.push(slot.onEnd(resolve))));
    const overdue = new Promise<never>((_, reject) => {
      const refuse = (): void => {
        reject(new QuarryError('timeout_exception', `Timed out waiting for completion of tasks [${ids}]`));
      };
      forgets.push(this.options.clock.schedule(timeoutMs, refuse));
    });
    try {
      await Promise.race([Promise.all(ends), overdue]);
    } finally {
      for (const forget of forgets) forget();
    }
  }

  /** One task that is asked for by its id must be there. */
  private checkNamed(number: number, found: readonly TaskSlot[]): void {
    const id = taskId(this.nodeId, number);
    const slot = this.find(number);
    if (slot === undefined) throw new QuarryError('resource_not_found_exception', `task [${id}] is not found`);
    if (found.length > 0 && slot.isCancellable) return;
    throw new QuarryError('illegal_argument_exception', `task [${id}] doesn't support this operation`);
  }

  private rethrottle(number: number, perSecond: number): readonly TaskInfo[] {
    const slot = this.find(number);
    if (slot === undefined) {
      throw new QuarryError('resource_not_found_exception', `task [${taskId(this.nodeId, number)}] is missing`);
    }
    if (!slot.hasPace) {
      const reason = `task [${taskId(this.nodeId, number)}] doesn't support this operation`;
      throw new QuarryError('illegal_argument_exception', reason);
    }
    slot.setPace(perSecond);
    return [this.tell(slot, true)];
  }

  /** These tasks and, of this node, those that are part of them. */
  private withParts(tasks: readonly TaskSlot[]): readonly TaskSlot[] {
    const found = new Set(tasks);
    for (const slot of found) {
      const id = taskId(this.nodeId, slot.number);
      for (const other of this.running) if (other.parent === id) found.add(other);
    }
    return [...found];
  }

  /** The oldest first. */
  private select(filter: TaskFilter): readonly TaskSlot[] {
    const { number, actions = [], parent } = filter;
    const found = this.running.filter(
      (slot) =>
        (number === undefined || slot.number === number) &&
        (parent === undefined || slot.parent === parent) &&
        (actions.length === 0 || this.options.matchesAny(actions, slot.action)),
    );
    return found.sort((left, right) => left.number - right.number);
  }

  private tell(slot: TaskSlot, detailed: boolean): TaskInfo {
    const { clock, describe } = this.options;
    const { number, type, action, isCancellable, isCancelled, parent, opaqueId, report } = slot;
    const runningMs = clock.monotonicMs() - slot.startedMs;
    const description = detailed ? (report?.description ?? describe(slot)) : '';
    const status = detailed ? report?.status : undefined;
    return {
      ...{ number, type, action, description, isCancellable, isCancelled, parent, opaqueId, runningMs },
      startedAtMs: Math.round(clock.nowMs() - runningMs),
      ...(status === undefined ? {} : { status }),
    };
  }

  private find(number: number): TaskSlot | undefined {
    return this.running.find((slot) => slot.number === number);
  }

  private add(slot: TaskSlot, action: string, isCancellable: boolean): TaskSlot {
    slot.number = this.lastNumber += this.step;
    slot.action = action;
    slot.isCancellable = isCancellable;
    slot.startedMs = this.options.clock.monotonicMs();
    slot.place = this.running.push(slot) - 1;
    return slot;
  }

  /** The last one takes its place. */
  private remove(slot: TaskSlot): void {
    const last = this.running.pop();
    if (last !== undefined && last !== slot) {
      this.running[slot.place] = last;
      last.place = slot.place;
    }
    slot.place = -1;
    slot.ended();
  }

  private abandonAnnounced(slot: TaskSlot): void {
    this.announced--;
    this.remove(slot);
  }

  private moreSlots(): TaskSlot {
    for (const words of cancellationBlock(SLOTS_PER_BLOCK)) this.idle.push(new TaskSlot(words));
    return this.idle.pop() ?? new TaskSlot();
  }
}
