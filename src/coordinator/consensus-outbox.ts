/** Messages on their way to other members, bounded for each of them. */
import type { RaftMessage } from '../native/raft.js';

/** Messages on their way to one member; more are dropped. */
export const SENDS_PER_MEMBER_MAX = 256;

export class ConsensusOutbox {
  private readonly send: (to: string, message: Uint8Array) => Promise<void>;
  private readonly settled: (message: RaftMessage, hasArrived: boolean) => void;
  private readonly underWay = new Map<string, number>();

  /** `send` rejects when the message surely or perhaps did not arrive; `settled` is told of each message once. */
  constructor(
    send: (to: string, message: Uint8Array) => Promise<void>,
    settled: (message: RaftMessage, hasArrived: boolean) => void,
  ) {
    this.send = send;
    this.settled = settled;
  }

  /** False when the message was dropped. */
  put(message: RaftMessage): boolean {
    const { to, bytes } = message;
    const before = this.underWay.get(to) ?? 0;
    if (before >= SENDS_PER_MEMBER_MAX) {
      this.settled(message, false);
      return false;
    }
    this.underWay.set(to, before + 1);
    const ended = (hasArrived: boolean): void => {
      this.countOneLess(to);
      this.settled(message, hasArrived);
    };
    this.send(to, bytes).then(
      () => ended(true),
      () => ended(false),
    );
    return true;
  }

  private countOneLess(to: string): void {
    const left = (this.underWay.get(to) ?? 1) - 1;
    if (left === 0) this.underWay.delete(to);
    else this.underWay.set(to, left);
  }
}
