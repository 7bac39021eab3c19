/** `GET _security/api_key`: what keys there are. */
import type { ActionContext } from '../../../actions/context.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { matchesAny } from '../../../cluster/names/wildcard.js';
import { withoutParcel } from '../../../cluster/security/enrolment.js';
import type { ApiKey, SecurityState } from '../../../cluster/security/security-state.js';
import type { Subject } from '../../../cluster/security/subject.js';
import { profileOf } from '../../../cluster/security/user-profiles.js';
import { isKeyValid } from '../../../cluster/security/valid-key.js';
import { answerValue, type RestAnswer } from '../../answer.js';
import { sender } from '../common.js';
import { ownerOf } from './create-keys.js';

interface GetRequest {
  readonly parameters: {
    readonly id: string | undefined;
    readonly name: string | undefined;
    readonly username: string | undefined;
    readonly realm_name: string | undefined;
    readonly owner: boolean;
    readonly with_limited_by: boolean;
    readonly with_profile_uid: boolean;
    readonly active_only: boolean;
  };
}

/** Of `GET _security/api_key`. */
export function getKeys({ parameters }: GetRequest, context: ActionContext): RestAnswer {
  const { id, name, username, owner, active_only: activeOnly } = parameters;
  const ids = id === undefined ? undefined : [id];
  const wanted = { ids, name, username, realmName: parameters.realm_name, owner };
  checkSelection(wanted);
  const state = context.clusterState();
  const nowMs = context.clock.nowMs();
  const keys = selectKeys(state, wanted, sender(context)).filter(([, key]) => !activeOnly || isKeyValid(key, nowMs));
  const shown = { withLimits: parameters.with_limited_by, withProfiles: parameters.with_profile_uid };
  const status = id !== undefined && keys.length === 0 ? 404 : 200;
  return answerValue({ api_keys: keys.map(([each, key]) => renderKey(each, key, shown, state)) }, status);
}

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

export interface KeyView {
  readonly withLimits: boolean;
  readonly withProfiles: boolean;
}

export function renderKey(id: string, key: ApiKey, shown: KeyView, { userProfiles }: SecurityState): JsonObject {
  const { name, createdAtMs, expiresAtMs, invalidatedAtMs, owner, metadata, roleDescriptors, limitedBy } = key;
  const profile = shown.withProfiles ? profileOf(userProfiles, owner.username, owner.realm) : undefined;
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
    ...(profile === undefined ? {} : { profile_uid: profile }),
    metadata: withoutParcel(metadata),
    role_descriptors: roleDescriptors as unknown as JsonObject,
    ...(shown.withLimits ? { limited_by: [limitedBy as unknown as JsonObject] } : {}),
  };
}
