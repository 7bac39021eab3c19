/** Calls to a copy that end in time, though nobody answers: a link may hang without being closed. */
import type { Clock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { formatTime } from '../../base/units.js';
import type { CopyLink } from './copy-link.js';

/** What is called after its time may still be carried out: every call can be repeated, or is refused then. */
export function boundedLink(link: CopyLink, clock: Clock, msFor: (call: keyof CopyLink) => number): CopyLink {
  const within = async <Answer>(name: keyof CopyLink, call: Promise<Answer>): Promise<Answer> => {
    const timeoutMs = msFor(name);
    let stop = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      stop = clock.schedule(timeoutMs, () => {
        const reason = `[${name}] was not answered within [${formatTime(timeoutMs)}]`;
        reject(new QuarryError('receive_timeout_transport_exception', reason));
      });
    });
    try {
      return await Promise.race([call, late]);
    } finally {
      stop();
    }
  };
  return {
    align: (head) => within('align', link.align(head)),
    append: (request) => within('append', link.append(request)),
    missingFiles: (request) => within('missingFiles', link.missingFiles(request)),
    writeFile: (request) => within('writeFile', link.writeFile(request)),
    install: (request) => within('install', link.install(request)),
    finalize: (request) => within('finalize', link.finalize(request)),
    retain: (request) => within('retain', link.retain(request)),
  };
}
