/** The threads of a node that are told of every state. */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { PUBLISH_MS_MAX } from '../base/limits.js';
import type { Logger } from '../base/logger.js';
import type { Publication } from './publication.js';
import type { UpdateCounters } from './update-figures.js';

/** Resolves when the thread has applied it. */
export type Subscriber = (publication: Publication) => Promise<unknown>;

export class Subscribers {
  private readonly clock: Clock;
  private readonly logger: Logger;
  private readonly isEnding: () => boolean;
  private readonly updates: Pick<UpdateCounters, 'applied'>;
  private readonly subscribers = new Map<string, Subscriber>();
  /** Settles when all was applied that was told so far. */
  private told: Promise<void> = Promise.resolve();

  /** `isEnding`: whether the node stops. Threads that end do not apply what they are told. */
  constructor(clock: Clock, logger: Logger, isEnding: () => boolean, updates: Pick<UpdateCounters, 'applied'>) {
    this.clock = clock;
    this.logger = logger;
    this.isEnding = isEnding;
    this.updates = updates;
  }

  /** A thread of the same name takes the place of the former. */
  async add(name: string, subscriber: Subscriber, first: Publication): Promise<void> {
    this.subscribers.set(name, subscriber);
    await this.tellOne(name, subscriber, first);
  }

  tell(publication: Publication): void {
    const telling = [...this.subscribers].map(([name, subscriber]) => this.tellOne(name, subscriber, publication));
    // Without a result: each would hold that of the one before.
    this.told = Promise.all([this.told, ...telling]).then(() => undefined);
  }

  /** Resolves when every thread has applied what was told so far, or is not waited for any longer. */
  async whenTold(): Promise<void> {
    await this.told;
  }

  /** A thread that cannot be told is dropped: it crashed, and is told everything when it is back. */
  private async tellOne(name: string, subscriber: Subscriber, publication: Publication): Promise<void> {
    const begunMs = this.clock.monotonicMs();
    let stopWaiting = (): void => undefined;
    const timeout = new Promise<'late'>((resolve) => {
      stopWaiting = this.clock.schedule(PUBLISH_MS_MAX, () => {
        resolve('late');
      });
    });
    try {
      const outcome = await Promise.race([subscriber(publication), timeout]);
      if (outcome === 'late') this.warn('a thread is slow to apply the cluster state', name);
      else this.updates.applied(name, this.clock.monotonicMs() - begunMs);
    } catch (error) {
      if (this.subscribers.get(name) === subscriber) this.subscribers.delete(name);
      this.warn('a thread did not apply the cluster state', name, error);
    } finally {
      stopWaiting();
    }
  }

  private warn(message: string, thread: string, error?: unknown): void {
    this.logger.log(this.isEnding() ? 'debug' : 'warn', message, {
      thread,
      reason: error === undefined ? undefined : asQuarryError(error).message,
    });
  }
}
