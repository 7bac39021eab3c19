/** API keys are made, changed and invalidated. Those that are dead for long are removed when another is made. */
import { withEntries } from '../../../base/shared-map.js';
import { checkRoom, hasRoom } from '../../security/check-room.js';
import { withoutParcel } from '../../security/enrolment.js';
import { API_KEYS_MAX } from '../../security/limits.js';
import type { ApiKey } from '../../security/security-state.js';
import { ClusterSettingDefinitions } from '../../settings/cluster-settings.js';
import { effectiveClusterSettings } from '../../settings/effective-cluster-settings.js';
import { valueOf } from '../../settings/registry.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

export interface CreateApiKeyInput {
  readonly id: string;
  readonly key: ApiKey;
}

export function createApiKey(
  state: ClusterState,
  { id, key }: CreateApiKeyInput,
  environment: ChangeEnvironment,
): Change<null> {
  const added = new Map([[id, key]]);
  const kept = tidied(state, added, environment.nowMs);
  checkRoom(kept, added, 'API keys', API_KEYS_MAX);
  return { state: nextState(state, { apiKeys: withEntries(kept, [[id, key]]) }, environment), result: null };
}

type ApiKeys = ClusterState['apiKeys'];

/**
 * Without keys that are dead for long. Where there is no room for what is added, without all that are dead: they keep
 * out none that could be used. Nobody needs the parcel of an enrolment token that is dead.
 */
function tidied(state: ClusterState, added: ReadonlyMap<string, ApiKey>, nowMs: number): ApiKeys {
  const { apiKeys } = state;
  const retentionMs = valueOf(ClusterSettingDefinitions.deadApiKeyRetention, effectiveClusterSettings(state)) ?? 0;
  const emptied = [...apiKeys].flatMap(([id, key]) => {
    const metadata = isDeadBefore(key, nowMs) ? withoutParcel(key.metadata) : key.metadata;
    return metadata === key.metadata ? [] : [[id, { ...key, metadata }] as const];
  });
  const kept = withEntries(apiKeys, emptied, deadBefore(apiKeys, nowMs - retentionMs));
  return hasRoom(kept, added, API_KEYS_MAX) ? kept : withEntries(kept, [], deadBefore(kept, nowMs));
}

function deadBefore(apiKeys: ApiKeys, timeMs: number): readonly string[] {
  return [...apiKeys].flatMap(([id, key]) => (isDeadBefore(key, timeMs) ? [id] : []));
}

function isDeadBefore({ expiresAtMs = Infinity, invalidatedAtMs = Infinity }: ApiKey, timeMs: number): boolean {
  return Math.min(expiresAtMs, invalidatedAtMs) < timeMs;
}

/** What a key may get anew; absent members stay as they are. */
export type ApiKeyUpdate = Pick<ApiKey, 'limitedBy' | 'owner'> &
  Partial<Pick<ApiKey, 'roleDescriptors' | 'metadata' | 'expiresAtMs'>>;

export interface UpdateApiKeysInput {
  readonly ids: readonly string[];
  readonly update: ApiKeyUpdate;
}

/** Of keys that are gone by now nothing is said: whoever asked has looked. */
export function updateApiKeys(
  state: ClusterState,
  { ids, update }: UpdateApiKeysInput,
  environment: ChangeEnvironment,
): Change<{ readonly updated: readonly string[]; readonly noops: readonly string[] }> {
  const changed = new Map<string, ApiKey>();
  const noops: string[] = [];
  for (const id of ids) {
    const before = state.apiKeys.get(id);
    if (before === undefined) continue;
    const after: ApiKey = { ...before, ...update };
    if (isSame(before, after)) noops.push(id);
    else changed.set(id, after);
  }
  checkRoom(state.apiKeys, changed, 'API keys', API_KEYS_MAX);
  const result = { updated: [...changed.keys()], noops };
  if (changed.size === 0) return { state, result };
  return { state: nextState(state, { apiKeys: withEntries(state.apiKeys, changed) }, environment), result };
}

function isSame(left: ApiKey, right: ApiKey): boolean {
  const comparable = ({ roleDescriptors, limitedBy, metadata, owner, expiresAtMs }: ApiKey): string =>
    JSON.stringify([roleDescriptors, limitedBy, metadata, owner, expiresAtMs]);
  return comparable(left) === comparable(right);
}

export function invalidateApiKeys(
  state: ClusterState,
  { ids }: { readonly ids: readonly string[] },
  environment: ChangeEnvironment,
): Change<{ readonly invalidated: readonly string[]; readonly previously: readonly string[] }> {
  const changed = new Map<string, ApiKey>();
  const previously: string[] = [];
  for (const id of ids) {
    const key = state.apiKeys.get(id);
    if (key === undefined) continue;
    if (key.invalidatedAtMs !== undefined) previously.push(id);
    else changed.set(id, { ...key, metadata: withoutParcel(key.metadata), invalidatedAtMs: environment.nowMs });
  }
  const result = { invalidated: [...changed.keys()], previously };
  if (changed.size === 0) return { state, result };
  return { state: nextState(state, { apiKeys: withEntries(state.apiKeys, changed) }, environment), result };
}
