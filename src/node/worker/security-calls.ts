/** How a worker reaches what its node knows of users, which is in the front thread. */
import type { SecurityClient } from '../../actions/security/security-client.js';
import type { Subject } from '../../cluster/security/subject.js';
import type { Line } from '../../workers/mailbox.js';
import type { SecurityQuestion } from '../thread-messages.js';

export class SecurityCalls implements SecurityClient {
  private readonly front: () => Line;

  constructor(front: () => Line) {
    this.front = front;
  }

  async hashPassword(password: string): Promise<string> {
    return (await this.ask({ kind: 'hash-password', password })) as string;
  }

  async authenticate(username: string, password: string, uri: string): Promise<Subject> {
    return (await this.ask({ kind: 'authenticate', username, password, uri })) as Subject;
  }

  async authenticateHeader(authorization: string, uri: string): Promise<Subject> {
    return (await this.ask({ kind: 'authenticate-header', authorization, uri })) as Subject;
  }

  async isThere(subject: Subject): Promise<boolean> {
    return (await this.ask({ kind: 'is-there', subject })) as boolean;
  }

  async clearCache(realms: readonly string[], usernames: readonly string[]): Promise<void> {
    await this.ask({ kind: 'clear-authentications', realms, usernames });
  }

  private ask(question: SecurityQuestion): Promise<unknown> {
    return this.front().call({ kind: 'security', question });
  }
}
