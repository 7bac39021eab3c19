/** What clients are warned of is written to the log as well, for who runs the cluster: each warning once for each client for a while. */
import { named, type Logger } from '../base/logger.js';
import { warningsIn, type AnswerHeaders } from './answer.js';

/** Warnings that are remembered; the longest known is told anew. */
const REMEMBERED_MAX = 128;

export class DeprecationLog {
  private readonly told = new Set<string>();

  /** `opaqueId` is what the client calls itself or its request. */
  note(headers: AnswerHeaders | undefined, from: { endpoint: string; opaqueId: string }, logger: Logger): void {
    for (const warning of headers === undefined ? [] : warningsIn(headers)) this.noteOne(warning, from, logger);
  }

  private noteOne(warning: string, from: { endpoint: string; opaqueId: string }, logger: Logger): void {
    const key = `${from.opaqueId}\n${warning}`;
    if (this.told.has(key)) return;
    for (const oldest of this.told) {
      if (this.told.size < REMEMBERED_MAX) break;
      this.told.delete(oldest);
    }
    this.told.add(key);
    const { endpoint, opaqueId } = from;
    named(logger, 'deprecation').log('warn', warning, { endpoint, ...(opaqueId === '' ? {} : { opaqueId }) });
  }
}
