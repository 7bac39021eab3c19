/**
 * A flag that any thread can raise and native code can watch: one 32-bit word of shared memory, 0 while the work is wanted.
 */
import { QuarryError } from './errors.js';

export class Cancellation {
  readonly word: Int32Array;

  constructor(word: Int32Array = new Int32Array(new SharedArrayBuffer(4))) {
    this.word = word;
  }

  get isCancelled(): boolean {
    return Atomics.load(this.word, 0) !== 0;
  }

  cancel(): void {
    Atomics.store(this.word, 0, 1);
  }

  /** Call between steps of long work. */
  throwIfCancelled(): void {
    if (this.isCancelled) throw new QuarryError('task_cancelled_exception', 'task cancelled [the client went away]');
  }
}
