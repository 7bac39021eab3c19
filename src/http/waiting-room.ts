/** Requests whose senders are being found out about: how many there may be, and what may have come of their bodies. */
import { QuarryError } from '../base/errors.js';
import { AUTHENTICATING_BYTES_MAX, AUTHENTICATING_MAX } from '../base/limits.js';
import type { Exchange } from './exchange.js';

export class WaitingRoom {
  count = 0;
  private readonly countMax: number;
  private readonly bytesMax: number;
  /** Requests that found no room. */
  refused = 0;
  private bytes = 0;

  /** Each of so many fronts of the node has its part of the room. */
  constructor(fronts = 1) {
    this.countMax = Math.ceil(AUTHENTICATING_MAX / fronts);
    this.bytesMax = Math.ceil(AUTHENTICATING_BYTES_MAX / fronts);
  }

  /** Has nothing more of the request read until it is known who sent it; resolves then. Throws where there is no room. */
  hold(exchange: Exchange, subject: Promise<string>): Promise<string> {
    if (this.count >= this.countMax || this.bytes > this.bytesMax) {
      subject.catch(() => undefined);
      throw this.refuse();
    }
    let [isHeld, bytes] = [true, 0];
    this.count++;
    exchange.hold((more) => {
      // The rest of a body that nobody wants.
      if (!isHeld) return;
      bytes += more;
      this.bytes += more;
    });
    return subject.finally(() => {
      isHeld = false;
      this.count--;
      this.bytes -= bytes;
      exchange.goOn();
    });
  }

  private refuse(): QuarryError {
    this.refused++;
    const { count, bytes } = this;
    const reason = `rejected execution: the senders of [${count}] requests with [${bytes}] bytes are being authenticated`;
    return new QuarryError('rejected_execution_exception', reason);
  }
}
