/** `_security/oauth2/token`: bearer tokens in exchange for a password, for the caller's own credentials, or for a token that refreshes one. */
import type { ActionContext } from '../../../actions/context.js';
import { bearerTokenValue, readBearerToken } from '../../../actions/security/bearer-token.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { newUuid } from '../../../base/random.js';
import { hashSecret, isSecret, newSecret } from '../../../base/secrets.js';
import { REFRESH_TOKEN_MS_MAX } from '../../../cluster/security/limits.js';
import type { BearerToken } from '../../../cluster/security/security-state.js';
import type { Subject } from '../../../cluster/security/subject.js';
import { answerValue, type RestAnswer } from '../../answer.js';
import type { RestRequest } from '../../endpoint.js';
import { ownerOf } from '../api-keys/create-keys.js';
import { BodyMembers } from '../body-members.js';
import { refuseInvalid, sender } from '../common.js';
import { renderSubject } from '../render-subject.js';

type TokenRequest = Pick<RestRequest, 'body' | 'rawPath'>;

/** Of `POST _security/oauth2/token`. */
export async function giveToken({ body, rawPath }: TokenRequest, context: ActionContext): Promise<RestAnswer> {
  const members = new BodyMembers(body.requireObject(), 'get token request');
  const grantType = members.string('grant_type');
  const username = members.string('username');
  const password = members.string('password');
  const refreshToken = members.string('refresh_token');
  const scope = members.string('scope');
  members.end();
  if (scope !== undefined && scope.toLowerCase() !== 'full') {
    return oauthError('invalid_scope', `requested scope is not supported`);
  }
  switch (grantType) {
    case 'password': {
      refuseUnlessOnly({ username, password }, { refresh_token: refreshToken }, grantType);
      const subject = await passwordOwner(username ?? '', password ?? '', rawPath, context);
      if (subject === undefined) return oauthError('invalid_grant', `failed to authenticate user [${username ?? ''}]`);
      return answerValue(await issue(subject, true, context));
    }
    case 'client_credentials': {
      refuseUnlessOnly({}, { username, password, refresh_token: refreshToken }, grantType);
      return answerValue(await issue(sender(context), false, context));
    }
    case 'refresh_token':
      refuseUnlessOnly({ refresh_token: refreshToken }, { username, password }, grantType);
      return refresh(refreshToken ?? '', context);
    default:
      throw illegalArgument(
        `grant_type [${grantType ?? ''}] is not supported, expected one of [password, client_credentials, refresh_token]`,
      );
  }
}

/** Of `DELETE _security/oauth2/token`. */
export async function invalidateTokens({ body }: TokenRequest, context: ActionContext): Promise<RestAnswer> {
  const members = new BodyMembers(body.requireObject(), 'invalidate token request');
  const token = members.string('token');
  const refreshToken = members.string('refresh_token');
  const realmName = members.string('realm_name');
  const username = members.string('username');
  members.end();
  const isOne = token !== undefined || refreshToken !== undefined;
  const isMany = realmName !== undefined || username !== undefined;
  if (isOne === isMany || (token !== undefined && refreshToken !== undefined)) {
    const reason = 'one of [token], [refresh_token], or [realm_name] and [username] must be specified';
    refuseInvalid([reason], 'action_request_validation_exception');
  }
  const { bearerTokens } = context.clusterState();
  const value = token ?? refreshToken;
  const found = value === undefined ? undefined : findToken(value, token !== undefined, context);
  const isMeant = ({ subject }: BearerToken): boolean =>
    (username === undefined || subject.username === username) &&
    (realmName === undefined || subject.lookupRealm?.name === realmName);
  const ids = isMany
    ? [...bearerTokens].filter(([, each]) => isMeant(each)).map(([id]) => id)
    : found === undefined
      ? []
      : [found.id];
  const refreshOnly = refreshToken !== undefined;
  const { invalidated, previously } = await context.coordinator.submit('invalidate-bearer-tokens', {
    ids,
    refreshOnly,
  });
  return answerValue({ invalidated_tokens: invalidated, previously_invalidated_tokens: previously, error_count: 0 });
}

/** Undefined for a wrong password; a name alone tells nothing more. */
async function passwordOwner(
  username: string,
  password: string,
  uri: string,
  context: ActionContext,
): Promise<Subject | undefined> {
  try {
    return await context.security.authenticate(username, password, uri);
  } catch (error) {
    if ((error as { status?: number }).status === 401) return undefined;
    throw error;
  }
}

async function refresh(value: string, context: ActionContext): Promise<RestAnswer> {
  const found = findToken(value, false, context);
  if (found === undefined) return oauthError('invalid_grant', 'could not refresh the requested token');
  const { id, token } = found;
  const { creator } = token;
  const { username, realm } = ownerOf(sender(context));
  if (creator !== undefined && (creator.username !== username || creator.realm.name !== realm.name)) {
    return oauthError('invalid_grant', 'tokens must be refreshed by the creating client');
  }
  if (token.isRefreshed) return oauthError('invalid_grant', 'token has already been refreshed or invalidated');
  if (token.createdAtMs + REFRESH_TOKEN_MS_MAX <= context.clock.nowMs()) {
    return oauthError('invalid_grant', 'refresh token is expired');
  }
  if (!(await context.security.isThere(token.subject))) {
    return oauthError('invalid_grant', 'the user of the token is disabled or gone');
  }
  const issued = await issue(token.subject, true, context, id);
  if (issued === undefined) return oauthError('invalid_grant', 'token has already been refreshed or invalidated');
  return answerValue(issued);
}

function findToken(
  value: string,
  isAccess: boolean,
  context: ActionContext,
): { readonly id: string; readonly token: BearerToken } | undefined {
  const { id, secret } = readBearerToken(value) ?? {};
  const token = id === undefined ? undefined : context.clusterState().bearerTokens.get(id);
  const hash = isAccess ? token?.accessHash : token?.refreshHash;
  const isRight = secret !== undefined && hash !== undefined && isSecret(secret, hash);
  return isRight && id !== undefined && token !== undefined ? { id, token } : undefined;
}

/** Undefined where `refreshed` was refreshed by another meanwhile. */
async function issue(
  subject: Subject,
  hasRefresh: boolean,
  context: ActionContext,
  refreshed?: string,
): Promise<JsonObject | undefined> {
  const { clock, random, coordinator, settings } = context;
  const { username, realm } = ownerOf(sender(context));
  const id = newUuid(random);
  const access = newSecret(random);
  const refreshSecret = newSecret(random);
  const createdAtMs = clock.nowMs();
  const lifetimeMs = settings.values['security.authc.token.timeout'];
  const token: BearerToken = {
    accessHash: hashSecret(access),
    ...(hasRefresh ? { refreshHash: hashSecret(refreshSecret) } : {}),
    createdAtMs,
    expiresAtMs: createdAtMs + lifetimeMs,
    subject,
    creator: { username, realm },
    isInvalidated: false,
    isRefreshed: false,
  };
  const { isRefused } = await coordinator.submit('create-bearer-token', {
    id,
    token,
    ...(refreshed === undefined ? {} : { refreshed }),
  });
  if (isRefused) return undefined;
  return {
    access_token: bearerTokenValue(id, access),
    type: 'Bearer',
    expires_in: Math.floor(lifetimeMs / 1_000),
    ...(hasRefresh ? { refresh_token: bearerTokenValue(id, refreshSecret) } : {}),
    authentication: renderSubject(subject),
  };
}

function refuseUnlessOnly(
  needed: Readonly<Record<string, string | undefined>>,
  others: Readonly<Record<string, string | undefined>>,
  grantType: string,
): void {
  const missing = Object.keys(needed).filter((name) => needed[name] === undefined || needed[name] === '');
  const extra = Object.keys(others).filter((name) => others[name] !== undefined);
  refuseInvalid(
    [
      ...missing.map((name) => `${name} is missing for grant type [${grantType}]`),
      ...extra.map((name) => `${name} is not supported with the ${grantType} grant_type`),
    ],
    'action_request_validation_exception',
  );
}

/** As the standard of OAuth has it. */
function oauthError(error: string, description: string): RestAnswer {
  return answerValue({ error, error_description: description }, 400);
}
