/** Whether those for whom bearer tokens stand are still there. Asked for each request that brings a token. */
import type { FileUser } from '../../cluster/security/file-users.js';
import {
  ANONYMOUS_REALM,
  FILE_REALM,
  NATIVE_REALM,
  RESERVED_REALM,
  SERVICE_ACCOUNT_REALM,
} from '../../cluster/security/realms.js';
import type { SecurityState } from '../../cluster/security/security-state.js';
import type { Subject } from '../../cluster/security/subject.js';
import { isKeyValid } from '../../cluster/security/valid-key.js';

/** What is known of users and keys at this moment. */
export interface OwnerRecords {
  readonly state: SecurityState;
  /** Of the node that is asked. */
  readonly fileUsers: ReadonlyMap<string, FileUser>;
  readonly isAnonymousLetIn: boolean;
  readonly nowMs: number;
}

/**
 * Whether the subject of a token is one that could still come in. Who made the token while running as another has to be there as well. Native users and
 * tokens of service accounts are told from later ones of the same name by their ids; neither they nor tokens of earlier versions have one.
 */
export function isOwnerThere(subject: Subject, records: OwnerRecords): boolean {
  const { apiKey, runBy } = subject;
  if (runBy !== undefined && !isOwnerThere(runBy, records)) return false;
  if (apiKey === undefined) return isUserThere(subject, records);
  const key = records.state.apiKeys.get(apiKey.id);
  return key !== undefined && isKeyValid(key, records.nowMs);
}

function isUserThere(
  { username, lookupRealm, userId, serviceAccount }: Subject,
  { state, fileUsers, isAnonymousLetIn }: OwnerRecords,
): boolean {
  switch (lookupRealm?.type) {
    case NATIVE_REALM.type: {
      const user = state.users.get(username);
      return user?.enabled === true && user.id === userId;
    }
    case FILE_REALM.type:
      return fileUsers.has(username);
    case RESERVED_REALM.type:
      return state.reservedUsers.get(username)?.enabled === true;
    case SERVICE_ACCOUNT_REALM.type: {
      const token = state.serviceTokens.get(`${username}/${serviceAccount?.token.name ?? ''}`);
      return token !== undefined && token.id === userId;
    }
    case ANONYMOUS_REALM.type:
      return isAnonymousLetIn;
    default:
      return false;
  }
}
