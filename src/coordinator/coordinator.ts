/**
 * The coordinator: carries out commands one after the other, writes each new state to disk, tells every thread, and
 * answers when all have applied it. Commands that wait together are written and published together.
 */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import { PUBLISH_MS_MAX } from '../base/limits.js';
import type { Logger } from '../base/logger.js';
import { newUuid, type Random } from '../base/random.js';
import type { AnalysisRules } from '../cluster/changes/change.js';
import type { ClusterState } from '../cluster/state.js';
import { COMMANDS, type CommandName } from './commands.js';
import type { CommandDefinition, ReducerEnvironment } from './command.js';
import { publishChange, publishFull, type Publication } from './publication.js';

export interface CoordinatorOptions {
  readonly initial: ClusterState;
  readonly clock: Clock;
  readonly random: Random;
  readonly analysis: AnalysisRules;
  readonly logger: Logger;
  /** Resolves when the state is safely on disk. */
  persist(state: ClusterState): Promise<void>;
}

/** A thread that is told of every state; resolves when it has applied it. */
export type Subscriber = (publication: Publication) => Promise<unknown>;

interface WaitingCommand {
  readonly name: CommandName;
  readonly input: unknown;
  readonly deadlineMs: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What a table of commands looks like when their own types do not matter. */
type AnyCommand = CommandDefinition<string, unknown, unknown>;

/** Commands that wait; more are refused. */
const WAITING_COMMANDS_MAX = 10_000;

export class Coordinator {
  private readonly options: CoordinatorOptions;
  private readonly environment: Omit<ReducerEnvironment, 'nowMs'>;
  private readonly subscribers = new Map<string, Subscriber>();
  private waiting: WaitingCommand[] = [];
  private isWorking = false;
  private state: ClusterState;

  constructor(options: CoordinatorOptions) {
    const { random, analysis } = options;
    this.options = options;
    this.state = options.initial;
    this.environment = {
      newUuid: () => newUuid(random),
      analysis,
    };
  }

  get current(): ClusterState {
    return this.state;
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Tells the thread the whole state, then every change. A thread of the same name takes the place of the former. */
  async subscribe(name: string, subscriber: Subscriber): Promise<void> {
    this.subscribers.set(name, subscriber);
    await this.tell(name, subscriber, publishFull(this.state));
  }

  submit(name: CommandName, input: unknown, timeoutMs = PUBLISH_MS_MAX): Promise<unknown> {
    if (this.waiting.length >= WAITING_COMMANDS_MAX) {
      const reason = `rejected execution of [${name}]: [${WAITING_COMMANDS_MAX}] commands wait for the coordinator`;
      return Promise.reject(new QuarryError('rejected_execution_exception', reason));
    }
    return new Promise((resolve, reject) => {
      const deadlineMs = this.options.clock.monotonicMs() + timeoutMs;
      this.waiting.push({ name, input, deadlineMs, resolve, reject });
      if (!this.isWorking) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      await this.carryOut(batch);
    }
    this.isWorking = false;
  }

  private async carryOut(batch: readonly WaitingCommand[]): Promise<void> {
    const before = this.state;
    const done: { command: WaitingCommand; result: unknown }[] = [];
    let next = before;
    for (const command of batch) {
      try {
        const reduction = this.reduce(next, command);
        next = reduction.state;
        done.push({ command, result: reduction.result });
      } catch (error) {
        command.reject(error);
      }
    }
    try {
      if (next !== before) await this.commit(before, next);
    } catch (error) {
      this.options.logger.log('error', 'cannot write the cluster state', { reason: String(error) });
      for (const { command } of done) command.reject(error);
      return;
    }
    for (const { command, result } of done) command.resolve(result);
  }

  private reduce(state: ClusterState, command: WaitingCommand): { state: ClusterState; result: unknown } {
    if (command.deadlineMs < this.options.clock.monotonicMs()) {
      const reason = `failed to process cluster event (${command.name}) within its timeout`;
      throw new QuarryError('process_cluster_event_timeout_exception', reason);
    }
    const definition = COMMANDS[command.name] as unknown as AnyCommand;
    // One command, one moment.
    return definition.reduce(state, command.input, { ...this.environment, nowMs: this.options.clock.nowMs() });
  }

  private async commit(before: ClusterState, after: ClusterState): Promise<void> {
    await this.options.persist(after);
    this.state = after;
    const publication = publishChange(before, after);
    await Promise.all([...this.subscribers].map(([name, tell]) => this.tell(name, tell, publication)));
  }

  /** A thread that cannot be told is dropped: it crashed, and is told everything when it is back. */
  private async tell(name: string, subscriber: Subscriber, publication: Publication): Promise<void> {
    let stopWaiting = (): void => undefined;
    const timeout = new Promise<'late'>((resolve) => {
      stopWaiting = this.options.clock.schedule(PUBLISH_MS_MAX, () => {
        resolve('late');
      });
    });
    try {
      const outcome = await Promise.race([subscriber(publication), timeout]);
      if (outcome === 'late') this.warn('a thread is slow to apply the cluster state', name);
    } catch (error) {
      if (this.subscribers.get(name) === subscriber) this.subscribers.delete(name);
      this.warn('a thread did not apply the cluster state', name, error);
    } finally {
      stopWaiting();
    }
  }

  private warn(message: string, thread: string, error?: unknown): void {
    this.options.logger.log('warn', message, {
      thread,
      reason: error === undefined ? undefined : asQuarryError(error).message,
    });
  }
}
