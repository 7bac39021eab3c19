/** Community ID, version 1: the same text for both directions of a network flow. See the specification of Corelight. */
import { createHash } from 'node:crypto';

export interface Flow {
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  /** By the numbers of IANA. */
  readonly protocol: number;
  /** Of protocols that have them; of ICMP what stands for them. */
  readonly ports: { readonly source: number; readonly destination: number; readonly isOneWay: boolean } | undefined;
}

/** The type that answers a type of message, for ICMP and ICMPv6. */
const ANSWERS: Readonly<Record<number, ReadonlyMap<number, number>>> = {
  1: pairs([8, 0], [13, 14], [15, 16], [17, 18], [10, 9]),
  58: pairs([128, 129], [133, 134], [135, 136], [130, 131], [144, 145], [139, 140]),
};

function pairs(...known: readonly (readonly [number, number])[]): ReadonlyMap<number, number> {
  return new Map(
    known.flatMap(
      ([asked, answered]) =>
        [
          [asked, answered],
          [answered, asked],
        ] as const,
    ),
  );
}

/** What stands for ports in ICMP. */
export function icmpPorts(protocol: number, type: number, code: number): Flow['ports'] {
  const answer = ANSWERS[protocol]?.get(type);
  return { source: type, destination: answer ?? code, isOneWay: answer === undefined };
}

export function communityId(flow: Flow, seed: number): string {
  const { ports, protocol } = flow;
  const order = Buffer.compare(flow.source, flow.destination);
  const isOrdered = order < 0 || (order === 0 && (ports === undefined || ports.source <= ports.destination));
  const keeps = isOrdered || ports?.isOneWay === true;
  const [first, second] = keeps ? [flow.source, flow.destination] : [flow.destination, flow.source];
  const seedBytes = Buffer.alloc(2);
  seedBytes.writeUInt16BE(seed);
  const hash = createHash('sha1').update(seedBytes).update(first).update(second).update(Uint8Array.of(protocol, 0));
  if (ports !== undefined) {
    const numbers = Buffer.alloc(4);
    numbers.writeUInt16BE(keeps ? ports.source : ports.destination, 0);
    numbers.writeUInt16BE(keeps ? ports.destination : ports.source, 2);
    hash.update(numbers);
  }
  return `1:${hash.digest('base64')}`;
}
