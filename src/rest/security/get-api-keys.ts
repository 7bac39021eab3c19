/** `GET _security/api_key`: what keys there are. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { ApiKey, SecurityState } from '../../cluster/security/security-state.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter, stringParameter } from '../parameters.js';
import { SECURITY_ENDPOINT, sender } from './common.js';
import { ownerOf } from './create-api-key.js';
import type { Subject } from '../../cluster/security/subject.js';

const API_KEY = 'cluster:admin/xpack/security/api_key';

export const getApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.get_api_key',
  action: {
    name: `${API_KEY}/get`,
    of: ({ parameters }) => (parameters['owner'] === true ? `${API_KEY}/own/get` : `${API_KEY}/get`),
  },
  methods: ['GET'],
  paths: ['/_security/api_key'],
  parameters: {
    id: stringParameter(),
    name: stringParameter(),
    realm_name: stringParameter(),
    username: stringParameter(),
    owner: booleanParameter(false),
    with_limited_by: booleanParameter(false),
    with_profile_uid: booleanParameter(false),
    active_only: booleanParameter(false),
  },
  body: 'none',
  handle({ parameters }, context) {
    const { id, name, username, owner, with_limited_by: withLimits, active_only: activeOnly } = parameters;
    if (parameters.with_profile_uid)
      throw illegalArgument('[with_profile_uid] is not supported: there are no user profiles');
    const ids = id === undefined ? undefined : [id];
    const wanted = { ids, name, username, realmName: parameters.realm_name, owner };
    checkSelection(wanted);
    const nowMs = context.clock.nowMs();
    const isActive = ({ invalidatedAtMs, expiresAtMs = Infinity }: ApiKey): boolean =>
      invalidatedAtMs === undefined && expiresAtMs > nowMs;
    const keys = selectKeys(context.clusterState(), wanted, sender(context)).filter(
      ([, key]) => !activeOnly || isActive(key),
    );
    return answerValue({ api_keys: keys.map(([each, key]) => renderKey(each, key, withLimits)) });
  },
});

export interface KeySelection {
  readonly ids: readonly string[] | undefined;
  readonly name: string | undefined;
  readonly username: string | undefined;
  readonly realmName: string | undefined;
  readonly owner: boolean;
}

/** Refuses what would say two things at once. */
export function checkSelection({ ids, name, username, realmName, owner }: KeySelection): void {
  const byUser = username !== undefined || realmName !== undefined;
  if (ids !== undefined && name !== undefined)
    throw illegalArgument('only one of [api key id, api key name] can be specified');
  if (byUser && (ids !== undefined || name !== undefined)) {
    throw illegalArgument(
      'username or realm name must not be specified when the api key id or api key name is specified',
    );
  }
  if (byUser && owner)
    throw illegalArgument('neither username nor realm-name may be specified when retrieving owned API keys');
}

/** Names may end in a star. */
export function selectKeys(
  { apiKeys }: SecurityState,
  { ids, name, username, realmName, owner }: KeySelection,
  subject: Subject,
): readonly (readonly [string, ApiKey])[] {
  const own = ownerOf(subject);
  return [...apiKeys].filter(
    ([id, key]) =>
      (ids?.includes(id) ?? true) &&
      (name === undefined || matchesAny([name], key.name)) &&
      (username === undefined || key.owner.username === username) &&
      (realmName === undefined || key.owner.realm.name === realmName) &&
      (!owner || isOf(key, own)),
  );
}

export function isOf({ owner }: ApiKey, { username, realm }: ReturnType<typeof ownerOf>): boolean {
  return owner.username === username && owner.realm.name === realm.name;
}

function renderKey(id: string, key: ApiKey, withLimits: boolean): JsonObject {
  const { name, createdAtMs, expiresAtMs, invalidatedAtMs, owner, metadata, roleDescriptors, limitedBy } = key;
  return {
    id,
    name,
    type: 'rest',
    creation: createdAtMs,
    ...(expiresAtMs === undefined ? {} : { expiration: expiresAtMs }),
    invalidated: invalidatedAtMs !== undefined,
    ...(invalidatedAtMs === undefined ? {} : { invalidation: invalidatedAtMs }),
    username: owner.username,
    realm: owner.realm.name,
    realm_type: owner.realm.type,
    metadata,
    role_descriptors: roleDescriptors as unknown as JsonObject,
    ...(withLimits ? { limited_by: [limitedBy as unknown as JsonObject] } : {}),
  };
}
