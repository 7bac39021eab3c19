/** Profiles of users as the API shows them. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';
import type { UserProfile } from '../../../cluster/security/security-state.js';

/** There is one term only: profiles are part of the cluster state. */
const PRIMARY_TERM = 1;

/** `wanted`: names of members of the data, `*` for all; members within by dots. */
export function renderProfile(uid: string, profile: UserProfile, wanted: readonly string[]): JsonObject {
  const { user, enabled, synchronizedAtMs, labels, data, version } = profile;
  return {
    uid,
    enabled,
    last_synchronized: synchronizedAtMs,
    ...summary(user),
    labels,
    data: selected(data, wanted),
    _doc: { _primary_term: PRIMARY_TERM, _seq_no: version },
  };
}

/** As suggestions have it. */
export function renderSuggestion(
  uid: string,
  { user, labels, data }: UserProfile,
  wanted: readonly string[],
): JsonObject {
  return { uid, ...summary(user), labels, data: selected(data, wanted) };
}

function summary({ username, realm, roles, fullName, email }: UserProfile['user']): JsonObject {
  return {
    user: {
      username,
      roles,
      realm_name: realm.name,
      ...(email === null ? {} : { email }),
      ...(fullName === null ? {} : { full_name: fullName }),
    },
  };
}

function selected(data: JsonObject, wanted: readonly string[]): JsonObject {
  if (wanted.includes('*')) return data;
  let shown: JsonObject = {};
  for (const path of wanted) {
    const parts = path.replace(/\.\*$/, '').split('.');
    const value = parts.reduce<JsonValue | undefined>(
      (found, part) => (isJsonObject(found) && Object.hasOwn(found, part) ? found[part] : undefined),
      data,
    );
    if (value !== undefined) shown = withValue(shown, parts, value);
  }
  return shown;
}

function withValue(into: JsonObject, [first = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  const before = Object.hasOwn(into, first) ? into[first] : undefined;
  const inner = rest.length === 0 ? value : withValue(isJsonObject(before) ? before : {}, rest, value);
  return Object.fromEntries([...Object.entries(into), [first, inner]]);
}
