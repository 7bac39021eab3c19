/** What a worker asks of the front thread, where all who come in are looked at: it knows who was let in, and hashes passwords. */
import type { Subject } from '../../cluster/security/subject.js';

export interface SecurityClient {
  /** A slow hash; refused with 429 when too many are being made. */
  hashPassword(password: string): Promise<string>;
  /** The user of this name and password; rejects with `security_exception` of status 401. */
  authenticate(username: string, password: string, uri: string): Promise<Subject>;
  /** Who sends this header `Authorization`; rejects as the other does. */
  authenticateHeader(authorization: string, uri: string): Promise<Subject>;
  /** Whether the user, the API key or the service account is still there for which a token stands. */
  isThere(subject: Subject): Promise<boolean>;
  /** Has this node forget whom it knows of these realms and names; empty lists: of all. */
  clearCache(realms: readonly string[], usernames: readonly string[]): Promise<void>;
}
