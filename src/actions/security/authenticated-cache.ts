/** Who was let in of late, so that a request costs no slow hash. What is looked up by is a keyed hash of the credentials: they are kept nowhere. */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import type { Random } from '../../base/random.js';
import type { ClusterState } from '../../cluster/state.js';
import type { Subject } from '../../cluster/security/subject.js';

export interface Authenticated {
  readonly subject: Subject;
  /** Of `subjectText`. */
  readonly text: string;
}

export interface CachedAuthentication extends Authenticated {
  /** Whether what it was made from is still so. */
  readonly holds: (state: ClusterState) => boolean;
}

export interface CacheFigures {
  readonly size: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

const KEY_BYTES = 32;

interface Entry extends CachedAuthentication {
  readonly untilMs: number;
}

export class AuthenticatedCache {
  private readonly clock: Clock;
  private readonly entries = new Map<string, Entry>();
  private readonly key: Uint8Array;
  private readonly ttlMs: number;
  private readonly sizeMax: number;
  private hits = 0;
  private misses = 0;
  private evictions = 0;

  /** `sizeMax` 0: nothing is kept. */
  constructor(clock: Clock, random: Random, ttlMs: number, sizeMax: number) {
    this.clock = clock;
    this.key = random.fill(new Uint8Array(KEY_BYTES));
    this.ttlMs = ttlMs;
    this.sizeMax = sizeMax;
  }

  /** What credentials are looked up by. */
  digest(credentials: string): string {
    return createHmac('sha256', this.key).update(credentials, 'utf8').digest('base64');
  }

  get(digest: string, state: ClusterState): Authenticated | undefined {
    const entry = this.entries.get(digest);
    if (entry !== undefined && this.clock.monotonicMs() < entry.untilMs && entry.holds(state)) {
      this.hits++;
      return entry;
    }
    if (entry !== undefined) this.entries.delete(digest);
    this.misses++;
    return undefined;
  }

  put(digest: string, authentication: CachedAuthentication): void {
    if (this.sizeMax === 0 || this.ttlMs === 0) return;
    if (this.entries.size >= this.sizeMax) {
      const [oldest = ''] = this.entries.keys();
      this.entries.delete(oldest);
      this.evictions++;
    }
    this.entries.set(digest, { ...authentication, untilMs: this.clock.monotonicMs() + this.ttlMs });
  }

  /** Forgets those whom `isMeant` picks. */
  clear(isMeant: (subject: Subject) => boolean): void {
    for (const [digest, { subject }] of this.entries) if (isMeant(subject)) this.entries.delete(digest);
  }

  figures(): CacheFigures {
    return { size: this.entries.size, hits: this.hits, misses: this.misses, evictions: this.evictions };
  }
}
