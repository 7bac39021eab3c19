/** Which requests are about API keys of the sender alone: `manage_own_api_key` is enough for them. */
import type { JsonObject, JsonValue } from '../../../base/json-value.js';
import type { RealmName, Subject } from '../../../cluster/security/subject.js';

/** Whether a request says that it is about keys of the sender alone. The reference's clients send that as a text too. */
export function isOwnOnly(value: unknown): boolean {
  return value === true || value === 'true';
}

/** Which keys a request is about, as it says; what no key can be is not left out. */
export interface AskedKeys {
  readonly ids: readonly JsonValue[];
  readonly isOwnOnly: boolean;
  readonly username: unknown;
  readonly realmName: unknown;
}

/** Of the body of `DELETE _security/api_key`. */
export function askedInBody(body: JsonObject | undefined): AskedKeys {
  const { id, ids, owner, username, realm_name: realmName } = body ?? {};
  return { ids: [...listed(id), ...listed(ids)], isOwnOnly: isOwnOnly(owner), username, realmName };
}

function listed(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

/** As in the reference, an API key owns no key but itself, and has to say its id. */
export function isAboutOwn({ ids, isOwnOnly: isOwn, username, realmName }: AskedKeys, subject: Subject): boolean {
  const { apiKey } = subject;
  if (apiKey !== undefined) return ids.length > 0 && ids.every((id) => id === apiKey.id);
  return isOwn || (username === subject.username && realmName === realmOfKeys(subject).name);
}

/** Where the owner is kept of the keys that the subject makes. */
export function realmOfKeys({ apiKey, lookupRealm, authenticationRealm }: Subject): RealmName {
  return apiKey?.ownerRealm ?? lookupRealm ?? authenticationRealm;
}

/** Whether an API key asks what its owner could do, which its own rights do not let it see of itself. */
export function asksForLimits(parameters: Readonly<Record<string, unknown>>, { apiKey }: Subject): boolean {
  return apiKey !== undefined && parameters['with_limited_by'] === true;
}
