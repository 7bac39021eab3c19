/** Passwords that come to a side front: the first front hashes them all, so that a node hashes no more at once than one front does. */
import type { Hasher, HasherFigures } from '../../actions/security/password-hasher.js';
import type { Line } from '../../workers/mailbox.js';
import type { FrontMessage, SecurityQuestion } from '../thread-messages.js';

export class RemoteHasher implements Hasher {
  private readonly first: () => Line | undefined;

  /** `first`: the line to the first front. */
  constructor(first: () => Line | undefined) {
    this.first = first;
  }

  /** What it has hashed is counted by the first front. */
  figures(): HasherFigures {
    return { active: 0, queue: 0, completed: 0, rejected: 0 };
  }

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async hash(password: string): Promise<string> {
    return (await this.ask({ kind: 'hash-password', password })) as string;
  }

  async verify(password: string, hash: string): Promise<boolean> {
    return (await this.ask({ kind: 'verify-password', password, hash })) as boolean;
  }

  async refuse(password: string): Promise<void> {
    await this.ask({ kind: 'verify-password', password, hash: undefined });
  }

  private async ask(question: SecurityQuestion): Promise<unknown> {
    return this.first()?.call({ kind: 'security', question } satisfies FrontMessage);
  }
}
