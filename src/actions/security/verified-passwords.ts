/**
 * Passwords that were right of late, for a node of several fronts: each knows those whom it has let in, and a user whom another front knows is not to wait behind
 * strangers who guess. What is kept is a keyed hash of the password and of what it was compared with.
 */
import type { Clock } from '../../base/clock.js';
import type { Random } from '../../base/random.js';
import { keyedDigests } from '../../base/secrets.js';
import type { Hasher, HasherFigures } from './password-hasher.js';

export interface VerifiedPasswordsOptions {
  readonly hasher: Hasher;
  readonly clock: Clock;
  readonly random: Random;
  /** 0: none is kept. */
  readonly ttlMs: number;
  readonly sizeMax: number;
}

export class VerifiedPasswords implements Hasher {
  private readonly options: VerifiedPasswordsOptions;
  private readonly digest: (text: string) => string;
  /** When they are to be forgotten, the oldest first. */
  private readonly untilMs = new Map<string, number>();

  constructor(options: VerifiedPasswordsOptions) {
    this.options = options;
    this.digest = keyedDigests(options.random);
  }

  figures(): HasherFigures {
    return this.options.hasher.figures();
  }

  prepare(): Promise<void> {
    return this.options.hasher.prepare();
  }

  hash(password: string): Promise<string> {
    return this.options.hasher.hash(password);
  }

  async verify(password: string, hash: string): Promise<boolean> {
    const { hasher, clock, ttlMs, sizeMax } = this.options;
    const digest = this.digest(`${hash}\n${password}`);
    const untilMs = this.untilMs.get(digest);
    if (untilMs !== undefined && clock.monotonicMs() < untilMs) return true;
    this.untilMs.delete(digest);
    if (!(await hasher.verify(password, hash))) return false;
    if (ttlMs === 0 || sizeMax === 0) return true;
    this.untilMs.delete(digest);
    const [oldest = ''] = this.untilMs.keys();
    if (this.untilMs.size >= sizeMax) this.untilMs.delete(oldest);
    this.untilMs.set(digest, clock.monotonicMs() + ttlMs);
    return true;
  }

  refuse(password: string): Promise<void> {
    return this.options.hasher.refuse(password);
  }

  forget(): void {
    this.untilMs.clear();
  }
}
