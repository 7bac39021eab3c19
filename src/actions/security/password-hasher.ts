/**
 * Slow hashes of passwords (bcrypt), made by native threads. How many are made and wait at once is bounded: whoever sends wrong passwords without
 * end is refused, and takes no thread that shards need.
 */
import { QuarryError } from '../../base/errors.js';
import { Lanes } from '../../base/lanes.js';
import { onDemand } from '../../base/on-demand.js';

export interface HasherFigures {
  readonly active: number;
  readonly queue: number;
  readonly completed: number;
  readonly rejected: number;
}

/** What passwords are hashed and compared by. */
export type Hasher = Pick<PasswordHasher, 'figures' | 'hash' | 'verify' | 'refuse' | 'prepare'>;

/** Of the four native threads that Node has for files as well. */
const RUNNING_MAX = 2;
export const HASHES_WAITING_MAX = 256;
/** What bcrypt looks at; a longer password would be taken for its beginning. */
export const PASSWORD_BYTES_MAX = 72;
/**
 * Prefix, cost, salt and hash. The costs are those that the node may be told to hash by: each step doubles the time, and nothing ends a hash
 * that was begun. At 31 it takes days.
 */
const BCRYPT_HASH = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;
/** What earlier versions kept beyond that. */
const SLOW_HASH = /^\$2[aby]\$(?:1[5-9]|2\d|3[01])\$/;

const bcrypt = onDemand('@node-rs/bcrypt');

export function isPasswordHash(text: string): boolean {
  return BCRYPT_HASH.test(text);
}

/** Whether it is one of a cost with which no password is compared any more. */
export function isSlowHash(text: string): boolean {
  return SLOW_HASH.test(text);
}

export class PasswordHasher {
  private readonly cost: number;
  private readonly lanes = new Lanes(RUNNING_MAX);
  private pending = 0;
  private completed = 0;
  private rejected = 0;
  /** What a password is compared with where there is no user, so that this takes as long. */
  private decoy: Promise<string> | undefined;

  constructor(cost: number) {
    this.cost = cost;
  }

  figures(): HasherFigures {
    const active = Math.min(this.pending, RUNNING_MAX);
    return { active, queue: this.pending - active, completed: this.completed, rejected: this.rejected };
  }

  /** Makes what the first wrong name will be compared with. */
  async prepare(): Promise<void> {
    this.decoy ??= this.hash('decoy');
    await this.decoy;
  }

  hash(password: string): Promise<string> {
    return this.run(() => bcrypt().hash(password, this.cost));
  }

  /** No password fits what {@link isPasswordHash} does not know, as a state of an earlier version may have it. */
  async verify(password: string, hash: string): Promise<boolean> {
    if (!isPasswordHash(hash)) {
      await this.refuse(password);
      return false;
    }
    return this.run(async () => {
      const matches = await bcrypt().verify(password, hash);
      return matches && Buffer.byteLength(password) <= PASSWORD_BYTES_MAX;
    });
  }

  /** Takes as long as a comparison with the password of a user. */
  async refuse(password: string): Promise<void> {
    await this.prepare();
    const decoy = (await this.decoy) ?? '';
    await this.run(() => bcrypt().verify(password, decoy));
  }

  private async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.pending >= RUNNING_MAX + HASHES_WAITING_MAX) {
      this.rejected++;
      const reason = `rejected execution: [${this.pending}] passwords are being hashed or wait for it`;
      throw new QuarryError('rejected_execution_exception', reason);
    }
    this.pending++;
    try {
      return await this.lanes.run(work);
    } finally {
      this.pending--;
      this.completed++;
    }
  }
}
