/** The refusals of authentication: status 401, and which schemes are offered instead. */
import { QuarryError } from '../../base/errors.js';

const BEARER = 'Bearer realm="security"';
const CHALLENGES = ['Basic realm="security", charset="UTF-8"', BEARER, 'ApiKey'];

export function missingCredentials(uri: string): QuarryError {
  return unauthorized(`missing authentication credentials for REST request [${uri}]`);
}

export function wrongPassword(username: string, uri: string): QuarryError {
  return unauthorized(`unable to authenticate user [${username}] for REST request [${uri}]`);
}

/** Of keys and tokens; `why` says which and what is wrong with it. */
export function wrongCredentials(why: string): QuarryError {
  const reason =
    'unable to authenticate with provided credentials and anonymous access is not allowed for this request';
  return unauthorized(reason, CHALLENGES, { additional_unsuccessful_credentials: why });
}

export function tokenExpired(): QuarryError {
  return unauthorized('token expired', [
    `${BEARER}, error="invalid_token", error_description="The access token expired"`,
  ]);
}

export function unauthorized(
  reason: string,
  challenges: readonly string[] = CHALLENGES,
  details: Readonly<Record<string, string>> = {},
): QuarryError {
  return new QuarryError('security_exception', reason, {
    status: 401,
    details: { ...details, header: { 'WWW-Authenticate': challenges } },
  });
}
