/** Calls to a copy that end in time, though nobody answers: a link may hang without being closed. */
import type { Clock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { formatTime } from '../../base/units.js';
import type { CopyLink } from './copy-link.js';

export interface LinkBounds {
  readonly clock: Clock;
  readonly msFor: (call: keyof CopyLink) => number;
  /** Ends the calls that were begun under it, and refuses more, with its reason. */
  readonly signal: () => AbortSignal;
}

/** What is called after its time may still be carried out: every call can be repeated, or is refused then. */
export function boundedLink(link: CopyLink, { clock, msFor, signal: currentSignal }: LinkBounds): CopyLink {
  const within = async <Answer>(name: keyof CopyLink, call: () => Promise<Answer>): Promise<Answer> => {
    const signal = currentSignal();
    signal.throwIfAborted();
    const timeoutMs = msFor(name);
    let release = (): void => undefined;
    const cut = new Promise<never>((_, reject) => {
      const stopTimer = clock.schedule(timeoutMs, () => {
        const reason = `[${name}] was not answered within [${formatTime(timeoutMs)}]`;
        reject(new QuarryError('receive_timeout_transport_exception', reason));
      });
      const onAbort = (): void => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort);
      release = () => {
        stopTimer();
        signal.removeEventListener('abort', onAbort);
      };
    });
    try {
      return await Promise.race([call(), cut]);
    } finally {
      release();
    }
  };
  return {
    align: (head) => within('align', () => link.align(head)),
    append: (request) => within('append', () => link.append(request)),
    missingFiles: (request) => within('missingFiles', () => link.missingFiles(request)),
    writeFile: (request) => within('writeFile', () => link.writeFile(request)),
    install: (request) => within('install', () => link.install(request)),
    finalize: (request) => within('finalize', () => link.finalize(request)),
    retain: (request) => within('retain', () => link.retain(request)),
  };
}
