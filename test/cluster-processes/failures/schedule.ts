/** What goes wrong in one round, and when: the same for the same seed. */
import type { Random } from '../../../src/base/random.js';

/**
 * - `kill`: SIGKILL, and a start when the time is over.
 * - `crash`: a worker ends where nobody catches what it threw; the node goes on with another in its place.
 * - `pause`: SIGSTOP, and SIGCONT.
 * - `isolate`, `mute`: connections to all other nodes are severed, or carry nothing.
 * - `sever`, `stall`: the same of the link between two nodes.
 * - `fill`: the node's disk takes no more.
 * - `drain`: shards are to leave the node.
 * - `join`: a node joins, and leaves empty when the round is over.
 */
export type FaultKind = (typeof KINDS)[number];

const KINDS = ['kill', 'crash', 'pause', 'isolate', 'mute', 'sever', 'stall', 'fill', 'drain', 'join'] as const;

/** Whom it strikes, of the nodes that nothing else is wrong with. */
export type Victim = 'master' | 'primary' | 'any';

const VICTIMS: readonly Victim[] = ['master', 'primary', 'any'];

export interface Fault {
  readonly kind: FaultKind;
  readonly victim: Victim;
  /** From the begin of the round. */
  readonly atMs: number;
  readonly forMs: number;
  /** Decides what the rest leaves open. */
  readonly draw: number;
}

export interface RoundSize {
  readonly faults: number;
  readonly lengthMs: number;
}

/** Faults in the order of their times; the kinds take turns, so that a short run sees many of them. */
export function planRound(round: number, { faults, lengthMs }: RoundSize, random: Random): readonly Fault[] {
  const first = round * faults;
  return Array.from({ length: faults }, (_, at): Fault => {
    const kind = KINDS[(first + at) % KINDS.length] ?? 'kill';
    const atMs = random.below(Math.floor(lengthMs / 2));
    return {
      kind,
      victim: VICTIMS[random.below(VICTIMS.length)] ?? 'any',
      atMs,
      forMs: 300 + random.below(lengthMs - atMs),
      draw: random.below(2 ** 31),
    };
  }).sort((left, right) => left.atMs - right.atMs);
}
