/** Cancellation flags for requests, carved from shared blocks and reused. */
import { Cancellation } from './cancellation.js';

const WORDS_PER_BLOCK = 1_024;

export class CancellationWords {
  private readonly idle: Cancellation[] = [];

  take(): Cancellation {
    if (this.idle.length === 0) this.addBlock();
    return this.idle.pop() ?? new Cancellation();
  }

  /** Nobody may look at the flag any more. */
  giveBack(cancellation: Cancellation): void {
    Atomics.store(cancellation.word, 0, 0);
    this.idle.push(cancellation);
  }

  private addBlock(): void {
    const block = new Int32Array(new SharedArrayBuffer(WORDS_PER_BLOCK * Int32Array.BYTES_PER_ELEMENT));
    for (let at = 0; at < WORDS_PER_BLOCK; at++) this.idle.push(new Cancellation(block.subarray(at, at + 1)));
  }
}
