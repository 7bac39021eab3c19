/** One word in shared memory: the coordinator notes in it what the front thread answers to handshakes. */

const FRESH = 1;

/** Neither fresh nor known not to be. */
export function freshnessWord(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function noteFreshness(word: Int32Array, isFresh: boolean): void {
  Atomics.store(word, 0, isFresh ? FRESH : 0);
}

export function isFresh(word: Int32Array): boolean {
  return Atomics.load(word, 0) === FRESH;
}
