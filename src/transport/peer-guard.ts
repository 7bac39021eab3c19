/** Who may ask this node as a node: those with a certificate of its authority, and those that have proved the cluster's secret. */
import { createHash, type Hash } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import { areEqual } from '../base/secrets.js';
import { hasClientCertificate } from './client-certificate.js';
import { signAnswer, digestOf } from './cluster-secret.js';
import type { IncomingCall } from './incoming-call.js';
import { noSecret, refused } from './refusals.js';
import type { TransportSecurity } from './security.js';
import { SessionKeeper, type ChallengeAnswer, type ProofAnswer } from './session-keeper.js';

export interface PeerGuardOptions {
  readonly security: TransportSecurity;
  readonly clusterName: string;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Those who are refused again and again are told of once in this time. */
const TOLD_MS = 60_000;
/** Different ones in that time; more are counted only. */
export const TOLD_MAX = 100;

export class PeerGuard {
  private readonly options: PeerGuardOptions;
  private readonly keeper: SessionKeeper | undefined;
  private readonly told = new Set<string>();
  private toldSinceMs = -TOLD_MS;
  private refusedCount = 0;

  constructor(options: PeerGuardOptions) {
    const { security, clusterName, nodeId, clock, random } = options;
    const { secretKey } = security;
    this.options = options;
    if (secretKey !== undefined) {
      this.keeper = new SessionKeeper({ secretKey, clusterName, nodeId, clock, random });
    }
  }

  /** Since the node started. */
  get refusals(): number {
    return this.refusedCount;
  }

  /** Throws unless the connection is one of a node whose certificate this node trusts. */
  checkConnection({ response }: IncomingCall): void {
    if (this.options.security.tls !== undefined && !hasClientCertificate(response)) {
      throw refused(
        'nodes of this cluster have to show a certificate of its authority, see [transport.ssl.certificate]',
      );
    }
  }

  get needsProof(): boolean {
    return this.keeper !== undefined;
  }

  /** Answers a message of the proof. Throws what the other node is told. */
  answer(call: IncomingCall, step: 'challenge' | 'prove', message: unknown): ChallengeAnswer | ProofAnswer {
    if (this.keeper === undefined) throw noSecret();
    return this.keeper[step](call.sender, message);
  }

  /** Throws unless the sender has proved the secret and signed this request; without a secret everybody may ask. */
  admit(call: IncomingCall): void {
    if (this.keeper === undefined) return;
    const { session, counter, path, recipient, number, parentTask: task, operation, sender, signature } = call;
    const digest = this.signsBodies ? call.digest : '';
    const head = { session, counter, path, recipient, call: number, task, operation, digest };
    call.proved = this.keeper.admit(sender, head, signature);
  }

  /** Takes the body piece by piece; undefined where nothing was said of it that nobody else can have said. */
  bodyHash({ proved }: IncomingCall): Hash | undefined {
    return proved === undefined || !this.signsBodies ? undefined : createHash('sha256');
  }

  /** Throws for a body that was changed on its way. */
  checkBody(call: IncomingCall, hash: Hash | undefined): void {
    if (hash !== undefined && !areEqual(hash.digest('base64url'), call.digest)) {
      throw refused(`the body of a request of node [${call.sender}] is not the one that it has signed`);
    }
  }

  /** The signature of an answer; undefined where TLS protects it or the sender has proved nothing. */
  signature({ proved, counter }: IncomingCall, bytes: Uint8Array, isError: boolean): string | undefined {
    if (proved === undefined || !this.signsBodies) return undefined;
    return signAnswer(proved.key, { session: proved.id, counter, isError, digest: digestOf(bytes) });
  }

  /** Counts and logs that somebody was kept out. */
  tell(call: IncomingCall, reason: string): void {
    this.refusedCount++;
    const { clock, logger } = this.options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.toldSinceMs >= TOLD_MS) {
      this.told.clear();
      this.toldSinceMs = nowMs;
    }
    const address = call.remoteAddress;
    const key = `${address} ${reason}`;
    if (this.told.has(key) || this.told.size >= TOLD_MAX) return;
    this.told.add(key);
    logger.log('warn', 'a node was kept out', { address, reason });
  }

  private get signsBodies(): boolean {
    return this.options.security.tls === undefined;
  }
}
