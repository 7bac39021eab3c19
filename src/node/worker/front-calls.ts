/** How a thread reaches what its node has once, in the first front: the log, the figures, the keystore, the list of tasks. */
import type { FrontFigures } from '../../actions/front-figures.js';
import type { Logger } from '../../base/logger.js';
import { FRONT } from '../../workers/wires.js';
import type { FrontMessage } from '../thread-messages.js';
import { lineTo, type Lines } from './lines.js';
import { announceWhile } from './task-calls.js';

export class FrontCalls {
  /** What is told while there is no front is lost. */
  readonly logger: Logger = {
    log: (level, message, fields, logger) => {
      this.lines.get(FRONT)?.note({ kind: 'log', level, message, fields, logger } satisfies FrontMessage);
    },
  };
  private readonly lines: Lines;

  constructor(lines: Lines) {
    this.lines = lines;
  }

  async figures(): Promise<FrontFigures> {
    return (await this.ask({ kind: 'figures' })) as FrontFigures;
  }

  async reloadSecureSettings(password: string): Promise<void> {
    await this.ask({ kind: 'reload-secure-settings', password });
  }

  async secureSettings(): Promise<ReadonlyMap<string, Uint8Array>> {
    return (await this.ask({ kind: 'secure-settings' })) as ReadonlyMap<string, Uint8Array>;
  }

  /** Lists work as a task, see {@link announceWhile}. */
  announce(action: string, description: string, work: Promise<unknown>): void {
    void announceWhile(this.lines.get(FRONT), action, description, work);
  }

  private async ask(message: FrontMessage): Promise<unknown> {
    return lineTo(this.lines, FRONT).call(message);
  }
}
