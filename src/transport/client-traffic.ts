/** What all threads of a node have asked of other nodes, counted in words that all of them share. */

const KINDS = [
  'opened',
  'sent',
  'completed',
  'failed',
  'rejected',
  'misanswered',
  'sentBytes',
  'receivedBytes',
] as const;
type Kind = (typeof KINDS)[number];

/**
 * Since the node started: connections opened, requests sent, those that were answered and those that were not, requests refused
 * since too many were under way to one node, answers that were to another request than the one they followed, and bytes.
 */
export type ClientFigures = Readonly<Record<Kind, number>>;

export function trafficWords(): BigInt64Array {
  return new BigInt64Array(new SharedArrayBuffer(KINDS.length * BigInt64Array.BYTES_PER_ELEMENT));
}

export class ClientTraffic {
  private readonly words: BigInt64Array;

  constructor(words: BigInt64Array) {
    this.words = words;
  }

  add(kind: Kind, more = 1): void {
    Atomics.add(this.words, KINDS.indexOf(kind), BigInt(more));
  }

  figures(): ClientFigures {
    const entries = KINDS.map((kind, at) => [kind, Number(Atomics.load(this.words, at))] as const);
    return Object.fromEntries(entries) as Record<Kind, number>;
  }
}
