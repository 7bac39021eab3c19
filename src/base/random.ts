/** Randomness as an argument: the system's for a node, a seeded one for tests and simulations. */
import { randomFillSync } from 'node:crypto';

export interface Random {
  /** Fills the array with uniformly distributed bytes and gives it back. */
  fill(bytes: Uint8Array): Uint8Array;
  /** A uniform integer of 0 inclusive to `bound` exclusive; `bound` is at most 2^32. */
  below(bound: number): number;
}

const TWO_POW_32 = 0x1_0000_0000;

export const systemRandom: Random = {
  fill: (bytes) => randomFillSync(bytes),
  below(bound) {
    const word = new Uint32Array(1);
    randomFillSync(word);
    return Math.floor(((word[0] ?? 0) / TWO_POW_32) * bound);
  },
};

/** The same sequence for the same seed (mulberry32); for tests, never for identifiers of a node. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const nextWord = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    fill(bytes) {
      for (let at = 0; at < bytes.length; at++) bytes[at] = nextWord() & 0xff;
      return bytes;
    },
    below: (bound) => Math.floor((nextWord() / TWO_POW_32) * bound),
  };
}

const ID_BYTES = 15;

/** An identifier of 20 characters that is safe in a URL: of a document without `_id`, an index, a node. */
export function newId(random: Random): string {
  return Buffer.from(random.fill(new Uint8Array(ID_BYTES)).buffer).toString('base64url');
}

/** An identifier of 22 characters, as the API prints for indices, nodes and clusters. */
export function newUuid(random: Random): string {
  return Buffer.from(random.fill(new Uint8Array(16)).buffer).toString('base64url');
}
