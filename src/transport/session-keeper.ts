/**
 * Which nodes have proved to this one that they know the secret of the cluster. A challenge is not remembered: it carries
 * what is needed to know it again, so that those who only ask for challenges cost no memory.
 */
import { createHash, createHmac } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import type { Random } from '../base/random.js';
import { areEqual } from '../base/secrets.js';
import { clientProof, NONCE_BYTES, serverProof, sessionKey, signRequest, type RequestHead } from './cluster-secret.js';
import { bytesOf } from './handshake-bytes.js';
import { refused } from './refusals.js';
import { ReplayWindow } from './replay-window.js';

export interface SessionKeeperOptions {
  readonly secretKey: Uint8Array;
  readonly clusterName: string;
  /** Of this node. */
  readonly nodeId: string;
  readonly clock: Clock;
  readonly random: Random;
}

export interface ChallengeAnswer {
  readonly nodeId: string;
  readonly challenge: Uint8Array;
}

export interface ProofAnswer {
  readonly session: string;
  readonly proof: Uint8Array;
}

/** A node that has proved it. */
export interface Session {
  readonly id: string;
  readonly clientId: string;
  readonly key: Uint8Array;
}

/** How long a challenge may be answered. */
export const CHALLENGE_MS_MAX = 10_000;
/** One for each thread of each other node; beyond it the one that was not used for longest is forgotten. */
export const SESSIONS_MAX = 4_096;
const TIME_BYTES = 8;
const SEAL_BYTES = 32;
const CHALLENGE_BYTES = NONCE_BYTES + TIME_BYTES + SEAL_BYTES;
const NUMBER = /^[1-9]\d{0,15}$/;

interface Kept extends Session {
  readonly window: ReplayWindow;
  readonly sinceMs: number;
  usedMs: number;
}

export class SessionKeeper {
  private readonly options: SessionKeeperOptions;
  /** Of this run of the node: a challenge of another one is not known again. */
  private readonly sealKey: Uint8Array;
  private readonly sessions = new Map<string, Kept>();

  constructor(options: SessionKeeperOptions) {
    this.options = options;
    this.sealKey = options.random.fill(new Uint8Array(SEAL_BYTES));
  }

  get size(): number {
    return this.sessions.size;
  }

  challenge(clientId: string, question: unknown): ChallengeAnswer {
    const nonce = bytesOf(question, 'nonce', NONCE_BYTES);
    const { random, clock, nodeId } = this.options;
    const begin = new Uint8Array(NONCE_BYTES + TIME_BYTES);
    random.fill(begin.subarray(0, NONCE_BYTES));
    new DataView(begin.buffer).setFloat64(NONCE_BYTES, clock.monotonicMs());
    return { nodeId, challenge: Buffer.concat([begin, this.seal(begin, clientId, nonce)]) };
  }

  /**
   * Throws unless the other node has proved it, in time and for the first time; proves it in return. The question has the
   * node's nonce, the challenge that it was given, and its proof.
   */
  prove(clientId: string, question: unknown): ProofAnswer {
    const nonce = bytesOf(question, 'nonce', NONCE_BYTES);
    const challenge = bytesOf(question, 'challenge', CHALLENGE_BYTES);
    const proof = bytesOf(question, 'proof', SEAL_BYTES);
    this.checkChallenge(clientId, nonce, challenge);
    const { secretKey, clusterName, nodeId: serverId, clock } = this.options;
    const meeting = { clusterName, clientId, serverId, nonce, challenge };
    if (!areEqual(proof, clientProof(secretKey, meeting))) {
      throw refused(`node [${clientId}] does not know the secret of this cluster`);
    }
    const id = createHash('sha256').update(challenge).digest('base64url');
    if (this.sessions.has(id)) throw refused('the answer to a challenge was sent before');
    this.makeRoom();
    const nowMs = clock.monotonicMs();
    const key = sessionKey(secretKey, meeting);
    this.sessions.set(id, { id, clientId, key, window: new ReplayWindow(), sinceMs: nowMs, usedMs: nowMs });
    return { session: id, proof: serverProof(secretKey, meeting) };
  }

  /** Throws unless the request is of a node that has proved it, and comes for the first time. */
  admit(clientId: string, head: RequestHead, signature: string): Session {
    const session = this.sessions.get(head.session);
    if (head.session === '') throw refused('nodes of this cluster have to know its secret, see [cluster.secret_file]');
    if (session?.clientId !== clientId) throw refused(`there is no session [${head.session}] of node [${clientId}]`);
    if (!NUMBER.test(head.counter) || !areEqual(signature, signRequest(session.key, head))) {
      throw refused(`a request in the name of node [${clientId}] is not signed by it`);
    }
    if (!session.window.take(Number(head.counter))) {
      throw refused(`request [${head.counter}] of node [${clientId}] was sent before`);
    }
    session.usedMs = this.options.clock.monotonicMs();
    return session;
  }

  private checkChallenge(clientId: string, nonce: Uint8Array, challenge: Uint8Array): void {
    const begin = challenge.subarray(0, NONCE_BYTES + TIME_BYTES);
    if (!areEqual(challenge.subarray(begin.length), this.seal(begin, clientId, nonce))) {
      throw refused('the challenge is none that this node has given to this one');
    }
    const givenMs = new DataView(begin.buffer, begin.byteOffset).getFloat64(NONCE_BYTES);
    if (this.options.clock.monotonicMs() - givenMs > CHALLENGE_MS_MAX) throw refused('the challenge has expired');
  }

  private seal(begin: Uint8Array, clientId: string, nonce: Uint8Array): Buffer {
    return createHmac('sha256', this.sealKey).update(begin).update(nonce).update(clientId, 'utf8').digest();
  }

  /** A session whose challenge may still be answered is kept: its answer could be sent a second time. */
  private makeRoom(): void {
    if (this.sessions.size < SESSIONS_MAX) return;
    const nowMs = this.options.clock.monotonicMs();
    let oldest: Kept | undefined;
    for (const session of this.sessions.values()) {
      const isOver = nowMs - session.sinceMs > CHALLENGE_MS_MAX;
      if (isOver && (oldest === undefined || session.usedMs < oldest.usedMs)) oldest = session;
    }
    if (oldest === undefined) {
      const reason = `rejected execution: [${SESSIONS_MAX}] sessions of other nodes have just begun`;
      throw new QuarryError('rejected_execution_exception', reason);
    }
    this.sessions.delete(oldest.id);
  }
}
