/** Who was let in of late, so that a request costs no slow hash. What is looked up by is a keyed hash of the credentials: they are kept nowhere. */
import type { Clock } from '../../base/clock.js';
import type { Random } from '../../base/random.js';
import { keyedDigests } from '../../base/secrets.js';
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

interface Entry extends CachedAuthentication {
  readonly untilMs: number;
}

export class AuthenticatedCache {
  /** What credentials are looked up by. */
  readonly digest: (credentials: string) => string;
  private readonly clock: Clock;
  private readonly entries = new Map<string, Entry>();
  private readonly ttlMs: number;
  private readonly sizeMax: number;
  private hits = 0;
  private misses = 0;
  private evictions = 0;

  /** `sizeMax` 0: nothing is kept. */
  constructor(clock: Clock, random: Random, ttlMs: number, sizeMax: number) {
    this.clock = clock;
    this.digest = keyedDigests(random);
    this.ttlMs = ttlMs;
    this.sizeMax = sizeMax;
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
