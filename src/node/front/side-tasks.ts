/**
 * The tasks of a node with side fronts. Each front has a table for the requests that it serves, and the numbers that leave its place as the
 * remainder when they are divided by the count of fronts. Tasks of other nodes, and what threads announce, are in the first one's table.
 */
import type { TaskTable } from '../../base/tasks/task-table.js';
import { taskId, type TaskInfo, type TaskQuestion, type TaskReport } from '../../base/tasks/task.js';
import type { Mailbox } from '../../workers/mailbox.js';
import type { SideFrontMessage } from './side-front-messages.js';

/** The part of a {@link SideThread} that has to do with tasks. */
interface SideTable {
  readonly line: Pick<Mailbox, 'call' | 'note'>;
}

export class SideTasks {
  private readonly sides: () => readonly SideTable[];
  readonly count: number;

  /** `count`: of all fronts. `sides`: in the order of their places, once they were started. */
  constructor(count: number, sides: () => readonly SideTable[]) {
    this.count = count;
    this.sides = sides;
  }

  /** Of all fronts; `first` is the table of the first one. */
  async answer(question: TaskQuestion, first: TaskTable, nodeId: string): Promise<readonly TaskInfo[]> {
    switch (question.kind) {
      case 'list':
        return this.ofAll(question, first);
      case 'rethrottle':
        return this.ofPlace(this.placeOf(question.number), question, first);
      case 'cancel':
        return this.cancel(question, first, nodeId);
      case 'await':
        await this.whenEnded(question.numbers, question.timeoutMs, first);
        return [];
    }
  }

  report(number: number, report: TaskReport, first: TaskTable): void {
    const place = this.placeOf(number);
    const message: SideFrontMessage = { kind: 'report-task', number, report };
    if (place === 0) first.report(number, report);
    else this.sides()[place - 1]?.line.note(message);
  }

  /** The oldest first. */
  private async ofAll(question: TaskQuestion, first: TaskTable): Promise<readonly TaskInfo[]> {
    const places = [0, ...this.sides().map((_, at) => at + 1)];
    const told = await Promise.all(places.map((place) => this.ofPlace(place, question, first)));
    return told.flat().sort((left, right) => left.startedAtMs - right.startedAtMs || left.number - right.number);
  }

  private async ofPlace(place: number, question: TaskQuestion, first: TaskTable): Promise<readonly TaskInfo[]> {
    if (place === 0) return first.answer(question);
    const message: SideFrontMessage = { kind: 'ask-tasks', question };
    // The answer of a `TaskTable`.
    return ((await this.sides()[place - 1]?.line.call(message)) ?? []) as readonly TaskInfo[];
  }

  private async cancel(
    question: Extract<TaskQuestion, { kind: 'cancel' }>,
    first: TaskTable,
    nodeId: string,
  ): Promise<readonly TaskInfo[]> {
    const { number } = question.filter;
    const now: TaskQuestion = { ...question, waits: false };
    const cancelled = await (number === undefined
      ? this.ofAll(now, first)
      : this.ofPlace(this.placeOf(number), now, first));
    // Parts of what a side front serves were announced.
    const parts = first.cancelParts(cancelled.map((task) => taskId(nodeId, task.number)));
    if (question.waits) {
      await this.whenEnded([...cancelled.map((task) => task.number), ...parts], question.timeoutMs, first);
    }
    return cancelled;
  }

  private async whenEnded(numbers: readonly number[], timeoutMs: number, first: TaskTable): Promise<void> {
    const places = new Set(numbers.map((number) => this.placeOf(number)));
    await Promise.all(
      [...places].map((place) => {
        const own = numbers.filter((number) => this.placeOf(number) === place);
        return this.ofPlace(place, { kind: 'await', numbers: own, timeoutMs }, first);
      }),
    );
  }

  private placeOf(number: number): number {
    return number % this.count;
  }
}
