/**
 * A flag that any thread can raise and native code can watch: words of shared memory, of which the first is 0 while the work is
 * wanted. The second says how fast it may go, where it has a pace (see {@link Cancellation.setPace}), the third whether it turned out to take long.
 */
import { QuarryError } from './errors.js';

/** Values of the first word: why the work is not wanted any more. */
const WANTED = 0;
const CLIENT_LEFT = 1;
const BY_REQUEST = 2;
const NODE_STOPS = 3;

const WORDS = 3;
const PACE = 1;
const LONG = 2;

/** The words of one flag. */
export function cancellationWords(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
}

/** The words of many flags, in one block of memory. */
export function cancellationBlock(count: number): readonly Int32Array[] {
  const block = new Int32Array(new SharedArrayBuffer(count * WORDS * Int32Array.BYTES_PER_ELEMENT));
  return Array.from({ length: count }, (_, at) => block.subarray(at * WORDS, (at + 1) * WORDS));
}

export class Cancellation {
  readonly word: Int32Array;

  constructor(word: Int32Array = cancellationWords()) {
    this.word = word;
  }

  get isCancelled(): boolean {
    return Atomics.load(this.word, 0) !== WANTED;
  }

  /** Who asked for the work does not wait for it any more. */
  cancel(): void {
    Atomics.store(this.word, 0, CLIENT_LEFT);
  }

  /** Somebody asked that the work be given up. */
  cancelByRequest(): void {
    Atomics.store(this.word, 0, BY_REQUEST);
  }

  /** The node ends, and the work would only wait. */
  cancelByStop(): void {
    Atomics.store(this.word, 0, NODE_STOPS);
  }

  /** Call between steps of long work. */
  throwIfCancelled(): void {
    const why = Atomics.load(this.word, 0);
    if (why === WANTED) return;
    if (why === NODE_STOPS) throw new QuarryError('node_closed_exception', 'node is stopping');
    const reason = why === CLIENT_LEFT ? 'the client went away' : 'by user request';
    throw new QuarryError('task_cancelled_exception', `task cancelled [${reason}]`);
  }

  /** From now on the work may do so many steps a second; infinity: as many as it can. */
  setPace(perSecond: number): void {
    Atomics.store(this.word, PACE, wordOfFloat(perSecond));
  }

  /** What {@link setPace} was told last; undefined: nothing yet. */
  get pace(): number | undefined {
    const word = Atomics.load(this.word, PACE);
    return word === 0 ? undefined : floatOfWord(word);
  }

  /** The work goes on where it holds nobody up. */
  noteLong(): void {
    Atomics.store(this.word, LONG, 1);
  }

  /** Whether {@link noteLong} was called. */
  get isLong(): boolean {
    return Atomics.load(this.word, LONG) !== 0;
  }

  /** For another use, once nobody looks at it any more. */
  protected clear(): void {
    Atomics.store(this.word, 0, WANTED);
    Atomics.store(this.word, PACE, 0);
    Atomics.store(this.word, LONG, 0);
  }
}

const floats = new Float32Array(1);
const bits = new Int32Array(floats.buffer);

function wordOfFloat(value: number): number {
  floats[0] = value;
  return bits[0] ?? 0;
}

function floatOfWord(word: number): number {
  bits[0] = word;
  return floats[0] ?? 0;
}
