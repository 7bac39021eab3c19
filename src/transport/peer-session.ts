/** The proof of the cluster's secret towards one other node, and the requests under it; of one thread. */
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import type { Random } from '../base/random.js';
import { areEqual } from '../base/secrets.js';
import {
  clientProof,
  digestOf,
  NONCE_BYTES,
  serverProof,
  sessionKey,
  signAnswer,
  signRequest,
} from './cluster-secret.js';
import { bytesOf } from './handshake-bytes.js';
import { HEADERS } from './protocol.js';

export interface PeerSessionOptions {
  readonly secretKey: Uint8Array;
  readonly clusterName: string;
  /** Of this node. */
  readonly nodeId: string;
  readonly address: string;
  /** TLS protects bodies and answers: only the head of a request is signed. */
  readonly hasTls: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Sends one message of the handshake, which nothing protects yet, and gives the answer. */
  readonly ask: (action: 'challenge' | 'prove', message: unknown, signal: AbortSignal) => Promise<unknown>;
}

/** The other node has to answer both questions by then. */
const PROVE_MS_MAX = 10_000;

export class PeerSession {
  private readonly options: PeerSessionOptions;
  private beginning: Promise<ProvedSession> | undefined;

  constructor(options: PeerSessionOptions) {
    this.options = options;
  }

  /** Proves the secret with the first call. Rejects with a `connect_transport_exception` where the other node does not know it. */
  proved(): Promise<ProvedSession> {
    const known = this.beginning;
    if (known !== undefined) return known;
    const made = this.begin();
    this.beginning = made;
    made.catch(() => {
      if (this.beginning === made) this.beginning = undefined;
    });
    return made;
  }

  /** The other node does not know it any more: the next request begins another. */
  forget(): void {
    this.beginning = undefined;
  }

  private async begin(): Promise<ProvedSession> {
    const { secretKey: secret, clusterName, nodeId: clientId, address, ask, clock, random, hasTls } = this.options;
    const stop = new AbortController();
    const stopTimer = clock.schedule(PROVE_MS_MAX, () => {
      const reason = `[${address}] did not prove within [10s] that it knows the secret of the cluster`;
      stop.abort(new QuarryError('receive_timeout_transport_exception', reason));
    });
    try {
      const nonce = random.fill(new Uint8Array(NONCE_BYTES));
      const given = await ask('challenge', { nonce }, stop.signal);
      const challenge = challengeOf(given);
      const serverId = textOf(given, 'nodeId');
      const meeting = { clusterName, clientId, serverId, nonce, challenge };
      const answer = await ask('prove', { nonce, challenge, proof: clientProof(secret, meeting) }, stop.signal);
      if (!areEqual(bytesOf(answer, 'proof', NONCE_BYTES), serverProof(secret, meeting))) {
        throw new QuarryError('connect_transport_exception', `[${address}] does not know the secret of the cluster`);
      }
      return new ProvedSession(textOf(answer, 'session'), sessionKey(secret, meeting), hasTls);
    } finally {
      stopTimer();
    }
  }
}

/** What of a request is signed beside its number. */
export interface SignedRequest {
  readonly path: string;
  readonly recipient: string;
  readonly call: string;
  readonly task: string;
  readonly operation: string;
}

export class ProvedSession {
  private readonly id: string;
  private readonly key: Uint8Array;
  private readonly hasTls: boolean;
  private counter = 0;

  constructor(id: string, key: Uint8Array, hasTls: boolean) {
    this.id = id;
    this.key = key;
    this.hasTls = hasTls;
  }

  /** The headers that prove who sends the request. */
  sign(request: SignedRequest, body: Uint8Array): Record<string, string> {
    const counter = String(++this.counter);
    const digest = this.hasTls ? '' : digestOf(body);
    const signature = signRequest(this.key, { ...request, session: this.id, counter, digest });
    return {
      [HEADERS.session]: this.id,
      [HEADERS.counter]: counter,
      [HEADERS.signature]: signature,
      ...(digest === '' ? {} : { [HEADERS.digest]: digest }),
    };
  }

  /** Whether it is the answer of the node that was asked to the request of this number. */
  isAnswer(counter: string, signature: string, isError: boolean, body: Uint8Array): boolean {
    if (this.hasTls) return true;
    const expected = signAnswer(this.key, { session: this.id, counter, isError, digest: digestOf(body) });
    return areEqual(signature, expected);
  }
}

const CHALLENGE_BYTES_MAX = 1_024;

function challengeOf(answer: unknown): Uint8Array {
  const value = (answer as { challenge?: unknown } | null)?.challenge;
  if (value instanceof Uint8Array && value.length >= NONCE_BYTES && value.length <= CHALLENGE_BYTES_MAX) return value;
  throw new QuarryError('connect_transport_exception', 'the challenge of another node cannot be read');
}

function textOf(answer: unknown, name: 'nodeId' | 'session'): string {
  const value = (answer as Record<string, unknown> | null)?.[name];
  if (typeof value === 'string' && /^[\w-]{1,256}$/.test(value)) return value;
  throw new QuarryError('connect_transport_exception', 'the handshake of another node cannot be read');
}
