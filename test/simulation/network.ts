/**
 * Requests between simulated nodes, with the guarantees that HTTP over TCP gives and no others: requests are late, overtake each
 * other, get lost with their connection before or after they arrive, hang on links that are cut, and are answered late or not
 * at all. Links are cut in one direction or in both. Messages of the group, which may be repeated by no harm, are repeated.
 */
import { fromPlainError, toPlainError } from '../../src/base/error-wire.js';
import { QuarryError } from '../../src/base/errors.js';
import type { Random } from '../../src/base/random.js';
import type { Peer } from '../../src/transport/protocol.js';
import type { SimulatedProcess } from './process.js';
import type { SimulatedTime } from './simulated-time.js';

/** What listens at an address. */
export interface Listener {
  readonly nodeId: string;
  readonly process: SimulatedProcess;
  /** Message and answer are plain data. */
  answer(action: string, message: unknown): Promise<unknown>;
}

export interface NetworkFaults {
  delayMsMax: number;
  /** Of requests whose connection breaks, in a hundred. */
  lostPercent: number;
  repeatedPercent: number;
}

/** Who asks: the address of the machine, and the process there. */
export interface Asker {
  readonly address: string;
  readonly process: SimulatedProcess;
}

/** How long a connection may take to open, as `transport/client.ts` has it. */
const CONNECT_MS_MAX = 3_000;
const REPEATED = new Set(['raft', 'when-applied']);

export class SimulatedNetwork {
  readonly faults: NetworkFaults = { delayMsMax: 2, lostPercent: 0, repeatedPercent: 0 };
  private readonly time: SimulatedTime;
  private readonly random: Random;
  private readonly listeners = new Map<string, Listener>();
  /** `from>to` by address. */
  private readonly cuts = new Set<string>();
  /** What was sent into links that are cut: it is sent again and again, and arrives when they are whole. */
  private parked: (() => void)[] = [];

  constructor(time: SimulatedTime, random: Random) {
    this.time = time;
    this.random = random;
  }

  listen(address: string, listener: Listener): void {
    this.listeners.set(address, listener);
  }

  cut(from: string, to: string): void {
    this.cuts.add(`${from}>${to}`);
  }

  heal(): void {
    this.cuts.clear();
    const { parked } = this;
    this.parked = [];
    for (const send of parked) this.time.after(this.delayMs(), send);
  }

  carries(from: string, to: string): boolean {
    return !this.cuts.has(`${from}>${to}`);
  }

  ask(from: Asker, peer: Peer, action: string, message: unknown, timeoutMs: number): Promise<unknown> {
    // Nobody shares objects; the group's messages are of bytes that nobody writes to.
    const sent: unknown = action === 'raft' ? message : structuredClone(message);
    return new Promise((resolve, reject) => {
      const timeout = from.process.after(timeoutMs, () => {
        reject(
          failure('receive_timeout_transport_exception', `[${peer.address}] did not answer within ${timeoutMs}ms`),
        );
      });
      const settle = (outcome: () => void): void => {
        from.process.enter(() => {
          timeout();
          outcome();
        });
      };
      this.carry(from, peer, action, sent, {
        resolve: (answer) => {
          settle(() => {
            resolve(answer);
          });
        },
        reject: (error) => {
          settle(() => {
            reject(error);
          });
        },
      });
    });
  }

  /** As `TransportClient.watch`: resolves when the process there is known to have ended, or cannot be reached. */
  watch(from: Asker, { address, nodeId }: Peer, signal: AbortSignal): Promise<QuarryError> {
    return new Promise((resolve) => {
      const ended = failure('node_disconnected_exception', `the connection to [${address}] has ended`);
      const tell = (): void => {
        from.process.after(this.delayMs(), () => {
          resolve(ended);
        });
      };
      signal.addEventListener('abort', tell);
      if (!this.carriesBoth(from.address, address)) {
        from.process.after(CONNECT_MS_MAX, tell);
        return;
      }
      const listener = this.listeners.get(address);
      if (listener === undefined || listener.process.hasEnded || listener.nodeId !== nodeId) tell();
      else
        listener.process.whenEnded(() => {
          // Whoever is cut off then never hears of it.
          if (this.carries(address, from.address)) tell();
        });
    });
  }

  private carry(from: Asker, peer: Peer, action: string, message: unknown, to: Answerer): void {
    const { address } = peer;
    // Some have a connection already.
    if (!this.carriesBoth(from.address, address) && this.happens(50)) {
      this.time.after(CONNECT_MS_MAX, () => {
        to.reject(failure('connect_transport_exception', `cannot connect to [${address}]`));
      });
      return;
    }
    if (this.happens(this.faults.lostPercent)) {
      this.time.after(this.delayMs(), () => {
        to.reject(failure('node_disconnected_exception', `the connection to [${address}] broke`));
      });
      return;
    }
    const deliver = (answerer: Answerer): void => {
      this.time.after(this.delayMs(), () => {
        this.deliver(from.address, peer, action, message, answerer);
      });
    };
    deliver(to);
    if (REPEATED.has(action) && this.happens(this.faults.repeatedPercent)) deliver(NOBODY);
  }

  private deliver(fromAddress: string, peer: Peer, action: string, message: unknown, to: Answerer): void {
    const listener = this.listeners.get(peer.address);
    const back = (outcome: () => void): void => {
      if (this.carries(peer.address, fromAddress)) this.time.after(this.delayMs(), outcome);
      else this.parked.push(outcome);
    };
    const broken = (): void => {
      to.reject(failure('node_disconnected_exception', `the connection to [${peer.address}] broke`));
    };
    if (!this.carries(fromAddress, peer.address)) {
      this.parked.push(() => {
        this.deliver(fromAddress, peer, action, message, to);
      });
      return;
    }
    if (listener === undefined || listener.process.hasEnded) {
      back(() => {
        to.reject(failure('connect_transport_exception', `nobody listens at [${peer.address}]`));
      });
      return;
    }
    if (peer.nodeId !== undefined && peer.nodeId !== listener.nodeId) {
      back(() => {
        to.reject(failure('node_not_connected_exception', `remote node is [${listener.nodeId}]`));
      });
      return;
    }
    const stopWatching = listener.process.whenEnded(() => {
      back(broken);
    });
    const isAnswerLost = this.happens(this.faults.lostPercent);
    listener.process.enter(() => {
      listener.answer(action, message).then(
        (answer) => {
          stopWatching();
          const copy: unknown = answer === null ? null : structuredClone(answer);
          back(() => {
            if (isAnswerLost) broken();
            else to.resolve(copy);
          });
        },
        (error: unknown) => {
          stopWatching();
          const plain = toPlainError(error);
          back(() => {
            if (isAnswerLost) broken();
            else to.reject(fromPlainError(plain));
          });
        },
      );
    });
  }

  private carriesBoth(one: string, other: string): boolean {
    return this.carries(one, other) && this.carries(other, one);
  }

  private delayMs(): number {
    return 1 + this.random.below(this.faults.delayMsMax);
  }

  private happens(percent: number): boolean {
    return percent > 0 && this.random.below(100) < percent;
  }
}

interface Answerer {
  resolve(answer: unknown): void;
  reject(error: QuarryError): void;
}

const NOBODY: Answerer = { resolve: () => undefined, reject: () => undefined };

function failure(type: QuarryError['type'], reason: string): QuarryError {
  return new QuarryError(type, reason);
}
