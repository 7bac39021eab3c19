/** Which numbers of a session were used: each is taken once, in about the order in which they were given out. */

/** More than one thread has under way to one node, and than overtake one that waits for a connection. */
export const REPLAY_WINDOW = 65_536;

const WORD_BITS = 32;

export class ReplayWindow {
  /** One bit for each of the newest numbers, by their remainder. */
  private readonly words = new Uint32Array(REPLAY_WINDOW / WORD_BITS);
  private newest = 0;

  /** False for a number that was taken before, that is too old to tell, or that is none of 1 and up. */
  take(number: number): boolean {
    if (!Number.isSafeInteger(number) || number < 1 || number <= this.newest - REPLAY_WINDOW) return false;
    if (number > this.newest) this.forgetUpTo(number);
    else if (this.isTaken(number)) return false;
    this.mark(number);
    return true;
  }

  private forgetUpTo(number: number): void {
    if (number - this.newest >= REPLAY_WINDOW) this.words.fill(0);
    else for (let between = this.newest + 1; between < number; between++) this.clear(between);
    this.newest = number;
  }

  private isTaken(number: number): boolean {
    const at = number % REPLAY_WINDOW;
    return (((this.words[Math.floor(at / WORD_BITS)] ?? 0) >>> (at % WORD_BITS)) & 1) === 1;
  }

  private mark(number: number): void {
    const at = number % REPLAY_WINDOW;
    const word = Math.floor(at / WORD_BITS);
    this.words[word] = (this.words[word] ?? 0) | (1 << (at % WORD_BITS));
  }

  private clear(number: number): void {
    const at = number % REPLAY_WINDOW;
    const word = Math.floor(at / WORD_BITS);
    this.words[word] = (this.words[word] ?? 0) & ~(1 << (at % WORD_BITS));
  }
}
