/** Subjects as the API shows them. */
import type { JsonObject } from '../../base/json-value.js';
import type { RealmName, Subject } from '../../cluster/security/subject.js';

/** Without roles of those who run as somebody else. */
export function renderSubject(subject: Subject): JsonObject {
  const { authenticationRealm, lookupRealm, apiKey, serviceAccount } = subject;
  return {
    username: subject.username,
    roles: subject.roles,
    full_name: subject.fullName,
    email: subject.email,
    metadata: subject.metadata,
    enabled: subject.enabled,
    authentication_realm: renderRealm(authenticationRealm),
    lookup_realm: renderRealm(lookupRealm ?? authenticationRealm),
    authentication_type: subject.authenticationType,
    ...(apiKey === undefined ? {} : { api_key: { id: apiKey.id, name: apiKey.name } }),
    ...(serviceAccount === undefined ? {} : { token: { ...serviceAccount.token } }),
  };
}

function renderRealm({ name, type }: RealmName): JsonObject {
  return { name, type };
}
