/** How often enrolment tokens were sent with a wrong secret: after a few times they are good for nothing on this node. */
import { nodeEnrolment } from '../../cluster/security/enrolment.js';
import type { ApiKey } from '../../cluster/security/security-state.js';
import { wrongCredentials } from './authentication-errors.js';

export const WRONG_TRIES_MAX = 5;
/** Tokens that were tried; the first of them are forgotten for more. */
const KEPT_MAX = 1_000;

export class EnrolmentTries {
  private readonly wrong = new Map<string, number>();
  private readonly triesMax: number;

  /** Each of so many fronts of the node counts for itself, and allows its part. */
  constructor(fronts: number) {
    this.triesMax = Math.max(1, Math.floor(WRONG_TRIES_MAX / fronts));
  }

  /** Whether the token was tried too often. */
  isSpent(id: string): boolean {
    return (this.wrong.get(id) ?? 0) >= this.triesMax;
  }

  /** Throws for a token that was tried too often. */
  check(id: string): void {
    if (!this.isSpent(id)) return;
    throw wrongCredentials(
      `API key: the enrolment token [${id}] was tried [${this.triesMax}] times with a wrong secret`,
    );
  }

  /** It was tried with a wrong secret. */
  count(id: string, { metadata }: ApiKey): void {
    if (nodeEnrolment(metadata) === undefined) return;
    const [oldest = ''] = this.wrong.keys();
    if (this.wrong.size >= KEPT_MAX && !this.wrong.has(id)) this.wrong.delete(oldest);
    this.wrong.set(id, (this.wrong.get(id) ?? 0) + 1);
  }
}
