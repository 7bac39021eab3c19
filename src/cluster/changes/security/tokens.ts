/** Tokens of service accounts, and bearer tokens, which live for minutes. */
import { QuarryError } from '../../../base/errors.js';
import { withEntries } from '../../../base/shared-map.js';
import { checkRoom } from '../../security/check-room.js';
import { BEARER_TOKENS_MAX, REFRESH_TOKEN_MS_MAX, SERVICE_TOKENS_MAX } from '../../security/limits.js';
import type { BearerToken, ServiceToken } from '../../security/security-state.js';
import type { ClusterState } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

export interface CreateServiceTokenInput {
  /** `<namespace>/<service>/<name>`. */
  readonly key: string;
  readonly token: Omit<ServiceToken, 'id'>;
}

export function createServiceToken(
  state: ClusterState,
  { key, token }: CreateServiceTokenInput,
  environment: ChangeEnvironment,
): Change<null> {
  if (state.serviceTokens.has(key)) {
    const reason = `[${key}]: version conflict, document already exists`;
    throw new QuarryError('version_conflict_engine_exception', reason);
  }
  const added: ServiceToken = { ...token, id: environment.newUuid() };
  checkRoom(state.serviceTokens, new Map([[key, added]]), 'service tokens', SERVICE_TOKENS_MAX);
  const serviceTokens = withEntries(state.serviceTokens, [[key, added]]);
  return { state: nextState(state, { serviceTokens }, environment), result: null };
}

export function deleteServiceToken(
  state: ClusterState,
  { key }: { readonly key: string },
  environment: ChangeEnvironment,
): Change<{ readonly found: boolean }> {
  if (!state.serviceTokens.has(key)) return { state, result: { found: false } };
  const serviceTokens = withEntries(state.serviceTokens, [], [key]);
  return { state: nextState(state, { serviceTokens }, environment), result: { found: true } };
}

export interface CreateBearerTokenInput {
  readonly id: string;
  readonly token: BearerToken;
  /** The token whose refresh token is used up by this; refused where another used it first. */
  readonly refreshed?: string;
}

export function createBearerToken(
  state: ClusterState,
  { id, token, refreshed }: CreateBearerTokenInput,
  environment: ChangeEnvironment,
): Change<{ readonly isRefused: boolean }> {
  const dead = [...state.bearerTokens].filter(([, each]) => isDead(each, environment.nowMs)).map(([old]) => old);
  const kept = withEntries(state.bearerTokens, [], dead);
  checkRoom(kept, new Map([[id, token]]), 'bearer tokens', BEARER_TOKENS_MAX);
  const former = refreshed === undefined ? undefined : kept.get(refreshed);
  if (refreshed !== undefined && former?.isRefreshed !== false) return { state, result: { isRefused: true } };
  const used =
    refreshed === undefined || former === undefined ? [] : [[refreshed, { ...former, isRefreshed: true }] as const];
  const bearerTokens = withEntries(kept, [[id, token], ...used]);
  return { state: nextState(state, { bearerTokens }, environment), result: { isRefused: false } };
}

/** Neither of its secrets can be used any more. */
function isDead(
  { createdAtMs, expiresAtMs, isInvalidated, isRefreshed, refreshHash }: BearerToken,
  nowMs: number,
): boolean {
  const isAccessOver = isInvalidated || expiresAtMs <= nowMs;
  const isRefreshOver = refreshHash === undefined || isRefreshed || createdAtMs + REFRESH_TOKEN_MS_MAX <= nowMs;
  return isAccessOver && isRefreshOver;
}

export interface InvalidateBearerTokensInput {
  readonly ids: readonly string[];
  /** Only what refreshes them. */
  readonly refreshOnly: boolean;
}

export function invalidateBearerTokens(
  state: ClusterState,
  { ids, refreshOnly }: InvalidateBearerTokensInput,
  environment: ChangeEnvironment,
): Change<{ readonly invalidated: number; readonly previously: number }> {
  const changed = new Map<string, BearerToken>();
  let previously = 0;
  for (const id of ids) {
    const token = state.bearerTokens.get(id);
    if (token === undefined) continue;
    if (refreshOnly ? token.isRefreshed : token.isInvalidated) previously++;
    else changed.set(id, { ...token, isRefreshed: true, isInvalidated: token.isInvalidated || !refreshOnly });
  }
  const result = { invalidated: changed.size, previously };
  if (changed.size === 0) return { state, result };
  const bearerTokens = withEntries(state.bearerTokens, changed);
  return { state: nextState(state, { bearerTokens }, environment), result };
}
