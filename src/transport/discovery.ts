/**
 * Finding other nodes: asks the seed hosts, and the nodes that these know, who they are. What to do with what was found is
 * decided by `cluster/nodes/bootstrap.ts`.
 */
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import type { ErrorType } from '../base/errors.js';
import { formatHostAddress, parseHostAddress } from '../base/host-address.js';
import type { Logger } from '../base/logger.js';
import type { PortRange } from '../base/node-setting-kinds.js';
import type { Random } from '../base/random.js';
import { KNOWN_ADDRESSES_MAX, type HandshakeAnswer } from './handshake.js';

export interface DiscoveryOptions {
  readonly seedHosts: readonly string[];
  /** Ports that a seed without one is asked at: those of `transport.port`. */
  readonly defaultPorts: PortRange;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Asks whoever is at the address; rejects when there is nobody, or somebody of another cluster. */
  handshake(address: string): Promise<HandshakeAnswer>;
}

/** What one round of asking found. */
export interface Found {
  /** Rises with each round. */
  readonly round: number;
  /** Those that answered in this round, by node id; without the node itself. */
  readonly peers: ReadonlyMap<string, HandshakeAnswer>;
  /** Sentences of those that did not, by address. */
  readonly failures: ReadonlyMap<string, string>;
}

/** Ports of a seed without one; the range of `transport.port` may be wide. */
const PORTS_PER_SEED_MAX = 6;
const FIRST_PAUSE_MS = 100;
const PAUSE_MS_MAX = 2_000;

export class Discovery {
  private readonly options: DiscoveryOptions;
  private readonly selfId: string;
  /** Told by peers; asked as long as they answer. */
  private readonly learned = new Set<string>();
  /** What was said of addresses where somebody else answers. */
  private readonly told = new Map<string, string>();
  private stopPause: (() => void) | undefined;
  private isStopped = false;

  constructor(selfId: string, options: DiscoveryOptions) {
    this.selfId = selfId;
    this.options = options;
  }

  /** Addresses that peers may be told of. */
  get knownAddresses(): readonly string[] {
    return [...this.learned];
  }

  /**
   * Asks round after round, with growing pauses of a random part, until `decide` gives something; undefined once stopped.
   */
  async until<Decision>(decide: (found: Found) => Decision | undefined): Promise<Decision | undefined> {
    for (let round = 1; this.isWanted(); round++) {
      const found = await this.ask(round);
      const decision = this.isWanted() ? decide(found) : undefined;
      if (decision !== undefined) return decision;
      await this.pause(round);
    }
    return undefined;
  }

  stop(): void {
    this.isStopped = true;
    this.stopPause?.();
  }

  /** Asks everybody known once; those that answers name are asked in the same round. */
  async ask(round: number): Promise<Found> {
    const peers = new Map<string, HandshakeAnswer>();
    const failures = new Map<string, string>();
    const asked = new Set<string>();
    let next: readonly string[] = [...this.seedAddresses(), ...this.learned];
    while (next.length > 0) {
      const batch = [...new Set(next)].filter((address) => !asked.has(address));
      for (const address of batch) asked.add(address);
      const answers = await Promise.all(batch.map((address) => this.askOne(address, failures)));
      const named = answers.flatMap((answer) => this.take(answer, peers));
      next = asked.size < KNOWN_ADDRESSES_MAX ? named : [];
    }
    return { round, peers, failures };
  }

  /** Asked again after every wait: it may have been stopped meanwhile. */
  private isWanted(): boolean {
    return !this.isStopped;
  }

  private seedAddresses(): readonly string[] {
    const { seedHosts, defaultPorts } = this.options;
    return seedHosts.flatMap((seed) => seedAddresses(seed, defaultPorts));
  }

  private async askOne(address: string, failures: Map<string, string>): Promise<HandshakeAnswer | undefined> {
    try {
      const answer = await this.options.handshake(address);
      this.told.delete(address);
      return answer;
    } catch (error) {
      const { type, message: reason } = asQuarryError(error);
      failures.set(address, reason);
      this.learned.delete(address);
      this.tell(address, type, reason);
      return undefined;
    }
  }

  /** Who is not there may come yet; a node of another cluster, or no node at all, is for the operator, who is told once. */
  private tell(address: string, type: ErrorType, reason: string): void {
    const { logger } = this.options;
    if (type !== 'connect_transport_exception') {
      logger.log('debug', 'a seed host did not answer', { address, reason });
    } else if (this.told.get(address) !== reason) {
      if (this.told.size < KNOWN_ADDRESSES_MAX) this.told.set(address, reason);
      logger.log('warn', 'a seed host refuses this node', { address, reason });
    }
  }

  /** Notes who answered; gives the addresses that it named. */
  private take(answer: HandshakeAnswer | undefined, peers: Map<string, HandshakeAnswer>): readonly string[] {
    if (answer === undefined || answer.nodeId === this.selfId) return [];
    peers.set(answer.nodeId, answer);
    const named = [
      answer.address,
      ...answer.knownAddresses,
      ...(answer.master === null ? [] : [answer.master.address]),
    ];
    for (const address of named) {
      if (this.learned.size < KNOWN_ADDRESSES_MAX) this.learned.add(address);
    }
    return named;
  }

  private async pause(round: number): Promise<void> {
    if (!this.isWanted()) return;
    const { clock, random } = this.options;
    const longest = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** Math.min(round, 10));
    // Nodes that were started together do not ask in step for ever.
    const delayMs = longest / 2 + random.below(Math.ceil(longest / 2));
    await new Promise<void>((resolve) => {
      const stopTimer = clock.schedule(delayMs, resolve);
      this.stopPause = () => {
        stopTimer();
        resolve();
      };
    });
    this.stopPause = undefined;
  }
}

/** A seed with a port is one address; one without is asked at the first ports that nodes listen on by default. */
export function seedAddresses(seed: string, defaultPorts: PortRange): readonly string[] {
  const parsed = parseHostAddress(seed);
  if (parsed === undefined) return [];
  const { host, port } = parsed;
  if (port !== undefined) return [formatHostAddress(host, port)];
  const { first, last } = defaultPorts;
  const count = Math.min(last - first + 1, PORTS_PER_SEED_MAX);
  return Array.from({ length: count }, (_, place) => formatHostAddress(host, first + place));
}
